"""Calendar arithmetic on dates, on naive times and on moments with a zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.dates.calendar_math import (
    add,
    add_days,
    add_months,
    difference,
    nth_weekday,
)
from tether.batteries.languages.dates.durations import Duration, read_duration
from tether.batteries.languages.dates.iso_dates import DateOrTime, read_date_or_time
from tether.batteries.languages.dates.time_zones import locate, read_zone
from tether.core.errors import InputRefused

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
MOMENTS = st.builds(
    lambda name, moment: moment.replace(tzinfo=UTC).astimezone(ZoneInfo(name)),
    st.sampled_from(ZONES),
    st.datetimes(datetime(1950, 1, 1), datetime(2060, 1, 1)),  # noqa: DTZ001
)
LENGTHS = st.builds(Duration, st.integers(0, 400), st.integers(0, 4000), st.integers(0, 10**12))


def at(text: str, zone: str | None = None) -> DateOrTime:
    value = read_date_or_time(text)
    return value if zone is None else locate(value, read_zone(zone)).moment


# The Javadoc of java.time: LocalDate.plusMonths, plusYears, minusMonths and plusWeeks; and the
# table of date operators in PostgreSQL's documentation, section 9.9.
@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [
        ("2007-03-31", "P1M", "2007-04-30"),
        ("2007-03-31", "-P1M", "2007-02-28"),
        ("2008-02-29", "P1Y", "2009-02-28"),
        ("2008-12-31", "P1W", "2009-01-07"),
        ("2009-01-07", "-P1W", "2008-12-31"),
        ("2008-12-31", "P1D", "2009-01-01"),
        ("2001-09-28", "P7D", "2001-10-05"),
        ("2001-09-28", "PT1H", "2001-09-28T01:00:00"),
        ("2001-09-28T01:00", "PT23H", "2001-09-29T00:00:00"),
        ("2001-09-28T23:00", "-PT23H", "2001-09-28T00:00:00"),
        ("2024-01-31T10:00+02:00", "P1M", "2024-02-29T10:00:00+02:00"),
    ],
)
def test_durations_are_added_as_calendars_do(start: str, length: str, expected: str) -> None:
    assert add(at(start), read_duration(length)).value.isoformat() == expected


# The tz database: clocks were changed in Berlin on 2024-03-31 and 2024-10-27, in New York on
# 2024-03-10. A day keeps the wall clock, 24 hours do not.
@pytest.mark.parametrize(
    ("start", "zone", "length", "expected"),
    [
        ("2024-03-30T12:00", "Europe/Berlin", "P1D", "2024-03-31T12:00:00+02:00"),
        ("2024-03-30T12:00", "Europe/Berlin", "PT24H", "2024-03-31T13:00:00+02:00"),
        ("2024-10-26T12:00", "Europe/Berlin", "P1D", "2024-10-27T12:00:00+01:00"),
        ("2024-10-26T12:00", "Europe/Berlin", "PT24H", "2024-10-27T11:00:00+01:00"),
        ("2024-03-09T12:00", "America/New_York", "PT24H", "2024-03-10T13:00:00-04:00"),
        ("2024-03-30T02:30", "Europe/Berlin", "P1D", "2024-03-31T03:30:00+02:00"),
        ("2024-10-26T02:30", "Europe/Berlin", "P1DT1H", "2024-10-27T02:30:00+01:00"),
        ("2024-10-27T02:30", "Europe/Berlin", "PT1H", "2024-10-27T02:30:00+01:00"),
        ("2024-10-27T02:30", "Europe/Berlin", "P0D", "2024-10-27T02:30:00+02:00"),
    ],
)
def test_days_keep_the_wall_clock_and_hours_pass(
    start: str, zone: str, length: str, expected: str
) -> None:
    assert add(at(start, zone), read_duration(length)).value.isoformat() == expected


def test_what_had_to_be_decided_is_noted() -> None:
    assert add(at("2024-01-31"), Duration(1)).notes == [
        "February 2024 has no day 31: its last day, 29, was taken"
    ]
    skipped = add(at("2024-03-30T02:30", "Europe/Berlin"), Duration(days=1))
    assert "skipped" in skipped.notes[0]
    assert add(at("2024-01-30"), Duration(2)).notes == []


@pytest.mark.parametrize(
    ("start", "length"),
    [
        ("9999-12-01", "P1M"),
        ("0001-01-31", "-P1M"),
        ("9999-12-31", "P1D"),
        ("0001-01-01", "-P1D"),
        ("9999-12-31T23:59", "PT1M"),
        ("9999-12-31T23:59Z", "PT1M"),
        ("2024-01-01", "P999999999999Y"),
        ("2024-01-01", "P999999999999W"),
        ("2024-01-01", "PT999999999999H"),
        ("0001-01-02T00:00+12:00", "-P1D"),
    ],
)
def test_what_leaves_the_years_is_refused(start: str, length: str) -> None:  # case 59
    with pytest.raises(InputRefused, match="outside the years 0001 to 9999"):
        add(at(start), read_duration(length))


@given(st.dates(), st.integers(-4_000_000, 4_000_000))
def test_days_are_added_as_numpy_adds_them(day: date, days: int) -> None:
    expected = np.datetime64(day) + np.timedelta64(days, "D")
    if not np.datetime64("0001-01-01") <= expected <= np.datetime64("9999-12-31"):
        with pytest.raises(InputRefused):
            add_days(day, days)
    else:
        assert add_days(day, days) == expected.astype(date)
        assert add_days(add_days(day, days), -days) == day


@given(st.dates(date(1000, 1, 1), date(3000, 1, 1)), st.integers(-10_000, 10_000))
def test_months_are_added_as_numpy_adds_them(day: date, months: int) -> None:
    month = np.datetime64(day, "M") + np.timedelta64(months, "M")
    landed = add_months(day, months)
    assert np.datetime64(landed, "M") == month
    last = (month + 1).astype("datetime64[D]").astype(date) - timedelta(days=1)
    assert landed.day == min(day.day, last.day)


# Period.between in the Javadoc of java.time; the second line is its example turned round.
@pytest.mark.parametrize(
    ("start", "end", "sign", "calendar"),
    [
        ("2010-01-15", "2011-03-18", 1, "P1Y2M3D"),
        ("2011-03-18", "2010-01-15", -1, "P1Y2M3D"),
        ("2010-01-15", "2010-01-15", 0, "P0D"),
    ],
)
def test_the_calendar_between_two_days(start: str, end: str, sign: int, calendar: str) -> None:
    found = difference(at(start), at(end))
    assert (found.sign, found.calendar) == (sign, read_duration(calendar))


# RFC 3339, section 5.8: two ways to write one moment. The others by the changes of clocks above.
@pytest.mark.parametrize(
    ("start", "end", "zone", "hours"),
    [
        ("1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57Z", None, 0),
        ("2024-03-31", "2024-04-01", None, 24),
        ("2024-03-31T00:00", "2024-04-01", "Europe/Berlin", 23),
        ("2024-10-27", "2024-10-28T00:00", "Europe/Berlin", 25),
        ("2024-03-31T00:00", "2024-04-01T00:00", None, 24),
        ("2024-03-31T00:00", "2024-04-01", None, 24),
        ("2024-03-31T00:00+01:00", "2024-04-01", "Europe/Berlin", 23),
    ],
)
def test_the_time_that_passes(start: str, end: str, zone: str | None, hours: int) -> None:
    tz = None if zone is None else read_zone(zone)
    assert difference(at(start), at(end), tz).elapsed == hours * 3600 * 10**6


def test_a_difference_notes_what_had_to_be_decided() -> None:
    berlin = read_zone("Europe/Berlin")
    found = difference(at("2024-03-31T02:30"), at("2024-10-27T02:30"), berlin)
    assert ["skipped" in found.notes[0], "twice" in found.notes[1]] == [True, True]


@pytest.mark.parametrize(
    ("start", "end"),
    [("2024-01-01T00:00Z", "2024-01-01T00:00"), ("2024-01-01", "2024-01-01T00:00+01:00")],
)
def test_an_offset_on_one_side_only_is_refused(start: str, end: str) -> None:
    with pytest.raises(InputRefused, match="write an offset in both, or give the timezone"):
        difference(at(start), at(end))


@given(st.dates(date(2, 1, 1)), st.dates(date(2, 1, 1)))
def test_two_days_are_as_far_apart_as_numpy_says(start: date, end: date) -> None:
    days = int((np.datetime64(end) - np.datetime64(start)).astype(int))
    found = difference(start, end)
    assert found.sign * found.elapsed == days * 86_400 * 10**6
    assert add(min(start, end), found.calendar).value == max(start, end)


@given(MOMENTS, MOMENTS)
def test_the_calendar_leads_from_the_earlier_to_the_later(start: datetime, end: datetime) -> None:
    found = difference(start, end)
    zone = start.tzinfo
    first, last = sorted((start.astimezone(UTC), end.astimezone(UTC)))
    landed = add(first.astimezone(zone), found.calendar).value
    assert isinstance(landed, datetime)
    assert landed.astimezone(UTC) == last
    assert found.elapsed == (last - first) // timedelta(microseconds=1)
    assert min(found.calendar) >= 0


@given(MOMENTS, LENGTHS)
def test_the_difference_to_a_sum_is_positive_and_leads_back_to_it(
    start: datetime, length: Duration
) -> None:
    landed = add(start, length).value
    found = difference(start, landed)
    assert found.sign >= 0
    assert _instant(add(start, found.calendar).value) == _instant(landed)


@given(MOMENTS, st.integers(-(10**15), 10**15))
def test_time_that_passes_and_comes_back_is_no_time(start: datetime, microseconds: int) -> None:
    there = add(start, Duration(microseconds=microseconds)).value
    assert _instant(add(there, Duration(microseconds=-microseconds)).value) == _instant(start)
    assert _instant(there) - _instant(start) == timedelta(microseconds=microseconds)


def _instant(value: DateOrTime) -> datetime:
    assert isinstance(value, datetime)
    return value.astimezone(UTC)


def test_a_clock_set_back_over_midnight_does_not_give_negative_days() -> None:
    # The tz database: in St. John's, clocks went from 00:01 on 2006-10-29 back to 23:01 of the day
    # before, so that half a minute past midnight came before half past eleven.
    zone = ZoneInfo("America/St_Johns")
    past_midnight = datetime(2006, 10, 29, 0, 0, 30, tzinfo=zone)
    half_past_eleven = datetime(2006, 10, 28, 23, 30, tzinfo=zone, fold=1)
    found = difference(past_midnight, half_past_eleven)
    assert (found.sign, found.calendar) == (1, Duration(0, 0, found.elapsed))


def test_the_nth_weekday_counts_from_either_end() -> None:
    # September 2025 begins on a Monday and has thirty days: `cal 9 2025`.
    first, last = date(2025, 9, 1), date(2025, 9, 30)
    mondays = [nth_weekday(first, last, 0, n).day for n in (1, 2, 3, 4, 5)]
    assert mondays == [1, 8, 15, 22, 29]
    assert [nth_weekday(first, last, 0, -n).day for n in (5, 4, 3, 2, 1)] == mondays
    for n in (5, -5):
        with pytest.raises(InputRefused, match="only 4 Wednesdays, not 5"):
            nth_weekday(first, last, 2, n)


@given(st.dates(date(1, 2, 1), date(9999, 1, 1)), st.integers(0, 6))
def test_weekdays_of_a_month_are_a_week_apart(day: date, weekday: int) -> None:
    first, last = day, day + timedelta(days=30)
    found = [nth_weekday(first, last, weekday, n) for n in (1, 2, 3, 4)]
    assert all(later - earlier == timedelta(days=7) for earlier, later in pairwise(found))
    assert found[0].weekday() == weekday
    assert first <= found[0] < first + timedelta(days=7)
