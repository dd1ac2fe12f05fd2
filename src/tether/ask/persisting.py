"""The stage that stores the accepted pair: the question as it was asked, and what stood."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from tether.ask.answer import Answer
from tether.ask.citations.composing import Draft
from tether.ask.refusal import refusal_text
from tether.ask.turn import AskTurn
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange
from tether.core.errors import LlmExecutionExecutorError, RunError
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
        turn.answer = answer
        turn.tell("store", "done", f"stored as {turn.id}", turn=turn.id)
        await call_next()

    async def _store(self, exchange: Exchange) -> None:
        """Write the exchange, and the conversation first where it begins here."""
        turn, store = self.turn, self.store
        if not turn.is_new:
            await store.store_exchange(exchange, owner=turn.owner)
            return
        try:
            title = " ".join(turn.question.split())[:LONGEST_TITLE]
            await store.begin(owner=turn.owner, title=title, id=turn.conversation)
            await store.store_exchange(exchange, owner=turn.owner)
        except BaseException:
            # Failed or cancelled in between: nobody asked for an empty conversation.
            with suppress(RunError):
                await store.delete_conversation(turn.conversation, owner=turn.owner)
            raise


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
