"""The best of many scores without sorting them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.ranking import Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALL = 2_048
_GROUPS = 4


def lower_bound(scores: NDArray[np.float64], limit: int) -> float:
    """Return a value that at least `limit` of the scores reach, or 0 where there are fewer.

    Among few scores it is the highest such value. Among many it is the one for the maxima of
    groups of scores, which costs one pass and is close.
    """
    if len(scores) < limit:
        return 0.0
    width = limit * _GROUPS
    if len(scores) > max(_SMALL, 2 * width):
        depth = len(scores) // width
        scores = scores[: depth * width].reshape(depth, width).max(axis=0)
    place = len(scores) - limit
    return float(np.partition(scores, place)[place])


def best(rows: NDArray[np.intp], scores: NDArray[np.float64], limit: int) -> Ranking:
    """Return the `limit` highest scores with their rows, equal scores by row."""
    chosen = np.flatnonzero(scores >= lower_bound(scores, limit))
    chosen = chosen[np.lexsort((rows[chosen], -scores[chosen]))][:limit]
    return Ranking(rows[chosen].astype(np.int64), scores[chosen])
