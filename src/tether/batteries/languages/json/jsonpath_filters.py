"""What JSONPath filters are made of: conditions, and the operands in them (RFC 9535, 2.3.5).

Each part is a function over the value that is tested, and the steps it costs at least. A filter
takes those for all its values at once; what depends on the data is taken where it turns out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.languages.json.json_values import COMPARING, NUMBERS, equal
from tether.batteries.languages.json.jsonpath_selectors import Condition

if TYPE_CHECKING:
    from tether.batteries.languages.json.jsonpath_selectors import Evaluation, Query
    from tether.batteries.languages.steps import Steps

Compare = Callable[[Any, Any, "Steps"], bool]


NOTHING: Any = object()
"""What a path is worth that leads nowhere: not null, and equal only to itself."""


class Operand(NamedTuple):
    """Something with a value or `NOTHING`, with the steps that it takes at least."""

    cost: int
    read: Callable[[Any, Evaluation], Any]
    literal: Any = NOTHING


def constant(literal: Any) -> Operand:
    """Return an operand that is always the same."""
    return Operand(0, lambda _value, _evaluation: literal, literal)


def singular_path(way: tuple[str | int, ...], *, is_from_root: bool) -> Operand:
    """Return an operand for a path of names and positions, which leads to one value at most."""
    keys: list[tuple[type[Any], Any]] = [(dict if type(key) is str else list, key) for key in way]

    def read(value: Any, evaluation: Evaluation) -> Any:
        found = evaluation.root if is_from_root else value
        for kind, key in keys:
            if type(found) is not kind:
                return NOTHING
            try:
                found = found[key]
            except (KeyError, IndexError):
                return NOTHING
        return found

    return Operand(len(way), read)


def leads_somewhere(query: Query) -> Condition:
    """Return the condition that a path finds something, be it null or false."""
    way = query.singular()
    if way is None:
        return Condition(COMPARING, lambda value, evaluation: bool(query.select(value, evaluation)))
    cost, read, _ = singular_path(way, is_from_root=query.is_from_root)
    return Condition(
        cost + COMPARING, lambda value, evaluation: read(value, evaluation) is not NOTHING
    )


def negation(condition: Condition) -> Condition:
    """Return the opposite of a condition."""
    cost, holds = condition
    return Condition(cost, lambda value, evaluation: not holds(value, evaluation))


def conjunction(conditions: list[Condition]) -> Condition:
    """Return the condition that all hold; those after the first that does not are not asked."""
    every = tuple(condition.holds for condition in conditions)
    return Condition(
        sum(condition.cost for condition in conditions),
        lambda value, evaluation: all(holds(value, evaluation) for holds in every),
    )


def disjunction(conditions: list[Condition]) -> Condition:
    """Return the condition that one holds; those after it are not asked."""
    every = tuple(condition.holds for condition in conditions)
    return Condition(
        sum(condition.cost for condition in conditions),
        lambda value, evaluation: any(holds(value, evaluation) for holds in every),
    )


def comparison(left: Operand, operator: str, right: Operand) -> Condition:
    """Return the condition that two operands compare so; `operator` is a key of `COMPARISONS`."""
    compare = COMPARISONS[operator]
    read_left, read_right = left.read, right.read

    def holds(value: Any, evaluation: Evaluation) -> bool:
        one = read_left(value, evaluation)
        return compare(one, read_right(value, evaluation), evaluation.steps)

    return Condition(left.cost + right.cost + COMPARING, holds)


def _is_less(one: Any, other: Any, steps: Steps) -> bool:
    """Numbers are ordered, and so is text, by its characters; nothing else is."""
    if type(one) is str and type(other) is str:
        steps.take(min(len(one), len(other)) >> 6)
        return one < other
    return type(one) in NUMBERS and type(other) in NUMBERS and bool(one < other)


COMPARISONS: dict[str, Compare] = {
    "==": equal,
    "!=": lambda one, other, steps: not equal(one, other, steps),
    "<=": lambda one, other, steps: _is_less(one, other, steps) or equal(one, other, steps),
    ">=": lambda one, other, steps: _is_less(other, one, steps) or equal(one, other, steps),
    "<": _is_less,
    ">": lambda one, other, steps: _is_less(other, one, steps),
}
