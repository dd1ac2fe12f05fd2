"""Intervals: published values, and what must hold for all."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.errors import InputRefused
from tether.retrieval.measures import paired_bootstrap, wilson


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_as_published(successes: int, total: int, low: float, high: float) -> None:
    found = wilson(successes, total)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)
    assert found.value == successes / total


@given(st.integers(1, 300), st.integers(0, 300))
def test_wilson_holds_the_share_and_is_symmetric(total: int, drawn: int) -> None:
    successes = min(drawn, total)
    found, mirrored = wilson(successes, total), wilson(total - successes, total)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-12)


def test_more_confidence_is_a_wider_interval() -> None:
    assert wilson(5, 10, confidence=0.99).low < wilson(5, 10, confidence=0.9).low


@pytest.mark.parametrize(("successes", "total"), [(0, 0), (3, 2), (-1, 2)])
def test_what_is_no_share_is_refused(successes: int, total: int) -> None:
    with pytest.raises(InputRefused):
        wilson(successes, total)


def test_bootstrap_against_drawing_one_by_one() -> None:
    draw = random.Random(5)
    ones = [draw.random() for _ in range(60)]
    others = [one - 0.1 + draw.gauss(0, 0.2) for one in ones]
    differences = [one - other for one, other in zip(ones, others, strict=True)]
    means = sorted(sum(draw.choices(differences, k=60)) / 60 for _ in range(4000))
    found = paired_bootstrap(ones, others)
    assert found.value == pytest.approx(sum(differences) / 60)
    assert found.low == pytest.approx(means[100], abs=0.01)
    assert found.high == pytest.approx(means[3900], abs=0.01)


def test_bootstrap_of_a_constant_difference_is_that() -> None:
    found = paired_bootstrap([1.0, 2.0, 3.0], [0.5, 1.5, 2.5])
    assert (found.low, found.value, found.high) == (0.5, 0.5, 0.5)


def test_bootstrap_gives_the_same_twice_and_in_batches() -> None:
    ones, others = [0.1, 0.9, 0.4] * 400, [0.2, 0.7, 0.5] * 400
    assert paired_bootstrap(ones, others, resamples=1000) == paired_bootstrap(
        ones, others, resamples=1000
    )


@pytest.mark.parametrize(("ones", "others"), [([], []), ([1.0], [1.0, 2.0])])
def test_what_is_no_pairs_is_refused(ones: list[float], others: list[float]) -> None:
    with pytest.raises(InputRefused):
        paired_bootstrap(ones, others)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, float("nan")])
def test_what_is_no_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(InputRefused, match="confidence"):
        wilson(1, 2, confidence=confidence)
    with pytest.raises(InputRefused, match="confidence"):
        paired_bootstrap([1.0], [2.0], confidence=confidence)


def test_what_cannot_be_drawn_from_is_refused() -> None:
    with pytest.raises(InputRefused, match="resamples"):
        paired_bootstrap([1.0], [2.0], resamples=0)
    with pytest.raises(InputRefused, match="finite"):
        paired_bootstrap([1.0, float("nan")], [2.0, 3.0])
