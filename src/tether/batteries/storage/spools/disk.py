"""Spools in a local folder: private, durable, and safe to share between processes."""

from __future__ import annotations

import fcntl
import os
from asyncio import to_thread
from contextlib import suppress
from datetime import timedelta
from os import PathLike, fsencode, fspath
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from tether.batteries.storage.errors import InvalidSpools
from tether.batteries.storage.spools.disk_folder import (
    DRAFT,
    SPOOL,
    WRITING,
    Limits,
    SpoolFolder,
    header,
    no_room,
    reader_of,
)
from tether.batteries.storage.spools.store import (
    check_max_bytes,
    fill,
    reported,
    spool_name,
    when_free,
)
from tether.batteries.storage.threads import off_loop
from tether.core.byte_sources import OpenFile
from tether.core.checks import Checks, has_methods, in_short
from tether.runtime.clock import SystemClock

if TYPE_CHECKING:
    from tether.batteries.storage.spools.store import Content
    from tether.core.spool import SourceSpool
    from tether.runtime.clock import Clock

NOT_OPEN = -1
SMALL = 1 << 20


class DiskSpools:
    """A spool store in a folder, which is created, readable only by its owner, if it is missing.

    A write goes to a hidden file, is flushed to the disk and replaces the old file in one step: a
    crash or a full disk leaves the old content. Several processes may share a folder. A folder that
    others own or may write to is refused.

    `max_bytes` limits the total size of the files. A write beyond it raises `LimitExceeded` and
    changes nothing; with `evict` the oldest spools are removed to make room instead. Spools older
    than `max_age`, by `clock`, are not found. Raises `InvalidSpools` for invalid settings.

    An error of the system raises `InputRefused`, or `LimitExceeded` on a full disk, with the
    `OSError` as its cause: both are retryable, and either the old or the new content is there. A
    folder that others lock for 30 seconds raises it too; to wait less, use `asyncio.timeout`.

    A spool of more than 256 KiB is read from its file, which its readers keep open for as long as
    they live, so that they keep their content when the spool is replaced or deleted. For very many
    readers, raise the limit of open files (`ulimit -n`). Needs a POSIX system.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        max_bytes: int | None = None,
        evict: bool = False,
        max_age: timedelta | None = None,
        clock: Clock | None = None,
    ) -> None:
        clock = SystemClock() if clock is None else clock
        limits = Limits(max_bytes, evict, max_age)
        _check_settings(folder, limits, clock)
        self._folder = SpoolFolder(Path(folder), limits, clock)

    async def write(self, id: str, content: Content) -> SourceSpool:
        """Keep content under the id, replacing the previous content."""
        return await fill(FileDraft(self._folder, id), content)

    async def read(self, id: str) -> SourceSpool | None:
        """Return a reader of the content under the id, or None."""
        return await to_thread(self._folder.read, id)

    async def delete(self, id: str) -> bool:
        """Delete the content under the id; return whether there was any."""
        return await off_loop(self._folder.delete, id)

    async def clear(self) -> None:
        """Delete everything."""
        await when_free(self._folder.clear)

    async def ids(self) -> list[str]:
        """Return the ids in use, sorted."""
        return await to_thread(self._folder.ids)

    async def size(self) -> int:
        """Return how many ids there are."""
        return len(await self.ids())

    async def sweep(self) -> int:
        """Remove expired spools and drafts of dead writers; return how many spools expired."""
        return await when_free(self._folder.sweep)


class FileDraft:
    """A spool that is being written into a folder."""

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
        """Create the folder and a locked file in it."""
        with reported(self._action):
            self._folder.prepare()
            with self._folder.locked():  # or a sweep could remove it before it is locked
                self._descriptor = os.open(self._path, WRITING | os.O_EXCL, 0o600)
                fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        self.write(self._header)

    def write(self, piece: bytes) -> None:
        """Append to the file; raises `LimitExceeded` as soon as it is too large.

        The other files are counted when this one is published. Only a large file is compared with
        them earlier: counting takes longer than writing a small one.
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
        """Flush the file to the disk."""
        with reported(self._action):
            self._folder.finish(self._descriptor)

    def publish(self) -> SourceSpool:
        """Give the file its name, and return a reader of it."""
        with reported(self._action):
            self._folder.publish(self._path, self._descriptor, self._name)
            descriptor, self._descriptor = self._descriptor, NOT_OPEN  # the reader closes it
            return reader_of(OpenFile(descriptor, self._name, start=len(self._header)))

    def abandon(self) -> None:
        """Remove the file, or leave it to `sweep` if that fails."""
        with suppress(OSError):
            self._path.unlink()
        with suppress(OSError):
            os.close(self._descriptor)


def _check_settings(folder: str | PathLike[str], limits: Limits, clock: Clock) -> None:
    checks = Checks()
    if not _is_path(folder):
        checks.refuse("folder", folder, "a path as text, or an os.PathLike of one")
    check_max_bytes(checks, limits.max_bytes)
    checks.flag("evict", limits.evict)
    age = limits.max_age
    if age is not None and (not isinstance(age, timedelta) or age < timedelta(0)):
        checks.refuse("max_age", age, "a timedelta that is not negative, or None")
    if not has_methods(clock, "now"):
        checks.refuse("clock", clock, "a clock, or None")
    checks.done(InvalidSpools)


def _is_path(folder: str | PathLike[str]) -> bool:
    """Return whether the system accepts a path."""
    try:
        return isinstance(fspath(folder), str) and b"\0" not in fsencode(folder)
    except (TypeError, UnicodeEncodeError):
        return False
