"""A clock that moves only when a test advances it."""

from __future__ import annotations

import heapq
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class FakeTimer:
    """A timer of a fake clock."""

    __slots__ = ("callback", "cancelled")

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        """Cancel the timer."""
        self.cancelled = True


class FakeClock:
    """A clock for tests: `advance` moves it and fires the timers that are due, in order."""

    def __init__(self, start: datetime = NOON) -> None:
        self._start = start
        self._elapsed = 0.0
        self._timers: list[tuple[float, int, FakeTimer]] = []
        self._sequence = count()

    def now(self) -> datetime:
        """Return the current time of the clock."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds that the clock was advanced so far."""
        return self._elapsed

    def call_later(self, seconds: float, callback: Callable[[], None]) -> FakeTimer:
        """Fire `callback` when the clock has been advanced that far."""
        timer = FakeTimer(callback)
        heapq.heappush(self._timers, (self._elapsed + seconds, next(self._sequence), timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Move forward, firing each timer at its own time."""
        if seconds < 0:
            raise ValueError(f"a clock does not run backwards: {seconds}")
        target = self._elapsed + seconds
        while self._timers and self._timers[0][0] <= target:
            due, _, timer = heapq.heappop(self._timers)
            self._elapsed = due
            if not timer.cancelled:
                timer.callback()
        self._elapsed = max(self._elapsed, target)  # a timer may have advanced it further

    @property
    def pending(self) -> int:
        """The number of timers that have not fired."""
        return sum(not timer.cancelled for _, _, timer in self._timers)
