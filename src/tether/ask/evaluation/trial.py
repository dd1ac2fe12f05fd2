"""A trial: recorded questions put to an agent, or to its model without the agent.

`Naked` is the baseline that the agent has to beat: the same model and passages, one plain prompt,
one reply, shown as it is. No rewrite, no floor, no gate, no retry. Whether it refused is read from
its words, by a list of the ways in which models say so.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from tether.ask.answer import Answer, Consulted
from tether.ask.citations.projections import markdown
from tether.ask.evaluation.grades import Result, grade, is_page
from tether.ask.library import IndexLibrary
from tether.core.errors import TetherError
from tether.core.ids import new_id
from tether.core.message import Message
from tether.core.tokens import count_tokens
from tether.retrieval.query import Query
from tether.runtime.dispatch import DispatchRunner, RawDispatch
from tether.runtime.storage import NoopStorage

if TYPE_CHECKING:
    from tether.ask.agent import AskAgent
    from tether.ask.evaluation.grades import Grade
    from tether.ask.evaluation.questions import RecordedQuestion
    from tether.ask.library import Library
    from tether.ask.model import AskModel
    from tether.core.events import MessageChunk
    from tether.retrieval.chunk import Chunk
    from tether.retrieval.hit import Findings, Hit
    from tether.runtime.dispatch_context import DispatchContext
    from tether.runtime.pipeline import CallNext

PROMPT = (
    "You answer questions about a documentation. Use the passages below. Cite the page you used as"
    " a Markdown link. If the passages do not answer the question, say that they do not."
)

REFUSES = re.compile(
    r"(?:do(?:es)?(?:n't| not)|cannot|can't|could not|unable to|no)\b[^.]{0,60}"
    r"\b(?:answer|mention|contain|cover|provide|specif|say|find|information|state|address|include)"
    r"|not (?:mentioned|covered|provided|specified|stated|found|included|addressed)"
    r"|i(?:'m| am) (?:not sure|sorry)|i don't know",
    re.IGNORECASE,
)


class Answering(Protocol):
    """Answers questions: an agent, or a model without one."""

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


@dataclass(frozen=True, slots=True)
class Naked:
    """A model with passages in its prompt, and nothing else."""

    model: AskModel
    library: Library
    passages: int = 8
    _said: dict[str, list[Message]] = field(default_factory=dict[str, list[Message]])

    async def ask(self, question: str, *, conversation: str = "") -> Answer:
        """Answer in a conversation; "" begins a new one."""
        conversation = conversation or new_id()
        history = self._said.setdefault(conversation, [])
        query = Query(question=question)
        findings = await asyncio.to_thread(self.library.search, query, self.passages)
        history.append(Message.user(question))
        text, problem = await self._reply(_prompt(findings.hits), history)
        if text:
            history.append(Message.assistant(text))
        return Answer(
            id=new_id(),
            conversation=conversation,
            question=question,
            text=text,
            verdict="failed" if problem else "abstained" if REFUSES.search(text) else "answered",
            consulted=tuple(Consulted.of(hit.chunk) for hit in findings.hits),
            attempts=1,
            model=self.model.name,
            error=problem,
        )

    def rendered(self, answer: Answer) -> str:
        """Return the model's text: nothing checks it before the person reads it."""
        return answer.text

    async def _reply(
        self, prompt: str, messages: Sequence[Message]
    ) -> tuple[str, tuple[str, str] | None]:
        said: dict[str, str] = {}

        def hear(chunk: MessageChunk) -> None:
            said[chunk.id] = chunk.full

        async def done(ctx: DispatchContext, call_next: CallNext) -> None:
            ctx.ack()
            await call_next()

        raw = RawDispatch(system_prompt=prompt, storage=NoopStorage(), messages=messages)
        try:
            await DispatchRunner.dispatch(
                executor=self.model.executor,
                raw=raw,
                output_pipeline=[done],
                hooks={"message": hear},
            )
        except TetherError as error:
            return "", (error.code, str(error))
        return "\n\n".join(said.values()), None


@dataclass(frozen=True)
class HidingLibrary(IndexLibrary):
    """An index without the pages of some names."""

    hidden: tuple[str, ...] = ()

    def search(self, query: Query, limit: int) -> Findings:
        """Return the best of the passages that can be found."""
        return self.retriever.search(query, limit=limit, hidden=self._rows)

    def neighbours(self, findings: Findings, limit: int) -> list[Chunk]:
        """Return those on pages that can be found."""
        found = super().neighbours(findings, limit)
        return [it for it in found if not any(is_page(it.document, page) for page in self.hidden)]

    @cached_property
    def _rows(self) -> frozenset[int]:
        keys = enumerate(self.snapshot.document_keys())
        numbers = [at for at, key in keys if any(is_page(key, page) for page in self.hidden)]
        return frozenset(row for number in numbers for row in self.snapshot.rows_of(number))


Answerers = Callable[["Library"], Answering]
"""Makes an answerer over a library: a question can hide pages from it."""

Libraries = Callable[[tuple[str, ...]], "Library"]
"""Makes the library without the pages that a question hides."""


async def ask_all(
    questions: Sequence[RecordedQuestion],
    libraries: Libraries,
    answerers: Answerers,
    *,
    clock: Callable[[], float] = time.perf_counter,
    cpu: Callable[[], float] = time.process_time,
) -> AsyncIterator[Result]:
    """Yield the result of each question as it comes; `clock` and `cpu` return seconds."""
    for question in questions:
        library = libraries(question.hide)
        answering = answerers(library)
        conversation = ""
        for earlier in question.after:
            conversation = (await answering.ask(earlier, conversation=conversation)).conversation
        started, worked = clock(), cpu()
        answer = await answering.ask(question.ask, conversation=conversation)
        spent, worked = (clock() - started) * 1000, (cpu() - worked) * 1000
        graded = grade(question, answer, library, answering.rendered(answer))
        yield replace(_result(question, answer, graded, spent), cpu_ms=worked)


def _prompt(hits: Sequence[Hit]) -> str:
    shown = [f"[{hit.chunk.title}]({hit.chunk.link})\n{hit.chunk.text}" for hit in hits]
    return "\n\n---\n\n".join((PROMPT, *shown))


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
        own=sum(one.words == "model" for one in answer.statements),
        quoted=sum(one.words == "document" for one in answer.statements),
        problem="" if answer.error is None else ": ".join(answer.error),
    )
