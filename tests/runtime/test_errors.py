"""Errors of the runtime keep their facts as fields."""

from __future__ import annotations

from tether.core.errors import Problem
from tether.runtime.errors import InvalidToolArgs, PipelineShortCircuited

PROBLEMS = [Problem("id", "is required"), Problem("role", "must be 'user'")]


def test_invalid_tool_arguments_name_the_tool_and_every_problem() -> None:
    error = InvalidToolArgs("search", iter(PROBLEMS))
    assert (error.tool, error.problems) == ("search", tuple(PROBLEMS))
    assert error.message == "invalid arguments for 'search': id: is required; role: must be 'user'"


def test_a_short_circuit_says_where_it_happened() -> None:
    error = PipelineShortCircuited("turn-output")
    assert error.seam == "turn-output"
    assert "turn-output" in str(error)
