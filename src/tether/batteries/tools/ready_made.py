"""The decorator of the ready-made tools, and the argument types that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import Field, PlainValidator, WithJsonSchema

from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused
from tether.runtime.function_tool import tool
from tether.runtime.tool import Tool

LONGEST_TEXT = 1_000_000

Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
"""Text for a tool that takes time proportional to its length."""

ShortText = Annotated[str, Field(max_length=10_000)]
"""Text for a tool that takes more than linear time."""


def ready_made(example: Mapping[str, Any]) -> Callable[[Callable[..., Any]], Tool]:
    """Turn a function into a tool; its module is its category.

    The example's arguments are run and shown in the documentation, and checked by a test.
    """

    def make(function: Callable[..., Any]) -> Tool:
        category = function.__module__.rpartition(".")[2]
        return tool(meta={"category": category, "example": dict(example)})(function)

    return make


LONGEST_NUMBER = 400
"""The most digits of a whole number, or characters of a number in text."""


def _finite_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    if not abs(value) < 10**LONGEST_NUMBER:  # false for infinity and NaN
        raise ValueError(f"must be a finite number of at most {LONGEST_NUMBER} digits")
    return value


def _number_or_text(value: object) -> float | str:
    if not isinstance(value, str):
        return _finite_number(value)
    if len(value) > LONGEST_NUMBER:
        raise ValueError(f"must have at most {LONGEST_NUMBER} characters")
    return value


FiniteNumber = Annotated[float, PlainValidator(_finite_number), WithJsonSchema({"type": "number"})]
"""A whole number, which stays exact (pydantic's float would round 2**53 + 1), or a double."""

NumberOrText = Annotated[
    float | str,
    PlainValidator(_number_or_text),
    WithJsonSchema(
        {"anyOf": [{"type": "number"}, {"type": "string", "maxLength": LONGEST_NUMBER}]}
    ),
]
"""The same, or the digits of a decimal number, for numbers that JSON readers would round."""


Score = Annotated[float, Field(ge=0, le=1)]
Id = Annotated[str, Field(min_length=1, max_length=200)]
Label = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""One line of text."""


class Record(Protocol):
    """A record with an id."""

    @property
    def id(self) -> str:
        """Its key."""
        ...


R = TypeVar("R", bound=Record)


def existing(records: Iterable[R], id: str, kind: str, listed_by: str) -> R:
    """Return the record with that id; raise `InputRefused`, naming the tool that shows the ids."""
    for record in records:
        if record.id == id:
            return record
    raise InputRefused(f"there is no {kind} with the id {id!r}; {listed_by} shows the ids")


def said(name: str, text: str, wanted: str) -> str:
    """Return the cleaned text; raise `InputRefused` if it is empty."""
    cleaned = clean_text(text)
    if not cleaned.strip():
        raise InputRefused(f"{name} is empty: {wanted}")
    return cleaned
