"""What a search needs of an index: lanes, chunks, and which page each row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tether.retrieval.chunk import Chunk
from tether.retrieval.lexical.lane import LexicalSearcher
from tether.retrieval.ranking import Ranking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DenseSearcher(Protocol):
    """A lane that compares vectors of length one."""

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the rows whose best cosine with one of the vectors is highest."""
        ...

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return for each row its best cosine with one of the vectors; NaN where it has none."""
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
