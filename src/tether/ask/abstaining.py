"""The stages that decide, before a model is asked, that there will be no answer."""

from __future__ import annotations

from dataclasses import dataclass

from tether.ask.turn import AskTurn
from tether.runtime.dispatch_context import DispatchContext
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext


@dataclass(frozen=True, slots=True)
class Suffice:
    """The floor: takes over the verdict of the search on its own passages."""

    turn: AskTurn

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Refuse where the search does, and go on."""
        turn = self.turn
        found = turn.findings
        if found is not None:
            verdict = found.verdict
            if found.refusal is not None:
                turn.refuse(found.refusal.reason)
            turn.tell(
                "floor",
                "skipped" if verdict is None else "done",
                "no floor was fitted" if verdict is None else _label(found.sufficient),
                sufficient=found.sufficient,
                probability=None if verdict is None else verdict.probability,
                threshold=None if verdict is None else verdict.threshold,
                features={} if verdict is None else dict(verdict.features),
            )
        await call_next()


def _label(sufficient: bool) -> str:
    return "the passages suffice" if sufficient else "the passages do not suffice"


@dataclass(frozen=True, slots=True)
class Abstain:
    """Ends the dispatch of a refused question before the model is asked.

    It could be asked and its words thrown away, so that all turns take the same way. Not asking
    costs no tokens and no time, and words that were never written cannot leak into a stream, a
    trace or a log.
    """

    turn: AskTurn

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        """Go on only where there is something to answer from."""
        if self.turn.refused is None:
            await call_next()
        else:
            ctx.ack()
