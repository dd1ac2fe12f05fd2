"""Searching vectors: the nearest to a question, or to any form of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import EmbedderMismatch, EmbeddingFailed
from tether.retrieval.dense.cosines import ROUNDING, exact_cosines, quick_cosines
from tether.retrieval.ranking import Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.dense.clusters import Clusters


class DenseSearcher:
    """Finds the rows whose vectors have the largest cosine with a question's.

    Scores are exact cosines, also where clusters narrowed the search; equal ones are ordered by
    row. Rows of zeros are not embedded yet and never found. Raises `EmbedderMismatch` for a
    question's vector of another length, and `EmbeddingFailed` for one with a NaN, which would be
    near to nothing without a word. Several threads may share one object.
    """

    __slots__ = ("_clusters", "_vectors")

    def __init__(self, vectors: NDArray[np.float32], clusters: Clusters | None = None) -> None:
        self._vectors = vectors
        self._clusters = clusters

    def search(self, vector: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the nearest rows, best first."""
        return self.search_many(vector[np.newaxis], limit=limit)

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the rows nearest to any of the vectors (forms of one question), best first.

        A row's score is its best cosine over them.
        """
        questions = self._checked(vectors)
        if limit <= 0 or not len(questions) or not len(self._vectors):
            return Ranking(np.empty(0, np.int64), np.empty(0, np.float64))
        rows = self._candidates(questions, limit)
        scores = exact_cosines(self._vectors, rows, questions)
        best = np.lexsort((rows, -scores))[:limit]
        return Ranking(rows[best], scores[best])

    def scores(self, vector: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosine of each of these rows; 0 for one that is not embedded yet."""
        return exact_cosines(self._vectors, rows, self._checked(vector[np.newaxis]))

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the best cosine of each of these rows with any of the vectors, at least one.

        NaN for a row that is not embedded yet.
        """
        found = exact_cosines(self._vectors, rows, self._checked(vectors))
        found[~self._vectors[rows].any(axis=1)] = np.nan
        return found

    def _candidates(self, questions: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Return all embedded rows that can be among the best, judged by their quick cosines."""
        if self._clusters is None:
            quick = quick_cosines(self._vectors, questions)
            quick[self._empty(np.flatnonzero(quick == 0))] = -np.inf
            return self._best(quick, limit)
        clusters = self._clusters
        rows = clusters.near(questions, probes=clusters.probes, least=limit)
        return rows[self._best(quick_cosines(self._vectors, questions, rows), limit)]

    def _empty(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of the rows that hold zeros only."""
        return rows[~self._vectors[rows].any(axis=1)]

    def _checked(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        length, expected = vectors.shape[-1], self._vectors.shape[1]
        if vectors.ndim != 2 or length != expected:
            message = f"the question's vector has {length} numbers, those of the index {expected}"
            raise EmbedderMismatch(message)
        if not np.isfinite(vectors).all():
            raise EmbeddingFailed("the question's vector holds something that is no number")
        return vectors

    def _best(self, quick: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Return the places of the largest `limit` numbers, and of all that may be as large."""
        if limit < len(quick):
            margin = 2 * ROUNDING * self._vectors.shape[1]
            bound = np.partition(quick, len(quick) - limit)[len(quick) - limit] - margin
            return np.flatnonzero(quick >= max(bound, np.finfo(np.float32).min))
        return np.flatnonzero(np.isfinite(quick))
