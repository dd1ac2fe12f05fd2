"""Fusing ranked lists by rank, and lifting the pages that many passages speak for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.ranking import Ranking


def fuse(
    rankings: Sequence[tuple[Ranking, float]], *, constant: int = 60
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return every row of the rankings and its sum of `weight / (constant + rank)`, best first.

    Ranks count from 1. Scores do not matter, so lanes whose scores have nothing in common can be
    put together, and no scale has to be learnt. Equal sums are ordered by row.
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
    pages: NDArray[np.int32], fused: NDArray[np.float64], *, strength: float
) -> NDArray[np.float64]:
    """Return the factor of each row: 1 for a page that nobody speaks for, up to 1 + `strength`.

    A page's mass is the sum of what its rows got. Fusion ranks passages one by one, so an answer
    that is spread over a page loses to one loud passage from elsewhere; its page's mass gives back
    what that costs, and no more.
    """
    if not len(fused):
        return np.ones(0, np.float64)
    _, places = np.unique(pages, return_inverse=True)
    mass = np.bincount(places, weights=fused).astype(np.float64)
    boosts: NDArray[np.float64] = 1.0 + strength * mass[places] / max(float(mass.max()), 1e-9)
    return boosts
