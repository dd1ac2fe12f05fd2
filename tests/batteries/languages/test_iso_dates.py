"""The strict reader of ISO 8601 dates and times."""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.dates.iso_dates import read_date, read_date_or_time, scan_iso
from tether.core.errors import InputRefused, LimitExceeded

# RFC 3339, section 5.8, with the moments in UTC that it states beside them; the last three show
# ISO 8601's basic format, its comma, and RFC 3339's licence to write t, z and a space.
MOMENTS = {
    "1985-04-12T23:20:50.52Z": datetime(1985, 4, 12, 23, 20, 50, 520_000, tzinfo=UTC),
    "1996-12-19T16:39:57-08:00": datetime(1996, 12, 20, 0, 39, 57, tzinfo=UTC),
    "1937-01-01T12:00:27.87+00:20": datetime(1937, 1, 1, 11, 40, 27, 870_000, tzinfo=UTC),
    "19850412T232050,52Z": datetime(1985, 4, 12, 23, 20, 50, 520_000, tzinfo=UTC),
    "1985-04-12t23:20:50z": datetime(1985, 4, 12, 23, 20, 50, tzinfo=UTC),
    "1985-04-12 23:20+0000": datetime(1985, 4, 12, 23, 20, tzinfo=UTC),
}


@pytest.mark.parametrize(("text", "moment"), MOMENTS.items())
def test_moments_of_the_standards_are_read(text: str, moment: datetime) -> None:
    read = read_date_or_time(text)
    assert isinstance(read, datetime)
    assert read == moment


# Calendar, week and ordinal date of one day, as ISO 8601 gives them for 12 April 1985; and the
# table of the Wikipedia article "ISO week date" for days around New Year.
DAYS = {
    **dict.fromkeys(
        ("1985-04-12", "19850412", "1985-W15-5", "1985W155", "1985-102", "1985102", " 1985-04-12 "),
        date(1985, 4, 12),
    ),
    "2004-W53-6": date(2005, 1, 1),
    "2004-W53-7": date(2005, 1, 2),
    "2005-W52-6": date(2005, 12, 31),
    "2005-W52-7": date(2006, 1, 1),
    "2006-W01-1": date(2006, 1, 2),
    "2008-W01-1": date(2007, 12, 31),
    "2009-W01-1": date(2008, 12, 29),
    "2009-W53-7": date(2010, 1, 3),
    "2024-366": date(2024, 12, 31),
    "0001-01-01": date.min,
    "9999-12-31": date.max,
}


@pytest.mark.parametrize(("text", "day"), DAYS.items())
def test_days_are_read_in_all_three_forms(text: str, day: date) -> None:
    assert read_date(text) == day
    assert not isinstance(read_date_or_time(text), datetime)


def test_midnight_at_the_end_of_a_day_is_the_next_day() -> None:
    # ISO 8601:2004, 4.2.3: 24:00 of one day is 00:00 of the next. Case 59.
    assert scan_iso("1985-04-12T24:00") == datetime(1985, 4, 13)  # noqa: DTZ001
    assert scan_iso("1985-04-12T24:00:00.000Z") == datetime(1985, 4, 13, tzinfo=UTC)


def test_decimals_beyond_microseconds_are_cut() -> None:
    assert scan_iso("2024-01-01T00:00:00.123456999") == datetime(2024, 1, 1, 0, 0, 0, 123_456)  # noqa: DTZ001


