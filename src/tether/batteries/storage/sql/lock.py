"""The lock that a process takes before it writes to a store."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tether.batteries.storage.errors import StoreFailed

LOCK_LIMIT_S = 30.0
SHORTEST_WAIT_S = 0.0005
LONGEST_WAIT_S = 0.02


class WriterLock:
    """Held by one task of one process at a time; the system releases it when a process dies.

    Without a path it is a lock between the tasks of this process. The file lock is polled instead
    of awaited in a thread, so that a cancelled task stops waiting at once.
    """

    def __init__(self, path: Path | None, *, limit_s: float) -> None:
        self._path = path
        self._limit_s = limit_s
        self._tasks = asyncio.Lock()
        self._descriptor = None if path is None else _opened(path)

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[None, None]:
        """Hold it for a block; raises `StoreFailed` if others hold it for too long."""
        await self._acquire()
        try:
            yield
        finally:
            self._release()

    def close(self) -> None:
        """Close the file; the lock cannot be used afterwards."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    async def _acquire(self) -> None:
        try:
            async with asyncio.timeout(self._limit_s):
                await self._tasks.acquire()
                try:
                    await self._lock_file()
                except BaseException:
                    self._tasks.release()
                    raise
        except TimeoutError as error:
            raise StoreFailed(
                f"others locked the store for more than {self._limit_s:g} s "
                f"({self._path or 'in memory'}): try again, or end the process that locks it"
            ) from error

    async def _lock_file(self) -> None:
        if self._descriptor is None:
            return
        wait_s = SHORTEST_WAIT_S
        while not _taken(self._descriptor):
            await asyncio.sleep(wait_s * (0.5 + random.random()))  # noqa: S311  # not a secret
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)

    def _release(self) -> None:
        if self._descriptor is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._tasks.release()


def _opened(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
