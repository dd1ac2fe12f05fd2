"""The shares of a window."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.budget import allocate
from tether.batteries.budget.errors import InvalidBudget


def test_the_evidence_gets_what_the_other_shares_leave() -> None:
    shares = allocate(10_000, system_prompt=900, tools=300).shares
    assert shares == {
        "reserve": 2_500,
        "system_prompt": 1_200,
        "standing_instructions": 300,
        "question": 600,
        "turns": 1_000,
        "memory": 300,
        "tools": 300,
        "headroom": 1_000,
        "evidence": 2_800,
    }


def test_a_small_window_is_shared_by_floors() -> None:
    allocation = allocate(4_096, system_prompt=500)
    assert allocation.shares == {
        "reserve": 1_024,
        "system_prompt": 500,
        "standing_instructions": 122,
        "question": 250,
        "turns": 409,
        "memory": 122,
        "tools": 0,
        "headroom": 450,
        "evidence": 1_219,
    }
    assert allocation.fits
    assert allocation.total == allocation.window == 4_096


def test_a_system_prompt_takes_what_it_measures() -> None:
    measured = allocate(4_096, system_prompt=1_000)
    assert measured.system_prompt == 1_000
    assert measured.evidence == 719


def test_a_window_that_is_too_small_for_the_floors_says_by_how_much() -> None:
    allocation = allocate(4_096, system_prompt=2_000)
    assert not allocation.fits
    assert allocation.evidence == 700
    assert allocation.missing == allocation.total - 4_096 == 981
    assert not allocate(1, system_prompt=0).fits


@given(st.integers(1, 2_000_000), st.integers(0, 100_000), st.integers(0, 100_000))
def test_the_shares_sum_to_the_total_and_none_is_negative(
    window: int, system_prompt: int, tools: int
) -> None:
    allocation = allocate(window, system_prompt=system_prompt, tools=tools)
    assert sum(allocation.shares.values()) == allocation.total
    assert all(share >= 0 for share in allocation.shares.values())
    assert allocation.system_prompt >= system_prompt
    assert allocation.fits == (allocation.total <= window)
    assert allocation.total == max(window, allocation.total)  # never less than there is


@pytest.mark.parametrize("window", [0, -1, float("nan"), True, "4096", None, 4_096.0])
def test_what_is_no_window_is_refused(window: Any) -> None:
    with pytest.raises(InvalidBudget) as caught:
        allocate(window, system_prompt=-1, tools=-1)
    assert [problem.path for problem in caught.value.problems] == [
        "window",
        "system_prompt",
        "tools",
    ]
