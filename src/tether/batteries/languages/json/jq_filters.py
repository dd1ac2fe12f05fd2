"""How the parts of a jq filter are joined.

A filter takes a value and returns all its outputs. Lists do, where jq has streams, because every
output takes a step and so there cannot be many.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from tether.batteries.languages.json import jq_values
from tether.batteries.languages.json.json_values import CONTAINERS, equal
from tether.batteries.languages.steps import Steps
from tether.core.errors import InputRefused, LimitExceeded

Filter = Callable[[Any, Steps], list[Any]]
Operation = Callable[[Any, Any, Steps], Any]


def identity(value: Any, steps: Steps) -> list[Any]:
    """Return the value itself."""
    steps.take(1)
    return [value]


def constant(literal: Any) -> Filter:
    """Return a filter whose output is always the same."""

    def run(_value: Any, steps: Steps) -> list[Any]:
        steps.take(1)
        return [literal]

    return run


def pipe(first: Filter, second: Filter) -> Filter:
    """Feed every output of one filter to the next."""

    def run(value: Any, steps: Steps) -> list[Any]:
        found: list[Any] = []
        for middle in first(value, steps):
            found += second(middle, steps)
        return found

    return run


def comma(first: Filter, second: Filter) -> Filter:
    """Return the outputs of one filter, then those of another."""
    return lambda value, steps: first(value, steps) + second(value, steps)


def _from_each(outers: list[Any], step: Filter, steps: Steps, *, optional: bool) -> list[Any]:
    """Take a step of a path from each value; an optional one leads nowhere where it fails."""
    taken = attempt(step) if optional else step
    return [found for outer in outers for found in taken(outer, steps)]


def iterate(of: Filter, *, optional: bool = False) -> Filter:
    """Return the elements of arrays and the values of objects."""
    return lambda value, steps: _from_each(
        of(value, steps), jq_values.children, steps, optional=optional
    )


def recurse(value: Any, steps: Steps) -> list[Any]:
    """Return the value and everything in it, parents before children."""
    found: list[Any] = []
    waiting = [value]
    while waiting:
        outer = waiting.pop()
        found.append(outer)
        steps.take(1)
        if type(outer) in CONTAINERS:
            waiting.extend(reversed(jq_values.children(outer, steps)))
    return found


def index(of: Filter, key: Filter, *, optional: bool = False) -> Filter:
    """Return what is under a key or a position; the key is worked out on the input."""

    def run(value: Any, steps: Steps) -> list[Any]:
        outers = of(value, steps)
        found: list[Any] = []
        for wanted in key(value, steps):
            found += _from_each(outers, _item(wanted), steps, optional=optional)
        return found

    return run


def _item(wanted: Any) -> Filter:
    return lambda outer, steps: [jq_values.item(outer, wanted, steps)]


def part(of: Filter, start: Filter, end: Filter, *, optional: bool = False) -> Filter:
    """Return a range of an array or of a text."""

    def run(value: Any, steps: Steps) -> list[Any]:
        ranges = product(start(value, steps), end(value, steps))
        outers = of(value, steps)
        found: list[Any] = []
        for first, last in ranges:
            found += _from_each(outers, _part(first, last), steps, optional=optional)
        return found

    return run


def _part(first: Any, last: Any) -> Filter:
    return lambda outer, steps: [jq_values.part(outer, first, last, steps)]


def attempt(risky: Filter) -> Filter:
    """Return the outputs of a filter, and none where it fails; running out of steps is fatal."""

    def run(value: Any, steps: Steps) -> list[Any]:
        try:
            return risky(value, steps)
        except LimitExceeded:
            raise
        except InputRefused:
            return []

    return run


def alternative(first: Filter, second: Filter) -> Filter:
    """Return the outputs of one filter that are true; where there is none, those of another."""
    safe = attempt(first)

    def run(value: Any, steps: Steps) -> list[Any]:
        return [found for found in safe(value, steps) if jq_values.is_true(found)] or second(
            value, steps
        )

    return run


def both(left: Filter, right: Filter) -> Filter:
    """Say whether both are true; the right one is not asked where the left one is false."""

    def run(value: Any, steps: Steps) -> list[Any]:
        found: list[Any] = []
        for one in left(value, steps):
            others = right(value, steps) if jq_values.is_true(one) else [False]
            found += [jq_values.is_true(other) for other in others]
        return found

    return run


def either(left: Filter, right: Filter) -> Filter:
    """Say whether one is true; the right one is not asked where the left one is."""

    def run(value: Any, steps: Steps) -> list[Any]:
        found: list[Any] = []
        for one in left(value, steps):
            others = [True] if jq_values.is_true(one) else right(value, steps)
            found += [jq_values.is_true(other) for other in others]
        return found

    return run


def operation(left: Filter, calculate: Operation, right: Filter) -> Filter:
    """Work something out of each pair of outputs."""

    def run(value: Any, steps: Steps) -> list[Any]:
        others = right(value, steps)
        ones = left(value, steps)
        steps.take(len(ones) * len(others))
        return [calculate(one, other, steps) for other in others for one in ones]

    return run


def collect(inner: Filter) -> Filter:
    """Return all outputs in one array."""
    return lambda value, steps: [inner(value, steps)]


def construct(entries: list[tuple[Filter, Filter]]) -> Filter:
    """Return an object for each choice of keys and values."""

    def run(value: Any, steps: Steps) -> list[Any]:
        found: list[dict[str, Any]] = [{}]
        for key, inner in entries:
            pairs = list(product(_names(key(value, steps)), inner(value, steps)))
            steps.take(len(found) * len(pairs) * len(entries) + 1)
            found = [{**known, name: content} for known in found for name, content in pairs]
        return found

    return run


def _names(keys: list[Any]) -> list[str]:
    for key in keys:
        if type(key) is not str:
            raise InputRefused(f"{jq_values.shown(key)} cannot be a key: keys are text")
    return keys


def _ordered(compare: Callable[[Any, Any], bool]) -> Operation:
    def holds(one: Any, other: Any, steps: Steps) -> bool:
        return compare(jq_values.order_key(one, steps), jq_values.order_key(other, steps))

    return holds


OPERATIONS: dict[str, Operation] = {
    "==": equal,
    "!=": lambda one, other, steps: not equal(one, other, steps),
    "<": _ordered(lambda one, other: one < other),
    "<=": _ordered(lambda one, other: one <= other),
    ">": _ordered(lambda one, other: one > other),
    ">=": _ordered(lambda one, other: one >= other),
    "+": jq_values.plus,
    "-": jq_values.minus,
    "*": jq_values.times,
    "/": jq_values.divided,
    "%": jq_values.remainder,
}
