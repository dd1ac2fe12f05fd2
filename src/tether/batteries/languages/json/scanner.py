"""A reader of text with a position, and errors that say what was expected there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.checks import in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    import re

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
