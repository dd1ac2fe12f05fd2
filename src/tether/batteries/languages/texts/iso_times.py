"""Dates and times of ISO 8601 in the forms of RFC 3339, where the offset may also be left out.

Each check returns None for a good text, and otherwise why it is none.
"""

from __future__ import annotations

import re
from calendar import isleap

_DATE = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LAST_MINUTE = 24 * 60 - 1


def date_problem(text: str) -> str | None:
    """Check a day of the calendar, YYYY-MM-DD."""
    parts = _DATE.fullmatch(text)
    if parts is None:
        return "it is not written as YYYY-MM-DD"
    year, month, day = map(int, parts.groups())
    if not 1 <= month <= 12:
        return f"there is no month {month:02}"
    days = 29 if month == 2 and isleap(year) else _DAYS[month - 1]
    return None if 1 <= day <= days else f"{year:04}-{month:02} has the days 01 to {days}"


def time_problem(text: str) -> str | None:
    """Check a time of day, hh:mm or hh:mm:ss with a fraction, and Z or ±hh:mm where given."""
    parts = _TIME.fullmatch(text)
    if parts is None:
        return "it is not written as hh:mm:ss, with Z or an offset such as +02:00 where needed"
    hour, minute, second = (int(part or 0) for part in parts.groups()[:3])
    sign, away = _offset(parts[4] or "Z")
    if hour > 23 or minute > 59 or second > 60:
        return "hours end at 23, minutes at 59 and seconds at 59"
    if away // 100 > 23 or away % 100 > 59:
        return "an offset ends at 23:59"
    in_utc = hour * 60 + minute - sign * (away // 100 * 60 + away % 100)
    if second == 60 and in_utc % (24 * 60) != _LAST_MINUTE:
        return "a leap second comes only after 23:59:59 UTC"
    return None


def datetime_problem(text: str) -> str | None:
    """Check a date and a time with a T between them."""
    date, separator, time = text[:10], text[10:11], text[11:]
    if separator not in ("T", "t"):
        return "it is not written as YYYY-MM-DDThh:mm:ss"
    return date_problem(date) or time_problem(time)


def _offset(text: str) -> tuple[int, int]:
    """Return the sign and the digits hhmm of an offset."""
    if text in "Zz":
        return 1, 0
    return (-1 if text[0] == "-" else 1), int(text[1:].replace(":", ""))
