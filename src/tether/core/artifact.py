"""Large results as handles: the text stays with its reader, and is read by the piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tether.core.checks import has_methods
from tether.core.cleaning import clean_text
from tether.core.errors import NotASpoolReader
from tether.core.tokens import TokenCount, count_tokens

if TYPE_CHECKING:
    import re
    from collections.abc import AsyncIterator


@runtime_checkable
class SpoolReader(Protocol):
    """Text that can be read by line without loading all of it.

    Lines are split on "\\n" only: an empty text has none, and a trailing newline adds an empty one.
    """

    async def byte_length(self) -> int:
        """Return the size in UTF-8 bytes."""
        ...

    async def line_count(self) -> int:
        """Return the number of lines."""
        ...

    def lines(self, start: int, end: int) -> AsyncIterator[str]:
        """Return the lines from `start` up to, not including, `end`; both lie inside the text."""
        ...

    async def text(self) -> str:
        """Return everything, byte for byte as it was written."""
        ...


class SpooledArtifact:
    """A text too large to hand around, with readers that fetch only what is asked for.

    `as_string` and `estimate_tokens` are the only two that read the whole. Raises
    `NotASpoolReader`.
    """

    __slots__ = ("_reader",)

    def __init__(self, reader: SpoolReader) -> None:
        if not has_methods(reader, "byte_length", "line_count", "lines", "text"):
            raise NotASpoolReader(f"an artifact needs a SpoolReader, which {reader!r} is not")
        self._reader = reader

    async def byte_length(self) -> int:
        """Return the size in UTF-8 bytes."""
        return await self._reader.byte_length()

    async def line_count(self) -> int:
        """Return the number of lines."""
        return await self._reader.line_count()

    async def head(self, n: int = 10) -> list[str]:
        """Return the first `n` lines, or as many as there are."""
        return await self.cat(0, n)

    async def tail(self, n: int = 10) -> list[str]:
        """Return the last `n` lines, or as many as there are."""
        count = await self.line_count()
        return await self.cat(max(0, count - n), count)

    async def cat(self, start: int = 0, end: int | None = None) -> list[str]:
        """Return the lines from `start` up to, not including, `end`; both are clamped."""
        count = await self.line_count()
        first = min(max(0, start), count)
        last = count if end is None else max(first, min(end, count))
        return [line async for line in self._reader.lines(first, last)]

    async def grep(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the lines in which `pattern` is found, in order."""
        count = await self.line_count()
        return [line async for line in self._reader.lines(0, count) if pattern.search(line)]

    async def as_string(self) -> str:
        """Read everything."""
        return await self._reader.text()

    async def estimate_tokens(self, encoding: str) -> TokenCount:
        """Read everything and count its tokens."""
        return count_tokens(await self.as_string(), encoding)


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

    async def lines(self, start: int, end: int) -> AsyncIterator[str]:
        """Yield the lines of a range."""
        for line in self._lines[start:end]:
            yield line

    async def text(self) -> str:
        """Return the text."""
        return self._text
