"""Pages and the links between them, as far as neighbours of a passage need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tether.retrieval.chunk import Chunk


class PageGraph(Protocol):
    """The pages of one index."""

    def chunks_of(self, document: str) -> Sequence[Chunk]:
        """Return a page's chunks in order; none for a page that is not there."""
        ...

    def linked_from(self, document: str, limit: int) -> Sequence[Chunk]:
        """Return the first chunk of each page that a page links to, at most `limit` of them."""
        ...


class Pages(Protocol):
    """What a generation of the index knows of its documents, which it numbers."""

    def document_number(self, key: str) -> int | None:
        """Return the number of a document."""
        ...

    def rows_of(self, number: int) -> range:
        """Return the rows of a document's chunks."""
        ...

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks of rows."""
        ...

    def links(self, number: int) -> Iterable[Any]:
        """Return the numbers of the documents that a document links to."""
        ...


class IndexGraph:
    """The page graph of a snapshot of an index."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def chunks_of(self, document: str) -> Sequence[Chunk]:
        """Return a page's chunks in order; none for a page that is not there."""
        number = self._pages.document_number(document)
        return [] if number is None else self._pages.chunks(self._pages.rows_of(number))

    def linked_from(self, document: str, limit: int) -> Sequence[Chunk]:
        """Return the first chunk of each page that a page links to, at most `limit` of them."""
        number = self._pages.document_number(document)
        targets = [] if number is None else [int(target) for target in self._pages.links(number)]
        rows = [rows[0] for target in targets if (rows := self._pages.rows_of(target))]
        return self._pages.chunks(rows[:limit])
