"""Dates and times as ISO 8601 and RFC 3339 write them: one strict reader for every tool.

`datetime.fromisoformat` accepts different texts from one Python version to the next, so it is not
used. Accepted are calendar dates (2024-03-01), week dates (2024-W09-5) and ordinal dates
(2024-061), alone or followed by `T` or a space and a time with minutes, optional seconds with up to
nine decimals (cut to microseconds), and an optional `Z` or offset; all with their dashes and colons
or all without. The years run from 0001 to 9999. The time 24:00 is 00:00 of the next day; the leap
second :60 is refused, because the clocks of computers do not show it.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from datetime import UTC, date, datetime, time, timedelta

from tether.batteries.languages.dates.time_zones import OFFSET, move, read_offset
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

LONGEST_DATE = 64
WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""In English: those of the module `calendar` follow the locale of the machine."""

DateOrTime = date | datetime
"""A day without a time, a naive local time, or a moment with its zone."""

_ISO = re.compile(
    rf"""
    (?P<year>[0-9]{{4}})(?P<dash>-?)
    (?: (?P<month>[0-9]{{2}})(?P=dash)(?P<day>[0-9]{{2}})
      | W(?P<week>[0-9]{{2}})(?P=dash)(?P<weekday>[0-9])
      | (?P<ordinal>[0-9]{{3}})
    )
    (?: [T ](?P<hour>[0-9]{{2}})(?P<colon>:?)(?P<minute>[0-9]{{2}})
        (?: (?P=colon)(?P<second>[0-9]{{2}}) (?:[.,](?P<fraction>[0-9]{{1,9}}))? )?
        (?P<zone>Z|{OFFSET})?
    )?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def read_date_or_time(text: str, name: str = "date") -> DateOrTime:
    """Parse a day, a naive time or a moment.

    Raises `InputRefused` and `LimitExceeded`, which call the text by `name`.
    """
    check_length(text, name)
    value = scan_iso(text.strip())
    if value is None:
        raise InputRefused(
            f"{name}: {in_short(text)} is not an ISO 8601 date: write 2024-03-01, "
            "2024-03-01T14:30 or 2024-03-01T14:30:00+01:00, with a year from 0001 to 9999"
        )
    return value


def read_date(text: str, name: str = "date") -> date:
    """Parse a day; refuse a text that has a time as well."""
    value = read_date_or_time(text, name)
    if isinstance(value, datetime):
        raise InputRefused(
            f"{name}: {in_short(text)} has a time: write only the date, as in 2024-03-01"
        )
    return value


def check_length(text: str, name: str) -> None:
    """Raise `LimitExceeded` for a text that is longer than any date."""
    if len(text) > LONGEST_DATE:
        raise LimitExceeded(
            f"{name} has {len(text)} characters; at most {LONGEST_DATE} are allowed"
        )


def scan_iso(text: str) -> DateOrTime | None:
    """Parse a date or a time; return None for a text of another form.

    Raises `InputRefused` for a day or time that does not exist.
    """
    found = _ISO.fullmatch(text)
    if found is None or (found["hour"] and bool(found["dash"]) != bool(found["colon"])):
        return None
    day = _day(found)
    if found["hour"] is None:
        return day
    fraction = (found["fraction"] or "")[:6].ljust(6, "0")
    since_midnight = time_of_day(
        int(found["hour"]), int(found["minute"]), int(found["second"] or 0), int(fraction)
    )
    wall = at(day, since_midnight)
    if found["zone"] is None:
        return wall
    moment = wall.replace(tzinfo=UTC if found["zone"] in "Zz" else read_offset(found["zone"]))
    return move(moment, moment.tzinfo or UTC)


def at(day: date, since_midnight: timedelta) -> datetime:
    """Return the naive local time; raise `InputRefused` after the year 9999."""
    try:
        return datetime.combine(day, time.min) + since_midnight
    except OverflowError:
        raise InputRefused("24:00 on 9999-12-31 is outside the years 0001 to 9999") from None


def calendar_day(year: int, month: int, day: int) -> date:
    """Return a day of the calendar; raise `InputRefused` if it does not exist."""
    if year < 1:
        raise InputRefused(f"there is no year {year:04}: years run from 0001 to 9999")
    if not 1 <= month <= 12:
        raise InputRefused(f"there is no month {month}: months run from 1 to 12")
    days = monthrange(year, month)[1]
    if not 1 <= day <= days:
        raise InputRefused(
            f"there is no day {day} in {MONTH_NAMES[month - 1]} {year}, which has {days} days"
        )
    return date(year, month, day)


def time_of_day(hour: int, minute: int, second: int = 0, microsecond: int = 0) -> timedelta:
    """Return the local time since midnight, up to 24:00; raise `InputRefused`."""
    if second == 60:
        raise InputRefused(
            "leap seconds (:60) are not supported: write the second before or after it"
        )
    since_midnight = timedelta(hours=hour, minutes=minute, seconds=second, microseconds=microsecond)
    if minute > 59 or second > 59 or since_midnight > timedelta(days=1):
        raise InputRefused(
            f"there is no time {hour:02}:{minute:02}:{second:02}: times run from 00:00:00 to 24:00"
        )
    return since_midnight


def week_day(year: int, week: int, weekday: int) -> date:
    """Return a day of an ISO week, 1 for Monday; raise `InputRefused` if it does not exist."""
    try:
        return date.fromisocalendar(year, week, weekday)
    except (OverflowError, ValueError):
        raise InputRefused(
            f"there is no week date {year:04}-W{week:02}-{weekday}: weeks run to 52, in some years "
            "to 53, their days from 1 (Monday) to 7, and years to 9999"
        ) from None


def _day(found: re.Match[str]) -> date:
    year = int(found["year"])
    if found["month"]:
        return calendar_day(year, int(found["month"]), int(found["day"]))
    first = calendar_day(year, 1, 1)
    if found["week"]:
        return week_day(year, int(found["week"]), int(found["weekday"]))
    days = 365 + isleap(year)
    if not 1 <= int(found["ordinal"]) <= days:
        raise InputRefused(f"there is no day {found['ordinal']} in {year}, which has {days} days")
    return first + timedelta(days=int(found["ordinal"]) - 1)
