"""A file system of fsspec for `ObjectSpools`, and the names of its objects.

Each id has a folder. A write puts the content, with the id after it, into an object that nobody
looks for, and then creates an empty object: a mark, whose name says where the content is and how
long it is. Creating an empty object is atomic in every store. The mark with the highest number is
current. Of two writers that took the same number, all readers choose the same by the rest of the
name.
"""

from __future__ import annotations

import re
from asyncio import to_thread
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.byte_sources import unreadable
from tether.core.errors import error_text

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

_MARK = re.compile(r"(\d{12})-(\d{14}-[0-9a-f]{32})-(\d+)\.mark")
_CONTENT = re.compile(r"(\d{14}-[0-9a-f]{32})\.content")


class ObjectFiles:
    """The operations on a file system; every error is raised as `OSError`.

    Listings are never cached, because other processes write too.
    """

    __slots__ = ("_files",)

    def __init__(self, files: Any) -> None:
        self._files = files

    def names_in(self, folder: str) -> list[str]:
        """Return the names in a folder, which may be missing."""
        with _translated(), suppress(FileNotFoundError):
            self._files.invalidate_cache()
            return [path.rpartition("/")[2] for path in self._files.ls(folder, detail=False)]
        return []

    def paths_below(self, root: str) -> list[str]:
        """Return the paths of the files below a folder, relative to it."""
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
        """Remove a file, which may be missing."""
        with _translated(), suppress(FileNotFoundError):
            self._files.rm_file(path)

    def read(self, path: str, start: int, end: int) -> bytes:
        """Return a part of a file."""
        with _translated():
            return bytes(self._files.cat_file(path, start=start, end=end))

    def ends(self, parts: list[tuple[str, int]]) -> list[bytes]:
        """Return the ends of files from a position on, in one request; skip missing files."""
        paths, starts = [path for path, _ in parts], [start for _, start in parts]
        with _translated():
            found = self._files.cat_ranges(paths, starts, [None] * len(parts))
            for end in found:
                if isinstance(end, Exception) and not isinstance(end, FileNotFoundError):
                    raise end
        return [end for end in found if isinstance(end, bytes)]

    def _plain(self, path: str) -> str:
        """Return a path in one form: file systems accept several."""
        return str(self._files.unstrip_protocol(path)).partition("://")[2].strip("/")


class StoredObject:
    """An immutable object as a byte source."""

    __slots__ = ("_files", "_length", "_path")

    def __init__(self, files: ObjectFiles, path: str, length: int) -> None:
        self._files = files
        self._path = path
        self._length = length

    async def size(self) -> int:
        """Return the length of the content."""
        return self._length

    async def read(self, start: int, length: int) -> bytes:
        """Return a part of it; raises `InputRefused` if it is missing or cannot be read."""
        try:
            return await to_thread(self._files.read, self._path, start, start + length)
        except OSError as error:
            raise unreadable(self._path, error) from error


@contextmanager
def _translated() -> Generator[None]:
    """Raise `OSError` for every error: each driver raises those of its own libraries."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(error_text(error)) from error


class Version(NamedTuple):
    """Complete content; the last version in order is the current one."""

    number: int
    draft: str
    length: int

    @property
    def mark(self) -> str:
        """The name of its mark."""
        return f"{self.number:012d}-{self.draft}-{self.length}.mark"

    @property
    def content(self) -> str:
        """The name of its content."""
        return content_of(self.draft)


class Folder(NamedTuple):
    """The objects of one id."""

    name: str
    versions: list[Version]
    drafts: list[str]
    """Names of contents without a mark: still being written, or left by a dead writer."""

    @property
    def next_number(self) -> int:
        """The number that makes a new version the current one."""
        return self.versions[-1].number + 1 if self.versions else 1

    @classmethod
    def of(cls, name: str, objects: Iterable[str]) -> Folder:
        """Return the folder with objects of these names, without those of other programs."""
        marks = [mark for object in objects if (mark := _MARK.fullmatch(object))]
        versions = sorted(Version(int(mark[1]), mark[2], int(mark[3])) for mark in marks)
        marked = {version.draft for version in versions}
        contents = [content for object in objects if (content := _CONTENT.fullmatch(object))]
        return cls(name, versions, [found[1] for found in contents if found[1] not in marked])


def draft_name(milliseconds: int, token: str) -> str:
    """Return a name for a draft that includes the time it was started."""
    return f"{milliseconds:014d}-{token}"


def started(draft: str) -> int:
    """Return when a draft was started, in milliseconds."""
    return int(draft.partition("-")[0])


def content_of(draft: str) -> str:
    """Return the name of the content of a draft."""
    return f"{draft}.content"
