"""Time, as a port: so that a test can hold it still."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Timer(Protocol):
    """Something scheduled that can still be called off."""

    def cancel(self) -> None:
        """Call it off; harmless after it fired."""
        ...


class Clock(Protocol):
    """The three things the runtime asks of time."""

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

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return the performance counter."""
        return time.perf_counter()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Schedule on the running loop."""
        return asyncio.get_running_loop().call_later(seconds, callback)
