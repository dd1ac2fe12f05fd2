"""When to ask an endpoint again, and after how long."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.batteries.models.wire.options import RetryOptions

JITTER = 0.1
"""Clients that failed together must not come back together."""


def delay_ms(retry: RetryOptions, attempt: int, *, asked_ms: float, chance: float) -> float:
    """Return how long to wait after that attempt (the first is 1).

    The wait doubles with every attempt, give or take a tenth by `chance` (0 to 1); it is not
    shorter than the endpoint asked for (`asked_ms`), and never longer than the longest allowed.
    """
    doubled = min(retry.base_delay_ms << (attempt - 1), retry.max_delay_ms)
    spread = doubled * (1 + JITTER * (2 * chance - 1))
    asked = asked_ms if retry.honor_retry_after else 0
    return min(max(spread, asked), retry.max_delay_ms)


def retry_after_ms(header: str | None, now: datetime) -> float:
    """Return what a Retry-After header asks for, in seconds or as a date; 0 for anything else.

    However long that is: the longest wait is the options' affair.
    """
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        return float(text) * 1000
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0
    aware = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    return max((aware - now).total_seconds() * 1000, 0)
