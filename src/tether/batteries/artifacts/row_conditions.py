"""What a cell can be asked: whether it equals, precedes, contains or matches a value."""

from __future__ import annotations

import operator as operators
from typing import TYPE_CHECKING, Any, Literal

from tether.batteries.languages.records.delimited import as_number
from tether.core.checks import in_short
from tether.runtime.patterns import SafePattern

if TYPE_CHECKING:
    from collections.abc import Callable

    Condition = Callable[[str], bool]

Operator = Literal[
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "contains",
    "starts_with",
    "ends_with",
    "matches",
    "is_empty",
    "not_empty",
]

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operators.eq,
    "ne": operators.ne,
    "lt": operators.lt,
    "le": operators.le,
    "gt": operators.gt,
    "ge": operators.ge,
}


def condition(operator: Operator, given: str | float) -> Condition:
    """Return the condition as a function of a cell; raise `InputRefused` for a bad pattern.

    Two numbers are compared as numbers, exactly; anything else as text. A cell that is no number is
    neither less nor greater than a number. True and false are compared with a cell in any case.
    """
    if isinstance(given, bool):
        holds = condition(operator, str(given).lower())
        return lambda cell: holds(cell.strip().lower())
    value = given if isinstance(given, str) else in_short(given)
    if operator in _COMPARISONS:
        return _comparison(operator, value)
    if operator == "matches":
        pattern = SafePattern(value)
        return lambda cell: pattern.search(cell) is not None
    tests: dict[str, Condition] = {
        "contains": lambda cell: value in cell,
        "starts_with": lambda cell: cell.startswith(value),
        "ends_with": lambda cell: cell.endswith(value),
        "is_empty": lambda cell: not cell.strip(),
        "not_empty": lambda cell: bool(cell.strip()),
    }
    return tests[operator]


def _comparison(operator: str, value: str) -> Condition:
    compare = _COMPARISONS[operator]
    number = as_number(value)
    if number is None:
        return lambda cell: compare(cell, value)

    def holds(cell: str) -> bool:
        other = as_number(cell)
        if other is not None:
            return compare(other, number)
        return operator == "ne"

    return holds
