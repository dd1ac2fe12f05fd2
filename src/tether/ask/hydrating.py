"""The first stage of a turn: what was said before, and the question, in memory only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tether.ask.answer import Answer
from tether.ask.turn import AskTurn
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange
from tether.core.message import Message
from tether.core.tokens import count_tokens
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext

HISTORY_SHARE = 0.15
"""How much of the window earlier exchanges may take: the passages need the rest."""


@dataclass(frozen=True, slots=True)
class Hydrate:
    """Puts accepted exchanges and the question before the model; stores neither.

    Raises `RecordMissing` for a conversation that the owner does not have.
    """

    turn: AskTurn
    store: Store

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Seed the dialogue, and go on."""
        turn = self.turn
        if not turn.is_new:
            last = max(turn.settings.history, 1)  # a follow-up needs the exchange before it
            turn.history = await self.store.exchanges(
                turn.conversation, owner=turn.owner, last=last
            )
        for exchange in _fitting(turn):
            ctx.turn_messages.update((exchange.question, spoken(exchange)))
        ctx.turn_messages.add(question_message(turn))
        shown = len(ctx.turn_messages) // 2
        turn.tell("history", "done", f"{shown} earlier exchanges", exchanges=shown)
        await call_next()


def question_message(turn: AskTurn, directive: str = "") -> Message:
    """Return the question as the model sees it, with what a failed attempt taught behind it.

    What answers by quotation has no idea of a dialogue: it gets the words that a follow-up leaves
    out, as soon as they are known.
    """
    asked = turn.question
    if turn.model.style == "quotes" and turn.resolved != asked:
        asked = f"{asked} ({turn.resolved})"
    content = f"{asked}\n\n{directive}" if directive else asked
    return Message(id=turn.question_id, role="user", content=content, created_at=turn.started_at)


def spoken(exchange: Exchange) -> Message:
    """Return an earlier answer without its marks: their numbers mean other passages by now."""
    answer = answer_of(exchange)
    if answer is None:
        return exchange.answer
    text = answer.text
    for citation in sorted(answer.citations, key=lambda it: it.mark_start, reverse=True):
        text = text[: citation.mark_start].rstrip(" ") + text[citation.mark_end :]
    said = exchange.answer
    if not text.strip():
        return said
    return Message(id=said.id, role="assistant", content=text, created_at=said.created_at)


def answer_of(exchange: Exchange) -> Answer | None:
    """Return the answer of a stored exchange; None where its details are not those of one."""
    try:
        return Answer.from_json(exchange.details)
    except (KeyError, TypeError):
        return None


def _fitting(turn: AskTurn) -> Sequence[Exchange]:
    """Return the newest exchanges that fit their share of the window, oldest first."""
    profile = turn.model.profile
    room = HISTORY_SHARE * profile.window
    newest = list(turn.history)[::-1][: turn.settings.history]
    for place, exchange in enumerate(newest):
        texts = (str(exchange.question.content), str(exchange.answer.content))
        room -= sum(count_tokens(text, profile.encoding) for text in texts)
        if room < 0:
            newest = newest[:place]
            break
    return newest[::-1]
