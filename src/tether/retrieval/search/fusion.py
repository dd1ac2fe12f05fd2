"""Fusion of rankings by rank, boosts for pages with many hits, and the mix of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.hit import Ranking

NO_DIFFERENCE = 1e-12


def fuse(
    rankings: Sequence[tuple[Ranking, float]], *, constant: int = 60
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return every row of the rankings and its sum of `weight / (constant + rank)`, best first.

    Ranks count from 1. Scores do not matter, so lanes with incomparable scores can be combined
    without learning a scale. Equal sums are ordered by row.
    """
    if not rankings:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    listed = np.concatenate([ranking.rows for ranking, _ in rankings])
    gains = np.concatenate(
        [weight / (constant + np.arange(1, len(ranking) + 1)) for ranking, weight in rankings]
    )
    rows, places = np.unique(listed, return_inverse=True)
    sums = np.bincount(places, weights=gains, minlength=len(rows)).astype(np.float64)
    order = np.lexsort((rows, -sums))
    return rows[order], sums[order]


def page_boosts(
    pages: NDArray[np.int32],
    sizes: NDArray[np.int64],
    fused: NDArray[np.float64],
    *,
    strength: float,
) -> NDArray[np.float64]:
    """Return the factor of each row, from 1 up to 1 + `strength` for the page with most mass.

    The mass of a page is the sum of the scores of its rows, divided by the square root of the
    number of passages that the page has (`sizes`, for each row). Fusion ranks passages one by one,
    so an answer that is spread over a page loses to a single strong passage elsewhere; the boost
    makes up for that. Without the division a long page, which has something to say on everything,
    would displace the short page that answers.
    """
    if not len(fused):
        return np.ones(0, np.float64)
    _, places = np.unique(pages, return_inverse=True)
    mass = np.bincount(places, weights=fused)[places] / np.sqrt(sizes)
    boosts: NDArray[np.float64] = 1.0 + strength * mass / max(float(mass.max()), 1e-9)
    return boosts


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many standard deviations each value lies above the mean of the known ones.

    NaN is an unknown value and gets 0, which neither helps nor harms. Values that are all equal
    give zeros: a vote without a preference does not count.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(len(values))
    mean, deviation = float(values[known].mean()), float(values[known].std())
    if deviation <= NO_DIFFERENCE * max(1.0, abs(mean)):
        return np.zeros(len(values))
    return np.where(known, (values - mean) / deviation, 0.0)


def mixed(votes: Sequence[tuple[NDArray[np.float64], float]], size: int) -> NDArray[np.float64]:
    """Return the weighted mean of the votes, each standardised, for `size` candidates."""
    total = np.zeros(size)
    for values, weight in votes:
        if weight:
            total += weight * standardised(values)
    return total / (math.fsum(weight for _, weight in votes) or 1.0)


def squashed(score: float) -> float:
    """Return a score of any size as one from 0 to 1, in the same order: .5 for 0."""
    return 1 / (1 + math.exp(-score)) if score >= 0 else 1 - squashed(-score)
