"""Business days, against numpy."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.dates.calendar_math import BusinessCalendar
from tether.core.errors import InputRefused

DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1))
HOLIDAYS = st.lists(st.dates(date(2020, 1, 1), date(2021, 1, 1)), max_size=20)
WEEKENDS = st.sets(st.integers(0, 6), max_size=6)
NEAR = st.dates(date(2019, 12, 1), date(2021, 2, 1))


def weekmask(weekend: set[int]) -> list[bool]:
    return [weekday not in weekend for weekday in range(7)]


@given(NEAR | DAYS, NEAR | DAYS, WEEKENDS, HOLIDAYS)
def test_days_are_counted_as_numpy_counts_them(
    start: date, end: date, weekend: set[int], holidays: list[date]
) -> None:
    expected = np.busday_count(start, end, weekmask=weekmask(weekend), holidays=holidays)
    assert BusinessCalendar(weekend, holidays).count(start, end) == expected


@given(NEAR | DAYS, st.integers(-2000, 2000), WEEKENDS, HOLIDAYS)
def test_days_are_added_as_numpy_adds_them(
    start: date, days: int, weekend: set[int], holidays: list[date]
) -> None:
    expected = np.busday_offset(
        start,
        days,
        roll="backward" if days > 0 else "forward",
        weekmask=weekmask(weekend),
        holidays=holidays,
    )
    assert BusinessCalendar(weekend, holidays).add(start, days) == expected.astype(date)


@given(NEAR, NEAR, HOLIDAYS)
def test_the_end_is_counted_where_asked_for(start: date, end: date, holidays: list[date]) -> None:
    calendar = BusinessCalendar(holidays=holidays)
    both = calendar.count(start, end, include_end=True)
    is_worked = bool(np.is_busday(end, holidays=holidays))
    assert abs(both) == abs(calendar.count(start, end)) + is_worked


def test_all_years_are_counted_at_once() -> None:
    calendar = BusinessCalendar()
    whole = np.busday_count("0001-01-01", "9999-12-31")
    assert calendar.count(date.min, date.max) == whole
    assert calendar.add(date.min, int(whole)) == date.max


@pytest.mark.parametrize(("start", "days"), [(date.max, 1), (date.min, -1), (date.min, 4_000_000)])
def test_what_leaves_the_years_is_refused(start: date, days: int) -> None:
    with pytest.raises(InputRefused, match="outside the years"):
        BusinessCalendar().add(start, days)


def test_somebody_has_to_work() -> None:
    with pytest.raises(InputRefused, match="leave at least one"):
        BusinessCalendar(weekend=range(7))
