"""JSON values as `json` reads them: their depth, size and equality, and the steps a query takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTAINERS = frozenset({dict, list})
NUMBERS = frozenset({int, float})

DEEPEST = 200
"""The deepest nesting that is read; later code that walks or writes the value can go as deep."""

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


def weigh(value: Any, steps: Steps) -> None:
    """Take the steps that it costs to write a value.

    The same part may occur in a value many times over, as in the results of a query that names it
    twice, and each time it is written. Raises `LimitExceeded`, also for too deep nesting.
    """
    if type(value) not in CONTAINERS:
        steps.take(_weight([value]))
    for level in levels(value, DEEPEST + 1):
        for container in level:
            steps.take(_weight(container))


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

    Takes steps for each value that it compares.
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


DEEPEST_ARGUMENT = 100
MOST_VALUES = 100_000


def refuse_oversized(value: Any, name: str) -> None:
    """Raise `LimitExceeded` where a value has too many levels or parts; `name` says whose it is."""
    try:
        count = sum(len(part) for level in levels(value, DEEPEST_ARGUMENT) for part in level)
    except LimitExceeded as error:
        raise LimitExceeded(f"{name} is too deep: {error.message}") from None
    if count > MOST_VALUES:
        raise LimitExceeded(f"{name} has more than {MOST_VALUES:,} values: give it in parts")


STEPS = 2_000_000
"""The limit for a query over the arguments of one tool call: at most about a second."""


class Steps:
    """Counts down the work of one call, and ends it with `LimitExceeded`.

    A step is about the work of looking at one value once. The same query over the same data always
    takes the same steps, however busy the machine is, so that a refusal can be reproduced. Where
    the steps do not bound a query, `refusal` is the message to use instead.
    """

    __slots__ = ("_refusal", "allowed", "left")

    def __init__(self, allowed: int = STEPS, refusal: str | None = None) -> None:
        self.allowed = allowed
        self.left = allowed
        self._refusal = refusal

    def allow(self, count: int) -> None:
        """Allow more steps, for work in proportion to the data."""
        self.allowed += count
        self.left += count

    def take(self, count: int) -> None:
        """Spend steps; raise `LimitExceeded` where there are too few."""
        self.left -= count
        if self.left < 0:
            raise LimitExceeded(
                self._refusal
                or f"the query takes more than {self.allowed:,} steps on this data. Ask for less: "
                "name the fields on the way instead of using .. or *, take a slice, and put no "
                "filter inside a filter"
            )
