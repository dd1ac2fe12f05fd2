"""AUROC and refusals: by hand, and against counting every pair."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.errors import InputRefused
from tether.retrieval.measures import auroc, refusal_at

SCORES = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=20)


def test_auroc_by_hand() -> None:
    assert auroc([3, 4], [1, 2]) == 1
    assert auroc([1, 2], [3, 4]) == 0
    assert auroc([1], [1]) == 0.5
    assert auroc([0.8, 0.4], [0.6, 0.4]) == pytest.approx((1 + 1 + 0 + 0.5) / 4)


@given(SCORES, SCORES)
def test_auroc_is_the_share_of_pairs_in_order(ups: list[float], downs: list[float]) -> None:
    pairs = [(up > down) + (up == down) / 2 for up in ups for down in downs]
    assert auroc(ups, downs) == pytest.approx(sum(pairs) / len(pairs))


def test_refusals_by_hand() -> None:
    answerable = [float(number) for number in range(1, 21)]  # 5 % of twenty is one
    point = refusal_at(answerable, [0.5, 1.5, 1.9, 2.0, 30.0])
    assert point.threshold == 2.0
    assert point.refused == pytest.approx(3 / 5)
    assert point.false_refusals == pytest.approx(1 / 20)


def test_too_few_questions_allow_no_false_refusal() -> None:
    point = refusal_at([1.0, 2.0], [0.0, 1.0])
    assert (point.threshold, point.refused, point.false_refusals) == (1.0, 0.5, 0)


def test_where_all_may_be_refused_all_are() -> None:
    point = refusal_at([1.0], [2.0], false_refusals=1)
    assert (point.threshold, point.refused, point.false_refusals) == (inf, 1, 1)


@given(SCORES, SCORES, st.integers(0, 10))
def test_the_threshold_is_the_highest_that_is_allowed(
    answerable: list[float], others: list[float], tenths: int
) -> None:
    point = refusal_at(answerable, others, false_refusals=tenths / 10)
    allowed = tenths * len(answerable) / 10

    def refused(threshold: float) -> int:
        return sum(score < threshold for score in answerable)

    candidates = [t for t in [*answerable, inf] if refused(t) <= allowed]
    assert point.threshold == max(candidates)
    assert point.false_refusals == refused(point.threshold) / len(answerable)
    assert point.refused == sum(score < point.threshold for score in others) / len(others)


@pytest.mark.parametrize("measure", [auroc, refusal_at])
def test_one_kind_alone_cannot_be_told_apart(measure: object) -> None:
    assert callable(measure)
    with pytest.raises(InputRefused):
        measure([], [1.0])
    with pytest.raises(InputRefused):
        measure([1.0], [])


@pytest.mark.parametrize("measure", [auroc, refusal_at])
def test_nan_has_no_place_in_an_order(measure: object) -> None:
    assert callable(measure)
    with pytest.raises(InputRefused, match="NaN"):
        measure([nan, 1.0], [2.0])
    with pytest.raises(InputRefused, match="NaN"):
        measure([1.0], [2.0, nan])


@pytest.mark.parametrize("share", [-0.05, 1.01, nan])
def test_what_is_no_share_is_refused(share: float) -> None:
    with pytest.raises(InputRefused, match="not a share"):
        refusal_at([1.0, 2.0], [1.0], false_refusals=share)
