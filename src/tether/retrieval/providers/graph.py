"""Passages from around the hits: what stands next to them, above them, and where they link."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from tether.retrieval.providers.chunk_passage import passage_of
from tether.retrieval.providers.provider import Supply
from tether.retrieval.providers.searching import left_out_of, sufficient_hits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tether.core.tiers import TrustTier
    from tether.retrieval.chunk import Chunk
    from tether.retrieval.providers.page_graph import PageGraph
    from tether.retrieval.providers.searching import Search
    from tether.retrieval.query import Query


class GraphProvider:
    """Supplies the neighbours of the best hits of a search, and not these themselves.

    Hits that the floor of the search refuses have no neighbours worth showing.

    For each of the first `seeds` hits, in this order: the chunk after it and the chunk before it
    on its page, the beginning of the section above its own, and the beginnings of up to `links`
    pages that its page links to. The nearest neighbours of all seeds come first.
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
        """Return the neighbours; the score is 1 / place, because none of their own was measured."""
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
    """Return the first chunk of the nearest section above that has one of its own."""
    for length in range(len(chunk.heading_path) - 1, 0, -1):
        above = chunk.heading_path[:length]
        for other in page[: chunk.number - 1]:
            if other.heading_path == above:
                return [other]
    return []
