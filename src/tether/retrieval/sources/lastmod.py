"""When a sitemap says a page changed, and whether that is evidence of anything."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST = 40
_DAY_IS_OVER = timedelta(days=2)
"""After that long a day has ended in every time zone, and pages change on it no more."""


def lastmod_version(text: str, now: datetime) -> str:
    """Return a version, "" where there is no evidence.

    There is none in what is no time, in the future, or in a day that may still go on: a page that
    changes twice on one day has the same `lastmod` both times.
    """
    try:
        found = datetime.fromisoformat(text.strip()[:_LONGEST])
    except ValueError:
        return ""
    changed = found.replace(tzinfo=UTC) if found.tzinfo is None else found
    settled = _DAY_IS_OVER if _DAY.fullmatch(text.strip()) else timedelta()
    return f"lastmod {text.strip()}" if changed <= now - settled else ""
