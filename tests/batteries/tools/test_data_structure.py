"""The tools json_transform and set_operations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether import Tool
from tether.batteries.testing import run_tool
from tether.batteries.tools.data_structure import json_transform, set_operations
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

STORE = {"book": [{"title": "Emma", "price": 8}, {"title": "Ulysses", "price": 14}]}


async def refusal(tool: Tool, args: dict[str, Any]) -> InputRefused:
    with pytest.raises(ToolDownstreamError) as failed:
        await run_tool(tool, args)
    cause = failed.value.__cause__
    assert isinstance(cause, InputRefused)
    assert cause.message in failed.value.message
    return cause


# Read off RFC 9535 (sections 2.3 and 2.5); more of it is tested with the language itself.
@pytest.mark.parametrize(
    ("data", "query", "results"),
    [
        (STORE, "$.book[?@.price < 10].title", ["Emma"]),
        (STORE, "$..price", [8, 14]),
        (STORE, "$.book[-1:].title", ["Ulysses"]),
        (STORE, "$.nothing", []),
        (STORE, "$.book[0]['title', 'price']", ["Emma", 8]),
        (STORE, "$.book[*].title", ["Emma", "Ulysses"]),
        (STORE, "$.book[?search(@.title, '^U')].price", [14]),
        (STORE, "  $.book[0].title\n", ["Emma"]),
        (json.dumps(STORE), "$.book[0].price", [8]),
        ("[1, 2, 3]", "$[1:]", [2, 3]),
        (5, "$", [5]),
        (None, "$", [None]),
        ('"text"', "$", ["text"]),
    ],
)
async def test_a_jsonpath_picks_values(data: Any, query: str, results: Any) -> None:
    assert await run_tool(json_transform, {"data": data, "query": query}) == results


@pytest.mark.parametrize(
    ("data", "query", "said"),
    [
        ("{'a': 1}", "$.a", "not JSON"),
        ("plain text", "$", "not JSON"),
        ('{"a": 1, "a": 2}', "$", "'a' twice"),
        ("[NaN]", "$", "NaN"),
        (STORE, "$.book[?@.price <]", "at character 18"),
        (STORE, "$.book[", "at character 8"),
        (STORE, "book", "expected '$' at the beginning"),
        (STORE, ".book[] | .title", "expected '$' at the beginning"),
        (STORE, "   ", "expected '$' at the beginning"),
    ],
)
async def test_what_cannot_be_done_is_said(data: Any, query: str, said: str) -> None:
    refused = await refusal(json_transform, {"data": data, "query": query})
    assert said in refused.message


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("data", "query"),
    [
        ("[" * 100_000, "$"),  # case 56
        (" " * 5_000_001, "$"),
        (list(range(60)), "$[?$[?$[?$[?@>0]]]]"),  # case 60
        # One text, named two hundred times: the results would be a hundred times the data.
        ({"a": "x" * 1_000_000}, "$[" + ",".join(["'a'"] * 200) + "]"),
    ],
)
async def test_bombs_are_refused(data: Any, query: str) -> None:
    assert isinstance(await refusal(json_transform, {"data": data, "query": query}), LimitExceeded)


@pytest.mark.parametrize(
    "args",
    [
        {"data": STORE},
        {"query": "$"},
        {"data": STORE, "query": ""},
        {"data": STORE, "query": "$" * 1_025},
        {"data": STORE, "query": 5},
        {"data": STORE, "query": "$", "more": 1},
    ],
)
async def test_arguments_that_do_not_fit_are_refused_before(args: dict[str, Any]) -> None:
    with pytest.raises(InvalidToolArgs, match=r"query|data|more"):
        await run_tool(json_transform, args)


async def test_a_value_that_is_nested_too_deeply_is_refused() -> None:
    value: Any = 1
    for _ in range(201):
        value = [value]
    refused = await refusal(json_transform, {"data": value, "query": "$"})
    assert isinstance(refused, LimitExceeded)


# The definitions of set theory over small examples, with equality as in RFC 9535, 2.3.5.2.2.
@pytest.mark.parametrize(
    ("operation", "result"),
    [
        ("union", [1, "1", True, {"a": [1, 2]}, None, False, 3]),
        ("intersection", [1, {"a": [1, 2]}]),
        ("difference", ["1", True, None]),
        ("symmetric_difference", ["1", True, None, False, 3]),
        ("is_subset", False),
        ("is_superset", False),
        ("is_disjoint", False),
    ],
)
async def test_arrays_as_sets(operation: str, result: Any) -> None:
    a = [1, "1", True, {"a": [1, 2]}, None, 1.0]
    b = [False, {"a": [1.0, 2]}, 3, 1]
    found = await run_tool(set_operations, {"operation": operation, "a": a, "b": b})
    assert json.dumps(found) == json.dumps(result)


@pytest.mark.parametrize(
    ("a", "b", "is_subset"),
    [
        ([], [], True),
        ([], [1], True),
        ([1, 1], [1], True),
        ([0], [False], False),
        ([-0.0], [0], True),
        ([1e300], [10**300], False),  # the double nearest to it is another number
        ([2**53], [float(2**53)], True),
        ([{"a": 1, "b": 2}], [{"b": 2.0, "a": 1}], True),
        ([[1, 2]], [[2, 1]], False),
        (["é"], ["e\u0301"], False),
        ([""], [None], False),
    ],
)
async def test_which_values_are_equal(a: Any, b: Any, is_subset: bool) -> None:
    both = {"a": a, "b": b}
    assert await run_tool(set_operations, {"operation": "is_subset", **both}) is is_subset
    assert await run_tool(set_operations, {"operation": "is_superset", "a": b, "b": a}) is is_subset


texts = st.lists(st.sampled_from("abcdef"))


@pytest.mark.unmeasured
@given(texts, texts)
async def test_the_operations_are_those_of_python_sets(a: list[str], b: list[str]) -> None:
    expected: dict[str, Any] = {
        "union": set(a) | set(b),
        "intersection": set(a) & set(b),
        "difference": set(a) - set(b),
        "symmetric_difference": set(a) ^ set(b),
    }
    for operation, result in expected.items():
        found = await run_tool(set_operations, {"operation": operation, "a": a, "b": b})
        assert found == sorted(result, key=[*a, *b].index)
    answers = {
        "is_subset": set(a) <= set(b),
        "is_superset": set(a) >= set(b),
        "is_disjoint": set(a).isdisjoint(b),
    }
    for question, answer in answers.items():
        assert await run_tool(set_operations, {"operation": question, "a": a, "b": b}) is answer


async def test_what_no_set_can_be_made_of() -> None:
    unfit: list[dict[str, Any]] = [
        {"operation": "minus", "a": [], "b": []},
        {"operation": "union", "a": "ab", "b": []},
        {"operation": "union", "a": []},
        {"operation": "union", "a": [0] * 100_001, "b": []},
    ]
    for args in unfit:
        with pytest.raises(InvalidToolArgs):
            await run_tool(set_operations, args)
    value: Any = 1
    for _ in range(150):
        value = [value]
    for b in ([value], [list(range(100_000))]):
        oversized: dict[str, Any] = {"operation": "union", "a": [], "b": b}
        assert isinstance(await refusal(set_operations, oversized), LimitExceeded)
