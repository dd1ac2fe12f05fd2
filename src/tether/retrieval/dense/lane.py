"""The dense lane: the arrays beside the vectors, and the search for the nearest vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tether.core.checks import Checks
from tether.retrieval.dense.clusters import (
    ROUNDING,
    Clusters,
    clustered,
    embedded_rows,
    exact_cosines,
    quick_cosines,
)
from tether.retrieval.errors import EmbedderMismatch, EmbeddingFailed, InvalidRetrievalSettings
from tether.retrieval.hit import Ranking

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    from tether.retrieval.hit import LaneName

GROWTH = 2
"""The clusters are rebuilt when the number of vectors has grown by this factor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseSettings:
    """Up to `exact_up_to` vectors all are compared; with more, those of the nearest clusters.

    `recall` is the share of the true best hundred that a search of the clusters has to find, in
    trials that are about as hard as questions; it determines how many clusters are read.
    """

    exact_up_to: int = 250_000
    recall: float = 0.98

    def __post_init__(self) -> None:
        check = Checks()
        check.whole_number("exact_up_to", self.exact_up_to, least=0)
        if not 0 < self.recall <= 1:
            check.refuse("recall", self.recall, "a number above 0, at most 1")
        check.done(InvalidRetrievalSettings)


class DenseLane:
    """Finds the nearest vectors by comparing all, and in a large index by clusters.

    A row of zeros is a passage that is not embedded; it is never found.
    """

    name: LaneName = "dense"

    __slots__ = ("_settings",)

    def __init__(self, settings: DenseSettings | None = None) -> None:
        self._settings = settings or DenseSettings()

    def build(
        self, vectors: NDArray[np.float32], previous: Mapping[str, NDArray[Any]] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return the arrays to store beside the vectors, none if all vectors are compared.

        The clusters of the `previous` arrays are reused until the index has outgrown them. Equal
        vectors give equal arrays on one machine.
        """
        rows = embedded_rows(vectors)
        if len(rows) <= self._settings.exact_up_to:
            return {}
        kept = Clusters.of(previous or {})
        if kept is not None and not kept.fits(vectors.shape[1], len(rows), GROWTH):
            kept = None
        return clustered(vectors, rows, recall=self._settings.recall, kept=kept).arrays()

    def open(
        self, vectors: NDArray[np.float32], arrays: Mapping[str, NDArray[Any]]
    ) -> DenseSearcher:
        """Return a searcher over the vectors, which are not copied, and the arrays of `build`."""
        return DenseSearcher(vectors, Clusters.of(arrays))


class DenseSearcher:
    """Finds the rows whose vectors have the largest cosine with a question's.

    Scores are exact cosines, also if clusters narrowed the search; equal ones are ordered by row.
    Rows of zeros are not embedded and never found. Raises `EmbedderMismatch` for a question's
    vector of another length, and `EmbeddingFailed` for one with a NaN, which would silently find
    nothing. Several threads may share one object.
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

        The score of a row is its best cosine with them.
        """
        questions = self._checked(vectors)
        if limit <= 0 or not len(questions) or not len(self._vectors):
            return Ranking(np.empty(0, np.int64), np.empty(0, np.float64))
        rows = self._candidates(questions, limit)
        scores = exact_cosines(self._vectors, rows, questions)
        best = np.lexsort((rows, -scores))[:limit]
        return Ranking(rows[best], scores[best])

    def scores(self, vector: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosine of each of these rows; 0 for one that is not embedded."""
        return exact_cosines(self._vectors, rows, self._checked(vector[np.newaxis]))

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the best cosine of each of these rows with any of the vectors, at least one.

        NaN for a row that is not embedded.
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
        """Return the rows that are all zeros."""
        return rows[~self._vectors[rows].any(axis=1)]

    def _checked(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        length, expected = vectors.shape[-1], self._vectors.shape[1]
        if vectors.ndim != 2 or length != expected:
            message = f"the question's vector has {length} numbers, those of the index {expected}"
            raise EmbedderMismatch(message)
        if not np.isfinite(vectors).all():
            raise EmbeddingFailed("the question's vector has a value that is not a finite number")
        return vectors

    def _best(self, quick: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Return the positions of the `limit` largest numbers, and of all that may equal them."""
        if limit < len(quick):
            margin = 2 * ROUNDING * self._vectors.shape[1]
            bound = np.partition(quick, len(quick) - limit)[len(quick) - limit] - margin
            return np.flatnonzero(quick >= max(bound, np.finfo(np.float32).min))
        return np.flatnonzero(np.isfinite(quick))
