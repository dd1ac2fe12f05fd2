"""Calendar arithmetic: sums and differences of dates and durations, and business days.

Months are added first, and a day the month does not have becomes its last one (31 January and one
month is 29 February, in a leap year). Days come next and keep the local time. Hours, minutes and
seconds are elapsed time, even where clocks change in between.

Business days are counted and added by arithmetic, never day by day.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.languages.dates.durations import Duration
from tether.batteries.languages.dates.iso_dates import MONTH_NAMES, WEEKDAY_NAMES, DateOrTime, at
from tether.batteries.languages.dates.time_zones import locate, move, place
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

_OUTSIDE = "the result is outside the years 0001 to 9999"
_MICROSECOND = timedelta(microseconds=1)


class Sum(NamedTuple):
    """The result of an addition, and notes on choices that had to be made."""

    value: DateOrTime
    notes: list[str]


class Difference(NamedTuple):
    """How far apart two dates or times are; all numbers but the sign are positive or zero."""

    sign: int
    """-1 where the end is before the start, 0 where they are equal, else 1."""
    elapsed: int
    """The elapsed time, in microseconds."""
    calendar: Duration
    """The duration to add to the earlier one to reach the later one."""
    notes: list[str]
    """Notes on choices about local times."""


def add(start: DateOrTime, duration: Duration) -> Sum:
    """Return `start` plus a duration; a day becomes its midnight if hours are added.

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
    """Return the same day of another month, or the last day of a shorter month."""
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
    an offset, elapsed time is counted and the calendar is that of the zone, or of the start's
    offset. Raises `InputRefused` where only one has an offset and there is no zone.
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
    """Return the same local time on another day, and a note on the choice, if there was one."""
    wall = datetime.combine(day, moment.time())
    if moment.tzinfo is None:
        return wall, None
    placed = place(wall, moment.tzinfo)
    return placed.moment, placed.note


def _elapse(moment: datetime, microseconds: int) -> datetime:
    """Add elapsed time; with a zone, across changes of its clocks."""
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
    """Return UTC, because Python compares two times of one zone by their local times alone."""
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


LAST_DAY = date.max.toordinal()


class BusinessCalendar:
    """The working days: all but the weekend and the holidays.

    `weekend` has weekdays, 0 for Monday. Raises `InputRefused` if it has all seven.
    """

    __slots__ = ("_holidays", "_workdays")

    def __init__(self, weekend: Iterable[int] = (5, 6), holidays: Iterable[date] = ()) -> None:
        self._workdays = tuple(sorted(set(range(7)) - set(weekend)))
        if not self._workdays:
            raise InputRefused("the weekend has all seven days: leave at least one to work on")
        worked = {day.toordinal() for day in holidays if day.weekday() in self._workdays}
        self._holidays = sorted(worked)

    def count(self, start: date, end: date, *, include_end: bool = False) -> int:
        """Return the business days from `start` on, up to but not including `end`.

        As numpy.busday_count: the start is counted and the end is not, and where the end comes
        first the result is negative. `include_end` counts the end as well.
        """
        if end < start:
            first = end.toordinal() if include_end else end.toordinal() + 1
            return self._through(first - 1) - self._through(start.toordinal())
        last = end.toordinal() if include_end else end.toordinal() - 1
        return self._through(last) - self._through(start.toordinal() - 1)

    def add(self, start: date, days: int) -> date:
        """Return the so-many-th business day after `start`, or before it if negative.

        Zero days give the start itself, or the first business day after it. As
        numpy.busday_offset with `roll` "backward" for days after, and else "forward". Raises
        `InputRefused` outside the years 1 to 9999.
        """
        passed = self._through(start.toordinal() if days > 0 else start.toordinal() - 1)
        wanted = passed + days if days > 0 else passed + days + 1
        ordinal = bisect_left(range(LAST_DAY + 1), wanted, key=self._through)
        if not 1 <= ordinal <= LAST_DAY:
            raise InputRefused("the result is outside the years 0001 to 9999: add fewer days")
        return date.fromordinal(ordinal)

    def _through(self, ordinal: int) -> int:
        """Return the business days from 0001-01-01, a Monday, up to and including a day."""
        weeks, rest = divmod(ordinal, 7)
        worked = weeks * len(self._workdays) + bisect_left(self._workdays, rest)
        return worked - bisect_right(self._holidays, ordinal)
