"""The library of a turn: the documents of one index, as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tether.core.errors import InputRefused
from tether.retrieval.chunk import Chunk
from tether.retrieval.hit import Findings
from tether.retrieval.index.snapshot import Snapshot
from tether.retrieval.lexical.clues import clues
from tether.retrieval.lexical.spelling import Repaired, repaired
from tether.retrieval.providers.index import GraphProvider, IndexGraph, Searched
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever


class Library(Protocol):
    """Documents that can be searched. Its methods block: a turn calls them in a thread."""

    @property
    def generation(self) -> int:
        """The generation of the index."""
        ...

    @property
    def corpus(self) -> str:
        """The hash of the content."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether it has no passage at all."""
        ...

    def repaired(self, question: str, /) -> Repaired:
        """Return a question in the spelling of the documents."""
        ...

    def clues(self, text: str, /) -> tuple[str, ...]:
        """Return the few words of a text by which the documents that it is about are found."""
        ...

    def search(self, query: Query, limit: int, /) -> Findings:
        """Return the best passages, and whether they suffice."""
        ...

    def neighbours(self, findings: Findings, limit: int, /) -> list[Chunk]:
        """Return chunks beside the best hits: after, before, above, and on linked pages."""
        ...

    def chunks(self, places: Sequence[tuple[str, str]], /) -> list[Chunk]:
        """Return the chunks at these places (document, chunk) that are still there, in order."""
        ...

    def version(self, document: str, /) -> str:
        """Return the hash of a document's content; "" where it is gone."""
        ...

    def text(self, document: str, /) -> str | None:
        """Return the text that chunks of a document are places of; None where it is gone."""
        ...

    def titles(self, contains: str, start: int, limit: int, /) -> list[tuple[str, str, str]]:
        """Return (key, title, url) of documents with a text in title, key or url, by key."""
        ...


@dataclass(frozen=True, slots=True)
class IndexLibrary:
    """The library of one snapshot of an index."""

    snapshot: Snapshot
    retriever: Retriever

    @property
    def generation(self) -> int:
        """The generation of the index."""
        return self.snapshot.generation

    @property
    def corpus(self) -> str:
        """The hash of the content."""
        return self.snapshot.corpus_id

    @property
    def is_empty(self) -> bool:
        """Whether it has no passage at all."""
        return self.snapshot.size == 0

    def repaired(self, question: str) -> Repaired:
        """Return a question in the spelling of the documents."""
        return repaired(self.snapshot, question)

    def clues(self, text: str) -> tuple[str, ...]:
        """Return the few words of a text by which the documents that it is about are found."""
        return clues(self.snapshot, text)

    def search(self, query: Query, limit: int) -> Findings:
        """Return the best passages, and whether they suffice."""
        return self.retriever.search(query, limit=limit)

    def neighbours(self, findings: Findings, limit: int) -> list[Chunk]:
        """Return chunks beside the best hits: after, before, above, and on linked pages."""
        around = GraphProvider(Searched(findings), IndexGraph(self.snapshot))
        found = around.passages(findings.query, limit).passages
        return self.chunks([(dict(it.metadata)["document"], it.id) for it in found])

    def chunks(self, places: Sequence[tuple[str, str]]) -> list[Chunk]:
        """Return the chunks at these places (document, chunk) that are still there, in order."""
        found: list[Chunk] = []
        for document, id in places:
            number = self.snapshot.document_number(document)
            rows = () if number is None else self.snapshot.rows_of(number)
            found += [chunk for chunk in self.snapshot.chunks(rows) if chunk.id == id]
        return found

    def version(self, document: str) -> str:
        """Return the hash of a document's content; "" where it is gone."""
        try:
            return self.snapshot.document(document).content
        except InputRefused:
            return ""

    def text(self, document: str) -> str | None:
        """Return the text that chunks of a document are places of; None where it is gone."""
        try:
            return self.snapshot.document(document).text
        except InputRefused:
            return None

    def titles(self, contains: str, start: int, limit: int) -> list[tuple[str, str, str]]:
        """Return (key, title, url) of documents with a text in title, key or url, by key."""
        wanted = contains.casefold()
        found: list[tuple[str, str, str]] = []
        for key in sorted(self.snapshot.document_keys()):
            document = self.snapshot.document(key)
            place = (key, document.title, document.url)
            if any(wanted in text.casefold() for text in place):
                found.append(place)
                if len(found) == start + limit:
                    break
        return found[start:]
