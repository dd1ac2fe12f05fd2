"""A small library that counts, a model that plays a script and never acks, and a turn's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import cast

from tether import AbortSignal, DispatchContext, Executor, Helpers, Message
from tether.ask import (
    AskAgent,
    AskEvent,
    AskModel,
    AskSettings,
    Evidence,
    Provisional,
    Retracted,
    Step,
    Style,
)
from tether.ask.parts import Parts
from tether.ask.quoting.executor import Extractive
from tether.ask.values import Asked, Found, Prepared, Talk
from tether.ask.verification.port import Verifier
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.models.call_tool import call_tool
from tether.batteries.models.ending import Ending, leave_ending
from tether.batteries.models.scripted import Call, Say, Think
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import Exchange
from tether.batteries.testing import FakeClock
from tether.core.ids import new_id
from tether.core.thought import Thought
from tether.retrieval import Chunk, Chunker, Document, Findings, Hit, MemoryIndex, Query, Retriever
from tether.retrieval.hit import Verdict
from tether.retrieval.lexical.clues import clues
from tether.retrieval.lexical.spelling import Repaired, repaired
from tether.retrieval.ports import Judge
from tether.retrieval.readers.dispatch import read_document
from tether.runtime.clock import Clock

WORKERS = """# Workers

A worker runs one task at a time and reports to the scheduler.

## Restarts

A worker restarts after three failed health checks. Each restart takes thirty seconds.
"""
QUEUES = """# Queues

A queue keeps tasks in the order of their arrival.

## Retention

A queue drops its tasks after seven days. Pinned tasks stay until somebody removes them.
"""
STORAGE = """# Storage

