"""Times of day and time zones in the midst of words: tomorrow at 5pm, Monday 14:00 UTC."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from tether.batteries.languages.dates.dates import time_of_day
from tether.batteries.languages.dates.time_zones import (
    ABBREVIATIONS,
    OFFSET,
    SHIFTED,
    read_zone,
)
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from datetime import tzinfo

    from tether.batteries.languages.dates.date_words import Words

NAMED_TIMES = {"midnight": timedelta(), "noon": timedelta(hours=12)}
HALVES = {"am": 0, "pm": 12}

_CLOCK = re.compile(r"([0-9]{1,2})(?::([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?")
_HOUR = re.compile(r"[0-9]{1,2}")
_ZONE_AT_END = re.compile(
    rf"(?P<before>.*\S)\s+(?P<apart>z|utc|gmt|{SHIFTED}|{'|'.join(ABBREVIATIONS)}"
    rf"|[a-z_]+/[a-z0-9_+/-]+|{OFFSET})"
    rf"|(?P<time>.*:[0-9.]+)(?P<glued>z|{OFFSET})",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


def split_zone(text: str) -> tuple[str, tzinfo | None]:
    """Return the text without the zone at its end, and that zone; raise `InputRefused`.

    A zone is Z, UTC, GMT, an IANA name with a slash, or an offset, which may follow a time of day
    without a space. Abbreviations are looked for as well, to be refused by their name.
    """
    found = _ZONE_AT_END.fullmatch(text)
    if found is None:
        return text, None
    name = found["apart"] or found["glued"]
    if name.lower() in ("z", "utc", "gmt"):
        name = "UTC"
    return found["before"] or found["time"], read_zone(name)


def take_time(words: Words) -> timedelta | None:
    """Take a time of day: noon, 5pm, 5:30 p.m., 17:30 or 17:30:15.

    Returns the time since midnight. An hour alone could be of the morning or of the evening: after
    "at" it is refused, elsewhere it is no time. Raises `InputRefused`.
    """
    is_announced = words.take("at") is not None
    found = words.first_of(lambda: words.look_up(NAMED_TIMES), lambda: _clock(words))
    if found is None and is_announced:
        if _HOUR.fullmatch(words.next):
            raise InputRefused(
                f"'at {words.next}' can be in the morning or in the evening: write "
                f"{words.next}am or {words.next}pm, or {words.next:0>2}:00 of 24 hours"
            )
        words.position -= 1
    return found


def _clock(words: Words) -> timedelta | None:
    found = words.match(_CLOCK)
    if found is None:
        return None
    half = words.look_up(HALVES)
    if found[2] is None and half is None:
        return None
    microsecond = int((found[4] or "")[:6].ljust(6, "0"))
    return time_of_day(
        _hour(int(found[1]), half), int(found[2] or 0), int(found[3] or 0), microsecond
    )


def _hour(hour: int, half: int | None) -> int:
    """Return the hour of 24: 12am is midnight and 12pm noon."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise InputRefused(f"there is no hour {hour} before am or pm: they run from 1 to 12")
    return hour % 12 + half
