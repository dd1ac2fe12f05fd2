"""Bytes in memory or in a file: read by position, or streamed by a media reader."""

from __future__ import annotations

import os
from asyncio import to_thread
from stat import S_ISREG
from threading import Lock
from typing import TYPE_CHECKING, Protocol
from weakref import finalize

from tether.core.checks import Checks, in_short
from tether.core.errors import InputRefused, InvalidInitialReaderValue, Problem, error_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from os import PathLike


CHUNK_BYTES = 64 * 1024


class ByteSource(Protocol):
    """Bytes that can be read by position, and that do not change while they are read."""

    async def size(self) -> int:
        """Return how many bytes there are."""
        ...

    async def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from `start` on; fewer only at the end."""
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
    """Text in memory, encoded when a part of it is first read."""

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

    It takes over the descriptor, and closes it when the source is no longer referenced. Raises
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
        """Return the size at the time it was opened."""
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


class BytesReader:
    """Bytes that are already in memory; raises `InvalidInitialReaderValue` for anything else."""

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

    Raises `InvalidInitialReaderValue` for anything but a path. Needs a POSIX system.
    """

    __slots__ = ("path",)

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = checked_path(path)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the file in pieces of bounded size.

        Raises `InputRefused` for a file that cannot be read or is not a regular file.
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

    Raises `InvalidInitialReaderValue` unless it can be called.
    """

    __slots__ = ("_open",)

    def __init__(self, open: Callable[[], AsyncIterator[bytes]]) -> None:
        checks = Checks()
        self._open = checks.function("open", open)
        checks.done(InvalidInitialReaderValue)

    def stream(self) -> AsyncIterator[bytes]:
        """Open the source and return its bytes."""
        return self._open()


def checked_bytes(content: bytes | bytearray | memoryview) -> bytes:
    """Return a copy of the bytes; raises `InvalidInitialReaderValue` for anything else."""
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise InvalidInitialReaderValue(
            [Problem("content", f"must be bytes, not {in_short(content)}")]
        )
    return bytes(content)


def checked_path(path: str | os.PathLike[str]) -> str:
    """Return a path as text; raises `InvalidInitialReaderValue` for anything else."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(name, str):
        expected = "a path as text, or an os.PathLike of it"
        raise InvalidInitialReaderValue(
            [Problem("path", f"must be {expected}, not {in_short(path)}")]
        )
    return name


def unreadable(name: str, error: Exception) -> InputRefused:
    """Return the error for a file or an object that cannot be read; it may work later."""
    reason = getattr(error, "strerror", None) or error_text(error)
    return InputRefused(f"{in_short(name)} cannot be read: {reason}", retryable=True)
