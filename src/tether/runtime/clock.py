"""Time as a port, so that a test can stop it."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol

from tether.core.checks import has_methods

if TYPE_CHECKING:
    from collections.abc import Callable


class Timer(Protocol):
    """A scheduled call that can be cancelled."""

    def cancel(self) -> None:
        """Cancel it; harmless after it fired."""
        ...


class Clock(Protocol):
    """The three operations the runtime needs."""

    def now(self) -> datetime:
        """Return the current time, with its zone."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never run backwards, for durations."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` once, after that many seconds."""
        ...


class SystemClock:
    """The machine's time and the running event loop's timers."""

    __slots__ = ()

    # Not methods of this class, because a turn reads the time a dozen times.
    now = staticmethod(partial(datetime.now, UTC))
    monotonic = staticmethod(time.perf_counter)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Schedule on the running loop."""
        return asyncio.get_running_loop().call_later(seconds, callback)


class Stopwatch:
    """Measures the time since it was made."""

    __slots__ = ("_clock", "_started", "started_at")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.started_at = clock.now()
        self._started = clock.monotonic()

    def read(self) -> tuple[datetime, datetime, float]:
        """Return when it started, when it ended (now), and the milliseconds between."""
        duration = (self._clock.monotonic() - self._started) * 1000
        return self.started_at, self._clock.now(), duration


def is_clock(value: object) -> bool:
    """Return whether an object has the methods of a clock."""
    return has_methods(value, "now", "monotonic", "call_later")
