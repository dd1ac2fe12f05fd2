"""Spools in a folder of this machine: private, durable, and safe to share between processes."""

from __future__ import annotations

from asyncio import to_thread
from datetime import timedelta
from os import PathLike, fsencode, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from tether.batteries.storage.spools.disk_folder import FileDraft, Limits, SpoolFolder
from tether.batteries.storage.spools.drafts import fill, off_loop, when_free
from tether.batteries.storage.spools.store import check_max_bytes
from tether.core.checks import Checks, has_methods
from tether.core.errors import InvalidSpools
from tether.runtime.clock import SystemClock

if TYPE_CHECKING:
    from tether.batteries.storage.spools.drafts import Content
    from tether.core.spool import SourceSpool
    from tether.runtime.clock import Clock


class DiskSpools:
    """A spool store in a folder, which is made for its owner only if it is not there.

    A write goes into a file that nobody sees, is brought to the disk and takes the place of the old
    one in one step: a crash or a full disk leaves the old content. Several processes may share a
    folder. One that others own or may write to is refused.

    `max_bytes` limits the files together. A write beyond it raises `LimitExceeded` and leaves
    everything as it was; with `evict` the oldest spools are removed to make room instead. A spool
    that was written `max_age` ago is not found any more. `clock` says when that is. Raises
    `InvalidSpools` for settings that are none.

    What the system refuses raises `InputRefused`, or `LimitExceeded` on a full disk, with the
    `OSError` as its cause: retryable, and either the old or the new content is there. So does a
    folder that others keep locked for 30 seconds; to wait less, use `asyncio.timeout`.

    A spool of more than 256 KiB is read from its file, which its readers hold open for as long as
    they live: so they keep their content when the spool is written anew, or deleted. To hold very
    many of them, raise the limit of open files (`ulimit -n`). Needs a POSIX system.
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
        """Keep content in place of what is there under the id."""
        return await fill(FileDraft(self._folder, id), content)

    async def read(self, id: str) -> SourceSpool | None:
        """Return a reader of what is kept under the id, or None."""
        return await to_thread(self._folder.read, id)

    async def delete(self, id: str) -> bool:
        """Forget what is kept under the id; return whether there was something."""
        return await off_loop(self._folder.delete, id)

    async def clear(self) -> None:
        """Forget everything."""
        await when_free(self._folder.clear)

    async def ids(self) -> list[str]:
        """Return the ids under which something is kept, sorted."""
        return await to_thread(self._folder.ids)

    async def size(self) -> int:
        """Return how many ids there are."""
        return len(await self.ids())

    async def sweep(self) -> int:
        """Remove what expired and what killed writers left; return how many spools expired."""
        return await when_free(self._folder.sweep)


def _check_settings(folder: str | PathLike[str], limits: Limits, clock: Clock) -> None:
    checks = Checks()
    if not _is_path(folder):
        checks.refuse("folder", folder, "a path as text, or an os.PathLike of it")
    check_max_bytes(checks, limits.max_bytes)
    checks.flag("evict", limits.evict)
    age = limits.max_age
    if age is not None and (not isinstance(age, timedelta) or age < timedelta(0)):
        checks.refuse("max_age", age, "a timedelta that is not negative, or None")
    if not has_methods(clock, "now"):
        checks.refuse("clock", clock, "a clock, or None")
    checks.done(InvalidSpools)


def _is_path(folder: str | PathLike[str]) -> bool:
    """Say whether the system can take a path as one."""
    try:
        return isinstance(fspath(folder), str) and b"\0" not in fsencode(folder)
    except (TypeError, UnicodeEncodeError):
        return False
