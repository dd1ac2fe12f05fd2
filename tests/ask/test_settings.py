"""Settings of a turn are checked all at once, before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from tether.ask import AskSettings
from tether.ask.errors import InvalidAskSettings


def test_the_defaults_are_settings() -> None:
    assert AskSettings().retries == 2
    assert AskSettings(passages=3).most_passages == 3
    assert AskSettings(passages=0).most_passages > 8, "as many as fit"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("retries", -1),
        ("retries", 11),
        ("retries", True),
        ("passages", -1),
        ("passages", 101),
        ("patience", -1.0),
        ("patience", float("nan")),
        ("patience", "long"),
        ("patience", True),
        ("evidence_tokens", -1),
        ("variants", 1.5),
        ("rounds", "3"),
        ("history", -2),
        ("memories", None),
        ("rewrite", "yes"),
        ("hypothesis", 1),
        ("follow_ups", None),
        ("address_check", 0),
        ("second_opinion", "maybe"),
        ("remember", "no"),
        ("code", "sometimes"),
        ("tier", "second-party"),
    ],
)
def test_what_is_no_value_is_named(field: str, value: Any) -> None:
    with pytest.raises(InvalidAskSettings) as refused:
        AskSettings(**{field: value})
    assert [problem.path for problem in refused.value.problems] == [field]


def test_every_problem_is_named_at_once() -> None:
    with pytest.raises(InvalidAskSettings) as refused:
        AskSettings(retries=-1, code="never", tier="mine")  # type: ignore[arg-type]
    assert [problem.path for problem in refused.value.problems] == ["retries", "code", "tier"]
