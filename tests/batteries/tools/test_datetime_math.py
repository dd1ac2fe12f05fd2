"""The tools of the category datetime_math."""

from __future__ import annotations

from typing import Any

import pytest

from support.tools import refusal_text
from tether.batteries.testing import run_tool
from tether.batteries.tools.datetime_math import date_add, date_diff, duration_format
from tether.runtime.errors import InvalidToolArgs


# The Javadoc of java.time (plusMonths, plusYears, plusWeeks) and the table of date operators in
# PostgreSQL's documentation, section 9.9; for Berlin the tz database.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"date": "2007-03-31", "amount": 1, "unit": "months"}, "2007-04-30"),
        ({"date": "2008-02-29", "amount": 1, "unit": "years"}, "2009-02-28"),
        ({"date": "2008-12-31", "amount": 1, "unit": "weeks"}, "2009-01-07"),
        ({"date": "2001-10-01", "amount": -7, "unit": "days"}, "2001-09-24"),
        ({"date": "2001-09-28T01:00", "amount": 23, "unit": "hours"}, "2001-09-29T00:00:00"),
        ({"date": "2001-09-28", "duration": "PT1H"}, "2001-09-28T01:00:00"),
        ({"date": "2010-01-15", "duration": "P1Y2M3D"}, "2011-03-18"),
        ({"date": "2010-01-15", "duration": "1 year, 2 months and 3 days"}, "2011-03-18"),
        ({"date": "2011-03-18", "duration": "-P1M"}, "2011-02-18"),
        (
            {"date": "2024-03-30T12:00", "duration": "P1D", "timezone": "Europe/Berlin"},
            "2024-03-31T12:00:00+02:00",
        ),
        (
            {"date": "2024-03-30T12:00", "duration": "PT24H", "timezone": "Europe/Berlin"},
            "2024-03-31T13:00:00+02:00",
        ),
        (
            {"date": "2024-03-30T11:00Z", "duration": "P1D", "timezone": "Europe/Berlin"},
            "2024-03-31T12:00:00+02:00",
        ),
        (
            {"date": "2024-03-31", "duration": "PT3H", "timezone": "Europe/Berlin"},
            "2024-03-31T04:00:00+02:00",
        ),
        ({"date": "2024-03-31", "duration": "P1D", "timezone": "Europe/Berlin"}, "2024-04-01"),
    ],
)
async def test_durations_are_added(arguments: dict[str, Any], expected: str) -> None:
    assert (await run_tool(date_add, arguments))["result"] == expected


async def test_an_addition_says_what_it_had_to_decide() -> None:
    clamped = await run_tool(date_add, {"date": "2024-01-31", "amount": 1, "unit": "months"})
    assert clamped == {
        "result": "2024-02-29",
        "weekday": "Thursday",
        "notes": ["February 2024 has no day 31: its last day, 29, was taken"],
    }
    arguments = {"date": "2024-10-27T02:30", "timezone": "Europe/Berlin"}
    repeated = await run_tool(date_add, {**arguments, "amount": 1, "unit": "hours"})
    assert repeated["result"] == "2024-10-27T02:30:00+01:00"
    assert "occurs twice" in repeated["notes"][0]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"unit": "days"},
        {"amount": 1, "unit": "days", "duration": "P1D"},
        {"amount": 1, "duration": "P1D"},
    ],
)
async def test_one_duration_has_to_be_given(arguments: dict[str, Any]) -> None:
    message = await refusal_text(date_add, date="2024-01-01", **arguments)
    assert "give amount and unit, or else duration" in message


async def test_an_amount_needs_its_unit() -> None:
    assert "unit is missing" in await refusal_text(date_add, date="2024-01-01", amount=1)


@pytest.mark.parametrize(
    ("date", "amount", "unit"),
    [
        ("9999-12-31", 1, "days"),
        ("0001-01-01", -1, "seconds"),
        ("2024-01-01", 10**12, "years"),
        ("2024-01-01", -(10**12), "weeks"),
        ("2024-01-01T00:00Z", 10**12, "hours"),
    ],
)
async def test_what_leaves_the_years_is_refused(date: str, amount: int, unit: str) -> None:
    message = await refusal_text(date_add, date=date, amount=amount, unit=unit)
    assert "outside the years 0001 to 9999" in message


@pytest.mark.parametrize(
    "arguments",
    [
        {"amount": 10**5000, "unit": "days"},
        {"amount": 1.5, "unit": "days"},
        {"amount": 1, "unit": "fortnights"},
        {"duration": "P" + "1" * 200_000},
        {"duration": "P1D", "timezone": "x" * 65},
    ],
)
async def test_arguments_that_do_not_fit_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(date_add, {"date": "2024-01-01", **arguments})


async def test_a_bad_part_is_named() -> None:
    assert "date: 'soon'" in await refusal_text(date_add, date="soon", duration="P1D")
    assert "duration: 'a while'" in await refusal_text(
        date_add, date="2024-01-01", duration="a while"
    )
    assert "start: 'soon'" in await refusal_text(date_diff, start="soon", end="2024-01-01")
    assert "end: 'soon'" in await refusal_text(date_diff, start="2024-01-01", end="soon")


BOMBS = (
    *("0000-01-01", "10000-01-01", "-1-01-01", "1900-02-29", "2024-02-30", "2024-01-01T00:00:60"),
    *("2024-01-01T25:00", "2024-01-01T00:00+99:99", "", "\x00", "\uff12\uff10\uff12\uff14-01-01"),
)


