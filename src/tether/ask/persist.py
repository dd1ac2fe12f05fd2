"""The stage that stores an outcome as an answer, and the answers that a turn can end with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tether.ask.answer import Answer, Citation, Consulted
from tether.ask.evidence import Evidence
from tether.ask.history import answer_of
from tether.ask.parts import Parts
from tether.ask.refusal import refusal_text
from tether.ask.reporter import Reporter
from tether.ask.values import Asked, Outcome, Refusal
from tether.batteries.storage.errors import RecordMissing, StoreFailed
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange
from tether.core.errors import Aborted, InputRefused, TetherError
from tether.core.message import Message

LONGEST_TITLE = 80


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Makes the answer of a turn: from its outcome, or from its failure."""

    parts: Parts
    asked: Asked
    reporter: Reporter

    def answer(self, outcome: Outcome) -> Answer:
        """Return the answer of an outcome."""
        if isinstance(outcome, Refusal):
            return replace(
                self._bare(),
                verdict="abstained",
                text=refusal_text(outcome.reason, outcome.nearest),
                reason=outcome.reason,
                consulted=_consulted(outcome.passages, ()),
                nearest=outcome.nearest,
                notes=(*self.reporter.notes, *outcome.notes),
            )
        draft = outcome.draft
        return replace(
            self._bare(),
            verdict="answered",
            text=draft.text,
            statements=draft.statements,
            citations=draft.citations,
            consulted=_consulted(outcome.passages, draft.citations),
            notes=(*self.reporter.notes, *outcome.notes),
        )

    def failure(self) -> Answer:
        """Return the answer of a turn without an outcome; without an error, it was aborted.

        A conversation that was to begin with it did not: its id is "", which begins one again.
        """
        first = self.reporter.failure
        error = Aborted("the turn was aborted") if first is None else _root(first)
        text = f"{error.message.removesuffix('.')}. {error.help}" if error.help else error.message
        conversation = "" if self.asked.begins else self.asked.conversation
        return replace(self._bare(), conversation=conversation, error=(error.code, text))

    def _bare(self) -> Answer:
        return Answer(
            id=self.asked.id,
            conversation=self.asked.conversation,
            question=self.asked.question,
            text="",
            verdict="failed",
            attempts=self.reporter.attempts,
            model=self.parts.model.name,
            generation=self.parts.library.generation,
            corpus=self.parts.library.corpus,
            ledger=self.reporter.ledger,
            created_at=self.parts.clock.now().isoformat(),
        )


@dataclass(frozen=True, slots=True)
class Persist:
    """Writes one exchange; the only writer of a conversation. An abstention is an answer too."""

    conclusion: Conclusion

    async def __call__(self, outcome: Outcome) -> Answer:
        """Return the answer that is stored."""
        asked, reporter = self.conclusion.asked, self.conclusion.reporter
        store = self.conclusion.parts.store
        answer = self.conclusion.answer(outcome)
        if isinstance(outcome, Refusal):
            reporter.step("refuse", "done", outcome.reason, reason=outcome.reason)
        title = " ".join(asked.question.split())[:LONGEST_TITLE] if asked.begins else None
        exchange = self._exchange(answer, outcome.prompt)
        await store.store_exchange(exchange, owner=asked.owner, begins=title)
        # Another run of the same turn may have been first: its answer is the stored one.
        stored = await stored_answer(asked, store) if asked.is_named else None
        reporter.step("store", "done", f"stored as {asked.id}", turn=asked.id)
        return stored or answer

    def _exchange(self, answer: Answer, prompt: str) -> Exchange:
        asked = self.conclusion.asked
        return Exchange(
            turn=asked.id,
            conversation=asked.conversation,
            question=Message(
                id=asked.question_id,
                role="user",
                content=asked.question,
                created_at=asked.started_at,
            ),
            answer=Message(
                id=f"{asked.id}.answer",
                role="assistant",
                content=answer.text,
                created_at=self.conclusion.parts.clock.now(),
            ),
            details=answer.to_json(),
            prompt=prompt,
        )


async def stored_answer(asked: Asked, store: Store) -> Answer | None:
    """Return the answer that is stored under the id of a turn; None where none can be read.

    Raises `InputRefused` where it answers another question.
    """
    try:
        exchange = await store.exchange(asked.id, owner=asked.owner)
    except (RecordMissing, StoreFailed):
        return None
    answer = answer_of(exchange)
    if answer is not None and answer.question != asked.question:
        raise InputRefused("another question was asked under the id of this turn: give a new id")
    return answer


def _consulted(
    passages: Sequence[Evidence], citations: Sequence[Citation]
) -> tuple[Consulted, ...]:
    cited = {citation.chunk for citation in citations}
    return tuple(
        Consulted.of(item.chunk, version=item.version, cited=item.chunk.id in cited)
        for item in passages
    )


def _root(error: TetherError) -> TetherError:
    """Return our own error at the bottom: the errors around it say where it happened, not why."""
    while isinstance(error.__cause__, TetherError):
        error = error.__cause__
    return error
