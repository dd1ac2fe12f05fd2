"""The last stage before a model: the prompt fits, and what was left out cannot be cited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from tether.ask.turn import AskTurn
from tether.batteries.budget.report import ThriftReport
from tether.batteries.budget.thrift import REPORT_PATH, Thrift
from tether.runtime.context import Context
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.pipeline import CallNext

NOTHING_FITS = "no passage fits the window of the model"


@dataclass(frozen=True, slots=True)
class Shed:
    """Makes the prompt fit with `Thrift`, and takes what it left out from the evidence.

    What gives way to tool results later in the turn was shown before, and may still be cited.
    Where even the floor does not fit, the turn fails with `ModelContextOverflow`.
    """

    turn: AskTurn
    thrift: Thrift

    async def __call__(self, ctx: Context, call_next: CallNext) -> None:
        """Shed, tell, and go on with what is left."""
        if self.turn.refused is not None:
            await call_next()
            return

        shown = {record.id for record in ctx.turn_retrievables}

        async def go_on() -> None:
            self._account(ctx, shown)
            await call_next()

        await self.thrift(ctx, go_on)

    def _account(self, ctx: Context, shown: set[str]) -> None:
        turn = self.turn
        report = cast("ThriftReport", ctx.stash.get(REPORT_PATH))
        gone = shown - {record.id for record in ctx.turn_retrievables}
        if not isinstance(ctx, DispatchContext) or not ctx.iteration:
            turn.drop_evidence(gone)
        if not turn.evidence and not isinstance(ctx, DispatchContext):
            turn.refuse("not-supported", NOTHING_FITS)
        if report.anything_shed:
            shed = {kind: count for kind, count in report.shed.items() if count}
            turn.tell(
                "shed",
                "done",
                "left out to fit: " + ", ".join(f"{n} {kind}" for kind, n in shed.items()),
                before=report.before,
                after=report.after,
                limit=report.limit,
                shed=shed,
                passages=sorted(gone),
            )
