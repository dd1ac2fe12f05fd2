"""Bytes that can be read by position: in memory, or in a file."""

from __future__ import annotations

import os
from asyncio import to_thread
from stat import S_ISREG
from threading import Lock
from typing import Protocol
from weakref import finalize

from tether.core.checks import in_short
from tether.core.errors import InputRefused, InvalidInitialReaderValue, Problem, error_text


class ByteSource(Protocol):
    """Bytes that can be read by position, and that stay the same while somebody reads them."""

    async def size(self) -> int:
        """Return how many bytes there are."""
        ...

    async def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from `start` on; fewer only where they end before."""
        ...


class BytesSource:
    """Bytes in memory."""

    __slots__ = ("_content",)

    def __init__(self, content: bytes) -> None:
        self._content = content

    async def size(self) -> int:
        """Return how many bytes there are."""
        return len(self._content)

    async def read(self, start: int, length: int) -> bytes:
        """Return a part of them."""
        return self._content[start : start + length]


class TextSource:
    """Text in memory, encoded when somebody first asks for a part of it."""

    __slots__ = ("_content", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._content: bytes | None = None

    async def size(self) -> int:
        """Return the size in UTF-8 bytes."""
        return len(self._encoded())

    async def read(self, start: int, length: int) -> bytes:
        """Return a part of the UTF-8 bytes."""
        return self._encoded()[start : start + length]

    def _encoded(self) -> bytes:
        if self._content is None:
            self._content = self._text.encode()
        return self._content


class OpenFile:
    """The bytes of an open regular file from `start` on, read off the event loop.

    It takes the descriptor over, and closes it when nobody holds the source any more. Raises
    `InputRefused` if it is not a regular file: reading a pipe or a device may never end.
    """

    __slots__ = ("__weakref__", "_descriptor", "_name", "_start", "length")

    def __init__(self, descriptor: int, name: str, *, start: int = 0) -> None:
        finalize(self, os.close, descriptor)
        status = os.fstat(descriptor)
        if not S_ISREG(status.st_mode):
            raise InputRefused(f"{in_short(name)} is not a regular file: name one that is")
        self._descriptor = descriptor
        self._name = name
        self._start = start
        self.length = status.st_size - start

    async def size(self) -> int:
        """Return the size that it had when it was opened."""
        return self.length

    async def read(self, start: int, length: int) -> bytes:
        """Return a part of it; raises `InputRefused` where reading fails."""
        try:
            return await to_thread(self.read_at_once, start, length)
        except OSError as error:
            raise unreadable(self._name, error) from error

    def read_at_once(self, start: int, length: int) -> bytes:
        """Return a part of it, blocking meanwhile; raises `OSError`."""
        position = self._start + start
        content = os.pread(self._descriptor, length, position)
        while len(content) < length:  # the system gives at most 2 GiB at a time
            more = os.pread(self._descriptor, length - len(content), position + len(content))
            if not more:
                break
            content += more
        return content


class NamedFile:
    """A file that is opened when it is first read, and then stays open."""

    __slots__ = ("_file", "_lock", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: OpenFile | None = None
        self._lock = Lock()

    async def size(self) -> int:
        """Return the size that it had when it was opened."""
        return await (await self._opened()).size()

    async def read(self, start: int, length: int) -> bytes:
        """Return a part of it; raises `InputRefused` where opening or reading fails."""
        return await (await self._opened()).read(start, length)

    async def _opened(self) -> OpenFile:
        return await to_thread(self._open) if self._file is None else self._file

    def _open(self) -> OpenFile:
        with self._lock:
            if self._file is None:
                # A pipe would be waited for, and a terminal taken over, before it can be refused.
                flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
                try:
                    self._file = OpenFile(os.open(self._path, flags), self._path)
                except (OSError, ValueError) as error:
                    raise unreadable(self._path, error) from error
            return self._file


def checked_bytes(content: bytes | bytearray | memoryview) -> bytes:
    """Return bytes as they are now; raises `InvalidInitialReaderValue` for all else, also 5."""
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise InvalidInitialReaderValue(
            [Problem("content", f"must be bytes, not {in_short(content)}")]
        )
    return bytes(content)


def checked_path(path: str | os.PathLike[str]) -> str:
    """Return a path as text; raises `InvalidInitialReaderValue` if it is none."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(name, str):
        expected = "a path as text, or an os.PathLike of it"
        raise InvalidInitialReaderValue(
            [Problem("path", f"must be {expected}, not {in_short(path)}")]
        )
    return name


def unreadable(name: str, error: Exception) -> InputRefused:
    """Return what to raise where a file or an object cannot be read: it may work another time."""
    reason = getattr(error, "strerror", None) or error_text(error)
    return InputRefused(f"{in_short(name)} cannot be read: {reason}", retryable=True)
