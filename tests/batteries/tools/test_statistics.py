"""Statistics against NIST's certified values, numpy, and published examples."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tether import Tool
from tether.batteries.testing import run_tool
from tether.batteries.tools.statistics import (
    stats_correlate,
    stats_describe,
    stats_histogram,
    stats_transform,
)
from tether.core.errors import InputRefused
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

TOOLS = [stats_describe, stats_correlate, stats_transform, stats_histogram]


async def describe(values: list[float], **more: Any) -> Any:
    return await run_tool(stats_describe, {"values": values, **more})


async def transform(values: list[float], operation: str, **more: Any) -> Any:
    return await run_tool(stats_transform, {"values": values, "operation": operation, **more})


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


# NIST Statistical Reference Datasets, univariate summary statistics: data and certified values.
# https://www.itl.nist.gov/div898/strd/univ/homepage.html
LEW = numbers(
    """
    -213 -564 -35 -15 141 115 -420 -360 203 -338 -431 194 -220 -513 154 -125 -559 92 -21 -579
    -52 99 -543 -175 162 -457 -346 204 -300 -474 164 -107 -572 -8 83 -541 -224 180 -420 -374 201
    -236 -531 83 27 -564 -112 131 -507 -254 199 -311 -495 143 -46 -579 -90 136 -472 -338 202
    -287 -477 169 -124 -568 17 48 -568 -135 162 -430 -422 172 -74 -577 -13 92 -534 -243 194 -355
    -465 156 -81 -578 -64 139 -449 -384 193 -198 -538 110 -44 -577 -6 66 -552 -164 161 -460 -344
    205 -281 -504 134 -28 -576 -118 156 -437 -381 200 -220 -540 83 11 -568 -160 172 -414 -408
    188 -125 -572 -32 139 -492 -321 205 -262 -504 142 -83 -574 0 48 -571 -106 137 -501 -266 190
    -391 -406 194 -186 -553 83 -13 -577 -49 103 -515 -280 201 300 -506 131 -45 -578 -80 138 -462
    -361 201 -211 -554 32 74 -533 -235 187 -372 -442 182 -147 -566 25 68 -535 -244 194 -351 -463
    174 -125 -570 15 72 -550 -190 172 -424 -385 198 -218 -536 96
    """
)
LOTTERY = numbers(
    """
    162 671 933 414 788 730 817 33 536 875 670 236 473 167 877 980 316 950 456 92 517 557 956
    954 104 178 794 278 147 773 437 435 502 610 582 780 689 562 964 791 28 97 848 281 858 538
    660 972 671 613 867 448 738 966 139 636 847 659 754 243 122 455 195 968 793 59 730 361 574
    522 97 762 431 158 429 414 22 629 788 999 187 215 810 782 47 34 108 986 25 644 829 630 315
    567 919 331 207 412 242 607 668 944 749 168 864 442 533 805 372 63 458 777 416 340 436 140
    919 350 510 572 905 900 85 389 473 758 444 169 625 692 140 897 672 288 312 860 724 226 884
    508 976 741 476 417 831 15 318 432 241 114 799 955 833 358 935 146 630 830 440 642 356 373
    271 715 367 393 190 669 8 861 108 795 269 590 326 866 64 523 862 840 219 382 998 4 628 305
    747 247 34 747 729 645 856 974 24 568 24 694 608 480 410 729 947 293 53 930 223 203 677 227
    62 455 387 318 562 242 428 968
    """
)
MAVRO = numbers(
    """
    2.00180 2.00170 2.00180 2.00190 2.00180 2.00170 2.00150 2.00140 2.00150 2.00150 2.00170
    2.00180 2.00180 2.00190 2.00190 2.00210 2.00200 2.00160 2.00140 2.00130 2.00130 2.00150
    2.00150 2.00160 2.00150 2.00140 2.00130 2.00140 2.00150 2.00140 2.00150 2.00160 2.00150
    2.00160 2.00190 2.00200 2.00200 2.00210 2.00220 2.00230 2.00240 2.00250 2.00270 2.00260
    2.00260 2.00260 2.00270 2.00260 2.00250 2.00240
    """
)
MICHELSO = numbers(
    """
    299.85 299.74 299.90 300.07 299.93 299.85 299.95 299.98 299.98 299.88 300.00 299.98 299.93
    299.65 299.76 299.81 300.00 300.00 299.96 299.96 299.96 299.94 299.96 299.94 299.88 299.80
    299.85 299.88 299.90 299.84 299.83 299.79 299.81 299.88 299.88 299.83 299.80 299.79 299.76
    299.80 299.88 299.88 299.88 299.86 299.72 299.72 299.62 299.86 299.97 299.95 299.88 299.91
    299.85 299.87 299.84 299.84 299.85 299.84 299.84 299.84 299.89 299.81 299.81 299.82 299.80
    299.77 299.76 299.74 299.75 299.76 299.91 299.92 299.89 299.86 299.88 299.72 299.84 299.85
    299.85 299.78 299.89 299.84 299.78 299.81 299.76 299.81 299.79 299.81 299.82 299.85 299.87
    299.87 299.81 299.74 299.81 299.94 299.95 299.80 299.81 299.87
    """
)


def numerical_accuracy(center: float, low: float, high: float) -> list[float]:
    """The rule by which NIST made NumAcc2, 3 and 4."""
    return [center, *[low, high] * 500]


CERTIFIED = [
    (LEW, -177.435000000000, 277.332168044316),
    (LOTTERY, 518.958715596330, 291.699727470969),
    (MAVRO, 2.00185600000000, 0.000429123454003053),
    (MICHELSO, 299.852400000000, 0.0790105478190518),
    ([10000001.0, 10000003.0, 10000002.0], 10000002.0, 1.0),  # NumAcc1
    (numerical_accuracy(1.2, 1.1, 1.3), 1.2, 0.1),
    (numerical_accuracy(1000000.2, 1000000.1, 1000000.3), 1000000.2, 0.1),
    (numerical_accuracy(10000000.2, 10000000.1, 10000000.3), 10000000.2, 0.1),
]


@pytest.mark.parametrize(("values", "mean", "deviation"), CERTIFIED)
async def test_mean_and_deviation_have_all_certified_digits(
    values: list[float], mean: float, deviation: float
) -> None:
    summary = await describe(values)
    assert f"{summary['mean']:.15g}" == f"{mean:.15g}"
    assert f"{summary['sample_standard_deviation']:.15g}" == f"{deviation:.15g}"
    assert summary["sample_variance"] == pytest.approx(deviation**2, rel=1e-13)


async def test_a_summary_has_all_its_parts() -> None:
    # By hand: 2 + 4 + 4 + 5 + 10 = 25; squared distances 9 + 1 + 1 + 0 + 25 = 36
    assert await describe([2, 4, 4, 5, 10], percentiles=[0, 10, 99.99999, 100]) == {
        "count": 5,
        "sum": 25.0,
        "mean": 5.0,
        "median": 4.0,
        "modes": [4.0],
        "mode_occurrences": 2,
        "min": 2.0,
        "max": 10.0,
        "range": 8.0,
        "sample_variance": 9.0,
        "sample_standard_deviation": 3.0,
        "population_variance": 7.2,
        "population_standard_deviation": pytest.approx(math.sqrt(7.2)),
        "first_quartile": 4.0,
        "third_quartile": 5.0,
        "interquartile_range": 1.0,
        "percentiles": {"0": 2.0, "10": 2.8, "99.99999": 9.999998, "100": 10.0},
        "percentile_method": "linear interpolation between the closest ranks",
    }
    assert list((await describe([1]))["percentiles"]) == ["5", "25", "50", "75", "95"]


async def test_a_single_value_has_no_sample_deviation() -> None:
    summary = await describe([7.5])
    assert summary["sample_variance"] is summary["sample_standard_deviation"] is None
    assert summary["population_variance"] == summary["population_standard_deviation"] == 0
    assert summary["median"] == summary["first_quartile"] == summary["percentiles"]["95"] == 7.5
    assert summary["modes"] == []
    assert summary["mode_occurrences"] == 1


async def test_modes_are_the_most_frequent_values_in_order() -> None:
    assert (await describe([3, 1, 3, 1, 2]))["modes"] == [1.0, 3.0]
    assert (await describe([1, 2, 3]))["modes"] == []
    many = await describe([float(n) for n in range(30)] * 2)
    assert many["modes"] == [float(n) for n in range(20)]
    assert many["mode_occurrences"] == 2


async def test_a_statistic_without_room_is_null_and_the_others_are_there() -> None:
    # By hand: the squared distances of 1e300 and 0 from their mean are 2.5e599 each
    large = await describe([1e300, 0])
    assert large["mean"] == 5e299
    assert large["sample_variance"] is large["population_variance"] is None
    assert large["population_standard_deviation"] == 5e299
    small = await describe([1e-300, 0])
    assert small["range"] == 1e-300
    assert small["sample_variance"] is small["population_variance"] is None
    assert small["population_standard_deviation"] == 5e-301
    both = await describe([1e308, 1e308])
    assert both["sum"] is None
    assert both["mean"] == 1e308
    assert (await describe([-1e308, 1e308]))["range"] is None


async def test_whole_numbers_beyond_doubles_stay_exact() -> None:
    odd = 2**53 + 1  # no double is equal to it
    assert repr((await describe([odd, odd]))["sum"]) == repr(2 * odd)
    summary = await describe([odd, odd, odd + 2])
    assert summary["modes"] == [odd]
    assert (summary["min"], summary["median"], summary["max"]) == (odd, odd, odd + 2)
    assert (await describe([odd, odd + 2]))["mean"] == odd + 1
    assert (await describe([10**308, 10**308]))["sum"] == 2 * 10**308
    assert (await transform([odd, 1, 1], "running_total"))["values"] == [odd, odd + 1, odd + 2]
    means = (await transform([odd, odd + 2], "rolling_average", window=2))["values"]
    assert means == [None, odd + 1]
    outliers = await transform([odd, odd, odd, odd, 0], "outliers_iqr")
    assert outliers["lower_limit"] == odd
    edges = await histogram([odd], edges=[odd - 1, odd, odd + 1])
    assert edges["bins"][0] == {"from": odd - 1, "to": odd, "count": 0}


async def test_numbers_are_the_decimals_they_are_written_as() -> None:
    assert (await describe([0.1, 0.2, 0.3]))["mean"] == 0.2
    assert (await describe([0.1] * 10))["sum"] == 1.0
    assert (await describe([0.1] * 3))["population_variance"] == 0.0
    assert (await describe([1e16, 1.0, -1e16]))["sum"] == 1.0


finite = st.floats(-1e9, 1e9)
samples = st.lists(st.one_of(st.integers(-100, 100), finite), min_size=1, max_size=60)
percents = st.lists(st.integers(0, 1000).map(lambda tenth: tenth / 10), max_size=5)


@given(samples, percents)
async def test_a_summary_agrees_with_numpy(values: list[float], asked: list[float]) -> None:
    data = np.array(values, dtype=float)
    scale = max(1.0, float(np.abs(data).max()))
    summary = await describe(values, percentiles=asked)

    def close(expected: Any, power: int = 1) -> Any:
        return pytest.approx(float(expected), rel=1e-9, abs=1e-12 * scale**power)

    assert summary["count"] == data.size
    assert summary["sum"] == close(math.fsum(values))
    assert summary["mean"] == close(data.mean())
    assert summary["median"] == close(np.median(data))
    assert summary["min"] == data.min()
    assert summary["max"] == data.max()
    assert summary["range"] == close(np.ptp(data))
    spread = summary["population_variance"] or 0  # null where the square has no double
    assert spread == close(statistics.pvariance(map(Fraction, values)), 2)
    if data.size > 1:
        variance = statistics.variance(map(Fraction, values))
        assert (summary["sample_variance"] or 0) == close(variance, 2)
        assert summary["sample_standard_deviation"] == close(math.sqrt(variance))
    quartiles = np.percentile(data, [25, 75])
    assert [summary["first_quartile"], summary["third_quartile"]] == [close(q) for q in quartiles]
    for percent in asked:
        shown = str(percent).removesuffix(".0")
        assert summary["percentiles"][shown] == close(np.percentile(data, percent))


# F. J. Anscombe, "Graphs in statistical analysis", The American Statistician 27 (1973): four data
# sets with almost the same correlation and regression line.
FIRST_X = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
ANSCOMBE = [
    (FIRST_X, [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]),
    (FIRST_X, [9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74]),
    (FIRST_X, [7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73]),
    ([8] * 7 + [19] + [8] * 3, [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89]),
]


@pytest.mark.parametrize(("x", "y"), ANSCOMBE)
async def test_anscombes_quartet_has_the_published_statistics(
    x: list[float], y: list[float]
) -> None:
    result = await run_tool(stats_correlate, {"x": x, "y": y})
    assert result["count"] == 11
    assert result["pearson_r"] == pytest.approx(0.816, abs=0.0006)
    assert result["r_squared"] == pytest.approx(0.67, abs=0.005)
    assert result["slope"] == pytest.approx(0.500, abs=0.0005)
    assert result["intercept"] == pytest.approx(3.00, abs=0.005)


async def test_a_line_is_found_exactly() -> None:
    falling = {"x": [1, 2, 3], "y": [0.3, 0.2, 0.1]}
    assert await run_tool(stats_correlate, falling) == {
        "count": 3,
        "pearson_r": -1.0,
        "r_squared": 1.0,
        "slope": -0.1,
        "intercept": 0.4,
        "sample_covariance": -0.1,
    }
    flat = await run_tool(stats_correlate, {"x": [1, 2, 3], "y": [1, 5, 1]})
    assert flat["pearson_r"] == flat["r_squared"] == flat["slope"] == 0


thousandths = st.integers(-(10**9), 10**9).map(lambda number: number / 1000)


@given(st.lists(st.tuples(thousandths, thousandths), min_size=2, max_size=40))
async def test_a_correlation_agrees_with_numpy(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assume(np.std(x) > 1e-3 * np.abs(x).max() and np.std(y) > 1e-3 * np.abs(y).max())
    result = await run_tool(stats_correlate, {"x": x.tolist(), "y": y.tolist()})
    assert result["pearson_r"] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    assert result["r_squared"] == pytest.approx(result["pearson_r"] ** 2, abs=1e-12)
    covariance = np.cov(x, y)
    assert result["sample_covariance"] == pytest.approx(
        covariance[0, 1], rel=1e-6, abs=1e-9 * math.sqrt(covariance[0, 0] * covariance[1, 1])
    )
    slope, intercept = np.polyfit(x, y, 1)
    steepness = float(np.std(y) / np.std(x))
    assert result["slope"] == pytest.approx(slope, abs=1e-6 * steepness)
    assert result["intercept"] == pytest.approx(
        intercept, abs=1e-6 * float(np.abs(y).max() + steepness * np.abs(x).max())
    )


async def test_transformations_have_the_values_worked_out_by_hand() -> None:
    async def values(operation: str, **more: Any) -> Any:
        result = await transform([3, 1, 3, 8, 0], operation, **more)
        assert result["operation"] == operation
        return result["values"]

    assert await values("min_max") == [0.375, 0.125, 0.375, 1.0, 0.0]
    assert await values("percent_of_sum") == [
        20.0,
        pytest.approx(100 / 15),
        20.0,
        pytest.approx(800 / 15),
        0.0,
    ]
    assert await values("running_total") == [3.0, 4.0, 7.0, 15.0, 15.0]
    assert await values("rolling_average", window=2) == [None, 2.0, 2.0, 5.5, 4.0]
    assert await values("rolling_average", window=1) == [3.0, 1.0, 3.0, 8.0, 0.0]
    assert await values("rolling_average", window=5) == [None] * 4 + [3.0]
    changes = [None, pytest.approx(-200 / 3), 200.0, pytest.approx(500 / 3), -100.0]
    assert await values("percent_change") == changes
    assert (await transform([0, 5, -4], "percent_change"))["values"] == [None, None, -180.0]
    assert await values("rank") == [3.5, 2.0, 3.5, 5.0, 1.0]
    # mean 3, population variance (0 + 4 + 0 + 25 + 9) / 5 = 7.6
    deviation = math.sqrt(7.6)
    expected = [0.0, -2 / deviation, 0.0, 5 / deviation, -3 / deviation]
    assert await values("z_score") == pytest.approx(expected, rel=1e-15)


@given(samples)
async def test_transformations_agree_with_numpy(values: list[float]) -> None:
    data = np.array(values, dtype=float)
    totals = (await transform(values, "running_total"))["values"]
    scale = max(1.0, float(np.abs(data).max()))
    assert totals == pytest.approx(np.cumsum(data), rel=1e-9, abs=1e-9 * scale)
    ranks = (await transform(values, "rank"))["values"]
    below, equal = (data[:, None] > data).sum(axis=1), (data[:, None] == data).sum(axis=1)
    assert ranks == (below + (equal + 1) / 2).tolist()
    assume(np.std(data) > 1e-6 * scale)
    scores = (await transform(values, "z_score"))["values"]
    assert scores == pytest.approx((data - data.mean()) / data.std(), rel=1e-6, abs=1e-6)
    scaled = (await transform(values, "min_max"))["values"]
    assert scaled == pytest.approx((data - data.min()) / np.ptp(data), abs=1e-9)
    assert min(scaled) == 0
    assert max(scaled) == 1


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=50), st.integers(1, 50))
async def test_averages_and_shares_agree_with_exact_arithmetic(
    values: list[int], window: int
) -> None:
    shares = (await transform([*values], "percent_of_sum"))["values"]
    assert shares == [100 * value / sum(values) for value in values]
    assume(window <= len(values))
    means = (await transform([*values], "rolling_average", window=window))["values"]
    assert means[: window - 1] == [None] * (window - 1)
    starts = range(len(values) - window + 1)
    assert means[window - 1 :] == [sum(values[at : at + window]) / window for at in starts]


async def test_outliers_are_found_by_the_quartiles() -> None:
    # Tukey's fences: quartiles 2 and 4, range 2, fences 2 - 3 and 4 + 3
    result = await transform([1, 2, 3, 4, 100], "outliers_iqr")
    assert result == {
        "operation": "outliers_iqr",
        "lower_limit": -1.0,
        "upper_limit": 7.0,
        "outliers": [{"position": 4, "value": 100.0}],
    }
    assert (await transform([1, 2, 3, 4, 7], "outliers_iqr"))["outliers"] == []
    assert (await transform([-1, 2, 3, 4, 5], "outliers_iqr"))["outliers"] == []
    below = await transform([-1.001, 2, 3, 4, 5], "outliers_iqr")
    assert below["outliers"] == [{"position": 0, "value": -1.001}]
    strict = await transform([1, 2, 3, 4, 7], "outliers_iqr", threshold=0.5)
    assert strict["upper_limit"] == 5.0
    assert strict["outliers"] == [{"position": 4, "value": 7.0}]
    assert (await transform([5, 5], "outliers_iqr"))["outliers"] == []


async def test_outliers_are_found_by_the_standard_deviation() -> None:
    # mean 0.2, population variance 2 - 0.04; 10 is exactly three deviations from the mean of
    # nine zeros and a ten: mean 1, variance (9 + 81) / 10 = 9
    values = [0.0] * 9 + [10.0]
    result = await transform(values, "outliers_z_score")
    assert result == {
        "operation": "outliers_z_score",
        "lower_limit": -8.0,
        "upper_limit": 10.0,
        "outliers": [],
    }
    stricter = await transform(values, "outliers_z_score", threshold=2.999)
    assert stricter["outliers"] == [{"position": 9, "value": 10.0}]
    other_side = await transform([-10.0, *values[:9]], "outliers_z_score", threshold=2.5)
    assert other_side["outliers"] == [{"position": 0, "value": -10.0}]
    assert (await transform([5, 5], "outliers_z_score"))["outliers"] == []


async def histogram(values: list[float], **more: Any) -> Any:
    return await run_tool(stats_histogram, {"values": values, **more})


def counts(result: Any) -> list[int]:
    return [one["count"] for one in result["bins"]]


async def test_a_histogram_counts_in_bins_of_equal_width() -> None:
    assert await histogram([1, 2, 2, 3, 5, 8], bins=2) == {
        "bins": [
            {"from": 1.0, "to": 4.5, "count": 4},
            {"from": 4.5, "to": 8.0, "count": 2},
        ],
        "count": 6,
        "outside": 0,
    }
    assert len((await histogram([1, 2]))["bins"]) == 10
    assert counts(await histogram([4, 4, 4], bins=2)) == [0, 3]
    same = await histogram([4, 4, 4], bins=1)
    assert same["bins"] == [{"from": 3.5, "to": 4.5, "count": 3}]
    # Each value begins a bin: in binary, 0.3 and 0.6 and 0.7 would slip into the one before
    tenths = [n / 10 for n in range(11)]
    assert counts(await histogram(tenths, bins=10)) == [1] * 9 + [2]


async def test_a_histogram_counts_between_edges() -> None:
    result = await histogram([-1, 0, 1, 2, 4, 9, 10, 11], edges=[0, 2, 4, 10])
    assert result["bins"] == [
        {"from": 0.0, "to": 2.0, "count": 2},
        {"from": 2.0, "to": 4.0, "count": 1},
        {"from": 4.0, "to": 10.0, "count": 3},
    ]
    assert result["count"] == 8
    assert result["outside"] == 2


@given(st.lists(st.integers(-1000, 1000), min_size=1), st.integers(0, 6))
async def test_equal_bins_agree_with_numpy(values: list[int], power: int) -> None:
    ends = [-1024, 1024]  # so that the edges are exact in binary too
    expected, edges = np.histogram([*values, *ends], bins=2**power)
    result = await histogram([*values, *ends], bins=2**power)
    assert counts(result) == expected.tolist()
    assert [one["from"] for one in result["bins"]] == edges[:-1].tolist()
    assert [one["to"] for one in result["bins"]] == edges[1:].tolist()


@given(samples, st.sets(st.integers(-100, 100), min_size=2, max_size=10))
async def test_given_edges_agree_with_numpy(values: list[float], edges: set[int]) -> None:
    expected, _ = np.histogram(values, bins=sorted(edges))
    result = await histogram(values, edges=sorted(edges))
    assert counts(result) == expected.tolist()
    assert result["outside"] == len(values) - expected.sum()


async def test_twenty_thousand_values_are_counted() -> None:
    values = [float(n % 1000) for n in range(20_000)]
    summary = await describe(values)
    assert summary["mean"] == 499.5
    assert summary["population_variance"] == (1000**2 - 1) / 12
    assert counts(await histogram(values, bins=1000)) == [20] * 1000
    assert (await transform(values, "rank"))["values"][0] == 10.5


async def test_values_of_all_sizes_are_bounded_work() -> None:
    values = [10.0 ** (n % 600 - 300) for n in range(20_000)]
    assert (await transform(values, "running_total"))["values"][0] == 1e-300
    assert (await transform(values, "z_score"))["values"][0] < 0


REFUSED: list[tuple[Tool, dict[str, Any], str]] = [
    (stats_correlate, {"x": [1, 2], "y": [1, 2, 3]}, "x has 2 values and y has 3"),
    (stats_correlate, {"x": [1, 1], "y": [1, 2]}, "all values of x are equal"),
    (stats_correlate, {"x": [1, 2], "y": [3, 3]}, "all values of y are equal"),
    (stats_correlate, {"x": [1], "y": [2]}, "at least two pairs"),
    (stats_transform, {"values": [2, 2], "operation": "min_max"}, "all values are equal"),
    (stats_transform, {"values": [2, 2], "operation": "z_score"}, "all values are equal"),
    (stats_transform, {"values": [1, -1], "operation": "percent_of_sum"}, "sum of the values is 0"),
    (stats_transform, {"values": [1, 2], "operation": "rolling_average"}, "needs a window"),
    (
        stats_transform,
        {"values": [1, 2], "operation": "rolling_average", "window": 3},
        "window is 3, but there are only 2 values",
    ),
    (
        stats_transform,
        {"values": [1, 2], "operation": "rank", "window": 2},
        "window is only for rolling_average, not for rank",
    ),
    (
        stats_transform,
        {"values": [1, 2], "operation": "rank", "threshold": 2},
        "threshold is only for outliers_iqr and outliers_z_score, not for rank",
    ),
    (stats_histogram, {"values": [1], "edges": [1, 1]}, "each of the edges must be larger"),
    (stats_histogram, {"values": [1], "edges": [2, 1]}, "each of the edges must be larger"),
    (stats_histogram, {"values": [1], "bins": 3, "edges": [0, 2]}, "either bins or edges"),
    # numpy: "Too many bins for data range"
    (stats_histogram, {"values": [0.0, 5e-324], "bins": 3}, "within 1e-323 of 0"),
    (stats_histogram, {"values": [1.0, 1.0000000000000002], "bins": 3}, "too close together"),
    (stats_transform, {"values": [1e308, 1e308], "operation": "running_total"}, "beyond 1e308"),
    (stats_transform, {"values": [1e-308, 1e308], "operation": "percent_change"}, "beyond 1e308"),
]


@pytest.mark.parametrize(("tool", "args", "message"), REFUSED)
async def test_what_cannot_be_worked_out_is_refused(
    tool: Tool, args: dict[str, Any], message: str
) -> None:
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(tool, args)
    assert isinstance(caught.value.__cause__, InputRefused)
    assert message in caught.value.__cause__.message


BAD: list[tuple[Tool, str, Any]] = [
    (stats_describe, "values", []),
    (stats_describe, "values", [1, "2"]),
    (stats_describe, "values", [True]),
    (stats_describe, "values", [None]),
    (stats_describe, "values", [10**400]),
    (stats_describe, "values", [-(10**400)]),
    (stats_describe, "values", [1.0] * 100_001),
    (stats_describe, "values", "1, 2"),
    (stats_describe, "percentiles", [101]),
    (stats_describe, "percentiles", [-1]),
    (stats_describe, "percentiles", [1] * 101),
    (stats_correlate, "x", []),
    (stats_correlate, "y", [[1]]),
    (stats_transform, "operation", "square"),
    (stats_transform, "window", 0),
    (stats_transform, "threshold", 0),
    (stats_transform, "threshold", 1001),
    (stats_histogram, "bins", 0),
    (stats_histogram, "bins", 1001),
    (stats_histogram, "edges", [1]),
    (stats_histogram, "edges", [1, "2"]),
]


@pytest.mark.parametrize(("tool", "name", "value"), BAD, ids=lambda given: repr(given)[:20])
async def test_a_bad_argument_is_refused_by_name(tool: Tool, name: str, value: Any) -> None:
    with pytest.raises(InvalidToolArgs, match=rf" {name}[.:]"):
        await run_tool(tool, {**tool.meta.get("example"), name: value})


@pytest.mark.parametrize("value", [math.nan, math.inf])
async def test_values_have_to_be_finite(value: float) -> None:
    with pytest.raises(InvalidToolArgs):
        await describe([1, value])
