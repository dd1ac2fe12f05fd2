"""The families of errors: an input lists its problems, an abort keeps its reason."""

from __future__ import annotations

from tether.core.errors import Aborted, InvalidInput, Problem, RunError, UsageError

PROBLEMS = [Problem("id", "is required"), Problem("role", "must be 'user'")]


def test_an_invalid_input_lists_every_problem_with_its_path() -> None:
    error = InvalidInput(iter(PROBLEMS))
    assert error.problems == tuple(PROBLEMS)
    assert error.message == "invalid input: id: is required; role: must be 'user'"


def test_an_abort_keeps_its_reason() -> None:
    reason = object()
    error = Aborted(reason=reason)
    assert error.reason is reason
    assert repr(reason) in error.message
    assert Aborted("stopped by hand", reason=reason).message == "stopped by hand"


def test_an_abort_is_in_neither_family_of_failures() -> None:
    assert not issubclass(Aborted, (UsageError, RunError))
