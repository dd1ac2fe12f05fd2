"""Reading what an endpoint says, which may be anything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn, cast

if TYPE_CHECKING:
    from collections.abc import Mapping


def event_object(data: str | bytes) -> dict[str, Any]:
    """Return the object that an event or a body holds; raise `ValueError` for anything else.

    NaN and the infinities are no JSON: what is read here may be stored, and sent again.
    """
    try:
        told = json.loads(data, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("an event is nested too deeply") from None
    if not isinstance(told, dict):
        raise ValueError("an event is not a JSON object")
    return cast("dict[str, Any]", told)


def event_text(told: Mapping[str, Any], name: str) -> str:
    """Return the text that an event has under a name; raise `ValueError` if it has none."""
    value = told.get(name)
    if not isinstance(value, str):
        raise ValueError(f"an event has no text under {name!r}")
    return value


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list, and none for what is no list."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in found if isinstance(item, dict)]


def text_or_none(value: object) -> str | None:
    """Return a text that says something."""
    return value if isinstance(value, str) and value else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number in JSON")
