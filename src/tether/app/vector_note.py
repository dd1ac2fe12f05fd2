"""The note of the process that adds vectors to an index: who it is, how far it is, why it failed.

The process holds a lock on the file, which ends with it, however that ends. It works only as long
as the file is there: whoever removes the file, or the whole index, stops it.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from tether.retrieval.errors import IndexLocked
from tether.retrieval.index.folder import VECTOR_NOTE
from tether.retrieval.index.parts import Step

OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
LONGEST = 10_000
LONGEST_REASON = 500
TRIES = 10
PATIENCE_S = 30.0
PAUSE_S = 0.05


class VectorsStopped(Exception):
    """The note is gone, so the work has to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorNote:
    """What the process says about itself. `failed` is why the last one ended early, or ""."""

    pid: int = 0
    since: str = ""
    done: int = 0
    total: int = 0
    failed: str = ""


class HeldNote:
    """The note of this process, locked."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        since = datetime.now(UTC).isoformat(timespec="seconds")
        self._note = VectorNote(pid=os.getpid(), since=since)
        self._write()

    def check(self) -> None:
        """Raise `VectorsStopped` if the note was removed, alone or with the index."""
        if not _is_same(self._path, self._descriptor):
            raise VectorsStopped

    def hear(self, step: Step) -> None:
        """Note how far the work is; raises `VectorsStopped`."""
        self.check()
        self._note = replace(self._note, done=step.done, total=step.total)
        self._write()

    def fail(self, why: str) -> None:
        """Note why the work ends, for the next who looks."""
        self._note = replace(self._note, failed=why[:LONGEST_REASON])
        self._write()

    def remove(self) -> None:
        """Remove the note: the work is done."""
        self.check()
        self._path.unlink()

    def _write(self) -> None:
        data = json.dumps(asdict(self._note)).encode()
        os.pwrite(self._descriptor, data, 0)
        os.ftruncate(self._descriptor, len(data))


@contextmanager
def held_note(index: Path) -> Generator[HeldNote | None]:
    """Yield the note of this process; None if another one adds vectors to the index already."""
    path = index / VECTOR_NOTE
    descriptor = os.open(path, OPEN, 0o600)
    try:
        is_ours = _is_locked_soon(descriptor) and _is_same(path, descriptor)
        yield HeldNote(path, descriptor) if is_ours else None
    finally:
        os.close(descriptor)


def running(index: Path) -> VectorNote | None:
    """Return the note of the process that adds vectors to an index; None if there is none."""
    found = _looked_at(index)
    return found[1] if found is not None and found[0] else None


def failure(index: Path) -> str:
    """Return why the last process ended before all vectors were there; "" if it did not fail."""
    found = _looked_at(index)
    return "" if found is None or found[0] else found[1].failed


def stop(index: Path) -> VectorNote | None:
    """Stop the process that adds vectors, wait for its end, and return its last note.

    None if there is none. A failure that was noted is forgotten. Raises `IndexLocked` if the
    process does not end.
    """
    path = index / VECTOR_NOTE
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        path.unlink(missing_ok=True)
        if _is_locked_now(descriptor):
            return None
        until = time.monotonic() + PATIENCE_S
        while not _is_locked_now(descriptor):
            if time.monotonic() > until:
                pid = _read(descriptor).pid
                raise IndexLocked(f"process {pid} adds vectors and does not end; run: kill {pid}")
            time.sleep(PAUSE_S)
        return _read(descriptor)
    finally:
        os.close(descriptor)


def _looked_at(index: Path) -> tuple[bool, VectorNote] | None:
    """Return whether a process holds the note, and the note; None if there is none."""
    try:
        descriptor = os.open(index / VECTOR_NOTE, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return not _is_locked_now(descriptor, fcntl.LOCK_SH), _read(descriptor)
    finally:
        os.close(descriptor)


def _is_locked_now(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Lock a file until it is closed, and return whether nobody else has it."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked_soon(descriptor: int) -> bool:
    """Lock a file that others may only be looking at."""
    for _ in range(TRIES):
        if _is_locked_now(descriptor):
            return True
        time.sleep(PAUSE_S)
    return False


def _is_same(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _read(descriptor: int) -> VectorNote:
    """Return the note in a file; an empty one where it is not written yet, or by someone else."""
    try:
        return VectorNote(**json.loads(os.pread(descriptor, LONGEST, 0)))
    except (ValueError, TypeError):
        return VectorNote()
