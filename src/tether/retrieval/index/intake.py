"""The intake of documents: read, cut into chunks, and added before a generation has them."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.index.generation import Entry
from tether.retrieval.index.parts import Step
from tether.retrieval.index.records import Outcome, content_hash
from tether.retrieval.index.tables import CHUNK_BITS
from tether.retrieval.reading.requests import ReadRequest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.document import Document
    from tether.retrieval.index.comparison import PlannedRead
    from tether.retrieval.index.parts import Parts, Progress
    from tether.retrieval.index.store import Store
    from tether.retrieval.reading.requests import ReadResult

BATCH_CHARACTERS = 4_000_000
BATCH_DOCUMENTS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A document that was read and cut into chunks, but not yet written."""

    read: PlannedRead
    content: str
    document: Document
    chunks: tuple[Chunk, ...]


Result = tuple[Outcome, Entry | None]


class Intake:
    """Reads documents, cuts them and adds them to the database in large transactions."""

    def __init__(self, store: Store, parts: Parts, progress: Progress) -> None:
        self._store = store
        self._parts = parts
        self._progress = progress
        self._waiting: deque[tuple[PlannedRead, str]] = deque()
        self._results: list[Result] = []
        self._batch: list[Cut] = []
        self._characters = 0

    def run(self, reads: list[PlannedRead]) -> list[Result]:
        """Return the outcome of each document; one that cannot be read does not stop the rest."""
        results = cast("Generator[ReadResult]", self._parts.read(self._requests(reads)))
        with closing(results):  # ends the reading processes even if the work stops early
            for done, result in enumerate(results, start=1):
                self._take(result)
                self._progress(Step(stage="read", done=done, total=len(reads)))
        self._flush()
        return self._results

    def _take(self, result: ReadResult) -> None:
        read, content = self._waiting.popleft()
        if isinstance(result.outcome, DocumentUnreadable):
            error = result.outcome
            self._end(read, "" if error.retryable else content, "failed", error.message)
        else:
            self._cut(read, content, result.outcome)

    def _requests(self, reads: list[PlannedRead]) -> Iterator[ReadRequest]:
        """Load the documents one by one, and request those that were not read before."""
        for read in reads:
            item = read.item
            try:
                data = item.load() if read.data is None else read.data
            except DocumentUnreadable as error:
                self._end(read, "", "failed", error.message)
                continue
            content = content_hash(data)
            found = self._store.find_version(item.key, content, read.reading)
            if found is not None:
                self._index(read, content, *found, self._store.document(found[0]).notes)
                continue
            self._waiting.append((read, content))
            yield ReadRequest(
                key=item.key,
                name=item.name,
                data=data,
                url=item.url,
                content_type=item.content_type,
                title=item.title,
                anchors=item.anchors,
            )

    def _cut(self, read: PlannedRead, content: str, document: Document) -> None:
        if document.draft:
            self._end(read, content, "skipped", "draft", document.notes)
            return
        chunks = self._parts.chunker.chunks(document)
        if not chunks:
            self._end(read, content, "empty", "holds no text", document.notes)
        elif len(chunks) >> CHUNK_BITS:
            self._end(read, content, "failed", f"would be {len(chunks)} chunks")
        else:
            cut = Cut(read=read, content=content, document=document, chunks=chunks)
            self._batch.append(cut)
            self._characters += len(document.text)
            if self._characters > BATCH_CHARACTERS or len(self._batch) >= BATCH_DOCUMENTS:
                self._flush()

    def _flush(self) -> None:
        with self._store.transaction():
            for cut in self._batch:
                self._add(cut)
        self._batch.clear()
        self._characters = 0

    def _add(self, cut: Cut) -> None:
        read = cut.read
        try:
            version = self._store.add_version(
                cut.document, cut.chunks, content=cut.content, reading=read.reading
            )
        except ValueError as error:
            self._end(read, cut.content, "failed", f"its text {error}")
            return
        self._index(read, cut.content, version, len(cut.chunks), cut.document.notes)

    def _index(
        self,
        read: PlannedRead,
        content: str,
        version: int,
        chunks: int,
        notes: tuple[str, ...] = (),
    ) -> None:
        key, source, reading = read.item.key, read.source, read.reading
        outcome = Outcome(
            key=key,
            source=source,
            state="indexed",
            notes=notes,
            chunks=chunks,
            content=content,
            reading=reading,
            evidence=read.item.version,
        )
        entry = Entry(
            version=version,
            key=key,
            source=source,
            content=content,
            reading=reading,
            chunks=chunks,
        )
        self._results.append((outcome, entry))

    def _end(
        self,
        read: PlannedRead,
        content: str,
        state: str,
        reason: str,
        notes: tuple[str, ...] = (),
    ) -> None:
        outcome = Outcome(
            key=read.item.key,
            source=read.source,
            state=state,
            reason=reason,
            notes=notes,
            content=content,
            reading=read.reading,
            evidence=read.item.version,
        )
        self._results.append((outcome, None))
