"""Limits on the time of an exchange, which no behaviour of the server can stretch, and retries."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager, contextmanager, suppress
from math import inf
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, Self

from tether.core.retry_after import retry_after

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping
    from datetime import datetime

CONNECTED = frozenset(("connection.connect_tcp.complete", "connection.start_tls.complete"))
"""After these steps of an exchange there is a new socket."""


class TimeLimit:
    """Ends the connection of an exchange in a thread after so many seconds.

    The time-outs of HTTP clients are for a single read, and each byte that comes starts them
    again: a server that sends one now and then would hold a search for hours. Pass `trace` to the
    client as the request's extension of that name, and look at `is_over` when the exchange fails.
    """

    __slots__ = ("_lock", "_socket", "_timer", "is_over")

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._lock = Lock()
        self._socket: socket.socket | None = None
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._timer.cancel()

    def trace(self, step: str, facts: Mapping[str, Any]) -> None:
        """Remember the socket that a step of the exchange has opened."""
        if step in CONNECTED:
            with self._lock:
                self._socket = facts["return_value"].get_extra_info("socket")

    def _end(self) -> None:
        with self._lock:
            self.is_over = True
            if self._socket is not None:
                with suppress(OSError):  # already closed
                    # Not the method of an encrypted socket, which is in use by another thread.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class Patience:
    """The time left for the network in one asynchronous exchange.

    Time counts inside `counting`, spent on waiting or on reading: a server that never lets the
    reader wait is as expensive as a slow one. The time that the reader takes between two pieces, or
    a person for an approval, does not count.
    """

    __slots__ = ("_deadline", "_left")

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._deadline = inf

    @contextmanager
    def counting(self) -> Generator[None, None, None]:
        """Count the time that passes inside."""
        clock = asyncio.get_running_loop().time
        self._deadline = clock() + self._left
        try:
            yield
        finally:
            self._left = self._deadline - clock()

    @asynccontextmanager
    async def wait(self, at_most: float = inf) -> AsyncGenerator[None, None]:
        """Wait inside `counting`; raises `TimeoutError` when the time is up, even without a wait.

        Reading from a full buffer never waits, so a timer alone would never go off.
        """
        now = asyncio.get_running_loop().time()
        if now >= self._deadline:
            raise TimeoutError
        async with asyncio.timeout_at(min(self._deadline, now + at_most)):
            yield


class Timeouts:
    """The limits of one asynchronous exchange on its whole time, and on the time without data.

    Both are in milliseconds; 0 means unlimited. The idle time counts from `restart_idle` on.
    """

    __slots__ = ("_idle", "_idle_seconds", "_whole")

    def __init__(self, *, whole_ms: int, idle_ms: int) -> None:
        self._whole = asyncio.timeout(seconds(whole_ms))
        self._idle = asyncio.timeout(None)
        self._idle_seconds = seconds(idle_ms)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        """Apply the limits inside; raises `TimeoutError`."""
        async with self._whole, self._idle:
            yield

    @property
    def is_over(self) -> bool:
        """Whether the whole time was exceeded."""
        return self._whole.expired()

    @property
    def is_stalled(self) -> bool:
        """Whether the idle time was exceeded."""
        return self._idle.expired()

    def restart_idle(self) -> None:
        """Count the idle time from now."""
        if self._idle_seconds is not None:
            self._idle.reschedule(asyncio.get_running_loop().time() + self._idle_seconds)

    def lift(self) -> None:
        """End both limits."""
        self._idle_seconds = None
        for limit in (self._whole, self._idle):
            limit.reschedule(None)


def seconds(milliseconds: int) -> float | None:
    """Return a limit in seconds; 0 milliseconds means unlimited."""
    return milliseconds / 1000 if milliseconds else None


PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
"""Statuses after which the same request may succeed later."""

JITTER = 0.1
"""Clients that failed together must not come back together."""


def delay(attempt: int, *, first: float, longest: float, asked: float = 0, chance: float) -> float:
    """Return the wait after an attempt (the first is 1), in the unit of the arguments.

    The wait doubles with every attempt from `first`, give or take a tenth by `chance` (0 to 1). It
    is at least as long as the endpoint requested (`asked`), and never longer than `longest`.
    """
    doubled = min(first * (1 << (attempt - 1)), longest)
    spread = doubled * (1 + JITTER * (2 * chance - 1))
    return min(max(spread, asked), longest)


def retry_after_ms(header: str | None, now: datetime) -> float:
    """Return the wait that a Retry-After header requests, in seconds or as a date; 0 without one.

    There is no upper limit here: `delay` applies the caller's.
    """
    return (retry_after(header or "", now) or 0) * 1000
