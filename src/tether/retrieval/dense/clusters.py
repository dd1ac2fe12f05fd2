"""Clusters of a large set of vectors, made by k-means on the sphere and stored as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

BLOCK = 8192
"""Vectors processed together, which limits the memory besides the vectors themselves."""

ROUNDS = 8
SAMPLED_PER_CENTER = 48
TRIALS = 64
"""Trial searches that determine how many clusters have to be read."""

STRAYING = 2.0
"""The noise added to a trial. Questions are less similar to passages than passages are to each
other, and need more clusters; with noise of this length, trials need about as many."""

TRIED_DEPTH = 100
SEED = 20_260_101
SMALLEST = np.float32(1e-12)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clusters:
    """The row of each vector is a member of the cluster with the nearest center.

    The members of cluster i are `members[offsets[i]:offsets[i + 1]]`, in ascending order. A search
    reads the `probes` nearest clusters. `trained` is the number of vectors when the centers were
    made.
    """

    centers: NDArray[np.float32]
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]
    probes: int
    trained: int

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Clusters | None:
        """Return the clusters in the arrays, None without clusters."""
        if "centers" not in arrays:
            return None
        probes, trained = (int(number) for number in arrays["numbers"])
        return cls(
            centers=arrays["centers"],
            offsets=arrays["offsets"],
            members=arrays["members"],
            probes=probes,
            trained=trained,
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `of` reads."""
        return {
            "centers": self.centers,
            "offsets": self.offsets,
            "members": self.members,
            "numbers": np.array([self.probes, self.trained], np.int64),
        }

    def fits(self, dimensions: int, size: int, growth: int) -> bool:
        """Return whether the centers fit vectors of this length and number."""
        return self.centers.shape[1] == dimensions and size < growth * self.trained

    def near(self, questions: NDArray[np.float32], *, probes: int, least: int) -> NDArray[np.int64]:
        """Return the rows of the clusters nearest to each question, in order.

        More than `probes` clusters are read if these have fewer than `least` rows together.
        """
        sizes = np.diff(self.offsets)
        chosen: set[int] = set()
        for question in questions:
            order = np.argsort(-(self.centers @ question), kind="stable")
            enough = int(np.searchsorted(np.cumsum(sizes[order]), least)) + 1
            chosen.update(order[: max(probes, enough)].tolist())
        lists = [self.members[self.offsets[i] : self.offsets[i + 1]] for i in sorted(chosen)]
        return np.sort(np.concatenate(lists)).astype(np.int64)


