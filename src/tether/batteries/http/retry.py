"""When to repeat a request, and after how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.core.retry_after import retry_after

if TYPE_CHECKING:
    from datetime import datetime

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
