"""Numbers, units and bounds that no verifier has to judge."""

from __future__ import annotations

import pytest

from ask.attacks.falsehoods import BOUNDS, UNITS
from ask.attacks.halyard import Case, credulous, put, said_by_model

pytestmark = pytest.mark.unmeasured

FORMS = {"plain": "{}", "item": "- {}", "bold": "**{}**", "row": "| fact |\n|---|\n| {} |"}


def shown(case: Case) -> list[str]:
    """Return the model's words that are shown if the verifier believes its page, in any form."""
    said = "\n\n".join(form.format(f"{case.said} [1]") for form in FORMS.values())
    return said_by_model(put(said, credulous(case.beside), question=case.question))


@pytest.mark.parametrize("case", UNITS, ids=lambda case: case.said)
def test_another_unit_is_not_shown(case: Case) -> None:
    assert shown(case) == []


@pytest.mark.parametrize("case", BOUNDS, ids=lambda case: case.said)
def test_a_bound_from_the_other_side_is_not_shown(case: Case) -> None:
    assert shown(case) == []
