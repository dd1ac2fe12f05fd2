"""Which earlier turns are shown again."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.budget import (
    least_relevant_first,
    newest_turns,
    relevance_floor,
    relevant_turns,
)
from tether.batteries.budget.errors import InvalidBudget

AGES = [step / 50 for step in range(51)]


def test_the_floor_rises_from_an_eighth_to_43_hundredths() -> None:
    assert relevance_floor(0) == 0.125
    assert relevance_floor(1) == pytest.approx(0.43)
    assert relevance_floor(-3) == 0.125
    assert relevance_floor(7) == relevance_floor(1)


def test_the_floor_is_monotone_and_convex_in_age() -> None:
    rises = [relevance_floor(older) - relevance_floor(age) for age, older in pairwise(AGES)]
    assert all(rise > 0 for rise in rises)
    assert all(later > earlier for earlier, later in pairwise(rises))


def test_an_old_but_relevant_turn_survives_and_the_order_is_kept() -> None:
    scores = {"oldest": 0.5, "old": 0.25, "middle": 0.25, "late": 0.0, "newest": 0.0}
    assert relevant_turns([*scores], scores.__getitem__) == ("oldest", "middle", "late", "newest")


def test_the_last_turns_are_always_kept_and_not_even_judged() -> None:
    def never(turn: str) -> float:
        raise AssertionError(turn)

    assert relevant_turns(["a", "b"], never) == ("a", "b")
    assert relevant_turns(["a"], never) == ("a",)
    assert relevant_turns([], never) == ()


@given(st.lists(st.floats(0, 1), max_size=30), st.integers(1, 5))
def test_a_more_relevant_turn_of_the_same_age_is_never_dropped_for_it(
    scores: list[float], always: int
) -> None:
    turns = list(enumerate(scores))
    kept = relevant_turns(turns, lambda turn: turn[1], always=always)
    raised = relevant_turns(turns, lambda turn: min(1.0, turn[1] + 0.1), always=always)
    assert set(kept) <= set(raised)
    assert list(kept) == sorted(kept)
    assert set(turns[-always:]) <= set(kept)


def test_the_newest_turns_within_a_budget_and_always_the_newest_one() -> None:
    assert newest_turns([9, 1, 2, 3], 6, int) == (1, 2, 3)
    assert newest_turns([1, 9, 2, 3], 6, int) == (2, 3)  # older turns stay out, though they fit
    assert newest_turns([1, 99], 6, int) == (99,)
    assert newest_turns([], 6, int) == ()


def test_irrelevant_turns_are_shed_first_and_the_oldest_of_them_first_of_all() -> None:
    scores = {"a": 0.9, "b": 0.0, "c": 0.9, "d": 0.0, "e": 0.0}
    order = least_relevant_first(scores.__getitem__)
    assert order([*scores]) == ["b", "a", "c", "d", "e"]


@pytest.mark.parametrize("budget", [0, -1, float("nan"), None])
def test_what_is_no_budget_is_refused(budget: Any) -> None:
    with pytest.raises(InvalidBudget):
        newest_turns([1], budget, int)
    with pytest.raises(InvalidBudget, match="always"):
        relevant_turns([1], float, always=budget)