Volumes keep their data when a pod is deleted. A volume can grow, and it never shrinks.
"""
PAGES = {"queues.md": QUEUES, "storage.md": STORAGE, "workers.md": WORKERS}

RESTARTS = "A worker restarts after three failed health checks."
RETENTION = "A queue drops its tasks after seven days."
QUESTION = "When does a worker restart?"

WIDE = ModelProfile(name="scripted", window=32_000, max_output=1_000, encoding="cl100k_base")


@cache
def _read(
    pages: tuple[tuple[str, str], ...],
) -> tuple[tuple[Document, ...], tuple[Chunk, ...], MemoryIndex | None]:
    """Return pages as documents, chunks and index: made once, since nothing changes them."""
    documents = tuple(read_document(key=key, name=key, data=text.encode()) for key, text in pages)
    chunks = tuple(it for one in documents for it in Chunker().chunks(one))
    return documents, chunks, MemoryIndex(chunks) if chunks else None


@dataclass
class Shelf:
    """The library of a few pages, in memory. It notes every search, and can be made to refuse."""

    pages: dict[str, str] = field(default_factory=lambda: dict(PAGES))
    sufficient: bool = True
    insufficient: float = 0.01
    """The probability by which it refuses; the threshold is one half."""
    generation: int = 7
    corpus: str = "corpus-hash"
    searched: list[Query] = field(default_factory=list[Query])
    documents: dict[str, Document] = field(init=False)
    all_chunks: list[Chunk] = field(init=False)
    retriever: Retriever | None = field(init=False)

    def __post_init__(self) -> None:
        documents, chunks, index = _read(tuple(sorted(self.pages.items())))
        self.documents = {document.key: document for document in documents}
        self.all_chunks = list(chunks)
        self.retriever = None if index is None else Retriever(index=index, floor=self)

    def decide(self, query: Query, hits: Sequence[Hit]) -> Verdict:
        """The floor."""
        probability = 0.9 if self.sufficient else self.insufficient
        return Verdict(sufficient=self.sufficient, probability=probability, threshold=0.5)

    @property
    def is_empty(self) -> bool:
        return not self.all_chunks

    def repaired(self, question: str) -> Repaired:
        assert self.retriever is not None, "nobody searches an empty library"
        return repaired(self.retriever.index, question)

    def clues(self, text: str) -> tuple[str, ...]:
        assert self.retriever is not None, "nobody searches an empty library"
        return clues(self.retriever.index, text)

    def search(self, query: Query, limit: int) -> Findings:
        self.searched.append(query)
        assert self.retriever is not None, "nobody searches an empty library"
        return self.retriever.search(query, limit=limit)

    def neighbours(self, findings: Findings, limit: int) -> list[Chunk]:
        return []

    def chunks(self, places: Sequence[tuple[str, str]]) -> list[Chunk]:
        wanted = {place: at for at, place in enumerate(places)}
        found = [it for it in self.all_chunks if (it.document, it.id) in wanted]
        return sorted(found, key=lambda it: wanted[it.document, it.id])

    def version(self, document: str) -> str:
        return f"version of {document}" if document in self.documents else ""

    def text(self, document: str) -> str | None:
        return self.documents[document].text if document in self.documents else None

    def titles(self, contains: str, start: int, limit: int) -> list[tuple[str, str, str]]:
        found = [(key, it.title, it.url) for key, it in self.documents.items() if contains in key]
        return found[start : start + limit]

    def chunk_with(self, text: str) -> Chunk:
        """Return the chunk that holds a text."""
        return next(it for it in self.all_chunks if text in it.text)

    def cited(self, sentence: str) -> str:
        """Return a sentence of the pages with the link that a good model would copy."""
        chunk = self.chunk_with(sentence)
        return f"{sentence.removesuffix('.')} ([{chunk.title}]({chunk.link}))."


Play = str | Exception | Sequence[Say | Think | Call]


@dataclass
class Writer:
    """A model that says the next thing of its script each time it is asked, in any turn.

    It keeps the dialogue, the passages, the memories, the instructions and the tools it was shown.
    """

    script: list[Play]
    shown: list[list[str]] = field(default_factory=list[list[str]])
    passages: list[list[str]] = field(default_factory=list[list[str]])
    memories: list[list[str]] = field(default_factory=list[list[str]])
    instructions: list[list[str]] = field(default_factory=list[list[str]])
    offered: list[list[str]] = field(default_factory=list[list[str]])

    @property
    def times(self) -> int:
        return len(self.shown)

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        self.shown.append([str(message.content) for message in ctx.turn_messages])
        self.passages.append([await it.read_text() for it in ctx.turn_retrievables])
        self.memories.append([str(it.content) for it in ctx.turn_memories])
        self.instructions.append([str(it) for it in ctx.standing_instructions])
        self.offered.append([tool.name for tool in ctx.tools.visible()])
        play = self.script.pop(0)
        if isinstance(play, Exception):
            raise play
        for step in [Say(play)] if isinstance(play, str) else play:
            ctx.abort_signal.raise_if_aborted()
            await self._do(ctx, helpers, step)

    async def _do(self, ctx: DispatchContext, helpers: Helpers, step: Say | Think | Call) -> None:
        id = new_id()
        if isinstance(step, Call):
            await call_tool(ctx, helpers, id=id, name=step.tool, args=step.args)
        elif isinstance(step, Think):
            thought = Thought(id=id, content=step.text, created_at=ctx.clock.now())
            await ctx.store_thought(thought)
        elif step.text:
            if step.finish_reason != "stop":
                leave_ending(ctx, Ending.of_reason(step.finish_reason))
            helpers.report_message(id, step.text, is_complete=True)
            now = ctx.clock.now()
            await ctx.store_message(
                Message(id=id, role="assistant", content=step.text, created_at=now)
            )


def model_of(writer: Writer, style: Style = "links", profile: ModelProfile = WIDE) -> AskModel:
    return AskModel(name="scripted", executor=writer, profile=profile, style=style)


def helper_of(script: list[str]) -> Executor:
    """Return a helper that says what its script holds, piece by piece, and acks by itself."""

    async def helper(ctx: DispatchContext, helpers: Helpers) -> None:
        text = script.pop(0)
        if text:
            now = ctx.clock.now()
            said = Message(id=new_id(), role="assistant", content=text, created_at=now)
            helpers.report_message(said.id, text, is_complete=True)
            await ctx.store_message(said)
        ctx.ack()

    return helper


def quoting() -> AskModel:
    """The model that answers by quotation."""
    return AskModel(name="extractive", executor=Extractive(), profile=WIDE, style="quotes")


@dataclass
class Heard:
    """A listener that sorts the events."""

    events: list[AskEvent] = field(default_factory=list[AskEvent])

    def __call__(self, event: AskEvent) -> None:
        self.events.append(event)

    @property
    def steps(self) -> list[Step]:
        return [event for event in self.events if isinstance(event, Step)]

    @property
    def kinds(self) -> list[str]:
        return [step.kind for step in self.steps]

    @property
    def retracted(self) -> list[Retracted]:
        return [event for event in self.events if isinstance(event, Retracted)]

    @property
    def provisional(self) -> list[Provisional]:
        return [event for event in self.events if isinstance(event, Provisional)]

    def of(self, kind: str) -> list[Step]:
        return [step for step in self.steps if step.kind == kind]


def agent_of(
    store: Store,
    *script: Play,
    shelf: Shelf | None = None,
    style: Style = "links",
    profile: ModelProfile = WIDE,
    settings: AskSettings | None = None,
    verifier: Verifier | None = None,
    judge: Judge | None = None,
) -> tuple[AskAgent, Writer, Shelf]:
    """Return an agent whose model plays a script, with the model and the library."""
    library = Shelf() if shelf is None else shelf
    writer = Writer(list(script))
    chosen = AskSettings(address_check=False) if settings is None else settings
    agent = AskAgent(
        library=library,
        model=model_of(writer, style, profile),
        store=store,
        settings=chosen,
        verifier=verifier,
        judge=judge,
    )
    return agent, writer, library


def evidence_of(shelf: Shelf) -> list[Evidence]:
    """Return every passage of the shelf as evidence."""
    return [
        Evidence(number=at, chunk=chunk, version=shelf.version(chunk.document))
        for at, chunk in enumerate(shelf.all_chunks, start=1)
    ]


WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def asked(question: str = QUESTION, *, begins: bool = True, owner: str = "") -> Asked:
    """Return the first value of a turn."""
    return Asked(
        id="turn-1",
        question=question,
        conversation="talk-1",
        owner=owner,
        begins=begins,
        is_named=False,
        started_at=WHEN,
    )


def talk(question: str = QUESTION, *history: Exchange, instructions: Sequence[str] = ()) -> Talk:
    """Return a question in its conversation."""
    return Talk(
        asked=asked(question, begins=not history),
        history=history,
        messages=tuple(it for one in history for it in (one.question, one.answer)),
        instructions=tuple(instructions),
    )


def prepared(question: str = QUESTION, *history: Exchange) -> Prepared:
    """Return a question that is ready to be searched, as it is."""
    return Prepared(
        talk=talk(question, *history),
        query=Query(question=question),
        resolved=question,
        message=Message(id="turn-1.question", role="user", content=question, created_at=WHEN),
    )


def found_on(shelf: Shelf, question: str = QUESTION, *history: Exchange) -> Found:
    """Return the result of a search."""
    ready = prepared(question, *history)
    return Found(prepared=ready, findings=shelf.search(ready.query, 16))


def parts_of(
    store: Store | None = None,
    *,
    shelf: Shelf | None = None,
    model: AskModel | None = None,
    settings: AskSettings | None = None,
    clock: Clock | None = None,
) -> Parts:
    """Return the parts of an agent; without a store, nothing may be read or written."""
    return Parts(
        library=Shelf() if shelf is None else shelf,
        model=model_of(Writer([])) if model is None else model,
        store=cast("Store", store),
        settings=AskSettings() if settings is None else settings,
        clock=FakeClock(WHEN) if clock is None else clock,
    )


@dataclass(frozen=True)
class Running:
    """As much of a context as most stages look at."""

    abort_signal: AbortSignal = field(default_factory=AbortSignal)


def narrow(window: int) -> ModelProfile:
    """Return a model with a small window."""
    return ModelProfile(name="narrow", window=window, max_output=100, encoding="cl100k_base")
