"""The calendar: weekdays of a month, facts about a date, dates in words, periods, business days."""

from __future__ import annotations

from calendar import isleap, monthrange
from datetime import date, datetime, timedelta, tzinfo
from typing import Annotated, Literal

from pydantic import Field

from tether.batteries.languages.dates.calendar_math import BusinessCalendar, nth_weekday
from tether.batteries.languages.dates.iso_dates import WEEKDAY_NAMES, read_date, read_date_or_time
from tether.batteries.languages.dates.natural_dates import read_natural_date
from tether.batteries.languages.dates.periods import read_period
from tether.batteries.languages.dates.time_zones import locate, move, read_zone
from tether.batteries.languages.dates.vocabulary import WEEKDAYS
from tether.batteries.tools.date_arguments import DateText, ZoneText
from tether.batteries.tools.ready_made import ready_made
from tether.core.errors import InputRefused
from tether.runtime.dispatch_context import DispatchContext

MOST_DAYS = 4_000_000
"""More than the days of all years from 1 to 9999."""

Year = Annotated[int, Field(ge=1, le=9999)]
Month = Annotated[int, Field(ge=1, le=12)]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
Place = Literal[1, 2, 3, 4, 5, -1, -2, -3, -4, -5]


@ready_made(example={"year": 2024, "month": 11, "weekday": "thursday", "n": 4})
def date_nth_weekday(year: Year, month: Month, weekday: Weekday, n: Place) -> str:
    """Return the date of the n-th weekday of a month, such as the third Thursday of November.

    Args:
        year: The year.
        month: The month, 1 for January.
        weekday: The weekday.
        n: 1 is the first of the month, -1 the last, -2 the one before the last.
    """
    first, last = date(year, month, 1), date(year, month, monthrange(year, month)[1])
    return nth_weekday(first, last, WEEKDAYS[weekday], n).isoformat()


@ready_made(example={"date": "2024-03-06"})
def date_calendar_info(date: DateText) -> dict[str, object]:
    """Return calendar facts about a date: weekday, ISO week, quarter, leap year and more.

    `week_of_month` counts the rows of a calendar whose weeks begin on Monday;
    `weekday_of_month` is 3 for the third Thursday of a month.

    Args:
        date: An ISO 8601 date, such as 2024-03-06, 2024-W10-3 or 2024-066; a time is ignored.
    """
    day = read_date_or_time(date)
    week_year, week, weekday = day.isocalendar()
    ordinal = day.timetuple().tm_yday
    days_in_year = 365 + isleap(day.year)
    days_in_month = monthrange(day.year, day.month)[1]
    return {
        "date": day.isoformat()[:10],
        "weekday": WEEKDAY_NAMES[day.weekday()],
        "iso_weekday": weekday,
        "is_weekend": weekday > 5,
        "iso_week": week,
        "iso_week_year": week_year,
        "iso_week_date": f"{week_year:04}-W{week:02}-{weekday}",
        "day_of_year": ordinal,
        "days_left_in_year": days_in_year - ordinal,
        "days_in_year": days_in_year,
        "is_leap_year": isleap(day.year),
        "quarter": (day.month + 2) // 3,
        "days_in_month": days_in_month,
        "days_left_in_month": days_in_month - day.day,
        "week_of_month": (day.day - 1 + day.replace(day=1).weekday()) // 7 + 1,
        "weekday_of_month": (day.day - 1) // 7 + 1,
    }


@ready_made(example={"text": "third Thursday of November", "reference": "2024-03-06"})
def date_parse(
    ctx: DispatchContext,
    text: DateText,
    *,
    reference: DateText | None = None,
    timezone: ZoneText = "UTC",
    day_first: bool | None = None,
) -> dict[str, object]:
    """Read a date, or a date and time, in English words.

    Reads ISO 8601, and for instance: tomorrow, next Monday, in two weeks, 3 days ago, two weeks
    before 2024-03-01, end of month, first Monday of September 2025, March 3rd 2024, tomorrow at
    5pm, Monday 14:00 UTC, Q3 2024. "Monday" and "this Monday" are the first one from today on,
    "next Monday" the first after today, "last Monday" the latest before today; "Monday of next
    week" is the one of the week that begins on the next Monday. Dates without a year are in this
    year. Returns the result, whether it is a date or a datetime, how the words were read, and notes
    on times that clocks skip or show twice.

    Args:
        text: The words, at most 64 characters.
        reference: The date or time that counts as now, in ISO 8601; if left out, the current time.
        timezone: The zone of today and of times without a zone, such as Europe/Berlin.
        day_first: Whether 03/04/2024 is 3 April (true) or 4 March (false); if left out, a date that
            can be either is refused.
    """
    zone = read_zone(timezone)
    now = _reference(ctx, reference, zone)
    value, read_as, notes = read_natural_date(text, now, zone, day_first=day_first)
    return {
        "result": value.isoformat(),
        "kind": "datetime" if isinstance(value, datetime) else "date",
        "weekday": WEEKDAY_NAMES[value.weekday()],
        "read_as": read_as,
        "notes": list(notes),
    }


