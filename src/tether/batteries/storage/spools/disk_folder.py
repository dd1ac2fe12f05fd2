"""The folder of `DiskSpools` and the format of its files: a line with the id, then the content.

A spool is written into a draft, which its writer keeps locked. The system releases the lock when
the writer dies, so that a dead writer's draft can be recognised and removed.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager, suppress
from stat import S_ISDIR, S_ISREG
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.storage.spools.store import LONGEST_ID, Busy, reported, spool_name
from tether.core.byte_sources import OpenFile
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded
from tether.core.spool import BLOCK_BYTES, BytesSpool, SourceSpool

if TYPE_CHECKING:
    from collections.abc import Generator
    from datetime import timedelta
    from pathlib import Path

    from tether.runtime.clock import Clock

LOCK_TRIES = 20
LOCK_PAUSE = 0.001
"""Work under the lock takes about a millisecond, so short waits are handled in place."""

SPOOL = ".spool"
DRAFT = ".draft"
MAGIC = b"tether-spool 1 "
HEADER_LENGTHS = (4096, len(MAGIC) + 12 * LONGEST_ID + 3)
"""How much is read for the first line: usually enough, and the maximum."""

READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
WRITING = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Limits(NamedTuple):
    """The size of a folder, and the age of its spools."""

    max_bytes: int | None
    evict: bool
    max_age: timedelta | None


class SpoolFolder:
    """The blocking operations of `DiskSpools`; `reported` translates every `OSError`."""

    def __init__(self, path: Path, limits: Limits, clock: Clock) -> None:
        self.path = path
        self.limits = limits
        self._clock = clock

    def read(self, id: str) -> SourceSpool | None:
        """Return a reader of the content under the id, or None."""
        path = self.path / (spool_name(id) + SPOOL)
        with reported(f"reading the spool {in_short(id)}"):
            if not self._is_there():
                return None
            try:
                descriptor = os.open(path, READING)
            except FileNotFoundError:
                return None
            start = len(header(id))
            file = OpenFile(descriptor, str(path), start=start)
            if self._is_expired(os.fstat(descriptor).st_mtime_ns):
                return None
            if os.pread(descriptor, start, 0) != header(id):
                raise InputRefused(f"{str(path)!r} does not contain the spool {in_short(id)}")
            return reader_of(file)

    def delete(self, id: str) -> bool:
        """Remove the content under the id; return whether it could still be read."""
        path = self.path / (spool_name(id) + SPOOL)
        with reported(f"deleting the spool {in_short(id)}"):
            if not self._is_there():
                return False
            try:
                written = path.lstat().st_mtime_ns
                path.unlink()
            except FileNotFoundError:
                return False
            sync_folder(self.path)
            return not self._is_expired(written)

    def clear(self) -> None:
        """Remove all spools, and the drafts of dead writers."""
        with reported("clearing the spools"):
            if self._is_there():
                with self.locked():
                    there = listing(self.path)
                    for kept in there.spools:
                        self._remove(kept)
                    self._remove_dead(there.drafts)
                sync_folder(self.path)

    def ids(self) -> list[str]:
        """Return the ids of the spools that can be read, sorted."""
        with reported("listing the spools"):
            there = listing(self.path).spools if self._is_there() else []
            readable = [kept for kept in there if not self._is_expired(kept.written)]
            found = [id_in(self.path / kept.name) for kept in readable]
        return sorted(id for id in found if id is not None)

    def sweep(self) -> int:
        """Remove expired spools and drafts of dead writers; return how many spools expired."""
        with reported("sweeping the spools"):
            if not self._is_there():
                return 0
            with self.locked():
                there = listing(self.path)
                self._remove_dead(there.drafts)
                return len(there.spools) - len(self._remove_expired(there.spools))

    @contextmanager
    def locked(self) -> Generator[None]:
        """Prevent others from sweeping, publishing and counting.

        Raises `Busy` if another process holds the lock for longer than such work takes.
        """
        descriptor = os.open(self.path / ".lock", WRITING, 0o600)
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)

    def prepare(self) -> None:
        """Create the folder for its owner only; raises `InputRefused` if others have access."""
        if not self._is_there():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_folder(self.path.parent)
            self._is_there()

    def most_bytes(self, name: str) -> int | None:
        """Return how large the file of that name may become now; None without a limit."""
        max_bytes = self.limits.max_bytes
        if max_bytes is None or self.limits.evict:
            return max_bytes
        there = listing(self.path).spools
        others = [kept for kept in there if kept.name != name]
        return max_bytes - sum(k.size for k in others if not self._is_expired(k.written))

    def finish(self, descriptor: int) -> None:
        """Set the time of a draft, and flush it to the disk."""
        now = self._now()
        os.utime(descriptor, ns=(now, now))
        os.fsync(descriptor)

    def publish(self, draft: Path, descriptor: int, name: str) -> None:
        """Replace the file of that name with a draft, and flush the folder to the disk."""
        with self.locked():  # or a sweep could take the new file for the old one
            self._make_room(name, os.fstat(descriptor).st_size)
            draft.replace(self.path / name)
        sync_folder(self.path)

    def _make_room(self, name: str, size: int) -> None:
        max_bytes = self.limits.max_bytes
        if max_bytes is None:
            return
        there = listing(self.path)
        self._remove_dead(there.drafts)
        left = self._remove_expired(there.spools)
        others = sorted((kept for kept in left if kept.name != name), reverse=True)
        taken = sum(kept.size for kept in others)
        while self.limits.evict and others and taken + size > max_bytes:
            oldest = others.pop()
            self._remove(oldest)
            taken -= oldest.size
        if taken + size > max_bytes:
            raise no_room(max_bytes - taken)

    def _remove_expired(self, spools: list[Kept]) -> list[Kept]:
        """Remove expired spools; return the others."""
        left: list[Kept] = []
        for kept in spools:
            if self._is_expired(kept.written):
                self._remove(kept)
            else:
                left.append(kept)
        return left

    def _remove(self, kept: Kept) -> None:
        (self.path / kept.name).unlink(missing_ok=True)

    def _remove_dead(self, drafts: list[str]) -> None:
        for name in drafts:
            with suppress(FileNotFoundError, BlockingIOError):
                descriptor = os.open(self.path / name, READING)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    (self.path / name).unlink()
                finally:
                    os.close(descriptor)

    def _is_there(self) -> bool:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return False
        if not S_ISDIR(status.st_mode):
            raise InputRefused(f"{str(self.path)!r} is not a folder")
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise InputRefused(
                f"{str(self.path)!r} cannot be used for spools: others own it or may write to it. "
                "Name another folder, or make it private with chown and chmod 700"
            )
        return True

    def _is_expired(self, written: int) -> bool:
        age = self.limits.max_age
        return age is not None and self._now() - written >= age.total_seconds() * 1e9

    def _now(self) -> int:
        return round(self._clock.now().timestamp() * 1e6) * 1000


def _lock(descriptor: int) -> None:
    """Lock the file of a folder; raises `Busy`, because a waiting thread cannot be stopped."""
    for _ in range(LOCK_TRIES):
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sleep(LOCK_PAUSE)
    raise Busy


class Kept(NamedTuple):
    """One spool of a folder; `written` is in nanoseconds."""

    written: int
    name: str
    size: int


class Listing(NamedTuple):
    """The spools of a folder, and the names of its drafts, at one moment."""

    spools: list[Kept]
    drafts: list[str]


def listing(folder: Path) -> Listing:
    """List a folder once, without opening its files."""
    found = Listing([], [])
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(DRAFT):
                found.drafts.append(entry.name)
            elif entry.name.endswith(SPOOL):
                with suppress(FileNotFoundError):  # another process may have removed it
                    status = entry.stat(follow_symlinks=False)
                    if S_ISREG(status.st_mode):
                        found.spools.append(Kept(status.st_mtime_ns, entry.name, status.st_size))
    return found


def header(id: str) -> bytes:
    """Return the first line of a spool; the id is JSON, because it may contain any character."""
    return MAGIC + json.dumps(id).encode("ascii") + b"\n"


def id_in(path: Path) -> str | None:
    """Return the id in a spool's first line; None for a missing file or another format."""
    try:
        descriptor = os.open(path, READING)
    except FileNotFoundError:
        return None
    try:
        line = _first_line(descriptor)
    finally:
        os.close(descriptor)
    if not line.startswith(MAGIC + b'"'):
        return None
    try:
        id = str(json.loads(line[len(MAGIC) :]))
    except ValueError:
        return None
    return id if header(id) == line else None


def reader_of(file: OpenFile) -> SourceSpool:
    """Return a reader; content of at most one block is read at once and keeps no file open."""
    if file.length > BLOCK_BYTES:
        return SourceSpool(file)
    return BytesSpool(file.read_at_once(0, file.length))


def sync_folder(path: Path) -> None:
    """Flush the names in a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def no_room(most_bytes: int) -> LimitExceeded:
    """Return the error for a spool that does not fit."""
    return LimitExceeded(
        f"there is room for {max(0, most_bytes):,} bytes in the spools. Delete some, or store less",
        status=507,
    )


def _first_line(descriptor: int) -> bytes:
    line = b""
    for length in HEADER_LENGTHS:
        line, newline, _ = os.pread(descriptor, length, 0).partition(b"\n")
        if newline:
            return line + newline
    return line
