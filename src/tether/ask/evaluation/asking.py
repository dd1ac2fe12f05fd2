"""Asks recorded questions one after the other, each in a conversation of its own."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tether.ask.citations.projections import markdown
from tether.ask.evaluation.grading import grade
from tether.ask.evaluation.results import Result
from tether.core.tokens import count_tokens

if TYPE_CHECKING:
    from tether.ask.agent import AskAgent
    from tether.ask.answer import Answer
    from tether.ask.evaluation.grading import Grade
    from tether.ask.evaluation.questions import RecordedQuestion
    from tether.ask.library import Library


class Answering(Protocol):
    """What answers questions: an agent, or a model without one."""

    async def ask(self, question: str, *, conversation: str = "") -> Answer:
        """Answer in a conversation; "" begins a new one."""
        ...

    def rendered(self, answer: Answer) -> str:
        """Return the Markdown that a person would be shown."""
        ...


@dataclass(frozen=True, slots=True)
class Leashed:
    """The agent, as an application uses it."""

    agent: AskAgent

    async def ask(self, question: str, *, conversation: str = "") -> Answer:
        """Answer in a conversation; "" begins a new one."""
        return await self.agent.ask(question, conversation=conversation)

    def rendered(self, answer: Answer) -> str:
        """Return the Markdown that a person would be shown."""
        return markdown(answer)


Answerers = Callable[["Library"], Answering]
"""Makes what answers over a library: a question can hide pages from it."""

Libraries = Callable[[tuple[str, ...]], "Library"]
"""Makes the library without the pages that a question hides."""


async def ask_all(
    questions: Sequence[RecordedQuestion],
    libraries: Libraries,
    answerers: Answerers,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> AsyncIterator[Result]:
    """Yield the result of each question as it comes."""
    for question in questions:
        library = libraries(question.hide)
        answering = answerers(library)
        conversation = ""
        for earlier in question.after:
            conversation = (await answering.ask(earlier, conversation=conversation)).conversation
        started = clock()
        answer = await answering.ask(question.ask, conversation=conversation)
        spent = (clock() - started) * 1000
        graded = grade(question, answer, library, answering.rendered(answer))
        yield _result(question, answer, graded, spent)


def _result(question: RecordedQuestion, answer: Answer, graded: Grade, spent: float) -> Result:
    ledger = answer.ledger or {}
    prompt = sum(ledger.get(name, 0) for name in ("system", "tools", "history", "memories"))
    prompt += ledger.get("evidence", 0) + ledger.get("question", 0)
    return Result(
        id=question.id,
        kind=question.kind,
        expect=question.expect,
        verdict=answer.verdict,
        reason=answer.reason or "",
        text=answer.text,
        grade=graded,
        attempts=answer.attempts,
        milliseconds=spent,
        prompt_tokens=prompt if answer.attempts else 0,
        answer_tokens=count_tokens(answer.text, "cl100k_base") if answer.attempts else 0,
        problem="" if answer.error is None else ": ".join(answer.error),
    )
