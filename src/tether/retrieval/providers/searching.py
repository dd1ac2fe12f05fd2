"""The search that providers ask, as far as they need to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tether.retrieval.hit import LeftOut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.hit import Hit
    from tether.retrieval.query import Query


class Found(Protocol):
    """Hits, best first, and the parts of the search that did not take part."""

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
        """Return what did not take part."""
        ...


class Search(Protocol):
    """Anything that finds chunks: the retriever of an index."""

    def search(self, query: Query, *, limit: int) -> Found:
        """Return at most `limit` hits."""
        ...


def sufficient_hits(found: Found) -> Sequence[Hit]:
    """Return the hits, none where the floor refuses them."""
    return found.hits if found.sufficient else ()


def left_out_of(found: Found, name: str) -> tuple[LeftOut, ...]:
    """Return what did not take part, and under `name` that the hits were refused if they were."""
    left_out = tuple(found.left_out)
    if found.sufficient:
        return left_out
    return (*left_out, LeftOut(part=name, reason="what was found does not cover the question"))
