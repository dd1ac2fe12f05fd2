"""Passages from the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.retrieval.providers.chunk_passage import passage_of
from tether.retrieval.providers.provider import Supply
from tether.retrieval.providers.searching import left_out_of, sufficient_hits

if TYPE_CHECKING:
    from tether.core.tiers import TrustTier
    from tether.retrieval.providers.searching import Search
    from tether.retrieval.query import Query


class VectorProvider:
    """Supplies what a search of the index finds, and nothing where its floor refuses the hits.

    An answer may not be written from passages that the floor takes for too weak. That they were
    refused is said, so that the passages of other providers can still answer.

    The tier is first-party, because the operator chose what is indexed; give another for an index
    of other people's pages.
    """

    def __init__(
        self, search: Search, *, name: str = "vector", trust_tier: TrustTier = "first-party"
    ) -> None:
        self.name = name
        self._search = search
        self._trust_tier: TrustTier = trust_tier

    def passages(self, query: Query, limit: int) -> Supply:
        """Return the first hits; parts of the search that failed are passed on as left out."""
        found = self._search.search(query, limit=limit)
        supplied = tuple(
            passage_of(hit.chunk, provider=self.name, trust_tier=self._trust_tier, score=hit.score)
            for hit in sufficient_hits(found)[:limit]
        )
        return Supply(passages=supplied, left_out=left_out_of(found, self.name))
