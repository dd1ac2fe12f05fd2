"""Spool readers: texts in memory, or wherever bytes can be read by position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.artifact import LONGEST_LINE
from tether.core.cleaning import clean_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class TextSpool:
    """A spool reader over text in memory."""

    __slots__ = ("_lines", "_text")

    def __init__(self, text: str) -> None:
        self._text = clean_text(text)
        self._lines = self._text.split("\n") if self._text else []

    async def byte_length(self) -> int:
        """Return the size in UTF-8 bytes."""
        return len(self._text.encode())

    async def line_count(self) -> int:
        """Return the number of lines."""
        return len(self._lines)

    async def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        """Yield the lines of a range."""
        for line in self._lines[start:end]:
            yield line

    async def text(self) -> str:
        """Return the text."""
        return self._text
