"""JSON values, as `json` reads them: how deep they are, how large, and when two are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.batteries.languages.steps import Steps

CONTAINERS = frozenset({dict, list})
NUMBERS = frozenset({int, float})

DEEPEST = 200
"""How many levels of nesting are read; whatever walks or writes the value later can go as deep."""

COMPARING = 4
"""Steps for comparing two values, which takes longer than looking at one."""

_SMALL = 1 << 64
_TYPE_NAMES: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def type_name(value: Any) -> str:
    """Return JSON's name for the type of a value."""
    return _TYPE_NAMES[type(value)]


def levels(value: Any, deepest: int = DEEPEST) -> Iterator[list[Any]]:
    """Yield the arrays and objects of a value, one level of nesting after the other.

    Raises `LimitExceeded` where there are more than `deepest` levels.
    """
    level: list[Any] = [value] if type(value) in CONTAINERS else []
    for _ in range(deepest):
        if not level:
            return
        yield level
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in CONTAINERS
        ]
    if level:
        raise LimitExceeded(
            f"the JSON value is nested more than {deepest} levels deep; give an inner part of it"
        )


def refuse_deep(value: Any) -> None:
    """Raise `LimitExceeded` for a value that is nested too deeply."""
    for _ in levels(value):
        pass


def weigh(value: Any, steps: Steps, times: int = 1) -> None:
    """Take the steps that it costs to write a value down, or some `times` as many.

    The same part may occur in a value many times over, as in the results of a query that names it
    twice, and each time it is written. Raises `LimitExceeded`, also for too deep nesting.
    """
    if type(value) not in CONTAINERS:
        steps.take(times * _weight([value]))
    for level in levels(value, DEEPEST + 1):
        for container in level:
            steps.take(times * _weight(container))


def _weight(container: Any) -> int:
    characters = 0
    inner = container
    if type(container) is dict:
        characters = sum(map(len, container))
        inner = container.values()
    for value in inner:
        if type(value) is str:
            characters += len(value)
        elif type(value) is int and not -_SMALL < value < _SMALL:
            characters += value.bit_length()
    return COMPARING + len(container) + (characters >> 4)


def equal(one: Any, other: Any, steps: Steps) -> bool:
    """Say whether two values are equal: numbers by their value, and nothing else is a number.

    Takes steps for what it has to look at.
    """
    if type(one) not in CONTAINERS:
        return _equal_leaves(one, other, steps)
    pairs = [(one, other)]
    while pairs:
        one, other = pairs.pop()
        if type(one) not in CONTAINERS:
            if not _equal_leaves(one, other, steps):
                return False
        elif type(one) is not type(other) or len(one) != len(other):
            return False
        elif type(one) is list:
            steps.take(COMPARING * len(one) + 1)
            pairs.extend(zip(one, other, strict=True))
        else:
            steps.take(COMPARING * len(one) + 1 + (sum(map(len, one)) >> 6))
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
    return True


def _equal_leaves(one: Any, other: Any, steps: Steps) -> bool:
    kind = type(one)
    if kind is str:
        if type(other) is not str or len(one) != len(other):
            return False
        steps.take(len(one) >> 6)
        return bool(one == other)
    if kind in NUMBERS:
        return type(other) in NUMBERS and bool(one == other)
    return one is other
