"""Searchers over arrays that may be damaged: results are checked, and errors name the lane.

A flipped bit in a posting may change the order of results. It must not raise an unexpected error,
nor lead to a row that does not exist.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.errors import IndexDamaged
from tether.retrieval.hit import Ranking

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

    from tether.retrieval.ports import DenseSearcher, LexicalSearcher


@contextmanager
def named(lane: str) -> Generator[None]:
    """Raise the errors of numpy over damaged arrays as `IndexDamaged`."""
    try:
        yield
    except (LookupError, ValueError, ArithmeticError, TypeError, MemoryError) as error:
        raise _damaged(lane, f"{type(error).__name__}: {error}") from error


def _damaged(lane: str, what: str) -> IndexDamaged:
    return IndexDamaged(f"the arrays of the lane {lane!r} are damaged ({what})", file=f"{lane}.*")


def _checked(lane: str, size: int, ranking: Ranking) -> Ranking:
    rows, scores = ranking.rows, ranking.scores
    inside = bool(np.all((rows >= 0) & (rows < size)))
    if not inside or not bool(np.all(np.isfinite(scores))):
        raise _damaged(lane, "they name rows or scores that cannot be")
    return ranking


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedLexical:
    """A lexical searcher with checked results: rows exist, and scores are finite."""

    lane: str
    size: int
    searcher: LexicalSearcher

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        """Return the terms of the question; () if it has none for this lane."""
        with named(self.lane):
            return self.searcher.terms(text, language=language)

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        """Return the best rows with a score above 0."""
        with named(self.lane):
            found = self.searcher.search(text, language=language, limit=limit)
        return _checked(self.lane, self.size, found)

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the scores of the given rows, 0 without a match."""
        with named(self.lane):
            return self.searcher.scores(text, rows, language=language)

    def coverage(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the share of the terms, weighted by rarity, that each given row contains."""
        with named(self.lane):
            return self.searcher.coverage(text, rows, language=language)

    def holders(self, words: Sequence[str]) -> list[int]:
        """Return how many rows have each word."""
        with named(self.lane):
            return self.searcher.holders(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedDense:
    """A dense searcher with checked results: rows exist, and scores are finite."""

    size: int
    searcher: DenseSearcher

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the rows with the highest cosine with one of the vectors."""
        with named("dense"):
            found = self.searcher.search_many(vectors, limit=limit)
        return _checked("dense", self.size, found)

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the best cosine of each row with one of the vectors; NaN without a vector."""
        with named("dense"):
            return self.searcher.scores_many(vectors, rows)
