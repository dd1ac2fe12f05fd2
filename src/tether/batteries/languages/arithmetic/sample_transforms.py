"""Lists of numbers made from a list of numbers, and what stands out from it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from tether.batteries.languages.arithmetic.exact_sample import (
    Sample,
    quotient,
    root_of,
    rounded,
)
from tether.core.errors import InputRefused


def min_max(sample: Sample) -> list[float]:
    """Scale the numbers to 0..1."""
    lowest, width = sample.ordered[0], sample.ordered[-1] - sample.ordered[0]
    if width == 0:
        raise InputRefused("all values are equal: there is no range to scale them to")
    return [quotient(unit - lowest, width) for unit in sample.units]


def z_scores(sample: Sample) -> list[float]:
    """Count the population's standard deviations from the mean."""
    if sample.spread == 0:
        raise InputRefused("all values are equal: their standard deviation is 0")
    deviation = root_of(Fraction(sample.spread))
    above, below = deviation.denominator, deviation.numerator
    return [quotient(distance * above, below) for distance in sample.distances]


def percents_of_sum(sample: Sample) -> list[float]:
    """Return the shares of the sum, which add up to 100."""
    if sample.total == 0:
        raise InputRefused("the sum of the values is 0: they have no shares of it")
    return [quotient(100 * unit, sample.total) for unit in sample.units]


def running_totals(sample: Sample) -> list[float]:
    """Return the sums of each number and all before it."""
    return [sample.number(total) for total in accumulate(sample.units)]


def rolling_averages(sample: Sample, window: int) -> list[float | None]:
    """Return the means of each number and those before it; None where they are too few."""
    if window > sample.count:
        raise InputRefused(f"window is {window}, but there are only {sample.count} values")
    totals = [0, *accumulate(sample.units)]
    means = [
        sample.number(Fraction(after - before, window))
        for before, after in zip(totals, totals[window:], strict=False)
    ]
    return [*[None] * (window - 1), *means]


def percent_changes(sample: Sample) -> list[float | None]:
    """Return the changes from the number before; None for the first one and after a 0."""
    changes = [
        quotient(100 * (after - before), before) if before else None
        for before, after in pairwise(sample.units)
    ]
    return [None, *changes]


def ranks(sample: Sample) -> list[float]:
    """Number from the smallest, 1; equal numbers get the mean of their ranks."""
    rank_of: dict[int, float] = {}
    first = 1
    for unit, equals in groupby(sample.ordered):
        count = len(list(equals))
        rank_of[unit] = first + (count - 1) / 2
        first += count
    return [rank_of[unit] for unit in sample.units]


TRANSFORMATIONS: Mapping[str, Callable[[Sample], list[Any]]] = MappingProxyType(
    {
        "min_max": min_max,
        "z_score": z_scores,
        "percent_of_sum": percents_of_sum,
        "running_total": running_totals,
        "percent_change": percent_changes,
        "rank": ranks,
    }
)


class Limits(NamedTuple):
    """From where to where numbers are usual; whether one is outside can be asked exactly."""

    lower: float
    upper: float
    outliers: list[int]
    """The positions of the numbers that lie outside."""


def limits_by_quartiles(sample: Sample, threshold: Fraction) -> Limits:
    """Go so many interquartile ranges out from the quartiles."""
    first, third = (sample.percentile(Fraction(percent)) for percent in (25, 75))
    reach = threshold * (third - first)
    lower, upper = first - reach, third + reach
    least, most = math.ceil(lower), math.floor(upper)  # units are whole, and compared faster so
    outliers = [at for at, unit in enumerate(sample.units) if not least <= unit <= most]
    return Limits(sample.number(lower), sample.number(upper), outliers)


def limits_by_deviations(sample: Sample, threshold: Fraction) -> Limits:
    """Go so many standard deviations of the population out from the mean.

    The distances are compared by their squares, which are whole numbers.
    """
    square = threshold * threshold * sample.spread
    most = math.floor(square)
    outliers = [at for at, distance in enumerate(sample.distances) if distance * distance > most]
    reach = root_of(square)
    lower, upper = (
        rounded((sample.total + side * reach) / (sample.count * sample.scale)) for side in (-1, 1)
    )
    return Limits(lower, upper, outliers)


class Histogram(NamedTuple):
    """The edges of bins, and how many numbers are in each."""

    edges: list[float]
    counts: list[int]


def histogram_of_equal_bins(sample: Sample, bins: int) -> Histogram:
    """Count from the smallest number to the largest; to half a unit beside, if they are equal."""
    margin = sample.scale if sample.ordered[0] == sample.ordered[-1] else 0
    lowest, highest = 2 * sample.ordered[0] - margin, 2 * sample.ordered[-1] + margin
    bounds = [lowest * bins + step * (highest - lowest) for step in range(bins + 1)]
    edges = [sample.number(Fraction(bound, 2 * bins)) for bound in bounds]
    if any(low >= high for low, high in pairwise(edges)):
        raise InputRefused(
            f"the values are too close together for {bins} bins: their edges would be equal. "
            "Ask for fewer bins"
        )
    return Histogram(edges, _counts([2 * bins * unit for unit in sample.units], bounds))


def histogram_between(numbers: Sequence[float], edges: Sequence[float]) -> Histogram:
    """Count between edges that are given; what is outside them is in no bin."""
    sample = Sample([*numbers, *edges])
    units, bounds = sample.units[: len(numbers)], sample.units[len(numbers) :]
    for low, high in pairwise(bounds):
        if low >= high:
            raise InputRefused("each of the edges must be larger than the one before")
    return Histogram(list(edges), _counts(units, bounds))


def _counts(units: list[int], bounds: list[int]) -> list[int]:
    counts = [0] * (len(bounds) - 1)
    for unit in units:
        if bounds[0] <= unit <= bounds[-1]:
            counts[min(bisect_right(bounds, unit), len(counts)) - 1] += 1
    return counts
