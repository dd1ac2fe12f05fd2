"""Calendar arithmetic: adding a duration to a date, and the duration between two.

Months are added first, and a day the month does not have becomes its last one (31 January and one
month is 29 February, in a leap year). Days come next and keep the time on the wall clock. Hours,
minutes and seconds are time that passes, also where clocks are changed in between.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

from tether.batteries.languages.dates.dates import MONTH_NAMES, WEEKDAY_NAMES, DateOrTime, at
from tether.batteries.languages.dates.durations import Duration
from tether.batteries.languages.dates.time_zones import locate, move, place
from tether.core.errors import InputRefused

_OUTSIDE = "the result is outside the years 0001 to 9999"
_MICROSECOND = timedelta(microseconds=1)


class Sum(NamedTuple):
    """Where an addition led, and what had to be decided on the way."""

    value: DateOrTime
    notes: list[str]


class Difference(NamedTuple):
    """How far apart two dates or times are; all numbers but the sign are positive or zero."""

    sign: int
    """-1 where the end is before the start, 0 where they are equal, else 1."""
    elapsed: int
    """The time that passes, in microseconds."""
    calendar: Duration
    """What has to be added to the earlier one to reach the later one."""
    notes: list[str]
    """What had to be decided about a time on a wall clock."""


def add(start: DateOrTime, duration: Duration) -> Sum:
    """Return `start` and so much more; a day becomes its midnight if hours are added.

    Raises `InputRefused` outside the years 1 to 9999.
    """
    day = date(start.year, start.month, start.day)
    in_month = add_months(day, duration.months)
    notes: list[str] = []
    if in_month.day != day.day:
        month = f"{MONTH_NAMES[in_month.month - 1]} {in_month.year}"
        notes.append(f"{month} has no day {day.day}: its last day, {in_month.day}, was taken")
    landed = add_days(in_month, duration.days)
    if isinstance(start, datetime):
        moment, moved = (start, None) if landed == day else _on_day(start, landed)
        notes += [moved] if moved else []
    elif duration.microseconds:
        moment = _wall(landed)
    else:
        return Sum(landed, notes)
    return Sum(_elapse(moment, duration.microseconds), notes)


def add_months(day: date, months: int) -> date:
    """Return the same day of another month, or its last day if it has none such."""
    index = day.year * 12 + day.month - 1 + months
    if not 12 <= index < 120_000:
        raise InputRefused(_OUTSIDE)
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def add_days(day: date, days: int) -> date:
    """Return the day so many days later."""
    ordinal = day.toordinal() + days
    if not 1 <= ordinal <= date.max.toordinal():
        raise InputRefused(_OUTSIDE)
    return date.fromordinal(ordinal)


def difference(start: DateOrTime, end: DateOrTime, zone: tzinfo | None = None) -> Difference:
    """Return how far `end` is from `start`.

    Two days, or two naive times, are compared as they are written. With `zone`, or where both have
    an offset, the time that passes is counted and the calendar is that of the zone, or of the
    start's offset. Raises `InputRefused` where only one has an offset and there is no zone.
    """
    first, last, notes = _aligned(start, end, zone)
    elapsed = _elapsed(first, last)
    if elapsed < 0:
        first, last = last, first
    sign = (elapsed > 0) - (elapsed < 0)
    return Difference(sign, abs(elapsed), _calendar(first, last), notes)


def nth_weekday(first: date, last: date, weekday: int, n: int) -> date:
    """Return the n-th such weekday from `first` to `last`; counted from the end if n is negative.

    Raises `InputRefused` if there are not so many.
    """
    earliest = first.toordinal() + (weekday - first.weekday()) % 7
    latest = last.toordinal() - (last.weekday() - weekday) % 7
    found = earliest + 7 * (n - 1) if n > 0 else latest + 7 * (n + 1)
    if not earliest <= found <= latest:
        count = (latest - earliest) // 7 + 1
        raise InputRefused(
            f"from {first} to {last} there are only {count} {WEEKDAY_NAMES[weekday]}s, not {abs(n)}"
        )
    return date.fromordinal(found)


def _on_day(moment: datetime, day: date) -> tuple[datetime, str | None]:
    """Return the same time of the wall clock on another day, and what had to be decided."""
    wall = datetime.combine(day, moment.time())
    if moment.tzinfo is None:
        return wall, None
    placed = place(wall, moment.tzinfo)
    return placed.moment, placed.note


def _elapse(moment: datetime, microseconds: int) -> datetime:
    """Let time pass: on a naive clock by its hands, with a zone on the time line."""
    if not microseconds:
        return moment
    try:
        passed = timedelta(microseconds=microseconds)
        if moment.tzinfo is None:
            return moment + passed
        return move(moment.astimezone(UTC) + passed, moment.tzinfo)
    except OverflowError:
        raise InputRefused(_OUTSIDE) from None


def _aligned(start: DateOrTime, end: DateOrTime, zone: tzinfo | None) -> _Pair:
    """Return two of a kind: days, naive times, or moments in one zone."""
    if not isinstance(start, datetime) and not isinstance(end, datetime):
        return _Pair(start, end, [])
    if zone is None:
        zone = _zone(start)
        if (zone is None) != (_zone(end) is None):
            raise InputRefused(
                "one of start and end has an offset and the other has none: write an offset in "
                "both, or give the timezone of the other"
            )
    if zone is None:
        return _Pair(_wall(start), _wall(end), [])
    first, last = locate(start, zone), locate(end, zone)
    return _Pair(first.moment, last.moment, [note for note in (first.note, last.note) if note])


class _Pair(NamedTuple):
    first: DateOrTime
    last: DateOrTime
    notes: list[str]


def _zone(value: DateOrTime) -> tzinfo | None:
    return value.tzinfo if isinstance(value, datetime) else None


def _wall(value: DateOrTime) -> datetime:
    return value if isinstance(value, datetime) else at(value, timedelta())


def _elapsed(first: DateOrTime, last: DateOrTime) -> int:
    """Return the microseconds from one to the other; negative if `last` is before `first`."""
    return (_on_time_line(last) - _on_time_line(first)) // _MICROSECOND


def _on_time_line(value: DateOrTime) -> datetime:
    """Return UTC, because Python compares two times of one zone by their hands alone."""
    wall = _wall(value)
    return wall if wall.tzinfo is None else wall.astimezone(UTC)


def _calendar(first: DateOrTime, last: DateOrTime) -> Duration:
    """Return the most months, then the most days, then the time, that do not go past `last`."""
    months = (last.year - first.year) * 12 + last.month - first.month
    while _elapsed(add(first, Duration(months)).value, last) < 0:
        months -= 1
    anchor = add(first, Duration(months)).value
    days = max(0, last.toordinal() - anchor.toordinal())
    while _elapsed(add(first, Duration(months, days)).value, last) < 0:
        days -= 1
    return Duration(months, days, _elapsed(add(first, Duration(months, days)).value, last))
