"""What the functions of jq do with values. Each takes its steps and raises `InputRefused`."""

from __future__ import annotations

import json
import math
import re
from functools import reduce
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any

from tether.batteries.languages.json.jq_values import (
    children,
    is_true,
    minus,
    pieces,
    plus,
    shown,
    text_of,
)
from tether.batteries.languages.json.json_text import parse_json
from tether.batteries.languages.json.json_values import CONTAINERS, NUMBERS, weigh
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.batteries.languages.steps import Steps

_NUMBER = re.compile(r"-?[0-9]")
_TO_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_TO_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)
_KEY_NAMES = ("key", "k", "name", "Name", "K", "Key")
_VALUE_NAMES = ("value", "v", "Value")


def array_for(name: str, value: Any, steps: Steps) -> list[Any]:
    """Return the array that a function works on."""
    if type(value) is not list:
        raise InputRefused(f"{name}: {shown(value)} is no array")
    steps.take(len(value) + 1)
    return value


def text_for(name: str, value: Any, steps: Steps) -> str:
    """Return the text that a function works on."""
    if type(value) is not str:
        raise InputRefused(f"{name}: {shown(value)} is no text")
    steps.take((len(value) >> 4) + 1)
    return value


def length(value: Any, _steps: Steps) -> Any:
    """Count characters, elements or members; a number's is its size without the sign."""
    if type(value) is bool:
        raise InputRefused(f"length: {shown(value)} has none")
    if value is None:
        return 0
    return abs(value) if type(value) in NUMBERS else len(value)


def keys(value: Any, steps: Steps) -> list[Any]:
    """Return the keys of an object, sorted, or the positions of an array."""
    found = keys_unsorted(value, steps)
    weigh(found, steps)
    return sorted(found)


def keys_unsorted(value: Any, steps: Steps) -> list[Any]:
    """Return the keys of an object, in its order, or the positions of an array."""
    count = len(children(value, steps))
    return list(value) if type(value) is dict else list(range(count))


def add(value: Any, steps: Steps) -> Any:
    """Add up what is in an array or an object.

    What is alike is joined at once: one by one, each would be copied again for each that follows.
    """
    present = [item for item in children(value, steps) if item is not None]
    match {type(item) for item in present}:
        case kinds if kinds == {str}:
            steps.take(sum(map(len, present)) >> 4)
            return "".join(present)
        case kinds if kinds == {list}:
            steps.take(sum(map(len, present)))
            return [inner for item in present for inner in item]
        case kinds if kinds == {dict}:
            steps.take(sum(map(len, present)))
            return {key: inner for item in present for key, inner in item.items()}
        case _:
            return reduce(lambda one, other: plus(one, other, steps), present, None)


def any_true(value: Any, steps: Steps) -> bool:
    """Say whether one of the elements is true."""
    return any(is_true(item) for item in children(value, steps))


def all_true(value: Any, steps: Steps) -> bool:
    """Say whether all elements are true."""
    return all(is_true(item) for item in children(value, steps))


def reverse(value: Any, steps: Steps) -> list[Any]:
    """Return an array from its end to its beginning."""
    return array_for("reverse", value, steps)[::-1]


def flatten(value: Any, depth: Any, steps: Steps) -> list[Any]:
    """Put the elements of inner arrays in their place, so many levels deep."""
    if type(depth) not in NUMBERS or depth < 0:
        raise InputRefused(f"flatten: {shown(depth)} is no depth, which is a number from 0")
    weigh(value, steps)
    return _flat(array_for("flatten", value, steps), depth)


def _flat(value: list[Any], depth: float) -> list[Any]:
    found: list[Any] = []
    for item in value:
        if type(item) is list and depth > 0:
            found += _flat(item, depth - 1)
        else:
            found.append(item)
    return found


def to_entries(value: Any, steps: Steps) -> list[Any]:
    """Return the members of an object as objects with a key and a value."""
    if type(value) is not dict:
        raise InputRefused(f"to_entries: {shown(value)} is no object")
    steps.take(2 * len(value))
    return [{"key": key, "value": inner} for key, inner in value.items()]


