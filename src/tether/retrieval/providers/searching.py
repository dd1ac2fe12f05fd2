"""The search that providers ask, as far as they need to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.hit import Hit, LeftOut
    from tether.retrieval.query import Query


class Found(Protocol):
    """Hits, best first, and the parts of the search that did not take part."""

    @property
    def hits(self) -> Sequence[Hit]:
        """Return the hits."""
        ...

    @property
    def left_out(self) -> Sequence[LeftOut]:
        """Return what did not take part."""
        ...


class Search(Protocol):
    """Anything that finds chunks: the retriever of an index."""

    def search(self, query: Query) -> Found:
        """Return what was found."""
        ...