# Case 59. Each beside the part of the message that tells what is wrong.
REFUSED = {
    "0000-01-01": "years run from 0001 to 9999",
    "10000-01-01": "year from 0001 to 9999",
    "-0001-01-01": "year from 0001 to 9999",
    "+002024-01-01": "year from 0001 to 9999",
    "1900-02-29": "February 1900, which has 28 days",
    "2024-02-30": "February 2024, which has 29 days",
    "2024-00-10": "no month 0",
    "2024-13-10": "no month 13",
    "2024-01-00": "January 2024, which has 31 days",
    "2023-366": "2023, which has 365 days",
    "2024-000": "2024, which has 366 days",
    "2023-W53-1": "no week date 2023-W53-1",
    "2024-W00-1": "no week date",
    "2024-W10-0": "no week date",
    "2024-W10-8": "no week date",
    "9999-W52-7": "years to 9999",
    "1990-12-31T23:59:60Z": "leap seconds",  # RFC 3339, section 5.8
    "1990-12-31T15:59:60-08:00": "leap seconds",
    "2024-01-01T23:59:61": "no time 23:59:61",
    "2024-01-01T23:60": "no time 23:60:00",
    "2024-01-01T24:01": "no time 24:01:00",
    "2024-01-01T24:00:00.000001": "no time 24:00:00",
    "2024-01-01T25:00": "no time 25:00:00",
    "9999-12-31T24:00": "outside the years",
    "0001-01-01T00:00+05:00": "outside the years",
    "9999-12-31T23:59-00:01": "outside the years",
    "2024-01-01T00:00+99:99": "offset '+99:99'",
    "2024-01-01T00:00+24:00": "offset '+24:00'",
    "2024-01-01T00:00:00.1234567890Z": "not an ISO 8601 date",
    "2024-01-01T00": "not an ISO 8601 date",
    "2024-01-01T0000": "not an ISO 8601 date",
    "20240101T00:00": "not an ISO 8601 date",
    "2024-0101": "not an ISO 8601 date",
    "2024-1-1": "not an ISO 8601 date",
    "2024-01": "not an ISO 8601 date",
    "2024-W10": "not an ISO 8601 date",
    "24-01-01": "not an ISO 8601 date",
    "01/02/2024": "not an ISO 8601 date",
    "2024-01-01\x00": "not an ISO 8601 date",
    "2024-01-0\uff11": "not an ISO 8601 date",
    "2024\u221201\u221201": "not an ISO 8601 date",
    "\ud800": "not an ISO 8601 date",
    "": "not an ISO 8601 date",
}


@pytest.mark.parametrize(("text", "why"), REFUSED.items())
def test_what_does_not_exist_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InputRefused, match=why.replace("+", r"\+")):
        read_date_or_time(text)


@pytest.mark.parametrize("text", ["1" * 5_000, "2024-01-01" * 20_000])
def test_what_is_longer_than_any_date_is_not_looked_at(text: str) -> None:  # case 59
    with pytest.raises(LimitExceeded, match=r"^.*start has \d+ characters; at most 64"):
        read_date_or_time(text, "start")


def test_the_error_calls_the_text_by_its_name() -> None:
    with pytest.raises(InputRefused, match=r"holidays\[3\]: 'never'"):
        read_date_or_time("never", "holidays[3]")
    with pytest.raises(InputRefused, match="end: '2024-01-01T10:00' has a time"):
        read_date("2024-01-01T10:00", "end")


@given(st.dates())
def test_every_day_is_read_back_from_its_forms(day: date) -> None:
    year, week, weekday = day.isocalendar()
    assert read_date(day.isoformat()) == day
    assert read_date(day.isoformat().replace("-", "")) == day
    assert read_date(f"{day.year:04}-{day.timetuple().tm_yday:03}") == day
    if 1 <= year <= 9999:
        assert read_date(f"{year:04}-W{week:02}-{weekday}") == day


OFFSETS = st.timedeltas(timedelta(hours=-23, minutes=-59), timedelta(hours=23, minutes=59)).map(
    lambda offset: timezone(timedelta(seconds=offset // timedelta(seconds=1)))
)


MOMENTS_AND_CLOCKS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)).flatmap(  # noqa: DTZ001
    lambda clock: st.just(clock) | OFFSETS.map(lambda offset: clock.replace(tzinfo=offset))
)


@given(MOMENTS_AND_CLOCKS)
def test_every_time_is_read_back_from_what_python_writes(moment: datetime) -> None:
    read = scan_iso(moment.isoformat())
    assert isinstance(read, datetime)
    assert (read, read.utcoffset()) == (moment, moment.utcoffset())


@given(st.text() | st.from_regex(r"[0-9TZWtzw:+., -]{0,40}", fullmatch=True))
def test_no_text_is_anything_but_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputRefused):
        assert isinstance(read_date_or_time(text), date)