def from_entries(value: Any, steps: Steps) -> dict[str, Any]:
    """Return the object that has these entries as its members."""
    found: dict[str, Any] = {}
    for entry in array_for("from_entries", value, steps):
        if type(entry) is not dict:
            raise InputRefused(f"from_entries: {shown(entry)} is no object with a key and a value")
        key = next((entry[name] for name in _KEY_NAMES if entry.get(name) is not None), None)
        inner = next((entry[name] for name in _VALUE_NAMES if name in entry), None)
        found[text_of(key, steps)] = inner
    return found


def to_number(value: Any, steps: Steps) -> Any:
    """Return a number as it is, and the number that a text writes down."""
    if type(value) in NUMBERS:
        return value
    text = text_for("tonumber", value, steps)
    steps.take(len(text))
    if not _NUMBER.match(text):
        raise InputRefused(f"tonumber: {shown(text)} is no number")
    return parse_json(text)


def number_for(name: str, value: Any) -> Any:
    """Return the number that a function works on."""
    if type(value) not in NUMBERS:
        raise InputRefused(f"{name}: {shown(value)} is no number")
    return value


def rounded(name: str, to_whole: Callable[[Any], int]) -> Callable[[Any, Steps], int]:
    """Return a function that makes a number whole."""
    return lambda value, _steps: to_whole(number_for(name, value))


def half_up(value: float) -> int:
    """Return the nearest integer, of two as near the one further from zero."""
    whole = math.floor(abs(value))
    nearest = whole + (abs(value) - whole >= 0.5)
    return nearest if value >= 0 else -nearest


def to_json(value: Any, steps: Steps) -> str:
    """Return a value as JSON."""
    weigh(value, steps)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def from_json(value: Any, steps: Steps) -> Any:
    """Return the value that a text of JSON writes down."""
    text = text_for("fromjson", value, steps)
    steps.take(len(text))
    return parse_json(text)


def numbers_up_to(start: Any, end: Any, steps: Steps) -> list[Any]:
    """Return the numbers from one on, up to and without another."""
    first, last = number_for("range", start), number_for("range", end)
    count = max(0, math.ceil(minus(last, first, steps)))
    steps.take(count)
    return [first + number for number in range(count)]


def has(value: Any, key: Any, _steps: Steps) -> bool:
    """Say whether an object has a member or an array a position."""
    if type(value) is dict and type(key) is str:
        return key in value
    if type(value) is list and type(key) in NUMBERS:
        return bool(0 <= key < len(value))
    raise InputRefused(f"has: {shown(value)} cannot have {shown(key)}")


def join(value: Any, separator: Any, steps: Steps) -> str:
    """Return the elements of an array as one text; null is empty text."""
    items = array_for("join", value, steps)
    between = text_for("join", separator, steps)
    steps.take(len(items) * (len(between) >> 4))
    for item in items:
        if type(item) in CONTAINERS:
            raise InputRefused(f"join: {shown(item)} is no text, number or boolean")
    return between.join("" if item is None else text_of(item, steps) for item in items)


def split(value: Any, separator: Any, steps: Steps) -> list[str]:
    """Return the pieces of a text between the separators; without one, its characters."""
    text = text_for("split", value, steps)
    between = text_for("split", separator, steps)
    return pieces(text, between, steps)


def without_start(value: Any, start: Any, _steps: Steps) -> Any:
    """Return a text without the beginning, if it has it; anything else as it is."""
    is_text = type(value) is str and type(start) is str
    return value.removeprefix(start) if is_text else value


def without_end(value: Any, end: Any, _steps: Steps) -> Any:
    """Return a text without the end, if it has it; anything else as it is."""
    is_text = type(value) is str and type(end) is str
    return value.removesuffix(end) if is_text else value


def starts_with(value: Any, start: Any, steps: Steps) -> bool:
    """Say whether a text begins with another."""
    return text_for("startswith", value, steps).startswith(text_for("startswith", start, steps))


def ends_with(value: Any, end: Any, steps: Steps) -> bool:
    """Say whether a text ends with another."""
    return text_for("endswith", value, steps).endswith(text_for("endswith", end, steps))


def ascii_downcase(value: Any, steps: Steps) -> str:
    """Return a text with its letters from A to Z in lower case."""
    return text_for("ascii_downcase", value, steps).translate(_TO_LOWER)


def ascii_upcase(value: Any, steps: Steps) -> str:
    """Return a text with its letters from a to z in upper case."""
    return text_for("ascii_upcase", value, steps).translate(_TO_UPPER)
