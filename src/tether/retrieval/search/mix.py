"""Putting votes of different kinds on one scale, and adding them up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_DIFFERENCE = 1e-12


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many standard deviations each value lies above the mean of the known ones.

    NaN stands for a value that is not known: it gets 0, so that not knowing is neither praise nor
    blame. Values that are all the same give zeros: a vote without a preference has no say.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(len(values))
    mean, deviation = float(values[known].mean()), float(values[known].std())
    if deviation <= NO_DIFFERENCE * max(1.0, abs(mean)):
        return np.zeros(len(values))
    return np.where(known, (values - mean) / deviation, 0.0)


def mixed(votes: Sequence[tuple[NDArray[np.float64], float]], size: int) -> NDArray[np.float64]:
    """Return the weighted sum of the votes, each standardised, for `size` candidates."""
    total = np.zeros(size)
    for values, weight in votes:
        if weight:
            total += weight * standardised(values)
    return total
