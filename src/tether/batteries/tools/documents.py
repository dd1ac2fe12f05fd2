"""Documents: two tools for searching and listing a library of documents."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from types import NoneType
from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import Field

from tether.batteries.tools.ready_made import ready_made
from tether.core.artifact import settled
from tether.core.checks import Checks, has_methods, in_short
from tether.core.errors import InvalidInitialToolValue, Problem
from tether.runtime.tool import Tool

Query = Annotated[str, Field(min_length=1, max_length=1_000)]


class Passage(NamedTuple):
    """A part of a document that answers a query: where it is from, and its words."""

    document: str
    title: str
    text: str
    source: str | None = None
    score: float | None = None


class DocumentEntry(NamedTuple):
    """A document in a list."""

    document: str
    title: str
    source: str | None = None


class _Field(NamedTuple):
    """What a field of a passage or of an entry may hold."""

    kind: tuple[type, ...]
    expected: str


_FIELDS = {
    "document": _Field((str,), "text"),
    "title": _Field((str,), "text"),
    "text": _Field((str,), "text"),
    "source": _Field((str, NoneType), "text or None"),
    "score": _Field((int, float, NoneType), "a number or None"),
}


class DocumentLibrary(Protocol):
    """A searchable collection of documents, such as that of the documents assistant.

    The methods may be `async` or plain.
    """

    def search(self, query: str, limit: int, /) -> Sequence[Passage] | Awaitable[Sequence[Passage]]:
        """Return the passages that fit, best first."""
        ...

    def list(
        self, contains: str, start: int, limit: int, /
    ) -> Sequence[DocumentEntry] | Awaitable[Sequence[DocumentEntry]]:
        """Return the documents with that text in their title or address, from number `start` on."""
        ...


def document_tools(library: DocumentLibrary) -> tuple[Tool, Tool]:
    """Return `search_documents` and `list_documents` over a library.

    Raises `InvalidInitialToolValue` for something that cannot be searched and listed.
    """
    if not has_methods(library, "search", "list"):
        problem = f"must have the methods search and list, which {in_short(library)} lacks"
        raise InvalidInitialToolValue([Problem("library", problem)])

    @ready_made(example={"query": "how to reset a password", "limit": 2})
    async def search_documents(
        query: Query, limit: Annotated[int, Field(ge=1, le=20)] = 5
    ) -> list[dict[str, Any]]:
        """Search the documents. Returns passages, best first, with the document each is from.

        Args:
            query: The words to search for, as they would appear on the page.
            limit: How many passages at most.
        """
        found = await settled(library.search(query, limit))
        return _forms(found, Passage, limit)

    @ready_made(example={"contains": "password"})
    async def list_documents(
        contains: Annotated[str, Field(max_length=1_000)] = "",
        start: Annotated[int, Field(ge=0)] = 0,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> list[dict[str, Any]]:
        """List the documents by title.

        Args:
            contains: Only documents with this text in their title or address.
            start: The number of documents to skip.
            limit: How many at most.
        """
        entries = await settled(library.list(contains, start, limit))
        return _forms(entries, DocumentEntry, limit)

    return search_documents, list_documents


def _forms(
    found: Sequence[Passage | DocumentEntry], kind: type[Passage | DocumentEntry], limit: int
) -> list[dict[str, Any]]:
    """Return the first of what a library found; raise for every part that is something else."""
    check = Checks()
    kept = check.instances("found", found, kind, f"a {kind.__name__}")[:limit]
    for place, entry in enumerate(kept if not check.problems else ()):
        for field, value in entry._asdict().items():
            wanted = _FIELDS[field]
            check.instance(f"found[{place}].{field}", value, wanted.kind, wanted.expected)
    check.done(InvalidInitialToolValue)
    return [entry._asdict() for entry in kept]
