"""Periods of the calendar by name."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.dates.periods import read_period
from tether.core.errors import InputRefused, LimitExceeded

TODAY = date(2024, 3, 6)

# Looked up in a printed calendar of 2024; the first day and the first day after.
PERIODS = {
    "today": ("2024-03-06", "2024-03-07"),
    "yesterday": ("2024-03-05", "2024-03-06"),
    "tomorrow": ("2024-03-07", "2024-03-08"),
    "2024-02-29": ("2024-02-29", "2024-03-01"),
    "this day": ("2024-03-06", "2024-03-07"),
    "this week": ("2024-03-04", "2024-03-11"),
    "the week": ("2024-03-04", "2024-03-11"),
    "last week": ("2024-02-26", "2024-03-04"),
    "next week": ("2024-03-11", "2024-03-18"),
    "this month": ("2024-03-01", "2024-04-01"),
    "Last Month": ("2024-02-01", "2024-03-01"),
    "next month": ("2024-04-01", "2024-05-01"),
    "this quarter": ("2024-01-01", "2024-04-01"),
    "previous quarter": ("2023-10-01", "2024-01-01"),
    "next quarter": ("2024-04-01", "2024-07-01"),
    "current year": ("2024-01-01", "2025-01-01"),
    "next year": ("2025-01-01", "2026-01-01"),
    "week of 2024-03-06": ("2024-03-04", "2024-03-11"),
    "week of tomorrow": ("2024-03-04", "2024-03-11"),
    "the month of 2023-02-11": ("2023-02-01", "2023-03-01"),
    "last quarter of 2024-05-05": ("2024-01-01", "2024-04-01"),
    "Q1 2024": ("2024-01-01", "2024-04-01"),
    "Q4": ("2024-10-01", "2025-01-01"),
    "2023-Q2": ("2023-04-01", "2023-07-01"),
    "2023Q2": ("2023-04-01", "2023-07-01"),
    "the third quarter of 2023": ("2023-07-01", "2023-10-01"),
    "2024": ("2024-01-01", "2025-01-01"),
    "2024-03": ("2024-03-01", "2024-04-01"),
    "2024-W10": ("2024-03-04", "2024-03-11"),
    "2020W53": ("2020-12-28", "2021-01-04"),
    "March": ("2024-03-01", "2024-04-01"),
    "Feb. 2023": ("2023-02-01", "2023-03-01"),
    "February of 2023": ("2023-02-01", "2023-03-01"),
    "last 7 days": ("2024-02-29", "2024-03-07"),
    "past two weeks": ("2024-02-22", "2024-03-07"),
    "last 1 month": ("2024-02-07", "2024-03-07"),
    "next 7 days": ("2024-03-07", "2024-03-14"),
    "next 3 months": ("2024-03-07", "2024-06-07"),
    "year to date": ("2024-01-01", "2024-03-07"),
    "quarter to date": ("2024-01-01", "2024-03-07"),
    "month to date": ("2024-03-01", "2024-03-07"),
    "week to date": ("2024-03-04", "2024-03-07"),
}


@pytest.mark.parametrize(("text", "expected"), PERIODS.items())
def test_named_periods(text: str, expected: tuple[str, str]) -> None:
    period = read_period(text, TODAY)
    assert (period.start.isoformat(), period.end.isoformat()) == expected


def test_how_it_was_read_is_told() -> None:
    assert read_period("last month", TODAY).read_as == "the month before the one with 2024-03-06"
    assert read_period("last 7 days", TODAY).read_as == "the period that ends with 2024-03-06"
    assert read_period("2024-03", TODAY).read_as == "March 2024"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("last decade", "unknown: 'decade'"),
        ("last 5 hours", "do not fit together"),
        ("week of", "do not fit together"),
        ("week of March", "not understood from 'march'"),
        ("fifth quarter", "not understood from 'quarter'"),
        ("third month", "not understood from 'month'"),
        ("this", "do not fit together"),
        ("this week next week", "not understood from 'next'"),
        ("", "do not fit together"),
        ("2024-13", "no month 13"),
        ("2023-W53", "no week date"),
        ("0000", "no year 0000"),
        ("Q5 2024", "unknown: 'q5'"),
        ("2024-03-01T10:00", "not understood"),
        ("9999", "the year 9999 runs from 9999-01-01 to 9999-12-31, .* outside the years"),
        ("Q4 9999", "from 9999-10-01 to 9999-12-31"),
        ("December 9999", "from 9999-12-01 to 9999-12-31"),
        ("last 0 days", "0 days is empty"),
        ("next 0 weeks", "0 days is empty"),
        ("last 9999 years", "outside the years"),
    ],
)
def test_what_names_no_period_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InputRefused, match=why):
        read_period(text, TODAY)


def test_what_is_longer_than_any_name_is_not_looked_at() -> None:  # case 59
    with pytest.raises(LimitExceeded, match="period has 5000 characters"):
        read_period("1" * 5_000, TODAY)


@given(
    st.dates(date(2, 1, 1), date(9997, 1, 1)),
    st.sampled_from(("day", "week", "month", "quarter", "year")),
    st.integers(0, 6),
)
def test_this_period_holds_the_day_and_touches_its_neighbours(
    day: date, unit: str, week_start: int
) -> None:
    before, this, after = (
        read_period(f"{which} {unit}", day, week_start) for which in ("last", "this", "next")
    )
    assert this.start <= day < this.end
    assert (before.end, this.end) == (this.start, after.start)
    so_far = read_period(f"{unit} to date", day, week_start)
    assert (so_far.start, so_far.end) == (this.start, day + timedelta(days=1))
    if unit == "week":
        assert this.start.weekday() == week_start


@given(st.dates(date(2, 1, 1), date(9997, 1, 1)))
def test_months_and_years_begin_where_numpy_says(day: date) -> None:
    for unit, letter in (("month", "M"), ("year", "Y")):
        period = read_period(f"this {unit}", day)
        begin = np.datetime64(day, "D").astype(f"datetime64[{letter}]")
        assert period.start == begin.astype("datetime64[D]").astype(date)
        assert period.end == (begin + 1).astype("datetime64[D]").astype(date)


@given(st.dates(date(2, 1, 1), date(9997, 1, 1)), st.integers(1, 300))
def test_the_last_days_and_the_next_days_touch(day: date, days: int) -> None:
    last, following = (read_period(f"{word} {days} days", day) for word in ("last", "next"))
    assert last.end == following.start == day + timedelta(days=1)
    assert last.end - last.start == following.end - following.start == timedelta(days=days)
