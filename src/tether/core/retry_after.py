"""The wait that a server requests with a `Retry-After` header."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
_LONGEST_DATE = 64


def retry_after(header: str, now: datetime) -> float | None:
    """Return the seconds until the time in the header, from 0 up; None for any other text.

    There is no upper limit: the caller decides how long it waits at most.
    """
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        until = parsedate_to_datetime(text[:_LONGEST_DATE])
    except (ValueError, OverflowError):
        return None
    aware = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    return max((aware - now).total_seconds(), 0.0)
