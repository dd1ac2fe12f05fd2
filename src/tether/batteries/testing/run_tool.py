"""A single tool, run without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.batteries.storage.memory import MemoryStorage
from tether.core.errors import Aborted
from tether.runtime.dispatch import DispatchRunner, RawDispatch
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.runtime.clock import Clock
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.gate import TurnGate
    from tether.runtime.reports import Helpers
    from tether.runtime.storage import Storage
    from tether.runtime.tool import Tool


async def run_tool(
    tool: Tool,
    args: Mapping[str, Any] | None = None,
    *,
    storage: Storage | None = None,
    clock: Clock | None = None,
    on_gate: Callable[[TurnGate[Any]], None] | None = None,
) -> Any:
    """Run a tool in its own dispatch and return the result of its handler.

    `on_gate` settles the gates it opens, for instance `lambda gate: gate.resolve(True)`; without it
    none can be opened. Raises `InvalidToolArgs` and `ToolDownstreamError`, as `tool.executor(ctx)`
    does, and `Aborted` where the handler aborts.
    """
    outcome: list[Any] = []
    failure: list[InvalidToolArgs | ToolDownstreamError] = []

    async def execute(ctx: DispatchContext, _helpers: Helpers) -> None:
        try:
            outcome.append(await tool.executor(ctx)({} if args is None else args))
        except (InvalidToolArgs, ToolDownstreamError) as error:
            failure.append(error)
        if not ctx.is_signalled:
            ctx.ack()

    raw = RawDispatch(
        system_prompt="",
        storage=MemoryStorage() if storage is None else storage,
        tools=[tool],
        gates=on_gate is not None,
    )
    observers = {} if on_gate is None else {"turn_gate_open": _settled_by(on_gate)}
    await DispatchRunner.dispatch(executor=execute, raw=raw, clock=clock, observers=observers)
    if failure:
        raise failure[0]
    if not outcome:
        raise Aborted(f"the tool {tool.name!r} aborted its dispatch")
    return outcome[0]


def _settled_by(on_gate: Callable[[TurnGate[Any]], None]) -> Callable[[TurnGate[Any]], None]:
    """Reject the gate if the function fails; otherwise it would stay open."""

    def settle(gate: TurnGate[Any]) -> None:
        try:
            on_gate(gate)
        except Exception as error:
            gate.reject(error)
            raise

    return settle
