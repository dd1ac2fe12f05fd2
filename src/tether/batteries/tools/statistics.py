"""Statistics of lists of numbers, exact until the result is rounded."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field

from tether.batteries.languages.arithmetic.sample import (
    TRANSFORMATIONS,
    Limits,
    Sample,
    exact,
    histogram_between,
    histogram_of_equal_bins,
    limits_by_deviations,
    limits_by_quartiles,
    quotient,
    rolling_averages,
    root_of,
    rounded,
)
from tether.batteries.tools.ready_made import FiniteNumber, ready_made
from tether.core.errors import InputRefused

MOST_VALUES = 20_000
MOST_BINS = 1_000
MOST_MODES = 20
USUAL_BINS = 10

Numbers = Annotated[list[FiniteNumber], Field(min_length=1, max_length=MOST_VALUES)]
USUAL_PERCENTILES = (5.0, 25.0, 50.0, 75.0, 95.0)
Percent = Annotated[float, Field(strict=True, ge=0, le=100)]
Edges = Annotated[list[FiniteNumber], Field(min_length=2, max_length=MOST_BINS + 1)]

Operation = Literal[
    "min_max",
    "z_score",
    "percent_of_sum",
    "running_total",
    "rolling_average",
    "percent_change",
    "rank",
    "outliers_iqr",
    "outliers_z_score",
]


@ready_made(example={"values": [2, 4, 4, 5, 10]})
def stats_describe(
    values: Numbers,
    percentiles: Annotated[list[Percent], Field(max_length=100)] | None = None,
) -> dict[str, Any]:
    """Summarise a list of numbers: count, sum, mean, median, modes, spread, extremes, percentiles.

    The sample variance and standard deviation divide by count - 1 and are null for a single value;
    those of the population divide by count. modes are the most frequent values, at most 20 of them,
    and empty where no value occurs twice. Percentiles are interpolated linearly between the values
    at the two closest ranks (linear in numpy, type 7 in R). A statistic is null where it is beyond
    1e308 or, not being 0, within 1e-323 of 0. Whole numbers stay exact, however large.

    Args:
        values: The numbers, at least one and at most 20,000.
        percentiles: The percentiles to return, from 0 to 100; if left out, 5, 25, 50, 75, 95.
    """
    sample = Sample(values)
    modes, occurrences = sample.modes()
    quarters = [sample.percentile(Fraction(percent)) for percent in (25, 50, 75)]
    lowest, highest = sample.ordered[0], sample.ordered[-1]

    def shown(units: Fraction | int) -> float | None:
        return _if_there_is_room(sample.number, units)

    return {
        "count": sample.count,
        "sum": shown(sample.total),
        "mean": shown(Fraction(sample.total, sample.count)),
        "median": shown(quarters[1]),
        "modes": [shown(unit) for unit in modes[:MOST_MODES]] if occurrences > 1 else [],
        "mode_occurrences": occurrences,
        "min": shown(lowest),
        "max": shown(highest),
        "range": shown(highest - lowest),
        **_deviations(sample),
        "first_quartile": shown(quarters[0]),
        "third_quartile": shown(quarters[2]),
        "interquartile_range": shown(quarters[2] - quarters[0]),
        "percentiles": {
            repr(percent).removesuffix(".0"): shown(sample.percentile(exact(percent)))
            for percent in (USUAL_PERCENTILES if percentiles is None else percentiles)
        },
        "percentile_method": "linear interpolation between the closest ranks",
    }


@ready_made(example={"x": [1, 2, 3, 4], "y": [2.1, 3.9, 6.2, 7.8]})
def stats_correlate(x: Numbers, y: Numbers) -> dict[str, Any]:
    """Measure how closely two lists of numbers follow a straight line, and which line.

    Returns Pearson's correlation coefficient (from -1 to 1, near 0 where there is no linear
    relation), its square, the least-squares line y = slope * x + intercept, and the sample
    covariance. Both lists need the same length, and each at least two different values.

    Args:
        x: The numbers of the first kind, such as the inputs.
        y: The numbers of the second kind, in the same order.
    """
    if len(x) != len(y):
        raise InputRefused(
            f"x has {len(x)} values and y has {len(y)}: they must be pairs, so equally many"
        )
    if len(x) < 2:
        raise InputRefused("x and y have one value each: a correlation needs at least two pairs")
    across, up = Sample(x), Sample(y)
    for name, sample in (("x", across), ("y", up)):
        if sample.spread == 0:
            raise InputRefused(f"all values of {name} are equal: nothing can be correlated with it")
    joint = across.joint_spread(up)
    explained = Fraction(joint * joint, across.spread * up.spread)
    coefficient = rounded(root_of(explained))
    slope = Fraction(joint * across.scale, across.spread * up.scale)
    center_x, center_y = (Fraction(s.total, s.count * s.scale) for s in (across, up))
    pairs = across.count * (across.count - 1) * across.scale * up.scale
    return {
        "count": across.count,
        "pearson_r": coefficient if joint >= 0 else -coefficient,
        "r_squared": rounded(explained),
        "slope": rounded(slope),
        "intercept": rounded(center_y - slope * center_x),
        "sample_covariance": quotient(joint, pairs),
    }


@ready_made(example={"values": [3, 1, 3, 8], "operation": "rank"})
def stats_transform(
    values: Numbers,
    operation: Operation,
    window: Annotated[int, Field(ge=1, le=MOST_VALUES)] | None = None,
    threshold: Annotated[float, Field(strict=True, gt=0, le=1000)] | None = None,
) -> dict[str, Any]:
    """Transform a list of numbers, or find its outliers.

    min_max scales to 0..1. z_score counts standard deviations (of the population) from the mean.
    percent_of_sum gives shares that add up to 100. running_total adds up. rolling_average is the
    mean of each value and the window - 1 before it, null where there are fewer. percent_change is
    the change from the value before, null for the first and after a 0. rank numbers the values from
    the smallest, 1; equal values get the mean of their ranks. These return values, in the order
    given. outliers_iqr finds values more than threshold (1.5) interquartile ranges outside the
    quartiles, outliers_z_score values more than threshold (3) standard deviations from the mean;
    they return the limits and the outliers with their positions, counted from 0.

    Args:
        values: The numbers, at least one and at most 20,000.
        operation: The transformation.
        window: For rolling_average only: how many values each mean is of.
        threshold: For the two outlier operations only: another threshold than the usual one.
    """
    _refuse_idle("window", window, operation, ("rolling_average",))
    _refuse_idle("threshold", threshold, operation, ("outliers_iqr", "outliers_z_score"))
    sample = Sample(values)
    match operation:
        case "rolling_average":
            if window is None:
                raise InputRefused(
                    "rolling_average needs a window: how many values each mean is of"
                )
            result: dict[str, Any] = {"values": rolling_averages(sample, window)}
        case "outliers_iqr":
            result = _outliers(values, limits_by_quartiles(sample, exact(threshold or 1.5)))
        case "outliers_z_score":
            result = _outliers(values, limits_by_deviations(sample, exact(threshold or 3.0)))
        case _:
            result = {"values": TRANSFORMATIONS[operation](sample)}
    return {"operation": operation, **result}


@ready_made(example={"values": [1, 2, 2, 3, 5, 8], "bins": 3})
def stats_histogram(
    values: Numbers,
    bins: Annotated[int, Field(ge=1, le=MOST_BINS)] | None = None,
    edges: Edges | None = None,
) -> dict[str, Any]:
    """Count how many numbers fall into each of several bins.

    Give either bins, which have equal widths from the smallest value to the largest, or edges. A
    bin includes its lower edge and not its upper one, but the last includes both.
    Values outside given edges are counted as outside. If all values are equal, the bins reach from
    0.5 below them to 0.5 above.

    Args:
        values: The numbers, at least one and at most 20,000.
        bins: How many bins of equal width to make; 10 if neither is given.
        edges: The edges of the bins, each larger than the one before.
    """
    if bins is not None and edges is not None:
        raise InputRefused("give either bins or edges: the edges say how many bins there are")
    if edges is None:
        histogram = histogram_of_equal_bins(Sample(values), bins or USUAL_BINS)
    else:
        histogram = histogram_between(values, edges)
    return {
        "bins": [
            {"from": low, "to": high, "count": count}
            for (low, high), count in zip(pairwise(histogram.edges), histogram.counts, strict=True)
        ],
        "count": len(values),
        "outside": len(values) - sum(histogram.counts),
    }


def _deviations(sample: Sample) -> dict[str, float | None]:
    """Return both variances and their square roots."""
    square = sample.count * sample.scale**2
    population = Fraction(sample.spread, square * sample.count)
    of_sample = Fraction(sample.spread, square * (sample.count - 1)) if sample.count > 1 else None
    return {
        **_variance_and_root("sample", of_sample),
        **_variance_and_root("population", population),
    }


def _variance_and_root(kind: str, variance: Fraction | None) -> dict[str, float | None]:
    root = None if variance is None else root_of(variance)
    return {
        f"{kind}_variance": _if_there_is_room(rounded, variance),
        f"{kind}_standard_deviation": _if_there_is_room(rounded, root),
    }


def _if_there_is_room(
    number_of: Callable[[Fraction], float], exact: Fraction | int | None
) -> float | None:
    """Return a number, or None if it is missing or beyond the range of a double."""
    if exact is None:
        return None
    try:
        return number_of(Fraction(exact))
    except InputRefused:
        return None


def _outliers(values: list[float], limits: Limits) -> dict[str, Any]:
    return {
        "lower_limit": limits.lower,
        "upper_limit": limits.upper,
        "outliers": [{"position": at, "value": values[at]} for at in limits.outliers],
    }


def _refuse_idle(name: str, value: object, operation: str, users: tuple[str, ...]) -> None:
    """Refuse an argument that would be ignored."""
    if value is not None and operation not in users:
        raise InputRefused(f"{name} is only for {' and '.join(users)}, not for {operation}")
