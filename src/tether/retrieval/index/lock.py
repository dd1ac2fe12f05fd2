"""Who writes, and who still reads: locks that the system drops when their process dies."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tether.core.errors import IndexLocked

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

NAME = "writer.lock"
OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
LONGEST_NOTE = 200


@contextmanager
def writer_lock(folder: Path) -> Generator[bool]:
    """Hold the only right to write the index in a folder.

    Yields whether the writer before was killed: it left its note behind. Raises `IndexLocked` with
    the process that holds the lock, and `OSError`. The folder itself is locked as well, so that
    removing the file by hand lets no second writer in.
    """
    descriptor = os.open(folder / NAME, OPEN, 0o600)
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
    except (ValueError, KeyError, TypeError):  # it took the lock and has not yet signed
        return "by another process"


def lock_for_reading(path: Path) -> int | None:
    """Return a descriptor of the file with a shared lock; None where it is being removed.

    Raises `FileNotFoundError` where it is gone. Needs no right to write.
    """
    return _locked(path, fcntl.LOCK_SH)


def lock_for_removing(path: Path) -> int | None:
    """Return a descriptor of the file with the only lock on it; None where somebody reads it."""
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
