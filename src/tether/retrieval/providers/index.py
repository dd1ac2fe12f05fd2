"""Passages from an index: the hits of a search, and the chunks around them."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

from tether.retrieval.chunk import Passage
from tether.retrieval.hit import LeftOut
from tether.retrieval.providers.provider import Supply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tether.core.tiers import TrustTier
    from tether.retrieval.chunk import Chunk
    from tether.retrieval.hit import Hit
    from tether.retrieval.query import Query


class Found(Protocol):
    """Hits, best first, and the parts of the search that were left out."""

    @property
    def hits(self) -> Sequence[Hit]:
        """Return the hits."""
        ...

    @property
    def sufficient(self) -> bool:
        """Return whether an answer may be written from the hits."""
        ...

    @property
    def left_out(self) -> Sequence[LeftOut]:
        """Return the parts that were left out."""
        ...


class Search(Protocol):
    """Anything that finds chunks: the retriever of an index."""

    def search(self, query: Query, *, limit: int) -> Found:
        """Return at most `limit` hits."""
        ...


class Searched:
    """A search that was made already: every query finds what that one found."""

    __slots__ = ("_found",)

    def __init__(self, found: Found) -> None:
        self._found = found

    def search(self, query: Query, *, limit: int) -> Found:
        """Return what was found."""
        del query, limit
        return self._found


def sufficient_hits(found: Found) -> Sequence[Hit]:
    """Return the hits, none if the floor refuses them."""
    return found.hits if found.sufficient else ()


def left_out_of(found: Found, name: str) -> tuple[LeftOut, ...]:
    """Return the parts that were left out, with an entry for `name` if the hits were refused."""
    left_out = tuple(found.left_out)
    if found.sufficient:
        return left_out
    return (*left_out, LeftOut(part=name, reason="the passages found do not cover the question"))


class VectorProvider:
    """Supplies the hits of a search of the index, and nothing if its floor refuses them.

    An answer may not be written from passages that the floor refuses. The refusal is reported, and
    the passages of other providers can still answer.

    The tier is first-party, because the operator chose the documents; give another for an index of
    pages of others.
    """

    def __init__(
        self, search: Search, *, name: str = "vector", trust_tier: TrustTier = "first-party"
    ) -> None:
        self.name = name
        self._search = search
        self._trust_tier: TrustTier = trust_tier

    def passages(self, query: Query, limit: int) -> Supply:
        """Return the first hits, and the parts of the search that were left out."""
        found = self._search.search(query, limit=limit)
        supplied = tuple(
            passage_of(hit.chunk, provider=self.name, trust_tier=self._trust_tier, score=hit.score)
            for hit in sufficient_hits(found)[:limit]
        )
        return Supply(passages=supplied, left_out=left_out_of(found, self.name))


class GraphProvider:
    """Supplies the neighbours of the best hits of a search, without the hits themselves.

    If the floor of the search refuses the hits, there are no neighbours. Those of each of the first
    `seeds` hits are, in this order: the chunk after it and the chunk before it on its page, the
    beginning of the section above its own, and the beginnings of up to `links` pages that its page
    links to. The nearest neighbours of all seeds come first.
    """

    def __init__(
        self,
        search: Search,
        graph: PageGraph,
        *,
        name: str = "graph",
        trust_tier: TrustTier = "first-party",
        seeds: int = 3,
        links: int = 2,
    ) -> None:
        self.name = name
        self._search = search
        self._graph = graph
        self._trust_tier: TrustTier = trust_tier
        self._seeds = seeds
        self._links = links

    def passages(self, query: Query, limit: int) -> Supply:
        """Return the neighbours; the score is 1 / place, because they have no score of a search."""
        found = self._search.search(query, limit=self._seeds)
        seeds = [hit.chunk for hit in sufficient_hits(found)[: self._seeds]]
        known = {chunk.id for chunk in seeds}
        layers = zip_longest(*(list(self._neighbours(chunk)) for chunk in seeds))
        near = (chunk for layer in layers for chunk in layer if chunk is not None)
        fresh = {chunk.id: chunk for chunk in near if chunk.id not in known}
        supplied = tuple(
            passage_of(chunk, provider=self.name, trust_tier=self._trust_tier, score=1 / place)
            for place, chunk in enumerate(list(fresh.values())[:limit], 1)
        )
        return Supply(passages=supplied, left_out=left_out_of(found, self.name))

    def _neighbours(self, chunk: Chunk) -> Iterator[Chunk]:
        page = self._graph.chunks_of(chunk.document)
        yield from page[chunk.number : chunk.number + 1]
        yield from page[chunk.number - 2 : chunk.number - 1] if chunk.number > 1 else ()
        yield from _section_above(chunk, page)
        yield from self._graph.linked_from(chunk.document, self._links)


def _section_above(chunk: Chunk, page: Sequence[Chunk]) -> Sequence[Chunk]:
    """Return the first chunk of the nearest section above that has a chunk."""
    for length in range(len(chunk.heading_path) - 1, 0, -1):
        above = chunk.heading_path[:length]
        for other in page[: chunk.number - 1]:
            if other.heading_path == above:
                return [other]
    return []


class PageGraph(Protocol):
    """The pages of one index."""

    def chunks_of(self, document: str) -> Sequence[Chunk]:
        """Return the chunks of a page in order; none for an unknown page."""
        ...

    def linked_from(self, document: str, limit: int) -> Sequence[Chunk]:
        """Return the first chunk of each page that a page links to, at most `limit` of them."""
        ...


class Pages(Protocol):
    """The documents of a generation of the index, by number."""

    def document_number(self, key: str) -> int | None:
        """Return the number of a document."""
        ...

    def rows_of(self, number: int) -> range:
        """Return the rows of the chunks of a document."""
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
        """Return the chunks of a page in order; none for an unknown page."""
        number = self._pages.document_number(document)
        return [] if number is None else self._pages.chunks(self._pages.rows_of(number))

    def linked_from(self, document: str, limit: int) -> Sequence[Chunk]:
        """Return the first chunk of each page that a page links to, at most `limit` of them."""
        number = self._pages.document_number(document)
        targets = [] if number is None else [int(target) for target in self._pages.links(number)]
        rows = [rows[0] for target in targets if (rows := self._pages.rows_of(target))]
        return self._pages.chunks(rows[:limit])


def passage_of(
    chunk: Chunk, *, provider: str, trust_tier: TrustTier, score: float = 0.0
) -> Passage:
    """Return a chunk as a passage, below the header of its table if it was split off from one.

    The label is the heading path, the identifier the link. The metadata has the document and the
    position of the text, so that it can be quoted, and overlaps shown once.
    """
    return Passage(
        id=chunk.id,
        text=f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text,
        label=chunk.heading or chunk.title,
        identifier=chunk.link,
        provider=provider,
        trust_tier=trust_tier,
        score=score,
        metadata=(
            ("document", chunk.document),
            ("start", str(chunk.start)),
            ("end", str(chunk.end)),
        ),
    )
