"""As much as fits, best first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.budget import pack
from tether.batteries.budget.errors import InvalidBudget


def test_items_are_taken_in_order_until_the_next_would_overflow() -> None:
    packed = pack([3, 4, 9, 1], 10, int)
    assert packed.kept == (3, 4)
    assert packed.left_out == (9, 1)
    assert packed.used == 7


def test_a_budget_can_be_used_to_the_last_token() -> None:
    assert pack([5, 5], 10, int) == ((5, 5), (), 10)


def test_the_first_is_always_taken() -> None:
    assert pack([50, 1], 10, int) == ((50,), (1,), 50)


def test_nothing_gives_nothing() -> None:
    assert pack([], 10, int) == ((), (), 0)


def test_items_behind_the_first_that_is_left_out_are_not_measured() -> None:
    measured: list[int] = []

    def cost(item: int) -> int:
        measured.append(item)
        return item

    pack([1, 20, 3, 4], 10, cost)
    assert measured == [1, 20]


@given(st.lists(st.integers(0, 50)), st.integers(1, 200))
def test_what_is_kept_is_a_beginning_that_fits(costs: list[int], budget: int) -> None:
    packed = pack(costs, budget, int)
    assert list(packed.kept + packed.left_out) == costs
    assert packed.used == sum(packed.kept)
    assert packed.used <= budget or len(packed.kept) == 1
    if packed.left_out:
        assert packed.used + packed.left_out[0] > budget


@pytest.mark.parametrize("budget", [0, -5, float("nan"), 1.5, True, None])
def test_what_is_no_budget_is_refused(budget: Any) -> None:
    with pytest.raises(InvalidBudget, match="budget"):
        pack([1], budget, int)
