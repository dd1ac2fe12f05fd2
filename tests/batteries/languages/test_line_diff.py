"""The line diff against a table of longest common subsequences, filled in the school book way."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.texts.line_diff import MOST_CHANGES, Change, changes
from tether.core.errors import LimitExceeded

LINES = st.lists(st.sampled_from("abcdef"), max_size=14)


def common(before: list[str], after: list[str]) -> int:
    """Return the length of a longest common subsequence."""
    row = [0] * (len(after) + 1)
    for line in before:
        above = row
        row = [0]
        for place, other in enumerate(after):
            row.append(above[place] + 1 if line == other else max(above[place + 1], row[place]))
    return row[-1]


def applied(found: list[Change], before: list[str], after: list[str]) -> list[str]:
    result: list[str] = []
    position = 0
    for change in found:
        result += before[position : change.before.start]
        result += [after[place] for place in change.after]
        position = change.before.stop
    return result + before[position:]


@given(before=LINES, after=LINES)
def test_the_changes_lead_from_one_to_the_other_and_are_as_few_as_can_be(
    before: list[str], after: list[str]
) -> None:
    found = changes(before, after)
    assert applied(found, before, after) == after
    touched = sum(len(change.before) + len(change.after) for change in found)
    assert touched == len(before) + len(after) - 2 * common(before, after)


# The example of Myers' paper: the shortest script from abcabba to cbabac has five edits.
def test_the_example_of_the_paper() -> None:
    found = changes(list("abcabba"), list("cbabac"))
    assert sum(len(change.before) + len(change.after) for change in found) == 5


def test_neighbouring_changes_are_one() -> None:
    assert changes(["a", "b", "c"], ["a", "x", "y", "c"]) == [Change(range(1, 2), range(1, 3))]
    assert changes(["a"], ["a"]) == []
    assert changes([], []) == []


def test_texts_without_a_common_line_take_no_search() -> None:
    before, after = [f"a{i}" for i in range(50_000)], [f"b{i}" for i in range(60_000)]
    assert changes(before, after) == [Change(range(50_000), range(60_000))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Random(1).choices("abcdefgh", k=20_000), Random(2).choices("abcdefgh", k=20_000)),
        (["a", "b"] * 50_000, ["b", "b", "a"] * 30_000),
        (["a"] * 60_000 + ["b"], ["b"] + ["a"] * (60_000 - MOST_CHANGES - 1)),
        ([*["a"] * 2, *["b"] * 100_000, *["a"] * 2_000], [*["b"] * 50_000, "a", *["b"] * 49_000]),
    ],
)
def test_texts_that_differ_too_much_are_refused(before: list[str], after: list[str]) -> None:
    with pytest.raises(LimitExceeded, match="compare smaller parts"):
        changes(before, after)


def test_a_change_in_a_long_text_is_found_at_once() -> None:
    lines = [str(i % 100) for i in range(200_000)]
    changed = [*lines[:100_000], "new", *lines[100_001:]]
    assert changes(lines, changed) == [Change(range(100_000, 100_001), range(100_000, 100_001))]
