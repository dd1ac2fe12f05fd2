"""JSONPath (RFC 9535) for queries that come from a model: no query can run for long.

The parser works by recursive descent, with one method for each rule of the RFC that matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tether.batteries.languages.json.jsonpath_filters import (
    NOTHING,
    Operand,
    comparison,
    conjunction,
    constant,
    count,
    disjunction,
    leads_somewhere,
    length,
    negation,
    only_value,
    regular_expression,
    singular_path,
)
from tether.batteries.languages.json.jsonpath_selectors import (
    Condition,
    Evaluation,
    Filter,
    Index,
    Name,
    Query,
    Segment,
    Slice,
    Wildcard,
)
from tether.batteries.languages.json.scanner import PathScanner
from tether.batteries.languages.json.values import Steps
from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from tether.batteries.languages.json.jsonpath_selectors import Selector

LONGEST_PATH = 1_024


class JsonPath:
    """A path, read once and run on any number of values.

    The syntax is the RFC's, without extensions. `match` and `search` run on RE2, and take its whole
    syntax. Raises `InputRefused` with the place and the expected text, and `LimitExceeded` for a
    path that is too long or nested too deeply.
    """

    __slots__ = ("_direct", "_query", "_text")

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_PATH:
            raise LimitExceeded(
                f"the path has {len(text):,} characters; at most {LONGEST_PATH:,} are allowed"
            )
        self._text = text
        self._query = PathParser(text).query()
        way = self._query.singular()
        self._direct = None if way is None else singular_path(way, is_from_root=True)

    def __repr__(self) -> str:
        return f"JsonPath({self._text!r})"

    def find(self, value: Any, steps: Steps | None = None) -> list[Any]:
        """Return the values that the path selects, in the order of the document.

        They are parts of `value`, not copies. Each value that is visited takes a step; long texts
        and large comparisons take more. Raises `LimitExceeded` when the steps are used up.
        """
        evaluation = Evaluation(value, steps or Steps())
        if self._direct is None:
            return self._query.select(value, evaluation)
        evaluation.steps.take(self._direct.cost)
        found = self._direct.read(value, evaluation)
        return [] if found is NOTHING else [found]


DEEPEST = 16
"""The deepest nesting of brackets, parentheses and functions."""

_OPERATOR = re.compile("[ \t\n\r]*(==|!=|<=|>=|<|>)[ \t\n\r]*")
_FOREIGN = re.compile(r"[ \t\n\r]*(=~|=|-|(?:and|or|in|not)\b)", re.IGNORECASE)
_INSTEAD = {
    "=~": "instead of =~ write search(@.name, 'pattern')",
    "=": "equality is written ==",
    "-": "a name with a hyphen is written ['foo-bar']",
    "and": "and is written &&",
    "or": "or is written ||",
    "in": "instead of in write @ == 'a' || @ == 'b'",
    "not": "not is written !",
}
_FUNCTIONS = {"length": 1, "count": 1, "value": 1, "match": 2, "search": 2}

Term = Operand | Query | Condition
"""A term of a filter: a value, a path, or a function that is true or false."""


class PathParser:
    """Turns a path into a query. Raises `InputRefused` with the place and the expected text."""

    __slots__ = ("_depth", "_scanner", "_steps")

    def __init__(self, text: str) -> None:
        self._scanner = PathScanner(text)
        self._depth = 0
        self._steps = Steps(refusal="the patterns of the path take too long to compile: use fewer")

    def query(self) -> Query:
        """Read the whole text."""
        self._scanner.need("$", " at the beginning")
        query = Query(self._segments(), is_from_root=True)
        if not self._scanner.at_end:
            raise self._scanner.refusal(f"expected '.', '[' or the end{self._hint()}")
        return query

    def _segments(self) -> tuple[Segment, ...]:
        scanner = self._scanner
        found: list[Segment] = []
        while True:
            if scanner.take_next("["):
                found.append(Segment(self._bracketed(), is_descendant=False))
            elif scanner.take_next(".."):
                inner = self._bracketed() if scanner.take("[") else (self._shorthand(),)
                found.append(Segment(inner, is_descendant=True))
            elif scanner.take_next("."):
                found.append(Segment((self._shorthand(),), is_descendant=False))
            else:
                return tuple(found)

    def _shorthand(self) -> Selector:
        if self._scanner.take("*"):
            return Wildcard()
        name = self._scanner.name()
        if name is None:
            raise self._scanner.refusal("expected a name or '*' after the dot")
        return Name(name)

    def _bracketed(self) -> tuple[Selector, ...]:
        """Read the selectors after an opening bracket, and the closing one."""
        scanner = self._scanner
        self._enter()
        found: list[Selector] = []
        while not found or scanner.take_next(","):
            scanner.skip_blanks()
            found.append(self._selector())
        scanner.skip_blanks()
        scanner.need("]", f" or ','{self._hint()}")
        self._depth -= 1
        return tuple(found)

    def _hint(self) -> str:
        """Return the JSONPath spelling where the next text belongs to another language."""
        found = _FOREIGN.match(self._scanner.text, self._scanner.position)
        return f" ({_INSTEAD[found[1].lower()]})" if found else ""

    def _selector(self) -> Selector:
        scanner = self._scanner
        if scanner.take("*"):
            return Wildcard()
        if scanner.take("?"):
            scanner.skip_blanks()
            return Filter(self._disjunction())
        name = scanner.string()
        if name is not None:
            return Name(name)
        return self._index_or_slice()

    def _index_or_slice(self) -> Selector:
        scanner = self._scanner
        start = scanner.integer()
        if scanner.take_next(":"):
            scanner.skip_blanks()
            end = scanner.integer()
            step = None
            if scanner.take_next(":"):
                scanner.skip_blanks()
                step = scanner.integer()
            return Slice(start, end, step)
        if start is None:
            raise scanner.refusal(
                "expected a quoted name, a whole number, a slice such as 0:5, '*', or a filter"
            )
        return Index(start)

    def _disjunction(self) -> Condition:
        found = [self._conjunction()]
        while self._scanner.take_next("||"):
            self._scanner.skip_blanks()
            found.append(self._conjunction())
        return disjunction(found) if len(found) > 1 else found[0]

    def _conjunction(self) -> Condition:
        found = [self._basic()]
        while self._scanner.take_next("&&"):
            self._scanner.skip_blanks()
            found.append(self._basic())
        return conjunction(found) if len(found) > 1 else found[0]

    def _basic(self) -> Condition:
        """Read a parenthesis, a comparison, or something that is true or false by itself."""
        scanner = self._scanner
        if scanner.take("!"):
            scanner.skip_blanks()
            inner = self._parenthesis() if scanner.take("(") else self._test(*self._term())
            return negation(inner)
        if scanner.take("("):
            return self._parenthesis()
        start, left = self._term()
        operator = scanner.match(_OPERATOR)
        if operator is None:
            return self._test(start, left)
        return comparison(self._operand(start, left), operator[1], self._operand(*self._term()))

    def _parenthesis(self) -> Condition:
        self._enter()
        self._scanner.skip_blanks()
        inner = self._disjunction()
        self._scanner.skip_blanks()
        self._scanner.need(")", f", '&&' or '||'{self._hint()}")
        self._depth -= 1
        return inner

    def _term(self) -> tuple[int, Term]:
        """Read a literal, a path or a function; return where it began, for errors about it."""
        scanner = self._scanner
        start = scanner.position
        if scanner.take("@"):
            return start, Query(self._segments(), is_from_root=False)
        if scanner.take("$"):
            return start, Query(self._segments(), is_from_root=True)
        name = scanner.function()
        if name is not None:
            return start, self._function(start, name)
        literal = scanner.literal()
        if literal is None:
            raise scanner.refusal("expected '@', '$', a function, or a literal", start)
        return start, constant(*literal)

    def _test(self, start: int, term: Term) -> Condition:
        if isinstance(term, Query):
            return leads_somewhere(term)
        if isinstance(term, Condition):
            return term
        raise self._scanner.refusal("expected a comparison: this is neither true nor false", start)

    def _operand(self, start: int, term: Term) -> Operand:
        if isinstance(term, Operand):
            return term
        if isinstance(term, Condition):
            raise self._scanner.refusal("expected a value: this is already true or false", start)
        way = term.singular()
        if way is None:
            raise self._scanner.refusal(
                "expected a path to one value, without '*', '..', slices and filters", start
            )
        return singular_path(way, is_from_root=term.is_from_root)

    def _function(self, start: int, name: str) -> Operand | Condition:
        """Read the arguments of a function, and the closing parenthesis."""
        if name not in _FUNCTIONS:
            known = ", ".join(_FUNCTIONS)
            raise self._scanner.refusal(f"expected one of the functions {known}", start)
        self._enter()
        arguments = self._arguments()
        self._depth -= 1
        if len(arguments) != _FUNCTIONS[name]:
            wanted = "one argument" if _FUNCTIONS[name] == 1 else "two arguments"
            raise self._scanner.refusal(f"expected {wanted} for {name}()", start)
        match name:
            case "length":
                return length(self._operand(*arguments[0]))
            case "count":
                return count(self._path(*arguments[0]))
            case "value":
                return only_value(self._path(*arguments[0]))
            case _:
                text, pattern = (self._operand(*argument) for argument in arguments)
                return regular_expression(text, pattern, self._steps, whole=name == "match")

    def _arguments(self) -> list[tuple[int, Term]]:
        scanner = self._scanner
        found: list[tuple[int, Term]] = []
        scanner.skip_blanks()
        while not scanner.take(")"):
            if found:
                scanner.need(",", " or ')'")
                scanner.skip_blanks()
            found.append(self._term())
            scanner.skip_blanks()
        return found

    def _path(self, start: int, term: Term) -> Query:
        if not isinstance(term, Query):
            raise self._scanner.refusal("expected a path", start)
        return term

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise LimitExceeded(
                f"the path has more than {DEEPEST} brackets or parentheses inside one another"
            )
