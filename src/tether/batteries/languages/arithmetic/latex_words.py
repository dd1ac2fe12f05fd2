"""The tokens of a LaTeX formula: numbers, letters, commands and signs, without the spacing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.core.checks import in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(
    r"(?P<space>[ \t\r\n~\u00a0\u202f]+|\\[,;:!> ]|\\(?:q?quad|(?:thin|med|thick)space"
    r"|(?:display|text)style|(?:no)?limits|[bB]igg?[lr]?)(?![A-Za-z]))"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<letter>[A-Za-z])"
    r"|(?P<command>\\(?:[A-Za-z]+|[%{}]))"
    r"|(?P<sign>[-+*/^_!(){}\[\]|,=\u00d7\u00b7\u00f7\u2212π°])"
)
_SAME = {
    r"\times": "*",
    r"\cdot": "*",
    r"\ast": "*",
    "\u00d7": "*",
    "\u00b7": "*",
    r"\div": "/",
    "\u00f7": "/",
    "\u2212": "-",
    "π": r"\pi",
    r"\bmod": "%",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\dbinom": r"\binom",
    r"\tbinom": r"\binom",
    r"\vert": "|",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\mathrm": r"\operatorname",
}
_SIDED_BARS = {r"\left": r"\lvert", r"\right": r"\rvert"}
_DELIMITERS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))


FUNCTION_COMMANDS = frozenset(
    rf"\{name}"
    for name in (
        *("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh"),
        *("arcsin", "arccos", "arctan", "exp", "ln", "lg", "log", "max", "min", "gcd"),
    )
)
INVERSES = {
    "sin": "asin",
    "cos": "acos",
    "tan": "atan",
    "sinh": "asinh",
    "cosh": "acosh",
    "tanh": "atanh",
}
BRACKETS = {"(": ")", "[": "]", r"\{": r"\}"}
FENCES = {
    r"\lvert": (r"\rvert", "abs"),
    r"\lfloor": (r"\rfloor", "floor"),
    r"\lceil": (r"\rceil", "ceil"),
    "|": ("|", "abs"),
}
SERIES: dict[str, Literal["sum", "product"]] = {r"\sum": "sum", r"\prod": "product"}
POSTFIX = ("!", r"\%", "°")
FUNCTION_STARTS = FUNCTION_COMMANDS | SERIES.keys() | {r"\operatorname"}
FACTOR_STARTS = FUNCTION_STARTS | FENCES.keys() | {r"\frac", r"\sqrt", r"\binom", r"\pi", "{"}

_PLAIN_NAMES = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arsinh": "asinh",
    "arcsinh": "asinh",
    "arcosh": "acosh",
    "arccosh": "acosh",
    "artanh": "atanh",
    "arctanh": "atanh",
    "lg": "log10",
    "sgn": "sign",
}
_HINTS = {
    ",": "a comma only separates the arguments of a function: write numbers as 1.5 and 1500",
    "=": "give one formula, without an equals sign",
}


class Word(NamedTuple):
    """A token of a formula and its position."""

    kind: str
    text: str
    position: int


class WordReader:
    """The tokens of a formula, read one by one; the last one is empty.

    Raises `InputRefused` for a character that cannot be part of a formula.
    """

    __slots__ = ("_words", "next", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = _words(text)
        self.next = next(self._words)

    def take(self) -> Word:
        """Return the next word and go on."""
        word = self.next
        if word.kind != "end":
            self.next = next(self._words)
        return word

    def sees(self, *texts: str) -> bool:
        """Say whether the next word is one of these."""
        return self.next.text in texts

    def skips(self, text: str) -> bool:
        """Go past the next word if it is this one, and say so."""
        seen = self.next.text == text
        if seen:
            self.take()
        return seen

    def take_digit(self) -> str:
        r"""Return one digit of a number and leave the others, as LaTeX does: \frac12 is a half."""
        kind, text, position = self.next
        if len(text) == 1:
            return self.take().text
        self.next = Word(kind, text[1:], position + 1)
        return text[0]

    def expect(self, text: str) -> None:
        """Go past a certain word; raise `InputRefused` if another is next."""
        if not self.skips(text):
            raise self.unexpected(self.next, wanted=text)

    def unexpected(self, word: Word, wanted: str = "") -> InputRefused:
        """Return the error for a token in the wrong place."""
        if word.kind == "end":
            lacking = f": it lacks {wanted}" if wanted else ""
            return InputRefused(f"the formula ends too early{lacking}")
        return self.refusal(_HINTS.get(word.text, f"{word.text} cannot be evaluated here"), word)

    def refusal(self, message: str, word: Word | None = None) -> InputRefused:
        """Return an error that shows its place: the next token, unless another is given."""
        position = (word or self.next).position
        before, after = self.text[:position][-30:], self.text[position:][:30]
        where = f"after {in_short(before)}, before {in_short(after)}".replace("\\\\", "\\")
        return InputRefused(f"{message}: {where}")


def without_delimiters(text: str) -> str:
    """Return a formula without the dollar signs or brackets that set it apart from prose."""
    text = text.strip()
    for opening, closing in _DELIMITERS:
        inner = text.removeprefix(opening).removesuffix(closing)
        if len(inner) == len(text) - len(opening) - len(closing):
            return inner
    return text


def plain_name(name: str) -> str:
    """Return the calculator's name for a function of LaTeX."""
    return _PLAIN_NAMES.get(name, name)


def _words(text: str) -> Iterator[Word]:
    position, side = 0, ""
    while position < len(text):
        match = _WORD.match(text, position)
        if match is None:
            raise InputRefused(_stray(text[position]))
        kind, found = match.lastgroup or "", _SAME.get(match.group(), match.group())
        if found in _SIDED_BARS:
            side = found
        elif kind != "space":
            yield Word(kind, _SIDED_BARS[side] if side and found == "|" else found, position)
            side = ""
        position = match.end()
    yield Word("end", "", position)


def _stray(character: str) -> str:
    if character == "%":
        return r"% begins a comment in LaTeX: write \% for per cent, and \bmod for a remainder"
    return f"{in_short(character)} is not part of a formula that has a value"
