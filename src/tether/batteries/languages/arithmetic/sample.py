"""Exact statistics of a list of numbers.

Each number is taken as the decimal number it is written as, not as the binary one it is stored as,
and all are converted to whole units: 0.1, 2 and 0.25 are 10, 200 and 25 units of 0.01. Sums,
squares and comparisons are then those of whole numbers, and a result is rounded once, at the end.
A double's exponent bounds how long the whole numbers can be.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from tether.core.errors import InputRefused

WIDEST = 800
"""The digits that suffice for every double, and whole numbers of 400 digits, in any units."""

_NO_ROOM = (
    "a result is beyond 1e308 or within 1e-323 of 0, where numbers end: give the values in larger "
    "or smaller units"
)


class Sample:
    """One or more numbers, in whole units."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.is_whole = all(isinstance(number, int) for number in numbers)
        """Whether all were given as whole numbers, which may be longer than a double."""
        decimals = [Decimal(repr(number)) for number in numbers]
        exponents = (int(number.as_tuple().exponent) for number in decimals)
        places = max(0, -min(exponents))
        wide = Context(prec=WIDEST)
        self.units = [int(number.scaleb(places, wide)) for number in decimals]
        self.scale = 10**places
        """How many units make 1."""

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.units)

    @cached_property
    def total(self) -> int:
        """Their sum, in units."""
        return sum(self.units)

    @cached_property
    def ordered(self) -> list[int]:
        """All of them from small to large, in units."""
        return sorted(self.units)

    @property
    def distances(self) -> Iterator[int]:
        """How far each is from the mean, times the count, in units."""
        return (self.count * unit - self.total for unit in self.units)

    @cached_property
    def spread(self) -> int:
        """The sum of the squared distances from the mean, times the count, in squared units."""
        return self.joint_spread(self)

    def joint_spread(self, other: Sample) -> int:
        """Return the sum of the products of both distances from the mean, times the count."""
        products = sum(a * b for a, b in zip(self.units, other.units, strict=True))
        return self.count * products - self.total * other.total

    def percentile(self, percent: Fraction) -> Fraction:
        """Return a percentile in units, interpolated linearly between the two closest ranks.

        This is the method that numpy calls linear, and R type 7.
        """
        rank, part = divmod(percent * (self.count - 1) / 100, 1)
        lower = self.ordered[rank]
        upper = self.ordered[min(rank + 1, self.count - 1)]
        return lower + (upper - lower) * part

    def number(self, units: Fraction | int) -> float:
        """Return units as a number: exact where it and all given numbers are whole.

        Otherwise it is rounded once; raises `InputRefused` beyond the range of a double.
        """
        if self.is_whole and units.denominator == 1:
            return units.numerator
        return _unless_lost(units, quotient(units.numerator, units.denominator * self.scale))

    def modes(self) -> tuple[list[int], int]:
        """Return the most frequent numbers, in units and in order, and their count."""
        tally = Counter(self.ordered)
        most = max(tally.values())
        return [unit for unit, count in tally.items() if count == most], most


def exact(number: float) -> Fraction:
    """Return the decimal number that a double is written as, or a whole number itself."""
    return Fraction(repr(number))


def quotient(above: int, below: int) -> float:
    """Divide and round once; raise `InputRefused` where the result is too large for a double."""
    try:
        return above / below
    except OverflowError:
        raise InputRefused(_NO_ROOM) from None


def rounded(number: Fraction) -> float:
    """Round once, but not to 0; raise `InputRefused` beyond the range of a double."""
    return _unless_lost(number, quotient(number.numerator, number.denominator))


def _unless_lost(exact_number: Fraction | int, result: float) -> float:
    if exact_number and not result:
        raise InputRefused(_NO_ROOM)
    return result


def root_of(number: Fraction) -> Fraction:
    """Return the square root to forty digits, of which a double keeps sixteen."""
    context = Context(prec=40)
    ratio = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return Fraction(context.sqrt(ratio))


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
    """Return the mean of each number and those before it; None where there are too few."""
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
    """The range of usual numbers, and the numbers outside, which are determined exactly."""

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
    """Count between given edges; numbers outside them are not counted."""
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
