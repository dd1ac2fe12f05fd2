"""Periods of the calendar by name: this quarter, last month, week of 2024-03-06, Q1 2024.

`this` period contains today; `last` and `next` are its neighbours in the calendar. With a number
they are not: the last 7 days end with today, and the next 7 begin tomorrow. A month or a quarter
without a year is one of this year.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import NamedTuple

from tether.batteries.languages.dates.calendar_math import add_days, add_months
from tether.batteries.languages.dates.durations import UNIT_LENGTHS, Duration, take_duration
from tether.batteries.languages.dates.iso_dates import (
    MONTH_NAMES,
    calendar_day,
    check_length,
    scan_iso,
    week_day,
)
from tether.batteries.languages.dates.vocabulary import MONTHS, Words, unreadable
from tether.core.errors import InputRefused

NAMED_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
DIRECTIONS = {
    **dict.fromkeys(("this", "current"), 0),
    **dict.fromkeys(("last", "previous", "past"), -1),
    **dict.fromkeys(("next", "coming"), 1),
}
PERIOD_UNITS = {
    unit.removesuffix("s"): unit for unit in ("days", "weeks", "months", "quarters", "years")
}
_NEIGHBOURS = {-1: "before the one with", 0: "with", 1: "after the one with"}

_QUARTER = re.compile(r"q([1-4])")
_YEAR_QUARTER = re.compile(r"([0-9]{4})-?q([1-4])")
_YEAR_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_YEAR_WEEK = re.compile(r"([0-9]{4})-?w([0-9]{2})")
_EXAMPLES = "this quarter, last month, next year, week of 2024-03-06, Q1 2024, 2024-03, last 7 days"


class Period(NamedTuple):
    """A stretch of whole days."""

    start: date
    end: date
    """The first day after it."""
    read_as: str


def read_period(text: str, today: date, week_start: int = 0) -> Period:
    """Return the period that `text` names; weeks begin on `week_start`, 0 for Monday.

    Raises `InputRefused`, naming the words it does not know, and `LimitExceeded`.
    """
    check_length(text, "period")
    words = Words(text)
    period = PeriodReader(words, today, week_start).read()
    if period is None or words.next:
        raise unreadable(words, f"period: {text!r} is not a period", _EXAMPLES)
    return period


def start_of(unit: str, day: date, week_start: int = 0) -> date:
    """Return the first day of the day, week, month, quarter or year that contains `day`."""
    match unit:
        case "days":
            return day
        case "weeks":
            return add_days(day, -((day.weekday() - week_start) % 7))
        case "months":
            return day.replace(day=1)
        case "quarters":
            return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
        case _:
            return date(day.year, 1, 1)


class PeriodReader:
    """Reads the name of a period from words, which may be part of a longer text."""

    __slots__ = ("_today", "_week_start", "_words")

    def __init__(self, words: Words, today: date, week_start: int = 0) -> None:
        self._words = words
        self._today = today
        self._week_start = week_start

    def read(self) -> Period | None:
        """Return the period that the next words name, or None, having taken nothing."""
        return self._words.first_of(
            self._one_day, self._several, self._unit, self._quarter, self._month, self._written
        )

    def read_quarter_or_month(self) -> Period | None:
        """Return the quarter or the month that the next words name, or None."""
        return self._words.first_of(self._quarter, self._month)

    def _one_day(self) -> Period | None:
        day = self._day()
        return None if day is None else Period(day, add_days(day, 1), f"the day {day}")

    def _several(self) -> Period | None:
        """Take "last 7 days"."""
        direction = self._words.look_up(DIRECTIONS)
        duration = take_duration(self._words) if direction else None
        if duration is None or duration.microseconds:
            return None
        if duration == Duration():
            raise InputRefused("period: a period of 0 days is empty: give a number from 1 on")
        tomorrow = add_days(self._today, 1)
        if direction == 1:
            end = _days_after(tomorrow, duration)
            return Period(tomorrow, end, f"the period that begins on the day after {self._today}")
        start = _days_after(tomorrow, duration.negated())
        return Period(start, tomorrow, f"the period that ends with {self._today}")

    def _unit(self) -> Period | None:
        """Take "this quarter", "the month", "year to date" or "week of 2024-03-06"."""
        self._words.take("the")
        direction = self._words.look_up(DIRECTIONS)
        unit = self._words.look_up(PERIOD_UNITS)
        if unit is None:
            return None
        if self._words.take_all("to", "date"):
            return self._to_date(unit)
        day = self._day() if self._words.take("of") else self._today
        return None if day is None else self._around(day, unit, direction or 0)

    def _to_date(self, unit: str) -> Period:
        start = start_of(unit, self._today, self._week_start)
        how = f"the {unit[:-1]} with {self._today}, up to and including that day"
        return Period(start, add_days(self._today, 1), how)

    def _around(self, day: date, unit: str, steps: int) -> Period:
        length = UNIT_LENGTHS[unit]
        start = start_of(unit, day, self._week_start)
        if steps:
            start = _days_after(start, length if steps > 0 else length.negated())
        how = f"the {unit[:-1]} {_NEIGHBOURS[steps]} {day}"
        return Period(start, _days_after(start, length), how)

    def _quarter(self) -> Period | None:
        """Take "Q3 2024", "2024-Q3" or "third quarter of 2024"."""
        if found := self._words.match(_YEAR_QUARTER):
            return _quarter_of(int(found[1]), int(found[2]))
        self._words.take("the")
        if found := self._words.match(_QUARTER):
            return _quarter_of(self._year(), int(found[1]))
        number = self._words.ordinal()
        if number is None or number > 4 or not self._words.take("quarter"):
            return None
        return _quarter_of(self._year(), number)

    def _month(self) -> Period | None:
        month = self._words.look_up(MONTHS)
        return None if month is None else _month_of(self._year(), month)

    def _written(self) -> Period | None:
        """Take "2024", "2024-03" or "2024-W10"."""
        if (year := self._words.year()) is not None:
            start = calendar_day(year, 1, 1)
            return _whole_months(start, 12, f"the year {year}")
        if found := self._words.match(_YEAR_MONTH):
            return _month_of(int(found[1]), int(found[2]))
        if found := self._words.match(_YEAR_WEEK):
            monday = week_day(int(found[1]), int(found[2]), 1)
            return Period(monday, add_days(monday, 7), f"the ISO week {found[1]}-W{found[2]}")
        return None

    def _year(self) -> int:
        """Take "of 2024", "2024" or nothing."""
        mark = self._words.position
        self._words.take("of")
        year = self._words.year()
        if year is None:
            self._words.position = mark
            return self._today.year
        return year

    def _day(self) -> date | None:
        steps = self._words.look_up(NAMED_DAYS)
        if steps is not None:
            return add_days(self._today, steps)
        day = scan_iso(self._words.next)
        if day is None or isinstance(day, datetime):
            return None
        self._words.skip()
        return day


def _quarter_of(year: int, number: int) -> Period:
    start = calendar_day(year, number * 3 - 2, 1)
    return _whole_months(start, 3, f"quarter {number} of {year}")


def _month_of(year: int, month: int) -> Period:
    start = calendar_day(year, month, 1)
    return _whole_months(start, 1, f"{MONTH_NAMES[month - 1]} {year}")


def _whole_months(start: date, months: int, read_as: str) -> Period:
    if start.year == date.max.year and start.month + months > 12:
        raise InputRefused(
            f"period: {read_as} runs from {start} to {date.max}, and the day after it, on which it "
            "is over, is outside the years 0001 to 9999: take an earlier period"
        )
    return Period(start, add_months(start, months), read_as)


def _days_after(day: date, duration: Duration) -> date:
    return add_days(add_months(day, duration.months), duration.days)