def embedded_rows(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the rows that hold a vector."""
    parts = [
        np.flatnonzero(vectors[start : start + BLOCK].any(axis=1)) + start
        for start in range(0, len(vectors), BLOCK)
    ]
    return np.concatenate([np.empty(0, np.int64), *parts])


def clustered(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    *,
    recall: float,
    kept: Clusters | None = None,
) -> Clusters:
    """Sort the rows into clusters: those that were `kept`, or new ones.

    With about `2 * sqrt(n)` centers, finding the clusters costs as much as reading them.
    """
    generator = np.random.default_rng(SEED)
    if kept is None:
        count = min(2 * isqrt(len(rows)), len(rows))
        sample = _sample(vectors, rows, count * SAMPLED_PER_CENTER, generator)
        centers, trained = _centers(sample, count, generator), len(rows)
    else:
        centers, trained = np.array(kept.centers), kept.trained
    members, offsets = _sorted_in(vectors, rows, centers)
    made = Clusters(centers=centers, offsets=offsets, members=members, probes=1, trained=trained)
    trials = _strayed(_sample(vectors, rows, TRIALS, generator), generator)
    probes = _needed_probes(vectors, made, trials, recall)
    return Clusters(
        centers=centers, offsets=offsets, members=members, probes=probes, trained=trained
    )


def _sample(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    size: int,
    generator: np.random.Generator,
) -> NDArray[np.float32]:
    if size < len(rows):
        rows = np.sort(generator.choice(rows, size, replace=False))
    return vectors[rows]


def _strayed(vectors: NDArray[np.float32], generator: np.random.Generator) -> NDArray[np.float32]:
    """Return each vector with noise of `STRAYING` times its length, normalised again."""
    noise = generator.standard_normal(vectors.shape, np.float32)
    moved = vectors + STRAYING * noise / np.sqrt(np.float32(vectors.shape[1]))
    made: NDArray[np.float32] = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    return made.astype(np.float32)


def _centers(
    sample: NDArray[np.float32], count: int, generator: np.random.Generator
) -> NDArray[np.float32]:
    """Return `count` centers of the sample, of length one."""
    centers = sample[np.sort(generator.choice(len(sample), count, replace=False))]
    for _ in range(ROUNDS):
        nearest = _nearest(sample, centers)
        order = np.argsort(nearest, kind="stable")
        present, starts = np.unique(nearest[order], return_index=True)
        sums = np.add.reduceat(sample[order], starts, axis=0)
        # A center without members stays where it is.
        centers[present] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), SMALLEST)
    return centers


def _nearest(vectors: NDArray[np.float32], centers: NDArray[np.float32]) -> NDArray[np.int64]:
    parts = [
        np.argmax(vectors[start : start + BLOCK] @ centers.T, axis=1)
        for start in range(0, len(vectors), BLOCK)
    ]
    return np.concatenate(parts)


def _sorted_in(
    vectors: NDArray[np.float32], rows: NDArray[np.int64], centers: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the rows by cluster, and the start of each cluster."""
    parts = [
        _nearest(vectors[rows[start : start + BLOCK]], centers)
        for start in range(0, len(rows), BLOCK)
    ]
    nearest = np.concatenate(parts)
    order = np.argsort(nearest, kind="stable")
    ends = np.cumsum(np.bincount(nearest, minlength=len(centers)))
    offsets = np.concatenate([np.zeros(1, np.int64), ends.astype(np.int64)])
    return rows[order].astype(np.int32), offsets


def _needed_probes(
    vectors: NDArray[np.float32], clusters: Clusters, trials: NDArray[np.float32], recall: float
) -> int:
    """Return the number of clusters to read to find this share of the true best rows."""
    members = np.sort(clusters.members)
    cluster_of = np.empty(len(vectors), np.int64)
    cluster_of[clusters.members] = np.repeat(
        np.arange(len(clusters.centers)), np.diff(clusters.offsets)
    )
    depth = min(TRIED_DEPTH, len(members))
    ranks: list[NDArray[np.int64]] = []
    for trial in trials:
        scores = quick_cosines(vectors, trial[np.newaxis])[members]
        best = members[np.argpartition(scores, len(scores) - depth)[len(scores) - depth :]]
        ranks.append(_places(clusters.centers @ trial)[cluster_of[best]])
    return int(np.quantile(np.concatenate(ranks), recall, method="higher")) + 1


def _places(scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the rank of each score, from 0."""
    places = np.empty(len(scores), np.int64)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return places


ROWS_AT_ONCE = 512
"""Vectors in one product: they fit into the cache, and the product runs on one core. Larger ones
run on threads, which on a busy machine wait for each other longer than they work."""

EXACT_AT_ONCE = 4096
"""Vectors copied as float64 at a time."""

ROUNDING = 2.0**-23
"""The error bound of a quick cosine for each number of a vector. A float32 sum of the products of
two unit vectors stays below it, in whatever order it is computed."""


def quick_cosines(
    vectors: NDArray[np.float32],
    questions: NDArray[np.float32],
    rows: NDArray[np.int64] | None = None,
) -> NDArray[np.float32]:
    """Return the best cosine of each vector with any of the questions.

    The error is at most `ROUNDING` for each number of a vector. With `rows`, only these are
    compared, in their order.
    """
    best = np.empty(len(vectors) if rows is None else len(rows), np.float32)
    for start in range(0, len(best), ROWS_AT_ONCE):
        here = slice(start, start + ROWS_AT_ONCE)
        block = vectors[here if rows is None else rows[here]]
        scores = block @ questions[0]
        for question in questions[1:]:
            np.maximum(scores, block @ question, out=scores)
        best[here] = scores
    return best


def exact_cosines(
    vectors: NDArray[np.float32], rows: NDArray[np.int64], questions: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the best cosines of these rows, each a function of its vector alone, to the bit.

    A matrix product adds in an order that depends on the other rows, so that two equal vectors can
    differ in the last bit and would not be ordered by row.
    """
    best = np.empty(len(rows), np.float64)
    wide = questions.astype(np.float64)
    for start in range(0, len(rows), EXACT_AT_ONCE):
        block = vectors[rows[start : start + EXACT_AT_ONCE]].astype(np.float64)
        scores = np.stack([(block * question).sum(axis=1) for question in wide])
        best[start : start + EXACT_AT_ONCE] = scores.max(axis=0)
    return best
