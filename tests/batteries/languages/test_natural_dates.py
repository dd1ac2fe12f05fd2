"""Dates in English words."""

from __future__ import annotations

import contextlib
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import pytest
from babel.dates import format_date, format_time, format_timedelta
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.dates.natural_dates import Reading, read_natural_date
from tether.batteries.languages.dates.vocabulary import VOCABULARY, Words
from tether.core.errors import InputRefused, LimitExceeded

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2024, 3, 6, 15, 30, tzinfo=BERLIN)
"""The reference of the tables below, whose days were looked up in a printed calendar of 2024."""


def read(text: str, reference: datetime = WEDNESDAY, day_first: bool | None = None) -> Reading:
    return read_natural_date(text, reference, BERLIN, day_first=day_first)


DAYS = {
    "today": "2024-03-06",
    "Tomorrow": "2024-03-07",
    "day after tomorrow": "2024-03-08",
    "the day before yesterday": "2024-03-04",
    "yesterday": "2024-03-05",
    "next day": "2024-03-07",
    "Wednesday": "2024-03-06",
    "this Wednesday": "2024-03-06",
    "next Wednesday": "2024-03-13",
    "last Wednesday": "2024-02-28",
    "this Thursday": "2024-03-07",
    "next Monday": "2024-03-11",
    "coming mon": "2024-03-11",
    "last Friday": "2024-03-01",
    "next Friday": "2024-03-08",
    "Friday of next week": "2024-03-15",
    "Friday next week": "2024-03-15",
    "Monday of this week": "2024-03-04",
    "Sunday of last week": "2024-03-03",
    "next week": "2024-03-13",
    "last month": "2024-02-06",
    "next quarter": "2024-06-06",
    "next year": "2025-03-06",
    "in two weeks": "2024-03-20",
    "in twenty-one days": "2024-03-27",
    "in ninety nine days": "2024-06-13",
    "in twenty days": "2024-03-26",
    "3 days ago": "2024-03-03",
    "a month from now": "2024-04-06",
    "a week from Monday": "2024-03-18",
    "two weeks before 2024-03-01": "2024-02-16",
    "1 year and 2 months after March 1st": "2025-05-01",
    "day after 2024-02-28": "2024-02-29",
    "3 days after two weeks before 2024-03-01": "2024-02-19",
    "end of month": "2024-03-31",
    "the end of the year": "2024-12-31",
    "end of week": "2024-03-10",
    "start of the quarter": "2024-01-01",
    "beginning of next year": "2025-01-01",
    "end of Q1 2025": "2025-03-31",
    "end of 2023": "2023-12-31",
    "end of 2024-02": "2024-02-29",
    "first Monday of September 2025": "2025-09-01",
    "third Thursday of November": "2024-11-21",
    "the last Friday of next month": "2024-04-26",
    "last Sunday of the year": "2024-12-29",
    "last day of February": "2024-02-29",
    "first day of next month": "2024-04-01",
    "100th day of 2024": "2024-04-09",
    "March 3rd, 2024": "2024-03-03",
    "March 3": "2024-03-03",
    "Sept. 5": "2024-09-05",
    "3 March 2024": "2024-03-03",
    "the 3rd of March 2025": "2025-03-03",
    "the first of April": "2024-04-01",
    "May twenty-first": "2024-05-21",
    "thirtieth of June": "2024-06-30",
    "on 3 March 2024": "2024-03-03",
    "Monday, March 4, 2024": "2024-03-04",
    "13/04/2024": "2024-04-13",
    "04/13/2024": "2024-04-13",
    "05.05.2024": "2024-05-05",
    "2024/3/4": "2024-03-04",
    "2024-W10-3": "2024-03-06",
    "2024-060": "2024-02-29",
    "20240301": "2024-03-01",
    "Q3 2024": "2024-07-01",
    "2024-Q4": "2024-10-01",
    "second quarter of 2025": "2025-04-01",
    "the third quarter": "2024-07-01",
    "March 2025": "2025-03-01",
}


@pytest.mark.parametrize(("text", "expected"), DAYS.items())
def test_words_for_days(text: str, expected: str) -> None:
    value = read(text).value
    assert not isinstance(value, datetime)
    assert value.isoformat() == expected


