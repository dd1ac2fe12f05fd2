"""How sure a measured number is."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

_CELLS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A number, and the range that holds the true one with the confidence asked for."""

    value: float
    low: float
    high: float


def wilson(successes: int, total: int, *, confidence: float = 0.95) -> Interval:
    """Return a share with Wilson's score interval, which also holds for few cases and for 0 or all.

    Raises `InputRefused` where there is no case, or more successes than cases, and for a confidence
    that is not between 0 and 1.
    """
    _refuse_confidence(confidence)
    if not 0 <= successes <= total or total == 0:
        raise InputRefused(f"{successes} of {total} is no share: give at least one case")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / total
    centre = share + z * z / (2 * total)
    reach = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    whole = 1 + z * z / total
    low = 0.0 if successes == 0 else (centre - reach) / whole
    high = 1.0 if successes == total else (centre + reach) / whole
    return Interval(value=share, low=low, high=high)


def paired_bootstrap(
    ones: Sequence[float],
    others: Sequence[float],
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Return the mean of `ones[i] - others[i]` with its percentile bootstrap interval.

    The pairs are the same questions under two systems. An interval that holds 0 shows no
    difference. The same input gives the same interval. Raises `InputRefused` where the two are not
    of one length, empty or not finite, without a resample, and for a confidence that is not
    between 0 and 1.
    """
    _refuse_confidence(confidence)
    if resamples < 1:
        raise InputRefused(f"{resamples} resamples make no interval: draw at least one")
    if not ones or len(ones) != len(others):
        raise InputRefused(f"{len(ones)} and {len(others)} values make no pairs")
    differences = np.asarray(ones, dtype=np.float64) - np.asarray(others, dtype=np.float64)
    if not np.isfinite(differences).all():
        raise InputRefused("a value is not finite: leave out the questions that have none")
    means = _resampled_means(differences, resamples, np.random.default_rng(seed))
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(value=float(differences.mean()), low=float(low), high=float(high))


def _refuse_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise InputRefused(f"a confidence lies between 0 and 1, and {confidence} does not")


def _resampled_means(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], resamples: int, draw: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Draw with replacement, some resamples at once, so that memory stays small."""
    size = len(values)
    step = max(1, _CELLS_AT_ONCE // size)
    counts = [min(step, resamples - done) for done in range(0, resamples, step)]
    batches = [values[draw.integers(0, size, (count, size))].mean(axis=1) for count in counts]
    return np.concatenate(batches)
