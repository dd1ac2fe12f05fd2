"""What a search needs of an index: lanes, chunks, and which page each row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tether.retrieval.chunk import Chunk
from tether.retrieval.ranking import Ranking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LexicalSearcher(Protocol):
    """A lane that compares terms."""

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        """Return the best rows, only those with a score above 0."""
        ...

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the scores of the given rows, 0 where nothing matches."""
        ...

    def coverage(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return which share of the text's terms, weighed by rarity, occurs in each row.

        From 0 to 1. A term that is nowhere in the index weighs as much as the rarest.
        """
        ...


class DenseSearcher(Protocol):
    """A lane that compares vectors of length one."""

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the rows whose best cosine with one of the vectors is highest."""
        ...

    def scores(self, vector: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosine of each row; 0 for one that is not embedded yet."""
        ...


class Searchable(Protocol):
    """One generation of an index, as a search sees it. Row `i` is the same chunk in each lane."""

    @property
    def size(self) -> int:
        """Return the number of rows."""
        ...

    @property
    def embedder(self) -> str:
        """Return the fingerprint of the embedder whose vectors are held; "" where none are."""
        ...

    @property
    def pages(self) -> NDArray[np.int32]:
        """Return the number of each row's document."""
        ...

    @property
    def words(self) -> LexicalSearcher:
        """Return the lane over words."""
        ...

    @property
    def grams(self) -> LexicalSearcher:
        """Return the lane over parts of words."""
        ...

    @property
    def dense(self) -> DenseSearcher | None:
        """Return the lane over vectors; None before the first are there."""
        ...

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks of some rows, in their order."""
        ...
