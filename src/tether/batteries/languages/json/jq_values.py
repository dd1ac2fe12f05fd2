"""What the operators of jq do with JSON values."""

from __future__ import annotations

import json
import math
import operator
from typing import TYPE_CHECKING, Any

from tether.batteries.languages.json.json_values import CONTAINERS, NUMBERS, equal, type_name, weigh
from tether.core.checks import in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.batteries.languages.steps import Steps

LARGEST = 2**1024
"""Numbers are as large as a double can be, although integers are exact."""

ORDERING = 6
"""How many times as long as writing a value down it takes to make a key of it and to sort by it."""

_RANKS = {"null": 0, "boolean": 1, "number": 3, "string": 4, "array": 5, "object": 6}


def is_true(value: Any) -> bool:
    """Say whether a value counts as true: all do but false and null."""
    return value is not None and value is not False


def children(value: Any, steps: Steps) -> list[Any]:
    """Return the elements of an array or the values of an object."""
    if type(value) not in CONTAINERS:
        raise InputRefused(f"the query iterates over {shown(value)}, which is no array or object")
    steps.take(len(value) + 1)
    return list(value.values()) if type(value) is dict else value


def item(value: Any, key: Any, steps: Steps) -> Any:
    """Return what is under a key or a position; null where nothing is."""
    steps.take(1)
    if type(value) is dict and type(key) is str:
        steps.take(len(key) >> 6)
        return value.get(key)
    if type(value) is list and type(key) in NUMBERS:
        return _element(value, math.floor(key))
    if value is None and type(key) in {str, *NUMBERS}:
        return None
    raise InputRefused(f"the query asks {shown(value)} for {shown(key)}")


def _element(value: list[Any], position: int) -> Any:
    return value[position] if -len(value) <= position < len(value) else None


def part(value: Any, start: Any, end: Any, steps: Steps) -> Any:
    """Return a range of an array or of a text."""
    if value is None:
        return None
    if type(value) not in {list, str}:
        raise InputRefused(f"the query takes a slice of {shown(value)}")
    if not all(bound is None or type(bound) in NUMBERS for bound in (start, end)):
        raise InputRefused("the query takes a slice whose ends are not numbers")
    first = None if start is None else math.floor(start)
    last = None if end is None else math.ceil(end)
    found = value[first:last]
    steps.take(len(found) + 1)
    return found


def order_key(value: Any, steps: Steps) -> Any:
    """Return a key that sorts values as jq does: null, false, true, numbers, text, arrays, objects.

    Takes the steps for sorting by it.
    """
    weigh(value, steps, ORDERING)
    return _order_key(value)


def _order_key(value: Any) -> tuple[int, Any]:
    kind = type_name(value)
    rank = _RANKS[kind] + (value is True)
    if kind == "array":
        return rank, [_order_key(inner) for inner in value]
    if kind == "object":
        keys = sorted(value)
        return rank, (keys, [_order_key(value[key]) for key in keys])
    return rank, value if rank > _RANKS["boolean"] + 1 else 0


def text_of(value: Any, steps: Steps) -> str:
    """Return text as it is, and anything else as JSON."""
    weigh(value, steps)
    if type(value) is str:
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def plus(one: Any, other: Any, steps: Steps) -> Any:
    """Add numbers, join texts and arrays, merge objects; null changes nothing."""
    if one is None or other is None:
        return other if one is None else one
    if type(one) in NUMBERS and type(other) in NUMBERS:
        return _calculated(operator.add, one, other)
    if type(one) is not type(other) or type(one) is bool:
        raise _unfit("added", one, other)
    steps.take(1 + (len(one) + len(other) >> (4 if type(one) is str else 0)))
    return {**one, **other} if type(one) is dict else one + other


def minus(one: Any, other: Any, steps: Steps) -> Any:
    """Subtract numbers; take the elements of one array out of another."""
    if type(one) is list and type(other) is list:
        steps.take(len(one) * len(other) + 1)
        return [item for item in one if not any(equal(item, gone, steps) for gone in other)]
    return _arithmetic("subtracted", operator.sub, one, other)


def times(one: Any, other: Any, steps: Steps) -> Any:
    """Multiply numbers; merge objects, and the objects in them."""
    if type(one) is dict and type(other) is dict:
        weigh(one, steps)
        weigh(other, steps)
        return _merged(one, other)
    return _arithmetic("multiplied", operator.mul, one, other)


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {**one, **other}
    for key in one.keys() & other.keys():
        if type(one[key]) is dict and type(other[key]) is dict:
            both[key] = _merged(one[key], other[key])
    return both


def divided(one: Any, other: Any, steps: Steps) -> Any:
    """Divide numbers; what comes out whole is an integer. A text is split at another."""
    if type(one) is str and type(other) is str:
        return pieces(one, other, steps)
    return _arithmetic("divided", _quotient, one, other)


def pieces(text: str, separator: str, steps: Steps) -> list[str]:
    """Return the pieces of a text between the separators; without one, its characters."""
    steps.take(len(text) + 1)
    if not text:
        return []
    return text.split(separator) if separator else list(text)


def remainder(one: Any, other: Any, _steps: Steps) -> Any:
    """Return the remainder of whole numbers, with the sign of the first."""
    return _arithmetic("divided", _remainder, one, other)


def _quotient(one: Any, other: Any) -> Any:
    if type(one) is int and type(other) is int and one % other == 0:
        return one // other
    return one / other


def _remainder(one: Any, other: Any) -> int:
    left = abs(int(one)) % abs(int(other))
    return left if one >= 0 else -left


def _arithmetic(done: str, calculate: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    if type(one) not in NUMBERS or type(other) not in NUMBERS:
        raise _unfit(done, one, other)
    return _calculated(calculate, one, other)


def _calculated(calculate: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    try:
        number = calculate(one, other)
    except ZeroDivisionError:
        raise InputRefused("the query divides by zero") from None
    except OverflowError:
        number = math.inf
    if not -LARGEST < number < LARGEST:
        raise InputRefused("the query calculates a number beyond the range of a double")
    return number


def _unfit(done: str, one: Any, other: Any) -> InputRefused:
    return InputRefused(f"{shown(one)} and {shown(other)} cannot be {done}")


def shown(value: Any) -> str:
    """Name a value in an error: what is large is not spelt out, as it may fail many times."""
    if type(value) in CONTAINERS:
        return f"the {type_name(value)} of {len(value):,}"
    short = value[:40] if type(value) is str else value
    return f"the {type_name(value)} {in_short(short)}" if value is not None else "null"
