"""Searchers over arrays that may be damaged: what they return is checked, what they raise is named.

A flipped bit in a posting can at worst change an order. It must neither leave a search with an
error that nobody expects, nor point at a row that is not there.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import IndexDamaged
from tether.retrieval.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from tether.retrieval.index.parts import DenseSearcher
    from tether.retrieval.lexical.lane import LexicalSearcher


@contextmanager
def named(lane: str) -> Generator[None]:
    """Turn what damaged arrays make numpy raise into `IndexDamaged`."""
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
    """A lexical searcher whose rows exist and whose scores are numbers."""

    lane: str
    size: int
    searcher: LexicalSearcher

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        """Return what is looked for; () where the lane has no opinion on the question."""
        with named(self.lane):
            return self.searcher.terms(text, language=language)

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        """Return the best rows, only those with a score above 0."""
        with named(self.lane):
            found = self.searcher.search(text, language=language, limit=limit)
        return _checked(self.lane, self.size, found)

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the scores of the given rows, 0 where nothing matches."""
        with named(self.lane):
            return self.searcher.scores(text, rows, language=language)

    def coverage(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return which share of the text's terms, weighed by rarity, each given row holds."""
        with named(self.lane):
            return self.searcher.coverage(text, rows, language=language)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedDense:
    """A dense searcher whose rows exist and whose scores are numbers."""

    size: int
    searcher: DenseSearcher

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the rows whose best cosine with one of the vectors is highest."""
        with named("dense"):
            found = self.searcher.search_many(vectors, limit=limit)
        return _checked("dense", self.size, found)

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return for each row its best cosine with one of the vectors; NaN where it has none."""
        with named("dense"):
            return self.searcher.scores_many(vectors, rows)