@ready_made(example={"period": "this quarter", "reference": "2024-03-06"})
def date_period(
    ctx: DispatchContext,
    period: DateText,
    *,
    reference: DateText | None = None,
    timezone: ZoneText = "UTC",
    week_start: Weekday = "monday",
) -> dict[str, object]:
    """Return the first and the last day of a named period, and the moments it begins and ends.

    Reads for instance: this quarter, last month, next year, week of 2024-03-06, Q1 2024, 2024,
    2024-03, 2024-W10, March 2024, year to date, last 7 days, next 2 weeks, today. Last and next are
    the neighbours in the calendar; with a number, the last 7 days end with today and the next 7
    begin tomorrow.

    Args:
        period: The name of the period, at most 64 characters.
        reference: The date or time that counts as now, in ISO 8601; if left out, the current time.
        timezone: The zone of today and of the moments, such as Europe/Berlin.
        week_start: The day on which weeks begin; those written as 2024-W10 begin on Monday.
    """
    zone = read_zone(timezone)
    today = _reference(ctx, reference, zone).date()
    start, end, read_as = read_period(period, today, WEEKDAYS[week_start])
    return {
        "start": start.isoformat(),
        "end": (end - timedelta(days=1)).isoformat(),
        "days": (end - start).days,
        "begins_at": locate(start, zone).moment.isoformat(),
        "ends_before": locate(end, zone).moment.isoformat(),
        "read_as": read_as,
    }


@ready_made(example={"start": "2024-12-20", "end": "2025-01-06", "holidays": ["2024-12-25"]})
def date_business_days(
    start: DateText,
    end: DateText | None = None,
    *,
    add: Annotated[int, Field(ge=-MOST_DAYS, le=MOST_DAYS)] | None = None,
    holidays: Annotated[tuple[DateText, ...], Field(max_length=1000)] = (),
    weekend: Annotated[tuple[Weekday, ...], Field(max_length=7)] = ("saturday", "sunday"),
    include_end: bool = False,
) -> dict[str, object]:
    """Count the business days between two dates, or add business days to a date.

    Give either end or add. With end, the start is counted and the end is not, and the count is
    negative if the end comes first; the same rule as numpy.busday_count. With add, returns the date
    that many business days after the start, or before it if negative; 0 is the start itself, or the
    next business day after it.

    Args:
        start: An ISO 8601 date, such as 2024-12-20.
        end: The date to count up to.
        add: The number of business days to add, or to go back if negative.
        holidays: Dates that are not worked, besides the weekend.
        weekend: The weekdays that are not worked.
        include_end: Count the end as well; only with end.
    """
    first = read_date(start, "start")
    closed = [read_date(day, f"holidays[{position}]") for position, day in enumerate(holidays)]
    calendar = BusinessCalendar((WEEKDAYS[day] for day in weekend), closed)
    if end is not None and add is None:
        last = read_date(end, "end")
        count = calendar.count(first, last, include_end=include_end)
        return {"business_days": count, "calendar_days": (last - first).days}
    if end is None and add is not None and not include_end:
        found = calendar.add(first, add)
        return {"date": found.isoformat(), "weekday": WEEKDAY_NAMES[found.weekday()]}
    raise InputRefused("give either end, to count, or add; include_end goes with end")


def _reference(ctx: DispatchContext, text: str | None, zone: tzinfo) -> datetime:
    if text is None:
        return move(ctx.clock.now(), zone)
    return locate(read_date_or_time(text, "reference"), zone).moment
