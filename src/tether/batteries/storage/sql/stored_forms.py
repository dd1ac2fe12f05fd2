"""Reading what a row says, where somebody may have written the row by hand."""

from __future__ import annotations

import json
from datetime import datetime
from typing import cast

from tether.core.tiers import TRUST_TIERS, TrustTier
from tether.core.times import parse_time


def object_in(text: object) -> dict[str, object]:
    """Return the JSON object of a text, an empty one where there is none."""
    try:
        value: object = json.loads(text_in(text))
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def text_in(value: object) -> str:
    """Return a text, "" where it is something else."""
    return value if isinstance(value, str) else ""


def texts_in(value: object) -> tuple[str, ...]:
    """Return the texts of a list, none where it is something else."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str))


def tier_in(value: object) -> TrustTier:
    """Return the tier that is named, the least one where none is."""
    for tier in TRUST_TIERS:
        if tier == value:
            return tier
    return "third-party-private"


def time_in(value: object) -> datetime:
    """Return the time that a text names, the beginning of 1970 where it names none."""
    try:
        return parse_time(text_in(value))
    except ValueError:
        return parse_time(0)
