"""The numbers that tools take as arguments, kept as exact as they were written.

Pydantic's float would make 2**53 + 1 the double 2**53. Here whole numbers stay whole numbers.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

LONGEST_NUMBER = 400
"""How many digits a whole number, or characters a number in text, may have."""


def _finite_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")
    if not abs(value) < 10**LONGEST_NUMBER:  # which infinity and NaN are not
        raise ValueError(f"must be a finite number of at most {LONGEST_NUMBER} digits")
    return value


def _number_or_text(value: object) -> float | str:
    if not isinstance(value, str):
        return _finite_number(value)
    if len(value) > LONGEST_NUMBER:
        raise ValueError(f"must have at most {LONGEST_NUMBER} characters")
    return value


FiniteNumber = Annotated[float, PlainValidator(_finite_number), WithJsonSchema({"type": "number"})]
"""A whole number, which stays one, or a double; no truth values, and no text."""

NumberOrText = Annotated[
    float | str,
    PlainValidator(_number_or_text),
    WithJsonSchema(
        {"anyOf": [{"type": "number"}, {"type": "string", "maxLength": LONGEST_NUMBER}]}
    ),
]
"""The same, or the digits of a decimal number, for what is beyond the numbers of JSON's readers."""
