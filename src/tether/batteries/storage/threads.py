"""Blocking work in threads that is never left behind: a cancelled caller waits until it has ended.

A thread cannot be stopped. If nobody waited for it, a file could be closed and removed while the
thread still writes to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


async def off_loop(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread; raises `CancelledError` only after the work has ended."""
    return await _ended(asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs)))


class Worker:
    """One thread that does one piece of work at a time, for example on a SQLite connection."""

    __slots__ = ("_executor",)

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, work: Callable[[], T]) -> T:
        """Return the result of the work; raises `CancelledError` only after the work has ended."""
        return await _ended(asyncio.get_running_loop().run_in_executor(self._executor, work))

    def stop(self) -> None:
        """Accept no more work; work that has begun runs to its end."""
        self._executor.shutdown(wait=False)


async def _ended(work: asyncio.Future[T]) -> T:
    """Return the result of a future, however often this task is cancelled before there is one."""
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError as error:
            cancelled = error
    failure = work.exception()
    if cancelled is not None:
        raise cancelled from failure
    return work.result()