@pytest.mark.parametrize("text", BOMBS)
async def test_dates_that_do_not_exist_are_refused(text: str) -> None:  # case 59
    await refusal_text(date_add, date=text, duration="P1D")
    await refusal_text(date_diff, start=text, end="2024-01-01")
    await refusal_text(date_diff, start="2024-01-01", end=text)


@pytest.mark.parametrize("length", [65, 5_000, 200_000])
async def test_long_dates_do_not_fit_the_schema(length: int) -> None:  # case 59
    with pytest.raises(InvalidToolArgs, match="date"):
        await run_tool(date_add, {"date": "1" * length, "duration": "P1D"})
    with pytest.raises(InvalidToolArgs, match="end"):
        await run_tool(date_diff, {"start": "2024-01-01", "end": "1" * length})


# Period.between in the Javadoc of java.time; 427 days are 365 + 31 + 28 + 3.
async def test_a_difference_is_told_in_every_way() -> None:
    assert await run_tool(date_diff, {"start": "2010-01-15", "end": "2011-03-18"}) == {
        "sign": 1,
        "totals": {
            "years": 1,
            "months": 14,
            "weeks": 61,
            "days": 427,
            "hours": 427 * 24,
            "minutes": 427 * 24 * 60,
            "seconds": 427 * 86_400,
        },
        "calendar": {"years": 1, "months": 2, "days": 3, "hours": 0, "minutes": 0, "seconds": 0},
        "iso": "P1Y2M3D",
        "notes": [],
    }


async def test_a_difference_has_a_sign() -> None:
    back = await run_tool(date_diff, {"start": "2011-03-18", "end": "2010-01-15"})
    assert (back["sign"], back["iso"], back["totals"]["days"]) == (-1, "-P1Y2M3D", -427)
    assert back["calendar"]["days"] == 3
    same = await run_tool(date_diff, {"start": "2011-03-18", "end": "2011-03-18"})
    assert (same["sign"], same["iso"], same["totals"]["months"]) == (0, "PT0S", 0)


# By subtraction, with pencil and paper; for Berlin, clocks were set forward on 2024-03-31.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"start": "2024-01-01", "end": "2024-12-31", "unit": "days"}, 365),
        ({"start": "2024-01-01T00:00", "end": "2024-01-01T12:00", "unit": "days"}, 0.5),
        ({"start": "2024-01-01T10:00Z", "end": "2024-01-01T10:00+01:00", "unit": "hours"}, -1),
        ({"start": "2024-01-31", "end": "2024-02-29", "unit": "months"}, 1),
        ({"start": "2024-02-29", "end": "2024-01-31", "unit": "months"}, -1),
        ({"start": "2000-02-29", "end": "2024-02-28", "unit": "years"}, 23),
        (
            {
                "start": "2024-03-31",
                "end": "2024-04-01T00:00",
                "unit": "hours",
                "timezone": "Europe/Berlin",
            },
            23,
        ),
        ({"start": "2024-01-01T00:00:00.25", "end": "2024-01-01T00:00", "unit": "seconds"}, -0.25),
        ({"start": "0001-01-01", "end": "9999-12-31", "unit": "days"}, 3_652_058),
    ],
)
async def test_a_difference_in_one_unit_is_a_number(
    arguments: dict[str, str], expected: float
) -> None:
    result = await run_tool(date_diff, arguments)
    assert result == expected
    assert type(result) is type(expected)


async def test_the_clock_of_a_difference_is_taken_apart() -> None:
    arguments = {"start": "2024-01-01T00:00:00", "end": "2024-01-02T03:04:05.5"}
    result = await run_tool(date_diff, arguments)
    expected = {"years": 0, "months": 0, "days": 1, "hours": 3, "minutes": 4, "seconds": 5.5}
    assert result["calendar"] == expected
    assert result["iso"] == "P1DT3H4M5.5S"


async def test_an_offset_on_one_side_only_is_refused() -> None:
    message = await refusal_text(date_diff, start="2024-01-01T00:00Z", end="2024-01-01T00:00")
    assert "give the timezone" in message


# 93,784 seconds are 26 hours, 3 minutes and 4 seconds, with pencil and paper.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"seconds": 93_784}, "1 day, 2 hours, 3 minutes, 4 seconds"),
        ({"seconds": 93_784, "style": "short"}, "1d 2h 3min 4s"),
        ({"seconds": 93_784, "style": "clock"}, "26:03:04"),
        ({"seconds": 93_784, "style": "iso"}, "P1DT2H3M4S"),
        ({"seconds": 93_784, "largest": "hours", "smallest": "minutes"}, "26 hours, 3 minutes"),
        ({"seconds": -0.1, "style": "iso"}, "-PT0.1S"),
        ({"seconds": 1e-7}, "0 seconds"),
        ({"seconds": 0}, "0 seconds"),
        ({"seconds": 1e12, "style": "short"}, "11574074d 1h 46min 40s"),
        ({"duration": "P14M10D"}, "1 year, 2 months, 10 days"),
        ({"duration": "90 minutes", "style": "clock"}, "1:30:00"),
    ],
)
async def test_durations_are_written(arguments: dict[str, Any], expected: str) -> None:
    assert await run_tool(duration_format, arguments) == expected


async def test_one_length_has_to_be_given() -> None:
    for arguments in ({}, {"seconds": 1, "duration": "PT1S"}):
        assert "either seconds or duration" in await refusal_text(duration_format, **arguments)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e13, -1e300, 10**400, "soon"])
async def test_numbers_that_do_not_fit_are_refused(seconds: object) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(duration_format, {"seconds": seconds})


async def test_months_do_not_become_days() -> None:
    message = await refusal_text(duration_format, duration="P1M", largest="days")
    assert "not have a fixed number of days" in message
