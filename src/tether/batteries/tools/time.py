"""Time: the current time, and times converted between zones."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from tether.batteries.languages.dates.iso_dates import WEEKDAY_NAMES, read_date_or_time
from tether.batteries.languages.dates.time_zones import (
    LocalTime,
    locate,
    move,
    offset_of,
    offset_text,
    place,
    read_zone,
    zone_name,
)
from tether.batteries.tools.date_arguments import DateText, ZoneText
from tether.batteries.tools.ready_made import ready_made
from tether.core.errors import InputRefused
from tether.runtime.dispatch_context import DispatchContext


@ready_made(example={"timezone": "Europe/Berlin"})
def get_current_time(ctx: DispatchContext, timezone: ZoneText = "UTC") -> dict[str, object]:
    """Return the current date and time in a time zone, with its weekday and its offset from UTC.

    Use it whenever an answer depends on the current date or time.

    Args:
        timezone: An IANA name such as Europe/Berlin, an offset such as +05:30, or UTC.
    """
    now = move(ctx.clock.now(), read_zone(timezone))
    return {**_described(now), "unix_seconds": int(now.timestamp())}


@ready_made(
    example={
        "datetime": "2024-03-01T09:00",
        "from_timezone": "America/New_York",
        "to_timezone": "Asia/Kathmandu",
    }
)
def convert_time(
    datetime: DateText,
    to_timezone: ZoneText,
    *,
    from_timezone: ZoneText | None = None,
    fold: Literal[0, 1] = 0,
) -> dict[str, object]:
    """Convert a date and time from one time zone to another.

    Returns the time in both zones. `local_time` says how often the clocks of the first zone show
    the given time: once; twice where clocks are set back, and then `fold` chooses; or never where
    they are set forward, and then the time is moved forward by the gap. `notes` says so.

    Args:
        datetime: An ISO 8601 date and time, such as 2024-03-01T09:00 or 2024-03-01T09:00+01:00.
        to_timezone: An IANA name such as Asia/Tokyo, an offset such as +05:30, or UTC.
        from_timezone: The zone of a datetime without an offset. With an offset it must agree.
        fold: For a time that occurs twice: 0 is the first one, 1 the second.
    """
    source = _source(datetime, from_timezone, fold)
    result = move(source.moment, read_zone(to_timezone))
    return {
        **_described(result),
        "source": _described(source.moment),
        "local_time": source.occurs,
        "notes": [source.note] if source.note else [],
    }


def _source(text: str, zone: str | None, fold: int) -> LocalTime:
    value = read_date_or_time(text, "datetime")
    if not isinstance(value, datetime):
        raise InputRefused(f"datetime: {text!r} has no time: write for instance {value}T09:00")
    if value.tzinfo is None:
        if zone is None:
            raise InputRefused("from_timezone is needed, because datetime has no offset")
        return place(value, read_zone(zone), fold)
    if zone is None:
        return locate(value, value.tzinfo)
    found = locate(value, read_zone(zone))
    if offset_of(found.moment) != offset_of(value):
        raise InputRefused(
            f"datetime has the offset {offset_text(value)}, but clocks in {zone} were at "
            f"{offset_text(found.moment)}: leave out from_timezone or the offset"
        )
    return found


def _described(moment: datetime) -> dict[str, object]:
    return {
        "datetime": moment.isoformat(),
        "timezone": zone_name(moment.tzinfo),
        "utc_offset": offset_text(moment),
        "abbreviation": moment.tzname(),
        "weekday": WEEKDAY_NAMES[moment.weekday()],
    }
