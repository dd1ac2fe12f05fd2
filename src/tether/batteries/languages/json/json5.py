"""JSON5: the JSON that people write by hand, with comments, bare keys and trailing commas."""

from __future__ import annotations

import math
import re
from typing import Any
from unicodedata import category

from tether.batteries.languages.json.scanner import TextScanner
from tether.batteries.languages.json.text import MOST_DIGITS
from tether.batteries.languages.json.values import DEEPEST
from tether.core.checks import in_short
from tether.core.errors import LimitExceeded

LONGEST_JSON5 = 1_000_000
"""The most characters that are read: JSON5 is written by hand and short, and reading it is slow."""

_WIDE_SPACE = "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_BLANKS = re.compile(rf"(?:[\t-\r {_WIDE_SPACE}]+|//[^\n\r\u2028\u2029]*|/\*(?s:.*?)\*/)*")
_PLAIN = {"'": re.compile(r"[^'\\\n\r]+"), '"': re.compile(r'[^"\\\n\r]+')}
_ESCAPED = re.compile(
    r"u(?P<unicode>[0-9a-fA-F]{4})"
    r"|x(?P<byte>[0-9a-fA-F]{2})"
    r"|(?P<continued>\r\n|[\n\r\u2028\u2029])"
    r"|(?P<zero>0)(?![0-9])"
    r"|(?P<other>[^ux0-9])"
)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEY = re.compile(rf"(?:[\w$]|[^\x00-\x7f{_WIDE_SPACE}]|\\u[0-9a-fA-F]{{4}})+")
_KEY_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_KEY_STARTS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"})
_KEY_PARTS = _KEY_STARTS | {"Mn", "Mc", "Nd", "Pc"}
_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:"
    r"0[xX](?P<hexadecimal>[0-9a-fA-F]+)"
    r"|(?P<whole>0|[1-9][0-9]*)(?![.eE])"
    r"|(?P<decimal>(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r")(?![\w$.\\])"
)
_WORD = re.compile(r"[+-]?[A-Za-z]+")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


def parse_json5(text: str, *, longest: int = LONGEST_JSON5) -> Any:
    """Return the value of a JSON5 text, as plain data.

    Keys that occur twice, Infinity and NaN are refused, as in strict JSON; JSON5 allows them, but
    no later stage could write them. Raises `InputRefused`, and `LimitExceeded` for more
    than `longest` characters or too deep nesting.
    """
    if len(text) > longest:
        raise LimitExceeded(
            f"the JSON5 text has {len(text):,} characters; at most {longest:,} are read. Give "
            "strict JSON, or a part of it"
        )
    try:
        return _Reader(text).document()
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> LimitExceeded:
    return LimitExceeded(
        f"the JSON5 text is nested more than {DEEPEST} levels deep; give an inner part of it"
    )


class _Reader:
    """Reads one document by recursive descent, two frames for each level of nesting."""

    __slots__ = ("_depth", "_scanner")

    def __init__(self, text: str) -> None:
        self._scanner = TextScanner(text, "the JSON5 text")
        self._depth = 0

    def document(self) -> Any:
        """Return the one value of the text."""
        self._skip()
        value = self._value()
        self._skip()
        if not self._scanner.at_end:
            raise self._scanner.refusal("expected nothing more")
        return value

    def _skip(self) -> None:
        self._scanner.match(_BLANKS)

    def _value(self) -> Any:
        scanner = self._scanner
        if scanner.take("{"):
            return self._object()
        if scanner.take("["):
            return self._array()
        for quote in _PLAIN:
            if scanner.take(quote):
                return self._string(quote)
        if found := scanner.match(_NUMBER):
            return self._number(found)
        return self._word()

    def _object(self) -> dict[str, Any]:
        self._enter()
        scanner = self._scanner
        found: dict[str, Any] = {}
        self._skip()
        while not scanner.take("}"):
            key = self._key()
            if key in found:
                raise scanner.refusal(f"the key {in_short(key)} occurs twice in one object")
            self._skip()
            scanner.need(":")
            self._skip()
            found[key] = self._value()
            self._separate("}")
        self._depth -= 1
        return found

    def _array(self) -> list[Any]:
        self._enter()
        found: list[Any] = []
        self._skip()
        while not self._scanner.take("]"):
            found.append(self._value())
            self._separate("]")
        self._depth -= 1
        return found

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _too_deep()

    def _separate(self, closer: str) -> None:
        """Read the comma after a member; before the closer there may be one or none."""
        scanner = self._scanner
        self._skip()
        if scanner.take(","):
            self._skip()
        elif not scanner.sees(closer):
            raise scanner.refusal(f"expected ',' or {closer!r}")

    def _key(self) -> str:
        scanner = self._scanner
        for quote in _PLAIN:
            if scanner.take(quote):
                return self._string(quote)
        start = scanner.position
        found = scanner.match(_KEY)
        name = _KEY_ESCAPE.sub(lambda code: chr(int(code[1], 16)), found[0]) if found else ""
        if not _is_identifier(name):
            raise scanner.refusal("expected a key, or '}'", start)
        return name

    def _string(self, quote: str) -> str:
        scanner = self._scanner
        pieces: list[str] = []
        while not scanner.take(quote):
            if plain := scanner.match(_PLAIN[quote]):
                pieces.append(plain[0])
            elif scanner.take("\\"):
                pieces.append(self._escaped())
            else:
                raise scanner.refusal(f"expected {quote} at the end of a string")
        return _without_surrogates("".join(pieces))

    def _escaped(self) -> str:
        found = self._scanner.match(_ESCAPED)
        if found is None:
            raise self._scanner.refusal("expected an escape such as \\n, \\x41 or \\u0041")
        code = found["unicode"] or found["byte"]
        if code:
            return chr(int(code, 16))
        if found["other"]:
            return _LETTERS.get(found["other"], found["other"])
        return "\0" if found["zero"] else ""

    def _number(self, found: re.Match[str]) -> int | float:
        digits = found["hexadecimal"] or found["whole"] or found["decimal"]
        if len(digits) > MOST_DIGITS:
            problem = f"expected a number of at most {MOST_DIGITS:,} digits"
            raise self._scanner.refusal(problem, found.start())
        sign = -1 if found["sign"] == "-" else 1
        if not found["decimal"]:
            return sign * int(digits, 16 if found["hexadecimal"] else 10)
        number = sign * float(digits)
        if math.isinf(number):
            raise self._scanner.refusal("expected a number in the range of a double", found.start())
        return number

    def _word(self) -> Any:
        start = self._scanner.position
        found = self._scanner.match(_WORD)
        word = found[0] if found else ""
        if word in _WORDS:
            return _WORDS[word]
        if word.lstrip("+-") in {"Infinity", "NaN"}:
            raise self._scanner.refusal("expected a number that JSON can hold, or null", start)
        raise self._scanner.refusal("expected a value", start)


def _is_identifier(name: str) -> bool:
    """Say whether a text is an identifier name of ECMAScript 5.1, reserved or not."""
    return (
        bool(name)
        and (name[0] in "$_" or category(name[0]) in _KEY_STARTS)
        and all(part in "$\u200c\u200d" or category(part) in _KEY_PARTS for part in name)
    )


def _without_surrogates(text: str) -> str:
    """Join the halves of surrogate pairs; a lone half becomes U+FFFD, as it does in all text."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
