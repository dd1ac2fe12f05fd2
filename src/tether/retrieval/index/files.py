"""File operations and locks of an index, apart from those of SQLite.

The changes to files go through one small object, so that a test can make any single operation fail,
or kill the process there. The system releases the locks of a process that dies.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime
from shutil import rmtree
from typing import TYPE_CHECKING

from tether.retrieval.errors import IndexLocked

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

LOCK_NAME = "writer.lock"
OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
LONGEST_NOTE = 200


class Files:
    """Creates, writes, syncs, renames and removes files; raises `OSError`.

    A failed sync is never repeated: the state of the file is unknown then, so the whole draft is
    discarded.
    """

    def make_folder(self, path: Path) -> None:
        """Make a folder that only its owner can open."""
        path.mkdir(mode=PRIVATE_FOLDER)

    @contextmanager
    def new(self, path: Path) -> Generator[int]:
        """Yield the descriptor of a new file; sync and close it at the end."""
        descriptor = self.create(path)
        try:
            yield descriptor
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def create(self, path: Path) -> int:
        """Return the descriptor of a new private file."""
        return os.open(path, NEW, PRIVATE_FILE)

    def write(self, descriptor: int, data: bytes | memoryview) -> None:
        """Write all of the data."""
        left = memoryview(data).cast("B")
        while left:
            left = left[os.write(descriptor, left) :]

    def sync(self, descriptor: int) -> None:
        """Return after the file is on the disk."""
        os.fsync(descriptor)

    def sync_folder(self, path: Path) -> None:
        """Return after the names in a folder are on the disk."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """Rename a finished draft, and return after the new name is on the disk."""
        source.replace(target)
        self.sync_folder(target.parent)

    def remove_folder(self, path: Path) -> None:
        """Remove a folder and its content."""
        rmtree(path)


@contextmanager
def writer_lock(folder: Path) -> Generator[bool]:
    """Lock the index in a folder for one writer.

    Yields whether the previous writer was killed, in which case its note is still there. Raises
    `IndexLocked` with the process that has the lock, and `OSError`. The folder itself is locked as
    well, so that a second writer cannot start after the lock file was removed by hand.
    """
    descriptor = os.open(folder / LOCK_NAME, OPEN, 0o600)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _take(place, descriptor, folder)
        _take(descriptor, descriptor, folder)
        unclean = os.fstat(descriptor).st_size > 0
        _note(descriptor)
        yield unclean
        os.ftruncate(descriptor, 0)
    finally:
        os.close(place)
        os.close(descriptor)


def _take(descriptor: int, note: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise IndexLocked(f"the index {str(folder)!r} is being written {_holder(note)}") from None


def _note(descriptor: int) -> None:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "since": since}).encode(), 0)


def _holder(descriptor: int) -> str:
    try:
        note = json.loads(os.pread(descriptor, LONGEST_NOTE, 0))
        return f"by process {note['pid']:d} since {note['since']:s}"
    except (ValueError, KeyError, TypeError):  # it has the lock but has not written its note yet
        return "by another process"


def lock_for_reading(path: Path) -> int | None:
    """Return a descriptor of the file with a shared lock; None if it is being removed.

    Raises `FileNotFoundError` if it is gone. Needs only read permission.
    """
    return _locked(path, fcntl.LOCK_SH)


def lock_for_removing(path: Path) -> int | None:
    """Return a descriptor of the file with an exclusive lock; None if it is being read."""
    return _locked(path, fcntl.LOCK_EX)


def _locked(path: Path, kind: int) -> int | None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
