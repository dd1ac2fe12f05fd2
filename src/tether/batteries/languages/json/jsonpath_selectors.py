"""JSONPath selectors and segments (RFC 9535, sections 2.3 and 2.5), each over many values at once.

A selector takes a list of values and returns the selected children of all of them, in order.
Working on lists keeps the loops inside comprehensions, and steps are taken once per list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tether.batteries.languages.json.values import CONTAINERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tether.batteries.languages.json.values import Steps


class Evaluation:
    """The root of the document and the steps left, shared by all parts of a running query."""

    __slots__ = ("root", "steps")

    def __init__(self, root: Any, steps: Steps) -> None:
        self.root = root
        self.steps = steps


class Selector(Protocol):
    """One entry between the brackets of a segment."""

    def select(self, values: list[Any], evaluation: Evaluation) -> list[Any]:
        """Return the selected children of each value, in order; raise `LimitExceeded`."""
        ...


class Condition(NamedTuple):
    """A filter's test, with the least number of steps that it takes."""

    cost: int
    holds: Callable[[Any, Evaluation], bool]


@dataclass(frozen=True, slots=True)
class Name:
    """The member of an object by its name."""

    name: str

    def select(self, values: list[Any], evaluation: Evaluation) -> list[Any]:
        """Return the members of that name."""
        evaluation.steps.take(len(values))
        name = self.name
        return [value[name] for value in values if type(value) is dict and name in value]


@dataclass(frozen=True, slots=True)
class Index:
    """The element of an array by its position; a negative one counts from the end."""

    index: int

    def select(self, values: list[Any], evaluation: Evaluation) -> list[Any]:
        """Return the elements at that position."""
        evaluation.steps.take(len(values))
        index = self.index
        least = index + 1 if index >= 0 else -index
        return [value[index] for value in values if type(value) is list and len(value) >= least]


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Every element of an array, every member of an object."""

    def select(self, values: list[Any], evaluation: Evaluation) -> list[Any]:
        """Return all children."""
        steps = evaluation.steps
        steps.take(len(values))
        found: list[Any] = []
        for value in values:
            if type(value) in CONTAINERS:
                steps.take(len(value))
                found.extend(value.values() if type(value) is dict else value)
        return found


@dataclass(frozen=True, slots=True)
class Slice:
    """A range of an array, as Python slices it; a step of zero selects nothing."""

    start: int | None
    end: int | None
    step: int | None

    def select(self, values: list[Any], evaluation: Evaluation) -> list[Any]:
        """Return the elements of the range."""
        evaluation.steps.take(len(values))
        found: list[Any] = []
        if self.step != 0:
            where = slice(self.start, self.end, self.step)
            for value in values:
                if type(value) is list:
                    part = value[where]
                    evaluation.steps.take(len(part))
                    found += part
        return found


@dataclass(frozen=True, slots=True)
class Filter:
    """The children that pass a test."""

    condition: Condition

    def select(self, values: list[Any], evaluation: Evaluation) -> list[Any]:
        """Return the children that pass; takes the steps for all before it tests the first."""
        cost, holds = self.condition
        evaluation.steps.take(len(values))
        found: list[Any] = []
        for value in values:
            if type(value) in CONTAINERS:
                evaluation.steps.take(len(value) * cost)
                inner = value.values() if type(value) is dict else value
                found += [child for child in inner if holds(child, evaluation)]
        return found


@dataclass(frozen=True, slots=True)
class Segment:
    """One step of a path: its selectors apply to the values, or to all their descendants too."""

    selectors: tuple[Selector, ...]
    is_descendant: bool

    def select(self, values: list[Any], evaluation: Evaluation) -> list[Any]:
        """Return the matches, value by value, and for each value selector by selector."""
        if self.is_descendant:
            values = _with_all_below(values, evaluation.steps)
        if len(self.selectors) == 1:
            return self.selectors[0].select(values, evaluation)
        found: list[Any] = []
        for value in values:
            for selector in self.selectors:
                found += selector.select([value], evaluation)
        return found


@dataclass(frozen=True, slots=True)
class Query:
    """A path from the root of the document (`$`) or from the value that a filter looks at (`@`)."""

    segments: tuple[Segment, ...]
    is_from_root: bool

    def select(self, value: Any, evaluation: Evaluation) -> list[Any]:
        """Return the values that the path selects."""
        found = [evaluation.root if self.is_from_root else value]
        for segment in self.segments:
            found = segment.select(found, evaluation)
        return found

    def singular(self) -> tuple[str | int, ...] | None:
        """Return the names and positions of the path; None if it may select several values."""
        way: list[str | int] = []
        for segment in self.segments:
            match segment:
                case Segment((Name(name),), False):
                    way.append(name)
                case Segment((Index(index),), False):
                    way.append(index)
                case _:
                    return None
        return tuple(way)


def _with_all_below(values: list[Any], steps: Steps) -> list[Any]:
    """Return the arrays and objects in each value, itself included, parents before children.

    Anything else has no children to select.
    """
    found: list[Any] = []
    spent = len(values)
    for value in values:
        waiting = [value] if type(value) in CONTAINERS else []
        while waiting:
            container = waiting.pop()
            found.append(container)
            spent += len(container) + 1
            if spent > steps.left:
                break
            inner = container.values() if type(container) is dict else container
            for child in reversed(inner):
                if type(child) in CONTAINERS:
                    waiting.append(child)  # noqa: PERF401  # a generator takes twice the time
    steps.take(spent)
    return found
