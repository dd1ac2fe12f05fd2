"""The first stage of a turn: the conversation so far, and the standing instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tether.ask.answer import Answer
from tether.ask.parts import Parts
from tether.ask.reporter import Reporter
from tether.ask.values import Asked, Talk
from tether.batteries.storage.records import Exchange
from tether.core.message import Message
from tether.core.tokens import count_tokens
from tether.runtime.pipeline import Abortable
from tether.text.numbers import counted

HISTORY_SHARE = 0.15
"""How much of the window earlier exchanges may take: the passages need the rest."""


@dataclass(frozen=True, slots=True)
class Hydrate:
    """Reads accepted exchanges and the owner's active instructions; stores nothing.

    Proposed instructions wait for a person. Raises `RecordMissing` for a conversation that the
    owner does not have.
    """

    parts: Parts
    reporter: Reporter

    async def __call__(self, asked: Asked, ctx: Abortable) -> Talk:
        """Return the question in its conversation."""
        history: Sequence[Exchange] = ()
        store, owner = self.parts.store, asked.owner
        if not asked.begins:
            last = max(self.parts.settings.history, 1)  # a follow-up needs the exchange before it
            history = await store.exchanges(asked.conversation, owner=owner, last=last)
        shown = self._fitting(history)
        label = counted(len(shown), "earlier exchange")
        self.reporter.step("history", "done", label, exchanges=len(shown))
        ctx.abort_signal.raise_if_aborted()
        instructions = await store.instructions(owner=owner, state="active")
        return Talk(
            asked=asked,
            history=tuple(history),
            messages=tuple(it for one in shown for it in (one.question, spoken(one))),
            instructions=tuple(instruction.text for instruction in instructions),
        )

    def _fitting(self, history: Sequence[Exchange]) -> Sequence[Exchange]:
        """Return the newest exchanges that fit their share of the window, oldest first."""
        profile = self.parts.model.profile
        room = HISTORY_SHARE * profile.window
        newest = list(history)[::-1][: self.parts.settings.history]
        for place, exchange in enumerate(newest):
            texts = (str(exchange.question.content), str(exchange.answer.content))
            room -= sum(count_tokens(text, profile.encoding) for text in texts)
            if room < 0:
                newest = newest[:place]
                break
        return newest[::-1]


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
    """Return the answer of a stored exchange; None where its details have another form."""
    try:
        return Answer.from_json(exchange.details)
    except (KeyError, TypeError):
        return None
