"""The stage that stores the accepted pair: the question as it was asked, and what stood."""

from __future__ import annotations

from dataclasses import dataclass

from tether.ask.answer import Answer
from tether.ask.citations.composing import Draft
from tether.ask.hydrating import answer_of
from tether.ask.refusal import refusal_text
from tether.ask.turn import AskTurn
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange
from tether.core.errors import (
    InputRefused,
    LlmExecutionExecutorError,
    RecordMissing,
    StoreFailed,
)
from tether.core.message import Message
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext

LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Persist:
    """Writes one exchange; the only writer of a conversation. An abstention is an answer too."""

    turn: AskTurn
    store: Store

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Store, and go on."""
        turn = self.turn
        answer = answer_of_turn(turn)
        if turn.refused is not None:
            turn.tell("refuse", "done", turn.refused, reason=turn.refused)
        await self._store(_exchange(turn, answer))
        # Another run of the same turn may have been first: what is stored is the answer.
        stored = await stored_answer(turn, self.store) if turn.is_named else None
        turn.answer = stored or answer
        turn.tell("store", "done", f"stored as {turn.id}", turn=turn.id)
        await call_next()

    async def _store(self, exchange: Exchange) -> None:
        """Write the exchange, and with it the conversation where it begins here."""
        turn = self.turn
        title = " ".join(turn.question.split())[:LONGEST_TITLE] if turn.is_new else None
        await self.store.store_exchange(exchange, owner=turn.owner, begins=title)


async def stored_answer(turn: AskTurn, store: Store) -> Answer | None:
    """Return the answer that is stored under the id of a turn; None where none can be read.

    Raises `InputRefused` where it answers another question.
    """
    try:
        exchange = await store.exchange(turn.id, owner=turn.owner)
    except (RecordMissing, StoreFailed):
        return None
    answer = answer_of(exchange)
    if answer is not None and answer.question != turn.question:
        raise InputRefused("another question was asked under the id of this turn: give a new id")
    return answer


def answer_of_turn(turn: AskTurn) -> Answer:
    """Return what the turn came to.

    Raises `LlmExecutionExecutorError` where nothing was checked: a model that calls its own answer
    done goes round the gate.
    """
    refused, draft = turn.refused, turn.draft
    if refused is not None:
        draft = Draft(text=refusal_text(refused, turn.nearest), citations=())
    if draft is None:
        raise LlmExecutionExecutorError(
            "the model ended the turn before its answer was checked: give the agent an executor"
            " that does not ack by itself"
        )
    return Answer(
        id=turn.id,
        conversation=turn.conversation,
        question=turn.question,
        text=draft.text,
        verdict="answered" if refused is None else "abstained",
        reason=refused,
        citations=draft.citations,
        consulted=turn.consulted(),
        nearest=() if refused is None else turn.nearest,
        notes=turn.notes,
        attempts=turn.attempts,
        model=turn.model.name,
        generation=turn.library.generation,
        corpus=turn.library.corpus,
        ledger=turn.ledger,
        created_at=turn.clock.now().isoformat(),
    )


def _exchange(turn: AskTurn, answer: Answer) -> Exchange:
    return Exchange(
        turn=turn.id,
        conversation=turn.conversation,
        question=Message(
            id=turn.question_id, role="user", content=turn.question, created_at=turn.started_at
        ),
        answer=Message(
            id=f"{turn.id}.answer",
            role="assistant",
            content=answer.text,
            created_at=turn.clock.now(),
        ),
        details=answer.to_json(),
        prompt=turn.prompt,
    )
