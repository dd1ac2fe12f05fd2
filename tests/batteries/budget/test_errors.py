"""Errors of budgets keep their facts as fields."""

from __future__ import annotations

from tether.batteries.budget.errors import ModelContextOverflow, TurnLimitReached


def test_an_overflow_names_the_encoding_and_the_largest_bucket_and_carries_the_breakdown() -> None:
    shares = {"memories": 3, "timeline": 9}
    error = ModelContextOverflow(total=12, limit=10, encoding="o200k_base", per_bucket=shares)
    assert (error.total, error.limit, error.encoding) == (12, 10, "o200k_base")
    assert error.per_bucket == shares
    assert error.per_bucket is not shares
    assert "12 tokens of o200k_base, the window 10" in error.message
    assert "largest bucket is timeline" in error.message


def test_a_limit_names_itself() -> None:
    assert TurnLimitReached("no", limit="same_call").limit == "same_call"
