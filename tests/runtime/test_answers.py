"""What a model is shown of a value: the table of CONTRACT 2.8."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tether.runtime.line_tools import LONGEST_ANSWER, answer_text


class Point(BaseModel):
    x: int


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "(undefined)"),
        ("as it is\n", "as it is\n"),
        ("", ""),
        ([], "(empty list)"),  # CONTRACT 101
        ((), "(empty list)"),
        (["one", "two", ""], "one\ntwo\n"),
        (("one", "two"), "one\ntwo"),
        ([""], ""),
        (7, "7"),
        (1.5, "1.5"),
        (True, "true"),
        ({}, "{}"),
        ([None], "[\n  null\n]"),
        (["a", 1], '[\n  "a",\n  1\n]'),
        ({"é": [1]}, '{\n  "é": [\n    1\n  ]\n}'),
        (Point(x=1), '{\n  "x": 1\n}'),
        (datetime(2026, 1, 1, tzinfo=UTC), '"2026-01-01T00:00:00Z"'),
    ],
)
def test_text_is_itself_lists_of_text_are_lines_and_the_rest_is_json(value: Any, text: str) -> None:
    assert answer_text(value) == text


@pytest.mark.parametrize("value", [object(), float("nan"), [float("inf")], {"a": object()}])
def test_what_has_no_json_form_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="has no JSON form"):
        answer_text(value)


def test_a_value_that_contains_itself_is_refused() -> None:
    circular: list[Any] = []
    circular.append(circular)
    with pytest.raises(ValueError, match="has no JSON form"):
        answer_text(circular)


@pytest.mark.parametrize("value", ["é" * 1_000_000, ["é" * 999] * 1_000, [[1] * 200_000]])
def test_a_long_answer_is_cut_and_says_how_much_there_is(value: Any) -> None:
    # SECURITY 69: cut with a marker
    answer = answer_text(value)
    assert len(answer) < LONGEST_ANSWER + 200
    whole = value if isinstance(value, str) else "\n".join(value) if value[1:] else None
    if whole is not None:
        assert answer.startswith(whole[:LONGEST_ANSWER])
        assert f"{LONGEST_ANSWER:,} of {len(whole):,} characters" in answer
    assert answer.endswith("ask for less at once)")


def test_an_answer_of_just_the_longest_length_is_whole() -> None:
    assert answer_text("x" * LONGEST_ANSWER) == "x" * LONGEST_ANSWER


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
)


@given(json_values.filter(lambda value: value is not None))
def test_what_is_not_text_can_be_read_back_as_json(value: Any) -> None:
    assert json.loads(answer_text(value)) == value
