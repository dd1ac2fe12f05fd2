"""The tools of the category comparison."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.tools import refused
from tether.batteries.testing import run_tool
from tether.batteries.tools.comparison import compare_records, compare_values
from tether.core.errors import LimitExceeded
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.tool import Tool


# What the description promises, applied by hand.
@pytest.mark.parametrize(
    ("a", "b", "relation", "path"),
    [
        (1, 1.0, "equal", None),
        (1, 2, "less", ""),
        (2**70, float(2**70), "equal", None),
        (2**70 + 1, float(2**70), "greater", ""),
        (0.1, 0.2, "less", ""),
        (None, None, "equal", None),
        (False, True, "less", ""),
        (True, 1, "incomparable", ""),
        (None, 0, "incomparable", ""),
        ("1", 1, "incomparable", ""),
        ("a", "b", "less", ""),
        ("Z", "a", "less", ""),
        ("\uffff", "\U00010000", "less", ""),
        ("é", "e\u0301", "greater", ""),
        ([1, 2], [1, 3], "less", "[1]"),
        ([1, 2], [1], "greater", "[1]"),
        ([], [0], "less", "[0]"),
        ([1, [2, {"x": 1}]], [1, [2, {"x": 1.0}]], "equal", None),
        ([1, "a"], [1, 2], "incomparable", "[1]"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "equal", None),
        ({"a": 1}, {"a": 2}, "incomparable", "a"),
        ({"a": 1}, {"b": 1}, "incomparable", "a"),
        ({"a": 1}, {"a": 1, "b c": 1}, "incomparable", "['b c']"),
        ({"a": {"b": [0, {"c": 1}]}}, {"a": {"b": [0, {"c": 2}]}}, "incomparable", "a.b[1].c"),
        ([{"a": 1}], [{"a": 2}], "incomparable", "[0].a"),
        ({}, [], "incomparable", ""),
    ],
)
async def test_values_are_compared(a: Any, b: Any, relation: str, path: str | None) -> None:
    result = await run_tool(compare_values, {"a": a, "b": b})
    assert result["relation"] == relation
    assert result.get("path") == path
    assert ("reason" in result) == (relation != "equal")
    opposite = {"less": "greater", "greater": "less"}.get(relation, relation)
    assert (await run_tool(compare_values, {"a": b, "b": a}))["relation"] == opposite


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (1, "x", "number in a, string in b"),
        (1, 2, "1 is less than 2"),
        ([1], [1, 2], "b has more items"),
        ([1, 2], [1], "a has more items"),
        ({"x": 1}, {}, "only in a"),
        ({}, {"x": 1}, "only in b"),
    ],
)
async def test_the_reason_is_said(a: Any, b: Any, reason: str) -> None:
    assert reason in (await run_tool(compare_values, {"a": a, "b": b}))["reason"]


@pytest.mark.parametrize(
    ("a", "b", "options", "relation"),
    [
        ("file10", "file2", {}, "less"),
        ("file10", "file2", {"natural": True}, "greater"),
        ("file02", "file2", {"natural": True}, "less"),
        ("a1b20", "a1b3", {"natural": True}, "greater"),
        ("a1b20", "a1c3", {"natural": True}, "less"),
        ("10", "9a", {"natural": True}, "greater"),
        pytest.param("9" * 5_000, "1" + "0" * 5_000, {"natural": True}, "less", id="long numbers"),
        ("v1", "v1", {"natural": True}, "equal"),
        ("Apple", "apple", {}, "less"),
        ("Apple", "apple", {"ignore_case": True}, "equal"),
        ("STRASSE", "straße", {"ignore_case": True}, "equal"),
        ("File10", "file9", {"ignore_case": True, "natural": True}, "greater"),
    ],
)
async def test_texts_can_be_ordered_otherwise(
    a: str, b: str, options: dict[str, bool], relation: str
) -> None:
    assert (await run_tool(compare_values, {"a": a, "b": b, **options}))["relation"] == relation


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


@given(value=VALUES)
async def test_a_value_equals_its_copy(value: Any) -> None:
    copy = json.loads(json.dumps(value))
    assert await run_tool(compare_values, {"a": value, "b": copy}) == {"relation": "equal"}


@given(
    texts=st.tuples(st.text(), st.text()), numbers=st.tuples(st.floats(-9, 9), st.integers(-9, 9))
)
async def test_texts_and_numbers_are_ordered_as_in_python(
    texts: tuple[str, str], numbers: tuple[float, int]
) -> None:
    for a, b in (texts, numbers):
        expected = "equal" if a == b else "less" if a < b else "greater"  # type: ignore[operator]
        assert (await run_tool(compare_values, {"a": a, "b": b}))["relation"] == expected


async def test_records_are_compared_part_by_part() -> None:
    before = {
        "name": "Ann",
        "age": 30,
        "tags": ["a", "b", "c"],
        "home": {"city": "Rome", "zip": None},
        "same": [{"x": 1}],
        "first name": 0,
    }
    after = {
        "name": "Anne",
        "age": 30.0,
        "tags": ["a", "x"],
        "home": {"city": "Rome", "zip": 0, "street": False},
        "same": [{"x": 1}],
        "roles": [],
    }
    assert await run_tool(compare_records, {"before": before, "after": after}) == {
        "added": [{"path": "home.street", "value": False}, {"path": "roles", "value": []}],
        "removed": [{"path": "tags[2]", "value": "c"}, {"path": "['first name']", "value": 0}],
        "modified": [
            {"path": "name", "before": "Ann", "after": "Anne"},
            {"path": "tags[1]", "before": "b", "after": "x"},
            {"path": "home.zip", "before": None, "after": 0},
        ],
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("before", "after"), [(True, 1), (0, False), ({"a": 1}, [1]), ("1", 1), (None, "")]
)
async def test_another_type_is_a_modification(before: Any, after: Any) -> None:
    result = await run_tool(compare_records, {"before": {"k": before}, "after": {"k": after}})
    assert result["modified"] == [{"path": "k", "before": before, "after": after}]


RECORDS = st.dictionaries(st.sampled_from("abcd"), LEAVES, max_size=4)


@given(before=RECORDS, after=RECORDS)
async def test_applying_the_differences_gives_the_new_record(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    result = await run_tool(compare_records, {"before": before, "after": after})
    patched = dict(before)
    for change in result["removed"]:
        del patched[change["path"]]
    for change in result["added"]:
        patched[change["path"]] = change["value"]
    for change in result["modified"]:
        assert patched[change["path"]] == change["before"]
        patched[change["path"]] = change["after"]
    assert patched == after


async def test_many_differences_are_cut() -> None:
    before, after = {"list": list(range(2_000))}, {"list": list(range(1, 2_001))}
    result = await run_tool(compare_records, {"before": before, "after": after})
    assert (len(result["modified"]), result["truncated"]) == (1_000, True)


async def test_a_long_path_is_cut() -> None:
    deep: dict[str, Any] = {"k" * 300: {"l" * 300: {"end": 1}}}
    result = await run_tool(
        compare_records, {"before": deep, "after": {"k" * 300: {"l" * 300: {}}}}
    )
    [removed] = result["removed"]
    assert removed["path"].startswith("…")
    assert removed["path"].endswith("l.end")
    assert len(removed["path"]) == 501


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"k": value}
    return value


async def test_too_deep_and_too_large_values_are_refused() -> None:
    assert (await run_tool(compare_values, {"a": nested(100), "b": nested(100)}))[
        "relation"
    ] == "equal"
    error = await refused(compare_values, a=1, b=nested(101))
    assert isinstance(error, LimitExceeded)
    assert "b is too deep" in str(error)
    error = await refused(compare_records, before=nested(101), after={})
    assert "before is too deep" in str(error)
    error = await refused(compare_records, before={}, after={"k": [0] * 100_000})
    assert "after has more than 100,000 values" in str(error)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (compare_values, {"a": 1}),
        (compare_values, {"a": 1, "b": (1, 2)}),
        (compare_records, {"before": [], "after": {}}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)
