"""Conditions, operands and functions of JSONPath filters (RFC 9535, 2.3.5 and 2.4).

Each part is a function of the value under test, with the least number of steps it costs. A filter
takes those for all its values at once; further steps that depend on the data are taken later.
Regular expressions (RFC 9485) run on RE2, are compiled once, and cost steps too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.languages.json.jsonpath_selectors import Condition
from tether.batteries.languages.json.values import COMPARING, NUMBERS, equal
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.patterns import LONGEST_PATTERN, SafePattern

if TYPE_CHECKING:
    from tether.batteries.languages.json.jsonpath_selectors import Evaluation, Query
    from tether.batteries.languages.json.values import Steps

Compare = Callable[[Any, Any, "Steps"], bool]


NOTHING: Any = object()
"""The value of a path without a match: not null, and equal only to itself."""


class Operand(NamedTuple):
    """A value or `NOTHING`, with the least number of steps that reading it takes."""

    cost: int
    read: Callable[[Any, Evaluation], Any]
    literal: Any = NOTHING


def constant(literal: Any) -> Operand:
    """Return an operand with a fixed value."""
    return Operand(0, lambda _value, _evaluation: literal, literal)


def singular_path(way: tuple[str | int, ...], *, is_from_root: bool) -> Operand:
    """Return an operand for a path of names and positions, which has one match at most."""
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
    """Return the condition that a path has a match, even null or false."""
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
    """Return the condition that all hold; the first that does not ends the test."""
    every = tuple(condition.holds for condition in conditions)
    return Condition(
        sum(condition.cost for condition in conditions),
        lambda value, evaluation: all(holds(value, evaluation) for holds in every),
    )


def disjunction(conditions: list[Condition]) -> Condition:
    """Return the condition that one holds; the first that does ends the test."""
    every = tuple(condition.holds for condition in conditions)
    return Condition(
        sum(condition.cost for condition in conditions),
        lambda value, evaluation: any(holds(value, evaluation) for holds in every),
    )


def comparison(left: Operand, operator: str, right: Operand) -> Condition:
    """Return the condition that a comparison holds; `operator` is a key of `COMPARISONS`."""
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


_SIZED = frozenset({str, list, dict})
_DOT = re.compile(
    r"\\Q.*?(?:\\E|\Z)"  # quoted text
    r"|\\."
    r"|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"  # a class, which may hold classes by name
    r"|(?P<flag>\(\?[imU]*s)"
    r"|(?P<dot>\.)",
    re.DOTALL,
)


def length(of: Operand) -> Operand:
    """Return the number of characters, elements or members; `NOTHING` for other values."""
    cost, read, _ = of

    def count(value: Any, evaluation: Evaluation) -> Any:
        found = read(value, evaluation)
        return len(found) if type(found) in _SIZED else NOTHING

    return Operand(cost + 1, count)


def count(of: Query) -> Operand:
    """Return the number of matches of a path."""
    return Operand(1, lambda value, evaluation: len(of.select(value, evaluation)))


def only_value(of: Query) -> Operand:
    """Return the match of a path that has exactly one."""

    def read(value: Any, evaluation: Evaluation) -> Any:
        found = of.select(value, evaluation)
        return found[0] if len(found) == 1 else NOTHING

    return Operand(1, read)


def regular_expression(text: Operand, pattern: Operand, steps: Steps, *, whole: bool) -> Condition:
    """Return the condition that a pattern matches a text, the whole of it or some part.

    As the RFC says, only text matches, and an invalid pattern in the data matches nothing. A
    pattern that is written in the path is compiled here and takes `steps`; if it is invalid, this
    raises `InputRefused` with the reason, because the author of the path can correct it.
    """
    patterns = QueryPatterns()
    if type(pattern.literal) is str:
        ready = patterns.ready(pattern.literal, steps)
        if isinstance(ready, str):
            raise InputRefused(ready)

    def holds(value: Any, evaluation: Evaluation) -> bool:
        subject = text.read(value, evaluation)
        source = pattern.read(value, evaluation)
        if type(subject) is not str or type(source) is not str:
            return False
        if "\r" in subject:
            source = _with_dots_of_i_regexp(source)
        ready = patterns.ready(source, evaluation.steps)
        return isinstance(ready, SafePattern) and is_found(
            ready, subject, evaluation.steps, whole=whole
        )

    return Condition(text.cost + pattern.cost + COMPARING, holds)


def _with_dots_of_i_regexp(source: str) -> str:
    """A dot of I-Regexp matches neither end of a line; one of RE2 would match "\\r".

    With the flag s, which is RE2's own, a dot matches everything.
    """
    if len(source) > LONGEST_PATTERN or any(found["flag"] for found in _DOT.finditer(source)):
        return source
    exact = _DOT.sub(lambda found: "[^\n\r]" if found["dot"] else found[0], source)
    if len(exact) > LONGEST_PATTERN:
        raise LimitExceeded(
            f"the pattern {in_short(source)} has too many dots for a text with carriage returns"
        )
    return exact


COMPILING = 50_000
COMPILING_CHARACTER = 200
COMPILING_REPEAT = 2_000
"""Steps for compiling a pattern, which takes RE2 up to half a second with many repetitions."""

SEARCHING = 16
"""Steps for running a pattern, besides one for each character of the text."""

MOST_REPEATS = 1_000
_REPEAT = re.compile(r"([0-9]{1,4})\}")

MOST_PATTERNS = 16
"""The most patterns kept: each may take megabytes, and the data may have one for each value."""


class QueryPatterns:
    """The patterns of one place in a query."""

    __slots__ = ("_ready",)

    def __init__(self) -> None:
        self._ready: dict[str, SafePattern | str] = {}

    def ready(self, source: str, steps: Steps) -> SafePattern | str:
        """Return the compiled pattern, or the reason why it is invalid.

        Raises `LimitExceeded` for a pattern that is too long, and where there are too few steps.
        """
        if source not in self._ready:
            steps.take(_cost(source))
            if len(self._ready) >= MOST_PATTERNS:
                self._ready.clear()
            self._ready[source] = _compiled(source)
        return self._ready[source]


def is_found(pattern: SafePattern, text: str, steps: Steps, *, whole: bool = False) -> bool:
    """Say whether a pattern is found in a text, or matches the whole of it."""
    steps.take(SEARCHING + len(text))
    return pattern.matches_all_of(text) if whole else pattern.search(text) is not None


def _cost(source: str) -> int:
    """RE2 writes a repeated part out as many times, and repeats nothing more than 1,000 times."""
    repeats = 1
    for count in _REPEAT.findall(source):
        repeats = min(MOST_REPEATS, repeats * max(1, int(count)))
    return COMPILING + COMPILING_CHARACTER * len(source) + COMPILING_REPEAT * repeats


def _compiled(source: str) -> SafePattern | str:
    try:
        return SafePattern(source)
    except LimitExceeded:
        raise
    except InputRefused as refusal:
        return refusal.message
