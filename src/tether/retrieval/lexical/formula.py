"""BM25 as numbers: the parts of the formula, for arrays and for single values."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = (1 << 32) - 1
"""In how many steps the share of a term's weight is stored that a passage earns. One step is so
small that the sum over a long question stays within a millionth of the formula."""


def rarity(size: int, holders: int) -> float:
    """Return the weight of a term that `holders` of `size` passages hold; always above zero."""
    return log1p((size - holders + 0.5) / (holders + 0.5))


def length_norms(lengths: NDArray[np.int32], k1: float, b: float) -> NDArray[np.float64]:
    """Return for each passage how many occurrences of a term it takes for half of its weight."""
    total = int(lengths.sum(dtype=np.int64))
    average = total / len(lengths) if total else 1.0
    return k1 * (1.0 - b) + (k1 * b / average) * lengths.astype(np.float64)


def impacts(frequencies: NDArray[np.uint16], norms: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Return what the occurrences of a term count for, from 0 to 1, in `STEPS`; never 0."""
    counts = frequencies.astype(np.float64)
    norms += counts
    counts *= STEPS
    counts /= norms
    return np.maximum(np.rint(counts), 1.0).astype(np.uint32)