TIMES = {
    "now": "2024-03-06T15:30:00+01:00",
    "noon tomorrow": "2024-03-07T12:00:00+01:00",
    "midnight": "2024-03-06T00:00:00+01:00",
    "tomorrow at midnight": "2024-03-07T00:00:00+01:00",
    "tomorrow at 5pm": "2024-03-07T17:00:00+01:00",
    "tomorrow 24:00": "2024-03-08T00:00:00+01:00",
    "5:30 pm": "2024-03-06T17:30:00+01:00",
    "5 p.m. on Friday": "2024-03-08T17:00:00+01:00",
    "12am": "2024-03-06T00:00:00+01:00",
    "12:15 PM": "2024-03-06T12:15:00+01:00",
    "at 17:30:15.25 tomorrow": "2024-03-07T17:30:15.250000+01:00",
    "Monday 14:00 UTC": "2024-03-11T14:00:00+00:00",
    "Monday 14:00Z": "2024-03-11T14:00:00+00:00",
    "Monday 14:00-05:00": "2024-03-11T14:00:00-05:00",
    "5pm +0530": "2024-03-06T17:00:00+05:30",
    "9:00 gmt": "2024-03-06T09:00:00+00:00",
    "tomorrow 9:00 Asia/Kathmandu": "2024-03-07T09:00:00+05:45",
    "in two weeks at 5pm": "2024-03-20T17:00:00+01:00",
    "in 90 minutes": "2024-03-06T17:00:00+01:00",
    "an hour and 30 minutes ago": "2024-03-06T14:00:00+01:00",
    "a second from now": "2024-03-06T15:30:01+01:00",
    "1.5 hours ago": "2024-03-06T14:00:00+01:00",
    "2 hours before noon tomorrow": "2024-03-07T10:00:00+01:00",
    "2 hours before 2024-03-01": "2024-02-29T22:00:00+01:00",
    "two days before tomorrow at noon": "2024-03-05T12:00:00+01:00",
    "2 hours after 2024-03-01T10:00": "2024-03-01T12:00:00+01:00",
    "2024-03-01T10:00": "2024-03-01T10:00:00+01:00",
    "2024-03-01 10:00 UTC": "2024-03-01T10:00:00+00:00",
    "2024-03-01T10:00:00-08:00": "2024-03-01T10:00:00-08:00",
    "2024-03-01 at 10am": "2024-03-01T10:00:00+01:00",
    # Clocks in Berlin were set forward on 2024-03-31: 24 hours before noon were 11 o'clock.
    "24 hours before 31 March 2024 at noon": "2024-03-30T11:00:00+01:00",
    "one day before 31 March 2024 at noon": "2024-03-30T12:00:00+01:00",
}


@pytest.mark.parametrize(("text", "expected"), TIMES.items())
def test_words_for_times(text: str, expected: str) -> None:
    value = read(text).value
    assert isinstance(value, datetime)
    assert value.isoformat() == expected


def test_what_today_is_depends_on_the_zone_in_the_text() -> None:
    late = datetime(2024, 3, 6, 23, 30, tzinfo=BERLIN)
    assert read("tomorrow 9:00", late).value.isoformat() == "2024-03-07T09:00:00+01:00"
    tokyo = read("tomorrow 9:00 Asia/Tokyo", late).value
    assert tokyo.isoformat() == "2024-03-08T09:00:00+09:00"


# Published dates: Thanksgiving, Labor Day and Memorial Day of the U.S. federal holidays (OPM).
HOLIDAYS = {
    "fourth Thursday of November": (
        *("2019-11-28", "2020-11-26", "2021-11-25", "2022-11-24", "2023-11-23", "2024-11-28"),
        *("2025-11-27", "2026-11-26"),
    ),
    "first Monday of September": (
        *("2019-09-02", "2020-09-07", "2021-09-06", "2022-09-05", "2023-09-04", "2024-09-02"),
        *("2025-09-01", "2026-09-07"),
    ),
    "last Monday of May": (
        *("2019-05-27", "2020-05-25", "2021-05-31", "2022-05-30", "2023-05-29", "2024-05-27"),
        *("2025-05-26", "2026-05-25"),
    ),
}


