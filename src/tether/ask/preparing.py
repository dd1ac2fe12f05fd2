"""The stage that makes a search query of the question: one small job after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tether.ask.events import StepState
from tether.ask.hydrating import question_message, spoken
from tether.ask.query.hypothesis import hypothesis
from tether.ask.query.rewriting import rewrite
from tether.ask.query.variants import variants
from tether.ask.turn import AskTurn
from tether.core.message import Message
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext


@dataclass(frozen=True, slots=True)
class Prepare:
    """Widens the search and judges nothing: what fails here leaves the question as it is.

    The jobs run one after the other, since they share an engine with each other and the answer.
    """

    turn: AskTurn

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Rewrite, imagine, vary: as the settings say, and where there is something to search."""
        if not self.turn.library.is_empty:
            await self._rewrite(ctx)
            _seed_again(self.turn, ctx)
            await self._imagine(ctx)
            await self._vary(ctx)
        await call_next()

    async def _rewrite(self, ctx: TurnContext) -> None:
        turn = self.turn
        if not turn.settings.rewrite:
            return
        earlier = _messages(turn)
        helper = turn.model.helper
        found = await rewrite(turn.question, earlier, helper, abort_signal=ctx.abort_signal)
        state: StepState = "skipped" if found.by == "none" else "done"
        if found.by != "none":
            turn.query = replace(turn.query, rewrite=found.text)
        turn.tell(
            "rewrite",
            "failed" if found.problem else state,
            found.problem or found.text,
            question=turn.question,
            text=found.text,
            by=found.by,
            problem=found.problem,
        )

    async def _imagine(self, ctx: TurnContext) -> None:
        turn = self.turn
        helper = turn.model.helper
        if not turn.settings.hypothesis or helper is None:
            return
        text = await hypothesis(turn.resolved, helper, abort_signal=ctx.abort_signal)
        turn.query = replace(turn.query, hypothetical=text)
        label = text or "no paragraph was written"
        turn.tell("hypothesis", "done" if text else "failed", label, text=text)

    async def _vary(self, ctx: TurnContext) -> None:
        turn = self.turn
        helper, count = turn.model.helper, turn.settings.variants
        if not count or helper is None:
            return
        found = await variants(turn.resolved, count, helper, abort_signal=ctx.abort_signal)
        turn.query = replace(turn.query, variants=found)
        label = f"{len(found)} other forms of the question"
        turn.tell("variants", "done" if found else "failed", label, texts=list(found))


def _seed_again(turn: AskTurn, ctx: TurnContext) -> None:
    """Put the question before the model once more, now that its words are known."""
    asked = question_message(turn)
    ctx.turn_messages.replace_where(lambda message: message.id == asked.id, asked)


def _messages(turn: AskTurn) -> Sequence[Message]:
    return [
        message for exchange in turn.history for message in (exchange.question, spoken(exchange))
    ]
