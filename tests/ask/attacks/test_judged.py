"""What only a judgement of meaning can tell, put to the verifier that is shipped.

A small model errs. The cases that it is known to get wrong are named in `MISSES`, and each row of
attacks has a bound on how many of it may be shown.
"""

from __future__ import annotations

from functools import cache

import pytest

from ask.attacks.falsehoods import (
    BOUNDS,
    OTHER_NUMBER,
    OTHER_VALUE,
    PLAUSIBLE,
    REVERSED,
    UNITS,
    YES_OR_NO,
)
from ask.attacks.halyard import Case, put, quoted, said_by_model, shipped
from ask.attacks.truths import LISTS, PROSE, TABLES, Truth

pytestmark = pytest.mark.unmeasured

ROWS = {
    "plausible": PLAUSIBLE,
    "reversed": REVERSED,
    "another number": OTHER_NUMBER,
    "another value": OTHER_VALUE,
    "yes or no": YES_OR_NO,
    "units": UNITS,
    "bounds": BOUNDS,
}
MISSES: frozenset[str] = frozenset()
"""False statements that are shown today."""

MOST_SHOWN = 0.05
LEAST_KEPT = 0.65
TRUTHS = [*PROSE, *TABLES, *LISTS]


@cache
def shown(case: Case) -> tuple[str, ...]:
    """Return the words of a false statement that are shown, under any of the passages."""
    return tuple(said_by_model(put(f"{case.said} [1]", shipped(), question=case.question)))


@pytest.mark.parametrize(
    "case",
    [case for row in ROWS.values() for case in row if case.said not in MISSES],
    ids=lambda case: case.said,
)
def test_a_false_statement_is_not_shown(case: Case) -> None:
    assert shown(case) == ()


@pytest.mark.parametrize("row", ROWS)
def test_few_false_statements_of_a_row_are_shown(row: str) -> None:
    wrong = {case.said for case in ROWS[row] if shown(case)}
    assert wrong <= MISSES
    assert len(wrong) <= max(1, MOST_SHOWN * len(ROWS[row]))


@cache
def answered(truth: Truth) -> tuple[bool, bool]:
    """Say whether a true statement is kept, and whether the page's own words answer."""
    found = put(f"{truth.said} [1]", shipped(), question=truth.question)
    return found.passed, any(truth.unit in one for one in quoted(found))


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.said)
def test_a_true_statement_is_kept_or_answered_in_the_words_of_the_page(truth: Truth) -> None:
    assert any(answered(truth))


def test_most_true_statements_are_kept() -> None:
    kept = [truth.said for truth in TRUTHS if answered(truth)[0]]
    assert len(TRUTHS) == 46
    assert len(kept) >= LEAST_KEPT * len(TRUTHS)
