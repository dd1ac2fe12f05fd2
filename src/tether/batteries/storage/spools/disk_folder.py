"""The folder behind `DiskSpools`: what it holds, and the way in.

A spool is written into a draft, which its writer keeps locked. The system drops the lock when the
writer dies, and the draft is then known to be left over.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from secrets import token_hex
from stat import S_ISDIR
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.storage.spools.disk_files import (
    DRAFT,
    READING,
    SPOOL,
    WRITING,
    Kept,
    header,
    id_in,
    listing,
    no_room,
    reader_of,
    sync_folder,
)
from tether.batteries.storage.spools.drafts import Busy
from tether.batteries.storage.spools.store import reported, spool_name
from tether.core.byte_sources import OpenFile
from tether.core.checks import in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Generator
    from datetime import timedelta
    from pathlib import Path

    from tether.core.spool import SourceSpool
    from tether.runtime.clock import Clock

NOT_OPEN = -1
SMALL = 1 << 20
LOCK_TRIES = 20
LOCK_PAUSE = 0.001
"""Work under the lock takes about a millisecond: a short wait for it is not worth more steps."""


class Limits(NamedTuple):
    """What a folder may hold, and for how long."""

    max_bytes: int | None
    evict: bool
    max_age: timedelta | None


class SpoolFolder:
    """What `DiskSpools` does, blocking. `OSError` leaves it as what `reported` makes of it."""

    def __init__(self, path: Path, limits: Limits, clock: Clock) -> None:
        self.path = path
        self.limits = limits
        self._clock = clock

    def read(self, id: str) -> SourceSpool | None:
        """Return a reader of what is kept under the id, or None."""
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
                raise InputRefused(f"{str(path)!r} does not hold the spool {in_short(id)}")
            return reader_of(file)

    def delete(self, id: str) -> bool:
        """Remove what is kept under the id; return whether it could still be read."""
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
        """Remove all spools, and what dead writers left."""
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
        """Remove expired spools, and what dead writers left; return how many spools went."""
        with reported("sweeping the spools"):
            if not self._is_there():
                return 0
            with self.locked():
                there = listing(self.path)
                self._remove_dead(there.drafts)
                return len(there.spools) - len(self._remove_expired(there.spools))

    @contextmanager
    def locked(self) -> Generator[None]:
        """Keep others from sweeping, from publishing, and from counting what is there.

        Raises `Busy` if somebody else does for longer than such work takes.
        """
        descriptor = os.open(self.path / ".lock", WRITING, 0o600)
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)

    def prepare(self) -> None:
        """Make the folder, for its owner only; raises `InputRefused` if it is open to others."""
        if not self._is_there():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_folder(self.path.parent)
            self._is_there()

    def most_bytes(self, name: str) -> int | None:
        """Return how large the file of that name may become by now; None without a limit."""
        max_bytes = self.limits.max_bytes
        if max_bytes is None or self.limits.evict:
            return max_bytes
        there = listing(self.path).spools
        others = [kept for kept in there if kept.name != name]
        return max_bytes - sum(k.size for k in others if not self._is_expired(k.written))

    def finish(self, descriptor: int) -> None:
        """Say when a draft was written, and bring it to the disk."""
        now = self._now()
        os.utime(descriptor, ns=(now, now))
        os.fsync(descriptor)

    def publish(self, draft: Path, descriptor: int, name: str) -> None:
        """Let a draft take the place of the file of that name, also on the disk."""
        with self.locked():  # or a sweeper could take the new file for the old one
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
        """Remove those that are too old; return the others."""
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
                    flock(descriptor, LOCK_EX | LOCK_NB)
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
                f"spools are not kept in {str(self.path)!r}, which others own or may write to. "
                "Name another folder, or make it your own with chown and chmod 700"
            )
        return True

    def _is_expired(self, written: int) -> bool:
        age = self.limits.max_age
        return age is not None and self._now() - written >= age.total_seconds() * 1e9

    def _now(self) -> int:
        return round(self._clock.now().timestamp() * 1e6) * 1000


class FileDraft:
    """A spool on its way into a folder."""

    def __init__(self, folder: SpoolFolder, id: str) -> None:
        self._folder = folder
        self._name = spool_name(id) + SPOOL
        self._action = f"writing the spool {in_short(id)}"
        self._header = header(id)
        self._path = folder.path / (token_hex(16) + DRAFT)
        self._descriptor = NOT_OPEN
        self._most_bytes = folder.limits.max_bytes
        self._is_counted = False
        self._size = 0

    def open(self) -> None:
        """Make the folder and a locked file in it."""
        with reported(self._action):
            self._folder.prepare()
            with self._folder.locked():  # or a sweeper could come before the lock
                self._descriptor = os.open(self._path, WRITING | os.O_EXCL, 0o600)
                flock(self._descriptor, LOCK_EX)
        self.write(self._header)

    def write(self, piece: bytes) -> None:
        """Add to the file; raises `LimitExceeded` as soon as it is too large.

        The others are counted when the file is published. Only one that is not small is measured
        against them before: counting takes longer than writing a small one.
        """
        self._size += len(piece)
        if self._size > SMALL and not self._is_counted:
            with reported(self._action):
                self._most_bytes = self._folder.most_bytes(self._name)
            self._is_counted = True
        if self._most_bytes is not None and self._size > self._most_bytes:
            raise no_room(self._most_bytes)
        with reported(self._action):
            left = memoryview(piece)
            while left:
                left = left[os.write(self._descriptor, left) :]

    def finish(self) -> None:
        """Bring the file to the disk."""
        with reported(self._action):
            self._folder.finish(self._descriptor)

    def publish(self) -> SourceSpool:
        """Give the file its name, and return a reader of it."""
        with reported(self._action):
            self._folder.publish(self._path, self._descriptor, self._name)
            descriptor, self._descriptor = self._descriptor, NOT_OPEN  # the reader closes it
            return reader_of(OpenFile(descriptor, self._name, start=len(self._header)))

    def abandon(self) -> None:
        """Remove the file, or leave it to a sweeper where that fails."""
        with suppress(OSError):
            self._path.unlink()
        with suppress(OSError):
            os.close(self._descriptor)


def _lock(descriptor: int) -> None:
    """Lock the file of a folder; raises `Busy`, because a thread that waits cannot be stopped."""
    for _ in range(LOCK_TRIES):
        try:
            return flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            sleep(LOCK_PAUSE)
    raise Busy
