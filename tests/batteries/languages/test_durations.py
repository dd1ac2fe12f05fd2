"""Durations read from ISO 8601 and from words, and written in four styles."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from fractions import Fraction
from typing import get_args

import pytest
from babel.units import format_unit
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tether.batteries.languages.dates.durations import (
    Duration,
    FixedUnit,
    Style,
    Unit,
    format_duration,
    of_unit,
    read_duration,
)
from tether.core.errors import InputRefused, LimitExceeded

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR

# The examples of ISO 8601, clause 4.4.3, and of the Wikipedia article on it, taken apart by the
# letters of their units; the other forms are the same amounts in words.
READ = {
    "P3Y6M4DT12H30M5S": Duration(42, 4, 12 * HOUR + 30 * 60 * SECOND + 5 * SECOND),
    "P18Y9M4DT11H9M8S": Duration(225, 4, 11 * HOUR + 9 * 60 * SECOND + 8 * SECOND),
    "P23DT23H": Duration(0, 23, 23 * HOUR),
    "P4Y": Duration(48),
    "P1M": Duration(1),
    "PT1M": Duration(microseconds=60 * SECOND),
    "PT36H": Duration(microseconds=36 * HOUR),
    "P2W": Duration(days=14),
    "PT0S": Duration(),
    "P0D": Duration(),
    "-P1M": Duration(-1),
    "+P1D": Duration(days=1),
    "p1dt2h": Duration(0, 1, 2 * HOUR),
    "PT0.5S": Duration(microseconds=SECOND // 2),
    "PT0,5H": Duration(microseconds=HOUR // 2),
    "P0.5D": Duration(microseconds=12 * HOUR),
    "P1.5W": Duration(0, 10, 12 * HOUR),
    "PT0.000000001S": Duration(),
    "2 weeks": Duration(days=14),
    "1 year, 2 months and 10 days": Duration(14, 10),
    "twenty-one days": Duration(days=21),
    "an hour": Duration(microseconds=HOUR),
    "2h 30min": Duration(microseconds=2 * HOUR + 30 * 60 * SECOND),
    "1.5 hours": Duration(microseconds=HOUR + HOUR // 2),
    "-3 days": Duration(days=-3),
    "two quarters": Duration(6),
}


@pytest.mark.parametrize(("text", "duration"), READ.items())
def test_durations_are_read(text: str, duration: Duration) -> None:
    assert read_duration(text) == duration


@pytest.mark.parametrize(
    "text",
    [
        *("", "P", "PT", "P1DT", "-", "--P1D", "-+P1D", "P1", "P1H", "PT1D", "P1D2W", "P-1D", "1"),
        *("P1.5DT1H", "P0003-06-04T12:30:05", "P" + "1" * 13 + "D", "PT1.1234567890S"),
        *(
            "days",
            "2 parsecs",
            "3 m",
            "2 days and",
            "2 days 3",
            "1,000 days",
            "\uff12 days",
            "\ud800",
        ),
    ],
)
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputRefused, match="P1Y2M10DT2H30M, or 1 year 2 months"):
        read_duration(text)


@pytest.mark.parametrize("text", ["P0.5Y", "P0,5M", "1.5 months", "0.5 quarters"])
def test_a_part_of_a_month_has_no_length(text: str) -> None:
    with pytest.raises(InputRefused, match="no fixed length"):
        read_duration(text)


def test_what_is_longer_than_any_duration_is_not_looked_at() -> None:  # case 59
    with pytest.raises(LimitExceeded, match="length has 200001 characters; at most 128"):
        read_duration("P" + "1" * 200_000, "length")


# What Duration a text of fixed units is, pydantic knows as well: it reads ISO 8601 itself.
ISO = TypeAdapter(timedelta)


@given(st.timedeltas(timedelta(days=-999_999), timedelta(days=999_999)))
def test_fixed_durations_are_read_and_written_as_pydantic_does(length: timedelta) -> None:
    total = length // timedelta(microseconds=1)
    sign = -1 if total < 0 else 1
    days, rest = divmod(abs(total), DAY)
    duration = Duration(0, sign * days, sign * rest)
    if days < 365:  # pydantic writes 365 days as a year
        assert read_duration(ISO.dump_python(length, mode="json")) == duration
    assert ISO.validate_python(format_duration(duration, "iso")) == length


@given(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, DAY - 1),
    st.booleans(),
    st.sampled_from(("long", "short", "iso")),
)
def test_what_is_written_is_read_back(
    months: int, days: int, rest: int, is_negative: bool, style: Style
) -> None:
    duration = Duration(months, days, rest)
    duration = duration.negated() if is_negative else duration
    assert read_duration(format_duration(duration, style)) == duration


@pytest.mark.parametrize("unit", get_args(Unit))
@pytest.mark.parametrize("amount", [1, 2, 11])
def test_single_units_are_named_as_the_cldr_names_them(unit: Unit, amount: int) -> None:
    expected = format_unit(amount, f"duration-{unit[:-1]}", length="long", locale="en")
    assert format_duration(read_duration(f"{amount} {unit}"), largest=unit) == expected


@given(st.integers(0, 86_399))
def test_the_clock_is_that_of_python(seconds: int) -> None:
    duration = Duration(microseconds=seconds * SECOND)
    assert format_duration(duration, "clock") == str(timedelta(seconds=seconds))


# 93,784 seconds are 26 h 3 min 4 s; 694,861 are 1 week, 1 day, 1 hour, 1 minute and 1 second. By
# division, with pencil and paper.
@pytest.mark.parametrize(
    ("text", "style", "largest", "smallest", "expected"),
    [
        ("PT93784S", "long", None, None, "1 day, 2 hours, 3 minutes, 4 seconds"),
        ("PT93784S", "short", None, None, "1d 2h 3min 4s"),
        ("PT93784S", "clock", None, None, "26:03:04"),
        ("PT93784S", "iso", None, None, "P1DT2H3M4S"),
        ("PT93784S", "long", "hours", None, "26 hours, 3 minutes, 4 seconds"),
        ("PT93784S", "long", "minutes", None, "1563 minutes, 4 seconds"),
        ("PT93784S", "long", "seconds", None, "93784 seconds"),
        ("PT93784S", "long", None, "hours", "1 day, 2 hours"),
        ("PT93784S", "long", "years", "days", "1 day"),
        ("PT694861S", "short", "weeks", None, "1w 1d 1h 1min 1s"),
        ("PT694861S", "iso", "weeks", "weeks", "P1W"),
        ("PT694861S", "long", None, "weeks", "1 week"),
        ("PT694861S", "long", None, None, "8 days, 1 hour, 1 minute, 1 second"),
        ("PT59.6S", "long", None, "seconds", "1 minute"),
        ("PT90S", "long", None, "minutes", "2 minutes"),
        ("PT89S", "long", None, "minutes", "1 minute"),
        ("PT0.5S", "long", None, None, "0.5 seconds"),
        ("PT1.000001S", "short", None, None, "1.000001s"),
        ("PT1.5S", "clock", None, None, "0:00:01.5"),
        ("-PT93784S", "long", None, None, "-1 day, 2 hours, 3 minutes, 4 seconds"),
        ("-PT93784S", "clock", None, None, "-26:03:04"),
        ("-P1Y2M3D", "iso", None, None, "-P1Y2M3D"),
        ("-PT1S", "long", None, "hours", "0 hours"),
        ("PT0S", "long", None, None, "0 seconds"),
        ("PT0S", "short", None, None, "0s"),
        ("PT0S", "clock", None, None, "0:00:00"),
        ("PT0S", "iso", None, None, "PT0S"),
        ("PT0S", "iso", None, "days", "P0D"),
        ("P14M", "long", None, None, "1 year, 2 months"),
        ("P14M", "long", "months", None, "14 months"),
        ("P1YT36H", "long", None, "hours", "1 year, 1 day, 12 hours"),
    ],
)
def test_durations_are_written(
    text: str, style: Style, largest: Unit | None, smallest: FixedUnit | None, expected: str
) -> None:
    duration = read_duration(text)
    assert format_duration(duration, style, largest=largest, smallest=smallest) == expected


@pytest.mark.parametrize(
    ("text", "style", "largest", "smallest", "why"),
    [
        ("P1M", "long", "days", None, "not have a fixed number of days"),
        ("P1M", "clock", None, None, "which a clock cannot show"),
        ("P1D", "clock", "hours", None, "leave out largest"),
        ("P1D", "clock", None, "minutes", "leave out largest"),
        ("P1D", "long", "seconds", "hours", "seconds, is smaller than the smallest, hours"),
    ],
)
def test_units_that_do_not_fit_are_refused(
    text: str, style: Style, largest: Unit | None, smallest: FixedUnit | None, why: str
) -> None:
    with pytest.raises(InputRefused, match=why):
        format_duration(read_duration(text), style, largest=largest, smallest=smallest)


@given(st.fractions(), st.sampled_from(("weeks", "days", "hours", "minutes", "seconds")))
def test_a_part_of_a_unit_is_its_length_to_the_microsecond(
    amount: Fraction, unit: FixedUnit
) -> None:
    _, days, microseconds = of_unit(amount, unit)
    exact = amount * (timedelta(**{unit: 1}) // timedelta(microseconds=1))
    assert abs(days * DAY + microseconds - exact) <= Fraction(1, 2)


@given(st.text())
def test_no_text_is_anything_but_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputRefused):
        assert isinstance(read_duration(text), Duration)