@pytest.mark.parametrize("text", HOLIDAYS)
def test_published_holidays_are_found(text: str) -> None:
    found = [read(f"{text} {year}").value.isoformat() for year in range(2019, 2027)]
    assert found == list(HOLIDAYS[text])


def test_how_it_was_read_is_told() -> None:
    assert read("next Monday").read_as == "the first Monday after 2024-03-06"
    assert read("13/04/2024").read_as == "13 April 2024"
    assert read("tomorrow at 5pm").read_as == "tomorrow, 2024-03-07, at 17:00 in Europe/Berlin"
    assert read("in two weeks").read_as == "14 days after 2024-03-06"


def test_what_had_to_be_decided_is_noted() -> None:
    assert "has no day 31" in read("next month", datetime(2024, 1, 31, tzinfo=BERLIN)).notes[0]
    assert "skipped" in read("31 March 2024 at 2:30").notes[0]
    assert "skipped" in read("2024-03-31T02:30").notes[0]
    assert "occurs twice" in read("2:30 on 27 October 2024").notes[0]
    clamped = read("in one month at 2:30", datetime(2024, 2, 29, 12, tzinfo=BERLIN))
    assert clamped.notes == ()
    assert len(read("1 month ago at noon", datetime(2024, 3, 31, 12, tzinfo=BERLIN)).notes) == 1


@pytest.mark.parametrize("text", ["03/04/2024", "03.04.2024", "3-4-2024"])
def test_a_day_and_a_month_that_can_be_exchanged_are_refused_unless_told(text: str) -> None:
    with pytest.raises(InputRefused, match="give day_first"):
        read(text)
    assert read(text, day_first=True).value == date(2024, 4, 3)
    assert read(text, day_first=False).value == date(2024, 3, 4)


REFUSED = {
    "blursday": "unknown: 'blursday'",
    "next blursday or foo": "unknown: 'blursday', 'or', 'foo'",
    "in a fortnight": "unknown: 'fortnight'",
    "mid-March": "unknown: 'mid'",
    "next": "do not fit together",
    "this month": "not understood from 'month'",
    "": "do not fit together",
    "2024": "do not fit together",
    "2 days": "do not fit together",
    "in": "do not fit together",
    "in blue": "unknown: 'blue'",
    "2 days after": "do not fit together",
    "twenty": "do not fit together",
    "end month": "not understood from 'month'",
    "end of": "do not fit together",
    "first Monday": "do not fit together",
    "first Monday of": "do not fit together",
    "last 7": "not understood from '7'",
    "Monday of week": "not understood from 'week'",
    "tomorrow yesterday": "not understood from 'yesterday'",
    "1,000 days ago": "not understood from '000'",
    "03/04/24": "year of four digits",
    "10000-01-01": "not understood from '10000-01-01'",
    "-0001-01-01": "unknown: '-0001-01-01'",
    "tomorrow at 5": "write 5am or 5pm",
    "tomorrow at": "do not fit together",
    "tomorrow at home": "unknown: 'home'",
    "tomorrow 5": "do not fit together",
    "13pm": "no hour 13 before am or pm",
    "0:30 am": "no hour 0 before am or pm",
    "25:00": "no time 25:00",
    "23:59:60": "leap seconds",
    "noon Europe/Berln": "Did you mean Europe/Berlin",
    "noon +99:99": "offset '\\+99:99'",
    "Monday, March 5, 2024": "2024-03-05 is a Tuesday, not a Monday",
    "fifth Monday of February": "only 4 Mondays, not 5",
    "99th day of February": "February 2024, which has 29 days",
    "April 31": "April 2024, which has 30 days",
    "2024-02-30": "February 2024, which has 29 days",
    "29 Feb 1900": "February 1900, which has 28 days",
    "31/04/2024": "April 2024, which has 30 days",
    "0000-01-01": "no year 0000",
    "March 3 0000": "no year 0000",
    "in 999999999999 days": "outside the years",
    "9999 years ago": "outside the years",
    "3/6/24": "year of four digits",
    "6/3": "year of four digits",
    "on 3.6.24 at 5pm": "year of four digits",
    "3 Mar 24": "year of four digits",
    "March 3rd, '24": "year of four digits",
    "Monday 14:00 EST": "abbreviation 'EST' .* America/New_York",
    "tomorrow at 5pm cet": "Europe/Berlin",
    "tomorrow at 5pm GMT+2": r"\+02:00",
    "1.5 months ago": "no fixed length",
    "\uff12\uff10\uff12\uff14-03-01": "not understood from",
    "\ud800": "unknown",
    "tomorrow\x00": "unknown",
}


