"""The form of an answer that points: the schema that a model is held to, and its reply, read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

from tether.core.plain_data import parse_json_object

MOST_POINTS = 4
"""Without a limit, a model that is held to a schema sometimes goes on for ever."""

LONGEST_REPLY = 20_000
"""In characters; a longer reply is not read."""

_POINT = re.compile(r'"(\d{1,4}\.\d{1,4})"')
_UNITS = re.compile(r'"units"\s*:\s*\[([^\]]*)')
_NOT_ANSWERED = re.compile(r'"answered"\s*:\s*false\b')


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model points at.

    `numbers` are its choices in order, each once; `strays` are entries that are not numbers of this
    form. `lead` is "yes", "no" or "". A reply that is not `whole` is not valid JSON, and has the
    numbers that are complete.
    """

    is_answered: bool
    numbers: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    lead: str = ""
    is_whole: bool = True


def points_schema(choices: Sequence[str], *, yes_or_no: bool) -> dict[str, Any]:
    """Return the JSON schema of an answer that points at some of these numbers.

    Whether the question is answered comes first, so that a model decides it before it chooses. It
    has to choose in any case: one that may choose nothing often does, and is asked a second time.
    """
    one: dict[str, Any] = {"type": "string"}
    if choices:
        one["enum"] = list(choices)
    units = {"type": "array", "minItems": 1, "maxItems": MOST_POINTS, "items": one}
    properties: dict[str, Any] = {"answered": {"type": "boolean"}, "units": units}
    if yes_or_no:
        properties["yes_or_no"] = {"type": "string", "enum": ["yes", "no", ""]}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def response_format(choices: Sequence[str], *, yes_or_no: bool) -> dict[str, Any]:
    """Return the option by which chat completions are held to the schema."""
    schema = points_schema(choices, yes_or_no=yes_or_no)
    form = {"name": "points", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": form}


def read_reply(text: str) -> Reply | None:
    """Return what a reply points at; None for a text that has nothing of the form.

    Fences and words around the object do not matter. Only a text between quotation marks is a
    number: as a number of JSON, 1.10 would be 1.1.
    """
    if len(text) > LONGEST_REPLY or ('"answered"' not in text and '"units"' not in text):
        return None
    try:
        form = parse_json_object(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return _broken(text)
    units = form.get("units")
    listed = cast("list[object]", units) if isinstance(units, list) else []
    lead = form.get("yes_or_no")
    return Reply(
        is_answered=form.get("answered") is not False,
        numbers=tuple(dict.fromkeys(one for one in listed if _is_number(one))),
        strays=tuple(str(one) for one in listed if not _is_number(one)),
        lead=lead if isinstance(lead, str) and lead in ("yes", "no") else "",
    )


def _broken(text: str) -> Reply:
    listed = _UNITS.search(text)
    numbers = _POINT.findall(listed[1]) if listed else []
    return Reply(
        is_answered=_NOT_ANSWERED.search(text) is None,
        numbers=tuple(dict.fromkeys(numbers)),
        is_whole=False,
    )


def _is_number(one: object) -> TypeGuard[str]:
    return isinstance(one, str) and _POINT.fullmatch(f'"{one}"') is not None
