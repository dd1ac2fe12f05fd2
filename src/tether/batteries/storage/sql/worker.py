"""A thread of one's own for work that blocks, such as a connection that belongs to one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """Does one piece of work after the other, off the event loop.

    Work that has begun is never left alone: a caller that is cancelled meanwhile is told when the
    work is over. So nobody has to wonder what still runs.
    """

    __slots__ = ("_executor",)

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns; raises what it raises, or `CancelledError` after it."""
        future = asyncio.get_running_loop().run_in_executor(self._executor, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await _over(future)
            raise

    def stop(self) -> None:
        """Take no more work; what has begun goes on to its end."""
        self._executor.shutdown(wait=False)


async def _over(future: asyncio.Future[T]) -> None:
    """Wait until a future is over, however often the waiting task is cancelled meanwhile."""
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            continue  # the caller raises the first one, which says the same