@pytest.mark.parametrize(("text", "why"), REFUSED.items())
def test_what_means_nothing_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InputRefused, match=why):
        read(text)


def test_the_order_that_was_given_for_numbers_is_kept() -> None:
    with pytest.raises(InputRefused, match="no month 13"):
        read("04/13/2024", day_first=True)


@pytest.mark.parametrize("text", ["1" * 5_000, "next " * 40_000])
def test_what_is_longer_than_any_date_is_not_looked_at(text: str) -> None:  # case 59
    with pytest.raises(LimitExceeded, match="at most 64"):
        read(text)


@pytest.mark.parametrize("text", [*DAYS, *TIMES])
def test_every_word_that_is_read_is_in_the_vocabulary(text: str) -> None:
    rest = text.removesuffix(" Asia/Kathmandu")
    zones = {"utc", "gmt", "z"}
    unknown = {word for word in Words(rest) if not word[0].isdigit()} - VOCABULARY - zones
    assert not {word for word in unknown if not word.startswith("+")}


@given(st.dates(date(1, 1, 3), date(9999, 12, 29)))
def test_every_date_is_read_back_from_what_babel_writes(day: date) -> None:
    for locale in ("en_US", "en_GB", "en_CA", "en_AU"):
        for style in ("full", "long"):
            written = format_date(day, style, locale=locale)
            if day.year > 999:  # babel writes smaller years without zeros
                assert read(written).value == day
    assert read(f"{day:%d/%m}/{day.year:04}", day_first=True).value == day
    assert read(f"{day:%m/%d}/{day.year:04}", day_first=False).value == day
    assert read(day.isoformat()).value == day


@given(st.times().map(lambda clock: clock.replace(microsecond=0)))
def test_every_time_is_read_back_from_what_babel_writes(clock: time) -> None:
    for locale in ("en_US", "en_GB"):
        value = read(format_time(clock, "medium", locale=locale)).value
        assert value == datetime.combine(date(2024, 3, 6), clock, BERLIN)


UNITS: tuple[Literal["day", "hour", "second"], ...] = ("day", "hour", "second")


@given(st.integers(-5000, 5000).filter(bool), st.sampled_from(UNITS))
def test_every_distance_is_read_back_from_what_babel_writes(
    amount: int, unit: Literal["day", "hour", "second"]
) -> None:
    reference = WEDNESDAY.astimezone(UTC)
    length = timedelta(**{f"{unit}s": amount})
    written = format_timedelta(
        length, granularity=unit, threshold=10**9, add_direction=True, locale="en"
    )
    value = read_natural_date(written, reference, UTC).value
    expected = reference + length
    assert value == (expected.date() if unit == "day" else expected)


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.integers(0, 6))  # noqa: DTZ001
def test_weekdays_lie_where_the_rule_says(moment: datetime, weekday: int) -> None:
    reference = moment.replace(tzinfo=UTC)
    today = reference.date()
    name = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")[weekday]
    this, after, before = (
        read_natural_date(f"{word} {name}", reference, UTC).value
        for word in ("this", "next", "last")
    )
    assert {this.weekday(), after.weekday(), before.weekday()} == {weekday}
    assert 0 <= this.toordinal() - today.toordinal() <= 6
    assert 1 <= after.toordinal() - today.toordinal() <= 7
    assert 1 <= today.toordinal() - before.toordinal() <= 7


WORDS = st.sampled_from(
    [*sorted(VOCABULARY), "3", "2024", "3rd", "5pm", "2024-03-01", "5:30", "UTC"]
)


@given(st.text(max_size=80) | st.lists(WORDS, max_size=12).map(" ".join))
def test_no_text_is_anything_but_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputRefused):
        assert isinstance(read(text).value, date)
