"""Making clusters of vectors: k-means on the sphere, from a sample, the same in every run."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.dense.clusters import Clusters
from tether.retrieval.dense.cosines import quick_cosines

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 8192
"""Vectors that are looked at together: what bounds the memory beside the vectors themselves."""

ROUNDS = 8
SAMPLED_PER_CENTER = 48
TRIALS = 64
"""Vectors that are searched for, to find how many clusters have to be read."""

STRAYING = 2.0
"""How far a trial lies off its passage. Questions are less like any passage than passages are like
each other, and need more clusters; with this length of noise, trials need about as many."""

TRIED_DEPTH = 100
SEED = 20_260_101
SMALLEST = np.float32(1e-12)


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

    About `2 * sqrt(n)` centers, so that finding the clusters costs as little as reading them.
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
    """Return each vector with noise of `STRAYING` times its length, made length one again."""
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
    """Return the rows by cluster, and where each cluster begins."""
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
    """Return how many clusters must be read to find that share of the true best."""
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
    """Return at which place each of the scores comes, from 0."""
    places = np.empty(len(scores), np.int64)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return places
