"""Where media bytes come from: memory, a file, or anything that can be opened again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.byte_sources import NamedFile, checked_bytes, checked_path
from tether.core.checks import Checks
from tether.core.errors import InvalidInitialReaderValue

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from os import PathLike

CHUNK_BYTES = 64 * 1024


class BytesReader:
    """Bytes that are in memory already; raises `InvalidInitialReaderValue` for what is none."""

    __slots__ = ("_content",)

    def __init__(self, content: bytes | bytearray | memoryview) -> None:
        self._content = checked_bytes(content)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the bytes in pieces of bounded size."""
        for start in range(0, len(self._content), CHUNK_BYTES):
            yield self._content[start : start + CHUNK_BYTES]

    async def byte_length(self) -> int:
        """Return the size in bytes."""
        return len(self._content)


class FileReader:
    """A file, opened anew each time it is streamed; reading happens off the event loop.

    Raises `InvalidInitialReaderValue` for what is no path. Needs a POSIX system.
    """

    __slots__ = ("path",)

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = checked_path(path)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the file in pieces of bounded size.

        Raises `InputRefused` for what cannot be read, and for what is no regular file.
        """
        file, position = NamedFile(self.path), 0
        while piece := await file.read(position, CHUNK_BYTES):
            yield piece
            position += len(piece)

    async def byte_length(self) -> int:
        """Return the file's size in bytes; raises as `stream` does."""
        return await NamedFile(self.path).size()


class StreamReader:
    """Anything that can be opened again: a function that returns a fresh iterator of bytes.

    Raises `InvalidInitialReaderValue` for what cannot be called.
    """

    __slots__ = ("_open",)

    def __init__(self, open: Callable[[], AsyncIterator[bytes]]) -> None:
        checks = Checks()
        self._open = checks.function("open", open)
        checks.done(InvalidInitialReaderValue)

    def stream(self) -> AsyncIterator[bytes]:
        """Open the source and return its bytes."""
        return self._open()
