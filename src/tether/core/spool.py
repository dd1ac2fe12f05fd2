"""Spool readers: lines from bytes that can be read by position, wherever the bytes are.

There is one reader, `SourceSpool`, over a `ByteSource`. It reads block by block, never the whole.
For the part read so far it keeps the number of newlines before each block, eight bytes per block,
so that a line far inside is found without reading the text before it again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from codecs import utf_8_decode
from typing import TYPE_CHECKING

from tether.core.artifact import LONGEST_LINE
from tether.core.byte_sources import (
    BytesSource,
    NamedFile,
    TextSource,
    checked_bytes,
    checked_path,
)
from tether.core.checks import in_short
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, InvalidInitialReaderValue, Problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from os import PathLike

    from tether.core.byte_sources import ByteSource

BLOCK_BYTES = 256 * 1024


class SourceSpool:
    """A spool reader over a byte source, which is a media reader as well.

    The text is UTF-8; invalid bytes show as U+FFFD, and `stream` passes them unchanged. Only `text`
    needs more memory than a few blocks and the longest line that is shown. Raises `InputRefused`
    if the source turns out to have fewer bytes than it reported.
    """

    __slots__ = ("_block_bytes", "_newlines_before", "_source")

    def __init__(self, source: ByteSource, *, block_bytes: int = BLOCK_BYTES) -> None:
        self._source = source
        self._block_bytes = block_bytes
        self._newlines_before = array("Q", (0,))

    async def byte_length(self) -> int:
        """Return the size in bytes."""
        return await self._source.size()

    async def line_count(self) -> int:
        """Return the number of lines; the first call reads everything."""
        known = self._newlines_before
        async for _ in self._blocks((len(known) - 1) * self._block_bytes):
            pass
        return known[-1] + 1 if await self._source.size() else 0

    async def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        """Yield the lines of a range; text after it is not read.

        A line of more than `longest` bytes ends there, at a whole character and with a note of its
        true length.
        """
        number = max(0, start)
        position = await self._position(number)
        if position is None or (end is not None and end <= number):
            return
        async for piece in self._pieces(position, longest):
            lines = piece.decode(errors="replace").split("\n")
            for line in lines if end is None else lines[: end - number]:
                yield line
            number += len(lines)
            if end is not None and end <= number:
                return

    async def text(self) -> str:
        """Return everything."""
        size = await self._source.size()
        return (await self._read(0, size)).decode(errors="replace") if size else ""

    async def line_blocks(self, *, longest: int = LONGEST_LINE) -> AsyncIterator[bytes]:
        """Yield all lines, cut as `lines` cuts them, several in a piece without its last newline.

        Bytes that are not UTF-8 stay as they are.
        """
        if await self._source.size():
            async for piece in self._pieces(0, longest):
                yield piece

    def stream(self) -> AsyncIterator[bytes]:
        """Return the bytes as they are, block by block."""
        return self._blocks(0)

    async def _position(self, line: int) -> int | None:
        """Return where a line starts, or None if the line does not exist."""
        if line == 0:
            return 0 if await self._source.size() else None
        known = self._newlines_before
        if known[-1] < line:
            async for _ in self._blocks((len(known) - 1) * self._block_bytes):
                if known[-1] >= line:
                    break
            else:
                return None
        block = bisect_left(known, line) - 1  # the one that holds the newline before the line
        start = block * self._block_bytes
        length = min(self._block_bytes, await self._source.size() - start)
        return start + _after_newline(await self._read(start, length), line - known[block])

    async def _blocks(self, position: int) -> AsyncIterator[bytes]:
        """Yield the bytes after a position, block by block, and count newlines not yet counted."""
        known, size = self._newlines_before, await self._source.size()
        while position < size:
            number, skipped = divmod(position, self._block_bytes)
            block = await self._read(position, min(self._block_bytes - skipped, size - position))
            if not skipped and number + 1 == len(known):
                known.append(known[-1] + block.count(b"\n"))
            yield block
            position += len(block)

    async def _pieces(self, position: int, longest: int) -> AsyncIterator[bytes]:
        """Yield the lines that follow a position, several in a piece; long ones are cut."""
        longest = max(0, longest)
        line = _OpenLine(longest)
        async for block in self._blocks(position):
            first, newline, others = block.partition(b"\n")
            line.add(first)
            if newline:
                whole, newline, rest = others.rpartition(b"\n")
                piece = line.shown()
                yield piece + newline + _shortened(whole, longest) if newline else piece
                line = _OpenLine(longest)
                line.add(rest)
        yield line.shown()

    async def _read(self, start: int, length: int) -> bytes:
        content = await self._source.read(start, length)
        if len(content) != length:
            raise InputRefused(
                f"the content was changed while it was read: {length:,} bytes were expected at "
                f"{start:,}, and {len(content):,} are left. Open it again to read what it is now",
                retryable=True,
            )
        return content


class TextSpool(SourceSpool):
    """A spool reader over text in memory, without NUL and lone surrogates."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InvalidInitialReaderValue(
                [Problem("text", f"must be text, not {in_short(text)}")]
            )
        self._text = clean_text(text)
        super().__init__(TextSource(self._text))

    async def text(self) -> str:
        """Return the text."""
        return self._text


class BytesSpool(SourceSpool):
    """A spool reader over bytes in memory, which are kept as they are."""

    __slots__ = ()

    def __init__(self, content: bytes | bytearray | memoryview) -> None:
        super().__init__(BytesSource(checked_bytes(content)))


class FileSpool(SourceSpool):
    """A spool reader over a file, off the event loop.

    The file is opened when it is first read and stays open for as long as the reader lives: the
    name may disappear or come to mean another file. Bytes appended later are not seen, a file that
    became shorter is refused, and a file overwritten in place is read with its new content. Raises
    `InputRefused` for a file that cannot be opened or is not a regular file. Needs a POSIX system.
    """

    __slots__ = ()

    def __init__(self, path: str | PathLike[str]) -> None:
        super().__init__(NamedFile(checked_path(path)))


class _OpenLine:
    """The line at the end of a block, which continues in the next: its beginning and length."""

    __slots__ = ("_beginning", "_length", "_longest")

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._beginning = bytearray()
        self._length = 0

    def add(self, part: bytes) -> None:
        self._beginning += part[: self._longest - len(self._beginning)]
        self._length += len(part)

    def shown(self) -> bytes:
        return _shown(bytes(self._beginning), self._length, self._longest)


def _shortened(lines: bytes, longest: int) -> bytes:
    """Cut the lines of a piece that are too long."""
    if len(lines) <= longest:
        return lines
    return b"\n".join(_shown(line, len(line), longest) for line in lines.split(b"\n"))


def _shown(beginning: bytes, length: int, longest: int) -> bytes:
    """Return a line of which at least the first `longest` bytes are given, cut if it is longer."""
    if length <= longest:
        return beginning
    # An incomplete character would be left to the next call of the decoder, which never comes.
    _, finished = utf_8_decode(beginning[:longest], "replace")
    return beginning[:finished] + f"… [cut: the line has {length:,} bytes]".encode()


def _after_newline(block: bytes, number: int) -> int:
    """Return where the `number`th newline of a block ends, counting in ever smaller halves."""
    low, high = 0, len(block)
    while high - low > 1:
        middle = (low + high) // 2
        found = block.count(b"\n", low, middle)
        if found >= number:
            high = middle
        else:
            low, number = middle, number - found
    return high
