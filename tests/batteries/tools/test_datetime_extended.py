"""The tools of the category datetime_extended."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest

from support.tools import refusal_text
from tether.batteries.testing import FakeClock, run_tool
from tether.batteries.tools.datetime_extended import (
    date_business_days,
    date_calendar_info,
    date_nth_weekday,
    date_parse,
    date_period,
)
from tether.runtime.errors import InvalidToolArgs

LATE = FakeClock(datetime(2024, 3, 6, 23, 30, tzinfo=UTC))
"""A Wednesday, on which it is Thursday already in Berlin."""


# Published dates of U.S. federal holidays (OPM): Thanksgiving, Labor Day, Memorial Day, Martin
# Luther King Day.
@pytest.mark.parametrize(
    ("year", "month", "weekday", "n", "expected"),
    [
        (2023, 11, "thursday", 4, "2023-11-23"),
        (2024, 11, "thursday", 4, "2024-11-28"),
        (2025, 11, "thursday", 4, "2025-11-27"),
        (2024, 9, "monday", 1, "2024-09-02"),
        (2025, 9, "monday", 1, "2025-09-01"),
        (2024, 5, "monday", -1, "2024-05-27"),
        (2025, 5, "monday", -1, "2025-05-26"),
        (2025, 1, "monday", 3, "2025-01-20"),
    ],
)
async def test_published_holidays_are_found(
    year: int, month: int, weekday: str, n: int, expected: str
) -> None:
    arguments = {"year": year, "month": month, "weekday": weekday, "n": n}
    assert await run_tool(date_nth_weekday, arguments) == expected


@pytest.mark.unmeasured
@pytest.mark.parametrize(("year", "month"), [(1, 1), (2024, 2), (2025, 9), (9999, 12)])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, -1, -2, -3, -4, -5])
async def test_weekdays_are_those_of_a_printed_calendar(year: int, month: int, n: int) -> None:
    for number in range(7):
        days = [week[number] for week in calendar.monthcalendar(year, month) if week[number]]
        weekday = calendar.day_name[number].lower()
        arguments: dict[str, Any] = {"year": year, "month": month, "weekday": weekday, "n": n}
        if abs(n) > len(days):
            assert "there are only 4" in await refusal_text(date_nth_weekday, **arguments)
        else:
            day = days[n - 1 if n > 0 else n]
            assert await run_tool(date_nth_weekday, arguments) == f"{year:04}-{month:02}-{day:02}"


@pytest.mark.parametrize(
    "arguments",
    [
        {"year": 0, "month": 1, "weekday": "monday", "n": 1},
        {"year": 10_000, "month": 1, "weekday": "monday", "n": 1},
        {"year": 10**5000, "month": 1, "weekday": "monday", "n": 1},
        {"year": 2024, "month": 13, "weekday": "monday", "n": 1},
        {"year": 2024, "month": 1, "weekday": "Montag", "n": 1},
        {"year": 2024, "month": 1, "weekday": "monday", "n": 0},
        {"year": 2024, "month": 1, "weekday": "monday", "n": 6},
    ],
)
async def test_what_is_no_place_in_a_month_does_not_fit(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(date_nth_weekday, arguments)


# The table of the Wikipedia article "ISO week date".
@pytest.mark.parametrize(
    ("day", "week_date"),
    [
        ("2005-01-01", "2004-W53-6"),
        ("2005-12-31", "2005-W52-6"),
        ("2006-01-01", "2005-W52-7"),
        ("2006-01-02", "2006-W01-1"),
        ("2007-12-31", "2008-W01-1"),
        ("2008-12-29", "2009-W01-1"),
        ("2009-12-31", "2009-W53-4"),
        ("2010-01-03", "2009-W53-7"),
    ],
)
async def test_weeks_around_new_year_are_those_of_the_table(day: str, week_date: str) -> None:
    info = await run_tool(date_calendar_info, {"date": day})
    assert info["iso_week_date"] == week_date
    assert (await run_tool(date_calendar_info, {"date": week_date}))["date"] == day


@pytest.mark.parametrize(
    "text", ["0001-01-01", "1900-02-28", "2000-02-29", "2024-03-06", "2024-12-31", "9999-12-31"]
)
async def test_facts_are_those_of_python(text: str) -> None:
    year, month, number = (int(part) for part in text.split("-"))
    day = date(year, month, number)
    info = await run_tool(date_calendar_info, {"date": text})
    rows = calendar.monthcalendar(year, month)
    column = [row[day.weekday()] for row in rows if row[day.weekday()]]
    assert info == {
        "date": text,
        "weekday": calendar.day_name[day.weekday()],
        "iso_weekday": day.isoweekday(),
        "is_weekend": day.strftime("%a") in ("Sat", "Sun"),
        "iso_week": day.isocalendar().week,
        "iso_week_year": day.isocalendar().year,
        "iso_week_date": f"{day.isocalendar().year:04}-W{day:%V-%u}",
        "day_of_year": int(day.strftime("%j")),
        "days_left_in_year": (date(year, 12, 31) - day).days,
        "days_in_year": (date(year, 12, 31) - date(year, 1, 1)).days + 1,
        "is_leap_year": calendar.isleap(year),
        "quarter": {1: 1, 2: 1, 3: 1, 12: 4}[month],
        "days_in_month": calendar.monthrange(year, month)[1],
        "days_left_in_month": calendar.monthrange(year, month)[1] - number,
        "week_of_month": next(i for i, row in enumerate(rows, 1) if number in row),
        "weekday_of_month": column.index(number) + 1,
    }


async def test_the_time_of_a_date_is_ignored() -> None:
    info = await run_tool(date_calendar_info, {"date": "2024-03-06T23:30-08:00"})
    assert (info["date"], info["weekday"]) == ("2024-03-06", "Wednesday")


# Days of March 2024, from a printed calendar.
@pytest.mark.parametrize(
    ("arguments", "result", "kind"),
    [
        ({"text": "today"}, "2024-03-06", "date"),
        ({"text": "today", "timezone": "Europe/Berlin"}, "2024-03-07", "date"),
        ({"text": "now", "timezone": "Europe/Berlin"}, "2024-03-07T00:30:00+01:00", "datetime"),
        ({"text": "next Monday", "reference": "2024-03-20"}, "2024-03-25", "date"),
        (
            {"text": "in 2 hours", "reference": "2024-03-20"},
            "2024-03-20T02:00:00+00:00",
            "datetime",
        ),
        (
            {"text": "noon", "reference": "2024-03-20T23:30Z", "timezone": "Asia/Tokyo"},
            *("2024-03-21T12:00:00+09:00", "datetime"),
        ),
        ({"text": "03/04/2024", "day_first": True}, "2024-04-03", "date"),
        ({"text": "03/04/2024", "day_first": False}, "2024-03-04", "date"),
    ],
)
async def test_words_are_read_at_the_time_of_the_clock(
    arguments: dict[str, Any], result: str, kind: str
) -> None:
    found = await run_tool(date_parse, arguments, clock=LATE)
    assert (found["result"], found["kind"]) == (result, kind)


async def test_a_reading_is_explained() -> None:
    arguments = {"text": "31 March at 2:30", "timezone": "Europe/Berlin"}
    found = await run_tool(date_parse, arguments, clock=LATE)
    assert found["read_as"] == "31 March 2024, at 02:30 in Europe/Berlin"
    assert (found["weekday"], len(found["notes"])) == ("Sunday", 1)


BOMBS = (
    *("0000-01-01", "10000-01-01", "-0001-01-01", "29 Feb 1900", "2024-02-30", "23:59:60"),
    *("2024-01-01T00:00+99:99", "in 999999999999 years", "", "\x00", "1" * 64),
)


@pytest.mark.parametrize("text", BOMBS)
async def test_dates_that_do_not_exist_are_refused(text: str) -> None:  # case 59
    await refusal_text(date_parse, text=text)
    await refusal_text(date_parse, text="today", reference=text)
    await refusal_text(date_period, period=text)
    await refusal_text(date_calendar_info, date=text)
    await refusal_text(date_business_days, start=text, end="2024-01-01")
    await refusal_text(date_business_days, start="2024-01-01", end=text)
    await refusal_text(date_business_days, start="2024-01-01", add=1, holidays=[text])


@pytest.mark.parametrize("length", [65, 5_000, 200_000])
async def test_long_texts_do_not_fit_the_schema(length: int) -> None:  # case 59
    text = "1" * length
    for tool, arguments in (
        (date_parse, {"text": text}),
        (date_parse, {"text": "today", "reference": text}),
        (date_period, {"period": text}),
        (date_calendar_info, {"date": text}),
        (date_business_days, {"start": text, "add": 1}),
    ):
        with pytest.raises(InvalidToolArgs, match="at most 64"):
            await run_tool(tool, arguments)


async def test_unknown_words_are_named() -> None:
    assert "unknown: 'blursday'" in await refusal_text(date_parse, text="next blursday")
    assert "unknown: 'decade'" in await refusal_text(date_period, period="this decade")
    assert "give day_first" in await refusal_text(date_parse, text="03/04/2024")
    assert "reference: 'soon'" in await refusal_text(date_parse, text="today", reference="soon")
    assert "Did you mean Europe/Berlin" in await refusal_text(
        date_parse, text="today", timezone="europe/berlin"
    )


# Days of 2024, from a printed calendar; for Berlin the tz database.
@pytest.mark.parametrize(
    ("arguments", "start", "end", "days"),
    [
        ({"period": "this quarter"}, "2024-01-01", "2024-03-31", 91),
        ({"period": "last month"}, "2024-02-01", "2024-02-29", 29),
        ({"period": "next year"}, "2025-01-01", "2025-12-31", 365),
        ({"period": "this week"}, "2024-03-04", "2024-03-10", 7),
        ({"period": "this week", "week_start": "sunday"}, "2024-03-03", "2024-03-09", 7),
        ({"period": "today", "timezone": "Europe/Berlin"}, "2024-03-07", "2024-03-07", 1),
        ({"period": "last 7 days"}, "2024-02-29", "2024-03-06", 7),
        ({"period": "year to date", "reference": "2023-01-31"}, "2023-01-01", "2023-01-31", 31),
    ],
)
async def test_periods_have_a_first_and_a_last_day(
    arguments: dict[str, Any], start: str, end: str, days: int
) -> None:
    found = await run_tool(date_period, arguments, clock=LATE)
    assert (found["start"], found["end"], found["days"]) == (start, end, days)


async def test_a_period_begins_and_ends_at_midnight_in_its_zone() -> None:
    arguments = {"period": "2024-03", "timezone": "Europe/Berlin"}
    found = await run_tool(date_period, arguments)
    assert found["begins_at"] == "2024-03-01T00:00:00+01:00"
    assert found["ends_before"] == "2024-04-01T00:00:00+02:00"
    assert found["read_as"] == "March 2024"


@pytest.mark.parametrize(
    ("start", "end", "days"),
    [
        ("2024-12-20", "2025-01-06", 17),
        ("2025-01-06", "2024-12-20", -17),
        ("2024-12-21", "2024-12-22", 1),
    ],
)
async def test_business_days_are_counted_as_numpy_counts_them(
    start: str, end: str, days: int
) -> None:
    holidays = ["2024-12-25", "2025-01-01", "2024-12-28"]
    expected = int(np.busday_count(start, end, holidays=holidays))
    found = await run_tool(date_business_days, {"start": start, "end": end, "holidays": holidays})
    assert found == {"business_days": expected, "calendar_days": days}


async def test_weekends_differ() -> None:
    arguments = {"start": "2024-03-01", "end": "2024-04-01", "weekend": ["friday", "saturday"]}
    expected = np.busday_count("2024-03-01", "2024-04-01", weekmask="1111001")
    assert (await run_tool(date_business_days, arguments))["business_days"] == expected
    none = await run_tool(date_business_days, {**arguments, "weekend": []})
    assert none["business_days"] == 31
    assert "leave at least one" in await refusal_text(
        date_business_days,
        **{**arguments, "weekend": [name.lower() for name in calendar.day_name]},
    )


async def test_the_end_is_counted_where_asked_for() -> None:
    arguments = {"start": "2024-03-04", "end": "2024-03-08"}  # Monday and Friday of one week
    assert (await run_tool(date_business_days, arguments))["business_days"] == 4
    both = await run_tool(date_business_days, {**arguments, "include_end": True})
    assert both["business_days"] == 5


async def test_business_days_are_added() -> None:
    # 2024-12-20 is a Friday; with Christmas Day off, the third business day after it is a Thursday.
    arguments = {"start": "2024-12-20", "add": 3, "holidays": ["2024-12-25"]}
    found = await run_tool(date_business_days, arguments)
    assert found == {"date": "2024-12-26", "weekday": "Thursday"}


@pytest.mark.parametrize(
    "arguments", [{}, {"end": "2024-02-01", "add": 1}, {"add": 1, "include_end": True}]
)
async def test_either_an_end_or_a_number_has_to_be_given(arguments: dict[str, Any]) -> None:
    message = await refusal_text(date_business_days, start="2024-01-01", **arguments)
    assert "give either end, to count, or add" in message


async def test_a_bad_holiday_is_named_by_its_place() -> None:
    message = await refusal_text(
        date_business_days, start="2024-01-01", add=1, holidays=["2024-12-25", "Christmas"]
    )
    assert "holidays[1]: 'Christmas'" in message


async def test_there_are_not_more_holidays_than_a_list_may_hold() -> None:
    days = ["2024-12-25"] * 1000
    arguments = {"start": "0001-01-01", "end": "9999-12-31", "holidays": days}
    counted = await run_tool(date_business_days, arguments)
    assert counted["business_days"] == np.busday_count("0001-01-01", "9999-12-31") - 1
    with pytest.raises(InvalidToolArgs, match="holidays"):
        await run_tool(date_business_days, {**arguments, "holidays": [*days, "2024-12-26"]})
