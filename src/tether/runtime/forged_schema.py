"""The arguments of a forged tool: which artifact, and what is asked of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.artifact import CALL_ID
from tether.core.errors import InvalidToolArgs, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.runtime.schema import ArgumentSchema

MOST_LISTED = 20


class ForgedSchema:
    """Arguments with the ids of the artifacts that are here as a closed list."""

    __slots__ = ("_ids", "_rest")

    def __init__(self, ids: tuple[str, ...], rest: ArgumentSchema) -> None:
        self._ids = ids
        self._rest = rest

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        rest = self._rest.json_schema()
        which = {"type": "string", "enum": list(self._ids), "description": "Which result to read."}
        return {
            **rest,
            "properties": {CALL_ID: which, **rest["properties"]},
            "required": [CALL_ID, *rest.get("required", ())],
        }

    def validate(self, tool: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with their defaults; raise `InvalidToolArgs`."""
        problems: list[Problem] = []
        if raw.get(CALL_ID) not in self._ids:
            problems.append(Problem(CALL_ID, f"must be one of {_listed(self._ids)}"))
        values: dict[str, Any] = {}
        try:
            others = {name: value for name, value in raw.items() if name != CALL_ID}
            values = self._rest.validate(tool, others)
        except InvalidToolArgs as error:
            problems += error.problems
        if problems:
            raise InvalidToolArgs(tool, problems)
        return {**values, CALL_ID: raw[CALL_ID]}


def _listed(ids: tuple[str, ...]) -> str:
    """Return the newest ids: a model that guessed does not need all of them."""
    shown = list(ids[-MOST_LISTED:])
    return str(shown) if len(shown) == len(ids) else f"{len(ids):,}, of which the last are {shown}"


class SimpleField(NamedTuple):
    """An argument that is a whole number or a text: its schema, what it asks, and its default."""

    name: str
    schema: Mapping[str, Any]
    fits: Callable[[Any], bool]
    expected: str
    default: Any = None
    required: bool = False


class SimpleSchema:
    """A handful of simple fields, without pydantic: these are made and checked all the time."""

    __slots__ = ("_fields",)

    def __init__(self, *fields: SimpleField) -> None:
        self._fields = fields

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {
            "type": "object",
            "properties": {field.name: _described(field) for field in self._fields},
            "required": [field.name for field in self._fields if field.required],
            "additionalProperties": False,
        }

    def validate(self, tool: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with their defaults; raise `InvalidToolArgs`."""
        known = {field.name for field in self._fields}
        problems = [Problem(str(name), "is not an argument") for name in raw if name not in known]
        values: dict[str, Any] = {}
        for field in self._fields:
            value = values[field.name] = raw.get(field.name, field.default)
            if field.required and field.name not in raw:
                problems.append(Problem(field.name, "is required"))
            elif field.name in raw and not field.fits(value):
                problems.append(Problem(field.name, field.expected))
        if problems:
            raise InvalidToolArgs(tool, problems)
        return values


def _described(field: SimpleField) -> dict[str, Any]:
    default = {} if field.default is None else {"default": field.default}
    return {**field.schema, **default}
