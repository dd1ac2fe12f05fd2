"""The five functions of JSONPath filters (RFC 9535, 2.4), and regular expressions (RFC 9485)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tether.batteries.languages.json.json_values import COMPARING
from tether.batteries.languages.json.jsonpath_filters import NOTHING, Operand
from tether.batteries.languages.json.jsonpath_selectors import Condition
from tether.batteries.languages.json.query_patterns import QueryPatterns, is_found
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.patterns import LONGEST_PATTERN, SafePattern

if TYPE_CHECKING:
    from tether.batteries.languages.json.jsonpath_selectors import Evaluation, Query
    from tether.batteries.languages.steps import Steps

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
    """Return how many characters, elements or members there are; nothing for other values."""
    cost, read, _ = of

    def count(value: Any, evaluation: Evaluation) -> Any:
        found = read(value, evaluation)
        return len(found) if type(found) in _SIZED else NOTHING

    return Operand(cost + 1, count)


def count(of: Query) -> Operand:
    """Return how many values a path leads to."""
    return Operand(1, lambda value, evaluation: len(of.select(value, evaluation)))


def only_value(of: Query) -> Operand:
    """Return what a path leads to, if that is exactly one value."""

    def read(value: Any, evaluation: Evaluation) -> Any:
        found = of.select(value, evaluation)
        return found[0] if len(found) == 1 else NOTHING

    return Operand(1, read)


def regular_expression(text: Operand, pattern: Operand, steps: Steps, *, whole: bool) -> Condition:
    """Return the condition that a pattern matches a text, the whole of it or some part.

    What is no text does not match, and nothing matches a pattern in the data that is not valid: so
    the RFC. One that stands in the path is made ready here, and takes `steps`: raises
    `InputRefused`, saying what is wrong with it, because whoever wrote it can write another.
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
