"""How large a JSON value may be for a tool that walks all of it."""

from __future__ import annotations

from typing import Any

from tether.batteries.languages.json.json_values import levels
from tether.core.errors import LimitExceeded

DEEPEST = 100
MOST_VALUES = 100_000


def refuse_oversized(value: Any, name: str) -> None:
    """Raise `LimitExceeded` where a value has too many levels or parts; `name` says whose it is."""
    try:
        count = sum(len(part) for level in levels(value, DEEPEST) for part in level)
    except LimitExceeded as error:
        raise LimitExceeded(f"{name} is too deep: {error.message}") from None
    if count > MOST_VALUES:
        raise LimitExceeded(f"{name} has more than {MOST_VALUES:,} values: give it in parts")
