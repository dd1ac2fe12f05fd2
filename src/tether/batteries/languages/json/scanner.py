"""Readers of text with a position, and errors that say what was expected there."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from tether.core.checks import in_short
from tether.core.errors import InputRefused

SHOWN = 12
"""The number of characters that an error shows."""


class TextScanner:
    """Reads a text from left to right. Errors name the text by `what`, and end with `help`.

    Patterns are matched at the position only and nothing is read twice, so that the time is in
    proportion to the length of the text.
    """

    __slots__ = ("_help", "_what", "position", "text")

    def __init__(self, text: str, what: str, help: str = "") -> None:
        self.text = text
        self.position = 0
        self._what = what
        self._help = help

    @property
    def at_end(self) -> bool:
        """Say whether everything was read."""
        return self.position >= len(self.text)

    def sees(self, literal: str) -> bool:
        """Say whether `literal` comes next."""
        return self.text.startswith(literal, self.position)

    def take(self, literal: str) -> bool:
        """Read `literal` if it comes next, and say so."""
        if not self.text.startswith(literal, self.position):
            return False
        self.position += len(literal)
        return True

    def need(self, literal: str, why: str = "") -> None:
        """Read `literal`; raise `InputRefused` if something else comes next."""
        if not self.take(literal):
            raise self.refusal(f"expected {literal!r}{why}")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read the text that `pattern` matches here, if it does."""
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
        return found

    def refusal(self, problem: str, at: int | None = None) -> InputRefused:
        """Return the error for a problem at this place, or at another one."""
        place = self.position if at is None else at
        shown = self.text[place : place + SHOWN]
        seen = in_short(shown) if shown else "the end"
        message = f"{self._what} is wrong at character {place + 1}: {problem}, and found {seen}"
        return InputRefused(f"{message}. {self._help}" if self._help else message)


HELP = "Paths follow RFC 9535, for instance $.store.book[?@.price < 10].title"

LARGEST = 2**53 - 1
"""The largest integer that every reader of JSON understands (RFC 7493)."""

_BLANKS = re.compile(r"[ \t\n\r]*")
_FIRST = "A-Z_a-z\x80-\ud7ff\ue000-\U0010ffff"
_NAME = re.compile(f"[{_FIRST}][0-9{_FIRST}]*")
_FUNCTION = re.compile(r"([a-z][a-z_0-9]*)\(")
_INTEGER = re.compile(r"(?:0|-?[1-9][0-9]*)(?![0-9])")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_WORD = re.compile(rf"(true|false|null)(?![0-9{_FIRST}])")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_STRING = re.compile(
    r'"(?P<double>(?:[^"\\\x00-\x1f]|\\.)*)"' + r"|'(?P<single>(?:[^'\\\x00-\x1f]|\\.)*)'"
)
_QUOTE = re.compile(r"""\\.|\"""")
_AS_DOUBLE_QUOTED = {"\\'": "'", '"': '\\"', '\\"': "\\'"}
"""How the quotes of a single-quoted string are written in JSON; the last is an error in both."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class PathScanner(TextScanner):
    """Reads a path token by token."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text, "the path", HELP)

    def skip_blanks(self) -> None:
        """Pass over blanks."""
        self.match(_BLANKS)

    def take_next(self, literal: str) -> bool:
        """Read `literal`, and blanks before it, if it comes next; else stay."""
        start = self.position
        self.skip_blanks()
        if self.take(literal):
            return True
        self.position = start
        return False

    def name(self) -> str | None:
        """Read a name as it stands after a dot."""
        found = self.match(_NAME)
        return found[0] if found else None

    def function(self) -> str | None:
        """Read the name of a function and its opening parenthesis."""
        found = self.match(_FUNCTION)
        return found[1] if found else None

    def integer(self) -> int | None:
        """Read an integer as it stands between brackets."""
        start = self.position
        found = self.match(_INTEGER)
        if found is None:
            return None
        number = int(found[0])
        if abs(number) > LARGEST:
            raise self.refusal(f"expected a whole number between ±{LARGEST}", start)
        return number

    def literal(self) -> tuple[Any] | None:
        """Read a string, a number, true, false or null; the value is the tuple's only item."""
        if found := self.match(_WORD):
            return (_WORDS[found[1]],)
        if found := self.match(_NUMBER):
            return (self._number(found),)
        text = self.string()
        return None if text is None else (text,)

    def string(self) -> str | None:
        """Read a string in single or double quotes."""
        start = self.position
        found = self.match(_STRING)
        if found is None:
            return None
        body = found["double"]
        if body is None:
            body = _QUOTE.sub(lambda part: _AS_DOUBLE_QUOTED.get(part[0], part[0]), found["single"])
        try:
            text = str(json.loads(f'"{body}"'))
        except json.JSONDecodeError:
            raise self.refusal("expected only escapes that JSON has", start) from None
        if _SURROGATE.search(text):
            raise self.refusal("expected no half of a surrogate pair", start)
        return text

    def _number(self, found: re.Match[str]) -> int | float:
        rounded = float(found[0])
        if math.isinf(rounded):
            raise self.refusal("expected a number in the range of a double", found.start())
        return rounded if found["fraction"] else int(found[0])
