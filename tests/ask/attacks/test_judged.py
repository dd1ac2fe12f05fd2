"""What only a judgement of meaning can tell, put to the verifier that is shipped.

A small model errs. The cases that it is known to get wrong are named here, and each row of attacks
has a bound on how many these may be; every other case is a test.
"""

from __future__ import annotations

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
MISSES = frozenset(
    {
        "Two-factor sign-in is required for viewers and optional for owners.",
        "9102",
        "90 days",
        "15 minutes",
        "After 7 days.",
    }
)
"""False statements that are shown today."""

MOST_SHOWN = dict.fromkeys(ROWS, 1) | {"another value": 4}
"""How many of a row may be shown."""

QUOTED = frozenset(
    {
        "The seal key is not written to disk.",
        "Single uploads may have up to 5 GB, multipart uploads up to 500 GB.",
        "A failed request is retried between two and five times.",
        "Every night at 02:00, backups run.",
        "Files in the cold tier must stay for at least 90 days.",
        "4 GB of memory are needed, and 8 GB are recommended.",
    }
)
"""True statements that are answered in the words of the page today."""

TRUTHS = [*PROSE, *TABLES, *LISTS]
LEAST_KEPT = 0.85


@pytest.mark.parametrize(
    "case",
    [case for row in ROWS.values() for case in row if case.said not in MISSES],
    ids=lambda case: case.said,
)
def test_a_false_statement_is_not_shown(case: Case) -> None:
    found = put(f"{case.said} [1]", shipped(), question=case.question)
    assert said_by_model(found) == []


@pytest.mark.parametrize("row", ROWS)
def test_few_of_a_row_are_known_to_be_shown(row: str) -> None:
    assert len(ROWS[row]) >= 12
    assert sum(case.said in MISSES for case in ROWS[row]) <= MOST_SHOWN[row]


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.said)
def test_a_true_statement_is_kept_or_answered_in_the_words_of_the_page(truth: Truth) -> None:
    found = put(f"{truth.said} [1]", shipped(), question=truth.question)
    if truth.said in QUOTED:
        assert found.passed or any(truth.unit in one for one in quoted(found))
    else:
        assert found.passed


def test_most_true_statements_are_kept() -> None:
    assert len(TRUTHS) == 46
    assert len(TRUTHS) - len(QUOTED) >= LEAST_KEPT * len(TRUTHS)
