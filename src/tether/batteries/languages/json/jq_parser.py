"""Reads the subset of jq's language that is documented in `jq.py`, into filters."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from tether.batteries.languages.json import jq_filters
from tether.batteries.languages.json.jq_builtins import (
    WITH_ARGUMENT,
    WITH_TWO_ARGUMENTS,
    WITHOUT_ARGUMENT,
)
from tether.batteries.languages.json.json_text import parse_json
from tether.batteries.languages.text_scanner import TextScanner
from tether.core.cleaning import clean_text
from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tether.batteries.languages.json.jq_filters import Filter

T = TypeVar("T")

MOST_OPERATORS = 64
DEEPEST = 32
"""How many brackets and calls may be inside one another."""

HELP = (
    "A query is a JSONPath beginning with $, or a jq filter of this subset: paths such as "
    ".a[0]?, the operators | , // and or == != < <= > >= + - * / %, [...], {...}, and functions"
)

_BLANKS = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.])")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_OPERATOR = re.compile(r"//(?!=)|[=!<>]=|[<>]|[-+*/%](?!=)|\|(?!=)|,|(?:and|or)(?![A-Za-z0-9_])")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}

_PRECEDENCE = {
    "|": 0,
    ",": 1,
    "//": 2,
    "or": 3,
    "and": 4,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 5),  # of which one term has no two
    **dict.fromkeys(("+", "-"), 6),
    **dict.fromkeys(("*", "/", "%"), 7),
}
_TIGHTER_THAN_COMMA = 2
_COMPARING = 5
_JOINED: dict[str, Callable[[Filter, Filter], Filter]] = {
    "|": jq_filters.pipe,
    ",": jq_filters.comma,
    "//": jq_filters.alternative,
    "or": jq_filters.either,
    "and": jq_filters.both,
}


class JqParser:
    """Makes a filter of a text. Raises `InputRefused`, naming the place and what was expected."""

    __slots__ = ("_depth", "_operators", "_scanner")

    def __init__(self, text: str) -> None:
        self._scanner = TextScanner(text, "the query", HELP)
        self._depth = 0
        self._operators = 0

    def filter(self) -> Filter:
        """Read the whole text."""
        found = self._expression()
        if not self._scanner.at_end:
            raise self._scanner.refusal("expected an operator or the end")
        return found

    def _expression(self, loosest: int = 0) -> Filter:
        """Read terms joined by operators that bind at least as tightly as `loosest`."""
        found = self._with_suffixes()
        before = None
        while (operator := self._operator(loosest)) is not None:
            precedence = _PRECEDENCE[operator]
            if before == precedence == _COMPARING:
                raise self._scanner.refusal(
                    "expected parentheses around one of two comparisons",
                    self._scanner.position - len(operator),
                )
            before = precedence
            is_from_right = operator == "//"
            right = self._expression(precedence + (not is_from_right))
            if operator in _JOINED:
                found = _JOINED[operator](found, right)
            else:
                found = jq_filters.operation(found, jq_filters.OPERATIONS[operator], right)
        return found

    def _operator(self, loosest: int) -> str | None:
        """Read an operator, and blanks around it, unless it binds less tightly."""
        self._skip()
        start = self._scanner.position
        found = self._scanner.match(_OPERATOR)
        if found is None or _PRECEDENCE[found[0]] < loosest:
            self._scanner.position = start
            return None
        self._count_operator()
        return found[0]

    def _count_operator(self) -> None:
        """Running a query goes as deep as its operators, and so does reading some of them."""
        self._operators += 1
        if self._operators > MOST_OPERATORS:
            raise LimitExceeded(f"the query has more than {MOST_OPERATORS} operators")

    def _with_suffixes(self) -> Filter:
        """Read a term and what follows it: fields, brackets, question marks."""
        scanner = self._scanner
        self._skip()
        found = self._term()
        while True:
            self._skip()
            if scanner.take("?"):
                found = jq_filters.attempt(found)
            elif scanner.take("["):
                found = self._bracket(found)
            elif scanner.take("."):
                found = self._bracket(found) if scanner.take("[") else self._field(found)
            else:
                return found

    def _term(self) -> Filter:
        scanner = self._scanner
        for opener, read in (
            (".", self._path),
            ("(", self._parenthesis),
            ("[", self._collected),
            ("{", self._object),
        ):
            if scanner.take(opener):
                return read()
        return self._literal() or self._named()

    def _literal(self) -> Filter | None:
        """Read a number or a text; a minus before anything else subtracts it from zero."""
        if found := self._scanner.match(_NUMBER):
            return jq_filters.constant(parse_json(found[0]))
        if self._scanner.take("-"):
            self._count_operator()
            zero = jq_filters.constant(0)
            return jq_filters.operation(zero, jq_filters.OPERATIONS["-"], self._with_suffixes())
        text = self._string()
        return None if text is None else jq_filters.constant(text)

    def _parenthesis(self) -> Filter:
        return self._enclosed(")")

    def _path(self) -> Filter:
        """Read what follows the dot at the beginning of a path."""
        scanner = self._scanner
        if scanner.take("."):
            return jq_filters.recurse
        if scanner.sees('"') or _NAME.match(scanner.text, scanner.position):
            return self._field(jq_filters.identity)
        return jq_filters.identity

    def _field(self, of: Filter) -> Filter:
        name = self._string()
        if name is None:
            found = self._scanner.match(_NAME)
            if found is None:
                raise self._scanner.refusal("expected a name after the dot")
            name = found[0]
        return jq_filters.index(of, jq_filters.constant(name), optional=self._is_optional())

    def _is_optional(self) -> bool:
        """Read the question mark behind one step of a path."""
        self._skip()
        return self._scanner.take("?")

    def _bracket(self, of: Filter) -> Filter:
        """Read what follows an opening bracket behind a term."""
        scanner = self._scanner
        self._skip()
        if scanner.take("]"):
            return jq_filters.iterate(of, optional=self._is_optional())
        nothing = jq_filters.constant(None)
        if scanner.take(":"):
            end = self._enclosed("]")
            return jq_filters.part(of, nothing, end, optional=self._is_optional())
        key = self._enclosed("]", ":")
        if scanner.text[scanner.position - 1] == "]":
            return jq_filters.index(of, key, optional=self._is_optional())
        self._skip()
        end = nothing if scanner.take("]") else self._enclosed("]")
        return jq_filters.part(of, key, end, optional=self._is_optional())

    def _enclosed(self, *closers: str) -> Filter:
        """Read an expression and one of the closers behind it."""
        self._enter()
        found = self._expression()
        if not any(self._scanner.take(closer) for closer in closers):
            expected = " or ".join(repr(closer) for closer in closers)
            raise self._scanner.refusal(f"expected {expected} or an operator")
        self._depth -= 1
        return found

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise LimitExceeded(f"the query has more than {DEEPEST} brackets inside one another")

    def _collected(self) -> Filter:
        self._skip()
        inner = WITHOUT_ARGUMENT["empty"] if self._scanner.take("]") else self._enclosed("]")
        return jq_filters.collect(inner)

    def _object(self) -> Filter:
        """Read what follows an opening brace."""
        self._enter()
        entries: list[tuple[Filter, Filter]] = []
        self._skip()
        while not self._scanner.take("}"):
            if entries:
                self._scanner.need(",", " or '}'")
                self._skip()
            entries.append(self._entry())
            self._skip()
        self._depth -= 1
        return jq_filters.construct(entries)

    def _entry(self) -> tuple[Filter, Filter]:
        """Read a key and its value; a name alone stands for the field of that name."""
        scanner = self._scanner
        if scanner.take("("):
            key, name = self._enclosed(")"), None
        else:
            found = scanner.match(_NAME)
            name = found[0] if found else self._string()
            if name is None:
                raise scanner.refusal("expected a key or '}'")
            key = jq_filters.constant(name)
        self._skip()
        if name is not None and not scanner.sees(":"):
            return key, jq_filters.index(jq_filters.identity, key)
        scanner.need(":")
        value = self._expression(_TIGHTER_THAN_COMMA)
        while scanner.take("|"):
            value = jq_filters.pipe(value, self._expression(_TIGHTER_THAN_COMMA))
        return key, value

    def _named(self) -> Filter:
        """Read a function, or a literal that is a word."""
        scanner = self._scanner
        start = scanner.position
        found = scanner.match(_NAME)
        if found is None:
            raise scanner.refusal("expected a path, a literal, a function, '(', '[' or '{'")
        name = found[0]
        if name in _WORDS:
            return jq_filters.constant(_WORDS[name])
        if not scanner.take("("):
            return self._known(name, WITHOUT_ARGUMENT, start, "without arguments")
        with_any = WITH_ARGUMENT | WITH_TWO_ARGUMENTS
        self._known(name, with_any, start, "before '('")
        first = self._enclosed(")", ";")
        if scanner.text[scanner.position - 1] == ")":
            return self._known(name, WITH_ARGUMENT, start, "with one argument")(first)
        build = self._known(name, WITH_TWO_ARGUMENTS, start, "with two arguments")
        return build(first, self._enclosed(")"))

    def _known(self, name: str, known: Mapping[str, T], start: int, where: str) -> T:
        if name not in known:
            names = ", ".join(known)
            raise self._scanner.refusal(f"expected one of the functions {names} {where}", start)
        return known[name]

    def _string(self) -> str | None:
        start = self._scanner.position
        found = self._scanner.match(_STRING)
        if found is None:
            return None
        try:
            return clean_text(json.loads(found[0], strict=False))
        except json.JSONDecodeError:
            raise self._scanner.refusal("expected only escapes that JSON has", start) from None

    def _skip(self) -> None:
        self._scanner.match(_BLANKS)
