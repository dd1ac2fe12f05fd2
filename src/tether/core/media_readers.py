"""Where media bytes come from: memory, a file, or anything that can be opened again."""

from __future__ import annotations

from asyncio import to_thread
from os import PathLike, fspath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

CHUNK_BYTES = 64 * 1024


class BytesReader:
    """Bytes that are in memory already."""

    __slots__ = ("_content",)

    def __init__(self, content: bytes | bytearray | memoryview) -> None:
        self._content = bytes(content)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the bytes in pieces of bounded size."""
        for start in range(0, len(self._content), CHUNK_BYTES):
            yield self._content[start : start + CHUNK_BYTES]


class FileReader:
    """A file, opened when it is read; reading happens off the event loop."""

    __slots__ = ("path",)

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = fspath(path)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the file in pieces of bounded size; raises `OSError` as `open` does."""
        file = await to_thread(open, self.path, "rb")  # not pathlib, which is slow to import
        try:
            while piece := await to_thread(file.read, CHUNK_BYTES):
                yield piece
        finally:
            file.close()


class StreamReader:
    """Anything that can be opened again: a function that returns a fresh iterator of bytes."""

    __slots__ = ("_open",)

    def __init__(self, open: Callable[[], AsyncIterator[bytes]]) -> None:
        self._open = open

    def stream(self) -> AsyncIterator[bytes]:
        """Open the source and return its bytes."""
        return self._open()
