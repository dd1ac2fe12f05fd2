"""Approval by a person before a tool runs, which survives a restart of the process.

A run is a named piece of work, such as a job with an id. Each call of a gated tool in it is a step
with a row in the store, which is written before anyone sees the step. When the process dies, the
same run is started again from its beginning, and its steps find their rows:

- done: the stored result is returned and nothing runs;
- approved: it runs once, in the process that claims it;
- open: the wait continues;
- denied, expired or failed: the model gets the same error again;
- running: the process died during the call. The row becomes `unknown`, and a new row, which says
  that the call may have run, asks the person again. It never runs a second time without approval.

A model may act differently after a restart, so the number of a step does not identify a call. A
call takes the first row of its run that is bound to its checksum and was not taken since the run
was last started; rows bound to other calls are skipped, and if no row is left the call opens a new
one after the last. So an approval is used only for the call it was given for, in any order, and the
second of two equal calls needs its own approval. The steps of a run are numbered 0, 1, 2 … without
gaps. A run belongs to one process at a time; if two work on it by mistake, only one claim succeeds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.storage.errors import GateSettled, StoreFailed
from tether.batteries.storage.port import Gates
from tether.batteries.storage.records import GateRow
from tether.batteries.tools.approval import REASON, text_confirmed
from tether.batteries.tools.durable_decision import GateWait
from tether.batteries.tools.durable_steps import AGAIN, BoundCall, kept, kept_failure, outcome
from tether.core.artifact import settled
from tether.core.checks import Checks, has_methods
from tether.core.errors import InputRefused, InvalidInitialToolValue
from tether.core.ids import new_id
from tether.core.registry import Registry
from tether.runtime.abort import is_abort
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.tool import Tool

if TYPE_CHECKING:
    from tether.runtime.tool import Handler

IDEMPOTENCY_KEY = "tether.gate"
"""The key under which a handler finds the key of its step, in its metadata and in the stash."""


def durable(
    tool: Tool,
    gates: Gates,
    *,
    run: str,
    owner: str = "",
    expires_in: timedelta,
    poll_ms: int = 250,
) -> Tool:
    """Return the same tool, which runs once a person has approved this call, in any process.

    The gate is settled by `gate.resolve(True)` (or False, or a `GateDecision`) in this process, or
    by `settle_gate` in any other, which is noticed within `poll_ms`. No decision within
    `expires_in` counts as a no. Wrap each tool once per start of a run. Raises
    `InvalidInitialToolValue`.
    """
    check = Checks()
    check.instance("tool", tool, Tool, "a Tool (decorate the function with @tool)")
    if not has_methods(gates, "open_gate", "settle_gate", "claim_gate", "finish_gate"):
        check.refuse("gates", gates, "a store that keeps gates")
    check.identifier("run", run)
    if not isinstance(expires_in, timedelta) or expires_in <= timedelta():
        check.refuse("expires_in", expires_in, "a timedelta above zero")
    check.whole_number("poll_ms", poll_ms)
    check.done(InvalidInitialToolValue)
    steps = _Steps(tool.name, gates, run, owner, expires_in)
    return tool.wrapped(lambda handler: _Durable(handler, steps, poll_ms / 1000).call)


class _Step(NamedTuple):
    """A row, and the idempotency key of its step."""

    row: GateRow
    key: str


class _Steps:
    """The rows of one tool in one run."""

    def __init__(
        self, tool: str, gates: Gates, run: str, owner: str, expires_in: timedelta
    ) -> None:
        self.tool = tool
        self.gates = gates
        self.expires_in = expires_in
        self._run = run
        self._owner = owner
        self._next: dict[str, int] = {}
        self._lock = asyncio.Lock()

    async def find(self, ctx: DispatchContext, call: BoundCall) -> _Step:
        """Return the row of a call, or open one; see the docstring of the module."""
        async with self._lock:
            first: GateRow | None = None
            number = self._next.get(call.checksum, 0)
            while True:
                row = await self._at(ctx, call, number, REASON if first is None else AGAIN)
                number += 1
                if row is not None and row.state != "unknown":
                    self._next[call.checksum] = number
                    return _Step(row, row.id if first is None else first.id)
                first = first or row

    async def _at(
        self, ctx: DispatchContext, call: BoundCall, number: int, reason: str
    ) -> GateRow | None:
        """Return the row of a step, abandoned if it was left running; None for another call's."""
        now = ctx.clock.now()
        wanted = GateRow(
            id=new_id(),
            owner=self._owner,
            run=self._run,
            step=number,
            tool=call.tool,
            arguments=call.arguments,
            checksum=call.checksum,
            reason=reason,
            state="open",
            created_at=now,
            expires_at=now + self.expires_in,
        )
        try:
            row = await self.gates.open_gate(wanted)
        except GateSettled:
            return None
        if row.state == "running":
            await self.gates.abandon_gates(self._run)
            row = await self.gates.gate(row.id)
        return row


class _Durable:
    """One gated tool: finds the step of a call, waits for the decision, runs it."""

    def __init__(self, handler: Handler, steps: _Steps, poll: float) -> None:
        self._handler = handler
        self._steps = steps
        self._gates = steps.gates
        self._poll = poll
        self._finishing: set[asyncio.Task[None]] = set()

    async def call(self, arguments: Any, ctx: DispatchContext, meta: Registry) -> Any:
        """Carry out one call, or return its outcome from an earlier start of the run."""
        step = await self._steps.find(ctx, BoundCall.of(self._steps.tool, arguments))
        row = step.row
        wait = GateWait(self._gates, poll=self._poll)
        if row.state == "open":
            row = await wait.decision(ctx, row)
        if row.state == "approved":
            now = BoundCall.of(self._steps.tool, arguments)
            claimed = await self._gates.claim_gate(row.id, checksum=now.checksum)
            if claimed is not None:
                return await self._run(_Step(claimed, step.key), arguments, ctx, meta)
        return outcome(await wait.end(row, self._steps.expires_in))

    async def _run(self, step: _Step, arguments: Any, ctx: DispatchContext, meta: Registry) -> Any:
        """Run a step that was claimed and store its outcome.

        If it is cancelled or aborted, its outcome is unknown: the row stays `running`, and becomes
        `unknown` when the run is started again.
        """
        keyed = meta.clone()
        keyed.set(IDEMPOTENCY_KEY, step.key)
        ctx.stash.set(IDEMPOTENCY_KEY, step.key)
        try:
            if BoundCall.of(self._steps.tool, arguments).checksum != step.row.checksum:
                raise InputRefused("the arguments changed after they were approved")  # noqa: TRY301
            with text_confirmed(ctx, arguments, by=step.row.decided_by):
                output = await settled(self._handler(arguments, ctx, keyed))
        except Exception as error:
            if not is_abort(error, ctx.abort_signal):
                await self._finish(step, kept_failure(error), failed=True)
            raise
        await self._finish(step, kept(output), failed=False)
        return output

    async def _finish(self, step: _Step, result: str, *, failed: bool) -> None:
        """Store the outcome, even if the caller is cancelled meanwhile."""
        work = self._gates.finish_gate(step.row.id, result=result, failed=failed)
        task = asyncio.get_running_loop().create_task(_written(work))
        self._finishing.add(task)
        task.add_done_callback(self._finishing.discard)
        await asyncio.shield(task)


async def _written(work: Coroutine[Any, Any, GateRow]) -> None:
    """Await the write. If the store fails, the row stays `running`.

    When the run is started again, a person is asked about the step.
    """
    try:
        await work
    except StoreFailed:
        return
