"""The wait for a decision, which may come from this process or from any other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from tether.batteries.storage.errors import GateSettled, StoreFailed
from tether.batteries.storage.port import Gates
from tether.batteries.storage.records import GateRow
from tether.batteries.tools.durable_steps import shown_gate
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.errors import TurnGateTimeout
from tether.runtime.gate import GateRequest, TurnGate

HERE = "this process"
"""The decider of a gate without an owner that is resolved with a plain True or False."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """A yes or no that names the gate, the call, and the person who decided."""

    gate: str
    checksum: str
    approved: bool
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class _DecisionAbout:
    """The schema of a live gate: a decision about this row, or a plain truth value."""

    row: GateRow

    def validate(self, value: object) -> GateDecision:
        """Return the decision; raise `ValueError` for another gate's, or anything else."""
        if isinstance(value, bool):
            return self.decision(approved=value, by=self.row.owner or HERE)
        if not isinstance(value, GateDecision) or type(value.approved) is not bool:
            raise ValueError("must be True, False or a GateDecision")
        if (value.gate, value.checksum) != (self.row.id, self.row.checksum):
            raise ValueError("is a decision about another gate or another call")
        if not value.by.strip():
            raise ValueError("must name the person who decided")
        return value

    def decision(self, *, approved: bool, by: str, note: str = "") -> GateDecision:
        """Return a decision about this row."""
        return GateDecision(
            gate=self.row.id, checksum=self.row.checksum, approved=approved, by=by, note=note
        )


class GateWait:
    """Waits for rows to change, by polling the store.

    A wait that is cancelled or aborted leaves its row open: the run is suspended, not denied.
    """

    __slots__ = ("_gates", "_poll")

    def __init__(self, gates: Gates, *, poll: float) -> None:
        self._gates = gates
        self._poll = poll

    async def decision(self, ctx: DispatchContext, row: GateRow) -> GateRow:
        """Show an open gate and return its row once it is decided, here or anywhere.

        Raises `TurnGateAborted` where the gate is closed without a decision.
        """
        about = _DecisionAbout(row)
        gate = ctx.open_gate(
            GateRequest(
                id=row.id,
                reason=row.reason,
                payload=shown_gate(row),
                created_at=row.created_at,
                schema=about,
            )
        )
        waiter = asyncio.ensure_future(gate.wait())
        left = (row.expires_at - ctx.clock.now()).total_seconds()
        try:
            decided = await self._decided(row, waiter, _after(left))
            _close(gate, about, decided)
            return decided
        finally:
            waiter.cancel()  # a gate that is still open closes with it
            await asyncio.gather(waiter, return_exceptions=True)

    async def end(self, row: GateRow, patience: timedelta) -> GateRow:
        """Return the row once its step, perhaps in another process, or the patience has ended."""
        deadline = _after(patience.total_seconds())
        while row.state in ("approved", "running") and _left(deadline):
            await asyncio.sleep(min(self._poll, _left(deadline)))
            row = await self._looked(row)
        return row

    async def _decided(
        self, row: GateRow, waiter: asyncio.Future[GateDecision], deadline: float
    ) -> GateRow:
        while row.state == "open":
            await asyncio.wait({waiter}, timeout=min(self._poll, _left(deadline)))
            if waiter.done():
                return await self._settled(row, waiter.result())
            if _left(deadline):
                row = await self._looked(row)
            else:
                late = _DecisionAbout(row).decision(approved=False, by=HERE)
                row = await self._settled(row, late, now=row.expires_at)
        return row

    async def _looked(self, row: GateRow) -> GateRow:
        """Return the row as it is now, or unchanged while the store fails."""
        try:
            return await self._gates.gate(row.id)
        except StoreFailed:
            return row

    async def _settled(
        self, row: GateRow, decision: GateDecision, *, now: datetime | None = None
    ) -> GateRow:
        """Store a decision of this process; return the row, which another process may have decided.

        Raises `GateSettled` if the row is still undecided, because it was altered.
        """
        try:
            return await self._gates.settle_gate(
                row.id,
                approved=decision.approved,
                by=decision.by,
                checksum=decision.checksum,
                note=decision.note,
                now=now,
            )
        except GateSettled:
            found = await self._gates.gate(row.id)
            if found.state == "open":
                raise
            return found


def _close(gate: TurnGate[GateDecision], about: _DecisionAbout, row: GateRow) -> None:
    """Close the gate of this process by the decision in its row, unless it is closed already."""
    if row.state == "expired":
        gate.reject(TurnGateTimeout(f"the gate {row.id!r} was not settled in time"))
    else:
        by, approved = row.decided_by or HERE, row.state != "denied"
        gate.resolve(about.decision(approved=approved, by=by, note=row.note))


def _after(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


def _left(deadline: float) -> float:
    return max(0.0, deadline - asyncio.get_running_loop().time())
