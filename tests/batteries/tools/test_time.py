"""The tools of the category time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from support.tools import refusal_text
from tether.batteries.testing import FakeClock, run_tool
from tether.batteries.tools.time import convert_time, get_current_time
from tether.runtime.errors import InvalidToolArgs

MOMENT = datetime(2024, 7, 1, 10, 20, 30, tzinfo=UTC)


# The offsets of the tz database on 1 July 2024.
@pytest.mark.parametrize(
    ("zone", "expected", "offset"),
    [
        ("UTC", "2024-07-01T10:20:30+00:00", "+00:00"),
        ("Z", "2024-07-01T10:20:30+00:00", "+00:00"),
        ("Europe/Berlin", "2024-07-01T12:20:30+02:00", "+02:00"),
        ("America/New_York", "2024-07-01T06:20:30-04:00", "-04:00"),
        ("Asia/Kathmandu", "2024-07-01T16:05:30+05:45", "+05:45"),
        ("Australia/Lord_Howe", "2024-07-01T20:50:30+10:30", "+10:30"),
        ("Pacific/Kiritimati", "2024-07-02T00:20:30+14:00", "+14:00"),
        ("-03:30", "2024-07-01T06:50:30-03:30", "-03:30"),
    ],
)
async def test_the_time_is_that_of_the_clock(zone: str, expected: str, offset: str) -> None:
    now = await run_tool(get_current_time, {"timezone": zone}, clock=FakeClock(MOMENT))
    assert (now["datetime"], now["utc_offset"]) == (expected, offset)
    assert now["unix_seconds"] == 1_719_829_230  # date -u -d 2024-07-01T10:20:30 +%s


async def test_the_time_is_in_utc_unless_another_zone_is_named() -> None:
    now = await run_tool(get_current_time, clock=FakeClock(MOMENT))
    assert (now["timezone"], now["abbreviation"], now["weekday"]) == ("UTC", "UTC", "Monday")


# RFC 3339, section 5.8, and the tz database for 1 March 2024.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"datetime": "1996-12-19T16:39:57-08:00", "to_timezone": "Z"},
            "1996-12-20T00:39:57+00:00",
        ),
        (
            {
                "datetime": "2024-03-01T09:00",
                "from_timezone": "America/New_York",
                "to_timezone": "Asia/Kathmandu",
            },
            "2024-03-01T19:45:00+05:45",
        ),
        (
            {
                "datetime": "2024-03-01T09:00:00Z",
                "from_timezone": "Europe/London",
                "to_timezone": "Asia/Tokyo",
            },
            "2024-03-01T18:00:00+09:00",
        ),
        (
            {
                "datetime": "2024-03-01 23:30",
                "from_timezone": "-05:00",
                "to_timezone": "Pacific/Kiritimati",
            },
            "2024-03-02T18:30:00+14:00",
        ),
    ],
)
async def test_times_are_converted(arguments: dict[str, str], expected: str) -> None:
    result = await run_tool(convert_time, arguments)
    assert result["datetime"] == expected
    assert (result["local_time"], result["notes"]) == ("once", [])


async def test_both_times_are_described() -> None:
    result = await run_tool(convert_time, convert_time.meta.get("example"))
    assert result["source"] == {
        "datetime": "2024-03-01T09:00:00-05:00",
        "timezone": "America/New_York",
        "utc_offset": "-05:00",
        "abbreviation": "EST",
        "weekday": "Friday",
    }
    assert (result["timezone"], result["weekday"]) == ("Asia/Kathmandu", "Friday")


# The tz database: clocks in Berlin on 2024-10-27 and 2024-03-31. Case 59.
@pytest.mark.parametrize(
    ("datetime", "fold", "occurs", "expected"),
    [
        ("2024-10-27T02:30", 0, "twice", "2024-10-27T00:30:00+00:00"),
        ("2024-10-27T02:30", 1, "twice", "2024-10-27T01:30:00+00:00"),
        ("2024-03-31T02:30", 0, "never", "2024-03-31T01:30:00+00:00"),
        ("2024-03-31T02:30", 1, "never", "2024-03-31T01:30:00+00:00"),
    ],
)
async def test_times_around_a_change_of_clocks_are_reported(
    datetime: str, fold: int, occurs: str, expected: str
) -> None:
    arguments = {"datetime": datetime, "from_timezone": "Europe/Berlin", "to_timezone": "UTC"}
    result = await run_tool(convert_time, {**arguments, "fold": fold})
    assert (result["datetime"], result["local_time"]) == (expected, occurs)
    assert len(result["notes"]) == 1


@pytest.mark.parametrize(
    "zone",
    ["../etc/passwd", "/etc/localtime", "Europe/Berlin\x00", "europe/berlin", "PST", "+99:99", ""],
)
async def test_what_is_no_zone_is_refused(zone: str) -> None:
    assert "zone" in await refusal_text(get_current_time, timezone=zone) or zone == "+99:99"
    await refusal_text(convert_time, datetime="2024-03-01T09:00Z", to_timezone=zone)
    await refusal_text(
        convert_time, datetime="2024-03-01T09:00", from_timezone=zone, to_timezone="UTC"
    )


async def test_a_zone_in_other_letters_is_suggested() -> None:
    message = await refusal_text(get_current_time, timezone="europe/BERLIN")
    assert "Did you mean Europe/Berlin?" in message


async def test_a_time_needs_a_zone_and_only_one() -> None:
    assert "from_timezone is needed" in await refusal_text(
        convert_time, datetime="2024-03-01T09:00", to_timezone="UTC"
    )
    assert "leave out from_timezone" in await refusal_text(
        convert_time,
        datetime="2024-03-01T09:00+02:00",
        from_timezone="Europe/Berlin",
        to_timezone="UTC",
    )


async def test_a_date_alone_is_no_time() -> None:
    message = await refusal_text(
        convert_time, datetime="2024-03-01", from_timezone="UTC", to_timezone="UTC"
    )
    assert "write for instance 2024-03-01T09:00" in message


@pytest.mark.parametrize(
    "text",
    [
        *("0000-01-01T00:00", "10000-01-01T00:00", "-0001-01-01T00:00", "1900-02-29T00:00"),
        *("2024-02-30T00:00", "1990-12-31T23:59:60Z", "2024-01-01T00:00+99:99", "noon"),
    ],
)
async def test_times_that_do_not_exist_are_refused(text: str) -> None:  # case 59
    await refusal_text(convert_time, datetime=text, from_timezone="UTC", to_timezone="UTC")


async def test_times_at_the_ends_of_the_calendar_do_not_overflow() -> None:
    for datetime_, zone in (("0001-01-01T00:00Z", "-05:00"), ("9999-12-31T23:59Z", "+05:00")):
        message = await refusal_text(convert_time, datetime=datetime_, to_timezone=zone)
        assert "outside the years 0001 to 9999" in message


@pytest.mark.parametrize("length", [65, 5_000, 200_000])
async def test_long_texts_do_not_fit_the_schema(length: int) -> None:  # case 59
    with pytest.raises(InvalidToolArgs, match="timezone"):
        await run_tool(get_current_time, {"timezone": "1" * length})
    with pytest.raises(InvalidToolArgs, match="datetime"):
        await run_tool(convert_time, {"datetime": "1" * length, "to_timezone": "UTC"})
