"""Fusion by ranks and the boost of pages, against the formulas written out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.searched import ranking
from tether.retrieval.hit import Ranking
from tether.retrieval.search.fusion import fuse, mixed, page_boosts, squashed, standardised

LISTS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=12), max_size=4)


def listed(rows: list[int]) -> Ranking:
    return ranking({row: 100.0 - place for place, row in enumerate(rows)})


def test_a_row_first_in_one_list_and_fifth_in_another() -> None:
    rows, sums = fuse([(listed([7, 1, 2, 3, 4]), 1.0), (listed([5, 6, 8, 9, 7]), 1.0)])
    assert rows[0] == 7
    assert sums[0] == pytest.approx(1 / 61 + 1 / 65)
    assert round(sums[0], 4) == 0.0318


def test_two_lists_beat_one() -> None:
    rows, _ = fuse([(listed([1, 2]), 1.0), (listed([3, 2]), 1.0)])
    assert rows.tolist() == [2, 1, 3]


def test_nothing_fused_is_nothing() -> None:
    for rankings in ([], [(listed([]), 1.0)]):
        rows, sums = fuse(rankings)
        assert len(rows) == len(sums) == 0


@given(lists=LISTS, constant=st.integers(1, 100))
def test_the_sums_are_those_of_exact_fractions(lists: list[list[int]], constant: int) -> None:
    expected: dict[int, Fraction] = {}
    for rows in lists:
        for place, row in enumerate(rows, start=1):
            expected[row] = expected.get(row, Fraction(0)) + Fraction(1, constant + place)
    fused, sums = fuse([(listed(rows), 1.0) for rows in lists], constant=constant)
    found = dict(zip(fused.tolist(), sums.tolist(), strict=True))
    assert found == pytest.approx({row: float(total) for row, total in expected.items()})
    assert list(sums) == sorted(sums, reverse=True)


def test_weights_make_two_forms_of_one_lane_one_voice() -> None:
    _, sums = fuse([(listed([1]), 0.5), (listed([1]), 0.5)])
    assert sums.tolist() == pytest.approx([1 / 61])


def test_the_densest_page_gains_the_whole_boost_and_others_their_share() -> None:
    pages = np.array([0, 0, 1], np.int32)
    fused = np.array([0.2, 0.1, 0.15])
    boosts = page_boosts(pages, np.array([2, 2, 2]), fused, strength=0.5)
    assert boosts.tolist() == pytest.approx([1.5, 1.5, 1.25])
    assert page_boosts(pages[:0], np.array([], int), fused[:0], strength=0.5).tolist() == []


def test_a_long_page_needs_more_mass_for_the_same_boost() -> None:
    pages = np.array([0, 0, 1], np.int32)
    fused = np.array([0.2, 0.2, 0.1])
    boosts = page_boosts(pages, np.array([16, 16, 1]), fused, strength=0.5)
    assert boosts.tolist() == pytest.approx([1.5, 1.5, 1.5])
    longer = page_boosts(pages, np.array([64, 64, 1]), fused, strength=0.5)
    assert longer.tolist() == pytest.approx([1.25, 1.25, 1.5])


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(0.001, 1)), min_size=1, max_size=20),
    st.floats(0, 1),
)
def test_a_boost_is_never_more_than_its_strength(
    rows: list[tuple[int, float]], strength: float
) -> None:
    pages = np.array([page for page, _ in rows], np.int32)
    sizes = np.bincount(pages)[pages]
    boosts = page_boosts(pages, sizes, np.array([mass for _, mass in rows]), strength=strength)
    assert boosts.max() == pytest.approx(1 + strength)
    assert boosts.min() >= 1


def test_standard_scores_ignore_what_is_not_known() -> None:
    values = np.array([1.0, 3.0, np.nan])
    assert standardised(values).tolist() == [-1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "values",
    [[], [np.nan, np.nan], [2.0, 2.0], [1e9, 1e9 + 1e-6]],
    ids=["0", "nan", "same", "near"],
)
def test_a_vote_without_a_preference_has_no_say(values: list[float]) -> None:
    assert standardised(np.array(values)).tolist() == [0.0] * len(values)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_squashing_keeps_the_order(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= squashed(low) <= squashed(high) <= 1
    assert squashed(0.0) == 0.5


def test_votes_add_up_by_weight() -> None:
    one, other = np.array([0.0, 1.0]), np.array([9.0, 5.0])
    assert mixed([(one, 0.7), (other, 0.3), (one, 0.0)], 2).tolist() == pytest.approx([-0.4, 0.4])
