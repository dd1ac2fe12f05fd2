"""The face of a lexical lane: chunks to arrays, arrays to a searcher."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.hit import LaneName
    from tether.retrieval.ranking import Ranking


class LexicalSearcher(Protocol):
    """Searches the arrays of one generation; safe to share between threads."""

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        """Return what is looked for, known to the index or not; () where nothing can be.

        A question without terms (punctuation, nothing) is one that the lane has no opinion on: it
        is left out of a fusion and named, which an empty ranking alone would not tell.
        """
        ...

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        """Return the best rows, with scores above zero only; equal scores by row."""
        ...

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the score of each given row, in the given order, 0 where nothing matches."""
        ...

    def coverage(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return which share of the text's terms, weighed by rarity, each given row holds.

        From 0 to 1. A term that is nowhere in the index weighs as much as one in a single row: a
        question about something else is full of them.
        """
        ...


class LexicalLane(Protocol):
    """Builds and opens one lexical view of an index."""

    @property
    def name(self) -> LaneName:
        """Return which lane it is."""
        ...

    @property
    def fingerprint(self) -> str:
        """Return what the arrays depend on: carry over only arrays of the same fingerprint."""
        ...

    def build(
        self,
        *,
        size: int,
        fresh: Iterable[tuple[int, Chunk]],
        previous: Mapping[str, NDArray[np.generic]] | None = None,
        kept: NDArray[np.int32] | None = None,
    ) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of `size` rows.

        `fresh` gives chunks to read with their rows. `kept` gives for each row of `previous` its
        new row, or -1; those are carried over unread. The result is the same as if all had been
        read. Raises `InvalidRetrievalSettings` for a row that is given twice or lies outside.
        """
        ...

    def open(self, arrays: Mapping[str, NDArray[np.generic]]) -> LexicalSearcher:
        """Return a searcher over arrays that `build` made, which may be mapped from disk."""
        ...
