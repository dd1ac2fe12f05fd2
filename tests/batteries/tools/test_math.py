"""The two tools of mathematics: what a model sees of the calculator."""

from __future__ import annotations

from typing import Any

import pytest

from tether import Tool
from tether.batteries.testing import run_tool
from tether.batteries.tools.math import calculate, evaluate_latex
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

TOOLS = [calculate, evaluate_latex]


# Ordinary arithmetic, by hand; Gauss's sum; the value of 10/4 as a decimal number.
RESULTS: list[tuple[Tool, str, dict[str, Any]]] = [
    (calculate, "2 * (3 + 4)", {"result": "14", "exact": True}),
    (calculate, "0.1 + 0.2", {"result": "0.3", "exact": True}),
    (calculate, "1/3", {"result": "0.333333333333333", "exact": False, "fraction": "1/3"}),
    (
        evaluate_latex,
        r"$\sum_{k=1}^{100} k$",
        {"result": "5050", "exact": True, "expression": "sum(k, k = 1 to 100)"},
    ),
    (
        evaluate_latex,
        r"\frac{10}{4}",
        {"result": "2.5", "exact": True, "expression": "10 / 4"},
    ),
]


@pytest.mark.parametrize(("tool", "expression", "result"), RESULTS)
async def test_an_expression_is_worked_out(
    tool: Tool, expression: str, result: dict[str, Any]
) -> None:
    assert await run_tool(tool, {"expression": expression}) == result


REFUSED: list[tuple[Tool, str, str]] = [
    (calculate, "1 / 0", "division by zero in '1 / 0'"),
    (calculate, "sqrt(-1)", "not a real number"),
    (calculate, "x + 1", "'x' is not a constant"),
    (evaluate_latex, "x + 1", "the variable x has no value"),
    (evaluate_latex, r"\frac{1}{0}", "division by zero"),
    (evaluate_latex, r"\int 1", r"\int cannot be evaluated"),
]


@pytest.mark.parametrize(("tool", "expression", "message"), REFUSED)
async def test_a_refusal_names_the_bad_part(tool: Tool, expression: str, message: str) -> None:
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(tool, {"expression": expression})
    assert isinstance(caught.value.__cause__, InputRefused)
    assert message in caught.value.__cause__.message


# Case 49. 1e308*10 is not a bomb here: numbers do not end at 1.8e308, and it is 1e309.
@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9",
        "10**10**10",
        "2**-1e9",
        "factorial(10**7)",
        "-" * 2000,
        "(" * 2000,
        "1" + "+1" * 999,
    ],
    ids=lambda text: text[:20],
)
async def test_bombs_are_refused_without_being_worked_out(expression: str) -> None:
    for tool in TOOLS:
        with pytest.raises(ToolDownstreamError) as caught:
            await run_tool(tool, {"expression": expression})
        assert isinstance(caught.value.__cause__, InputRefused)
    with pytest.raises(ToolDownstreamError) as caught:
        await run_tool(calculate, {"expression": expression})
    assert isinstance(caught.value.__cause__, LimitExceeded)


# Case 49 again: 10,000 parentheses, 20,000 terms and 100,000 signs are not even read.
@pytest.mark.parametrize(
    "expression",
    ["", "(" * 10_000 + ")" * 10_000, "1" + "+1" * 20_000, "-" * 100_000 + "1", 5, None, ["1"]],
    ids=lambda given: repr(given)[:20],
)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_arguments_that_do_not_fit_are_refused_by_name(tool: Tool, expression: Any) -> None:
    with pytest.raises(InvalidToolArgs, match="expression"):
        await run_tool(tool, {"expression": expression})


async def test_there_is_nothing_but_an_expression() -> None:
    with pytest.raises(InvalidToolArgs, match="precision"):
        await run_tool(calculate, {"expression": "1", "precision": 5})
    with pytest.raises(InvalidToolArgs, match="expression"):
        await run_tool(calculate, {})
