"""A file system of fsspec, as far as `ObjectSpools` uses it."""

from __future__ import annotations

from asyncio import to_thread
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tether.core.byte_sources import unreadable
from tether.core.errors import error_text

if TYPE_CHECKING:
    from collections.abc import Generator


class ObjectFiles:
    """What is asked of a file system; whatever it raises leaves as `OSError`.

    Listings are asked for anew each time, because other processes write too.
    """

    __slots__ = ("_files",)

    def __init__(self, files: Any) -> None:
        self._files = files

    def names_in(self, folder: str) -> list[str]:
        """Return the names in a folder, which need not be there."""
        with _translated(), suppress(FileNotFoundError):
            self._files.invalidate_cache()
            return [path.rpartition("/")[2] for path in self._files.ls(folder, detail=False)]
        return []

    def paths_below(self, root: str) -> list[str]:
        """Return where the files below a folder are, as seen from it."""
        with _translated():
            self._files.invalidate_cache()
            start = self._plain(root)
            found = [self._plain(path).removeprefix(start) for path in self._files.find(root)]
        return [path.strip("/") for path in found]

    def create(self, folder: str, name: str) -> Any:
        """Return a new file that is written with `append` and finished with `close`."""
        with _translated():
            self._files.makedirs(folder, exist_ok=True)
            return self._files.open(f"{folder}/{name}", "wb")

    def append(self, file: Any, piece: bytes) -> None:
        """Write to a file that was created."""
        with _translated():
            file.write(piece)

    def close(self, file: Any) -> None:
        """Finish a file that was created."""
        with _translated():
            file.close()

    def make_empty(self, path: str) -> None:
        """Make a file without content."""
        with _translated():
            self._files.pipe_file(path, b"")

    def remove(self, path: str) -> None:
        """Remove a file, which need not be there."""
        with _translated(), suppress(FileNotFoundError):
            self._files.rm_file(path)

    def read(self, path: str, start: int, end: int) -> bytes:
        """Return a part of a file."""
        with _translated():
            return bytes(self._files.cat_file(path, start=start, end=end))

    def ends(self, parts: list[tuple[str, int]]) -> list[bytes]:
        """Return what files hold from a position on, all asked for at once; no file, no end."""
        paths, starts = [path for path, _ in parts], [start for _, start in parts]
        with _translated():
            found = self._files.cat_ranges(paths, starts, [None] * len(parts))
            for end in found:
                if isinstance(end, Exception) and not isinstance(end, FileNotFoundError):
                    raise end
        return [end for end in found if isinstance(end, bytes)]

    def _plain(self, path: str) -> str:
        """Return a path as it can be compared: file systems take it in more than one form."""
        return str(self._files.unstrip_protocol(path)).partition("://")[2].strip("/")


class StoredObject:
    """An object that does not change, as a byte source."""

    __slots__ = ("_files", "_length", "_path")

    def __init__(self, files: ObjectFiles, path: str, length: int) -> None:
        self._files = files
        self._path = path
        self._length = length

    async def size(self) -> int:
        """Return the length of the content."""
        return self._length

    async def read(self, start: int, length: int) -> bytes:
        """Return a part of it; raises `InputRefused` where it cannot be had, or is gone."""
        try:
            return await to_thread(self._files.read, self._path, start, start + length)
        except OSError as error:
            raise unreadable(self._path, error) from error


@contextmanager
def _translated() -> Generator[None]:
    """Raise `OSError`: a driver raises what its own libraries raise, which are not known here."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(error_text(error)) from error
