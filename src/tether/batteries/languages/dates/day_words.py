"""Days in English words: next Monday, March 3rd 2024, first Monday of September, end of month.

The rules are those of `natural_dates`, whose longer expressions contain these.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import NamedTuple

from tether.batteries.languages.dates.calendar_math import add, add_days, nth_weekday
from tether.batteries.languages.dates.durations import UNIT_LENGTHS
from tether.batteries.languages.dates.iso_dates import (
    MONTH_NAMES,
    WEEKDAY_NAMES,
    calendar_day,
    scan_iso,
)
from tether.batteries.languages.dates.periods import (
    DIRECTIONS,
    NAMED_DAYS,
    PERIOD_UNITS,
    Period,
    PeriodReader,
    start_of,
)
from tether.batteries.languages.dates.vocabulary import MONTHS, WEEKDAYS, Words
from tether.core.errors import InputRefused

_NUMERIC = re.compile(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})")
_YEAR_FIRST = re.compile(r"([0-9]{4})([/.])([0-9]{1,2})\2([0-9]{1,2})")
_DAY_NUMBER = re.compile(r"[0-9]{1,2}")


class Day(NamedTuple):
    """A day, how its words were read, and notes on choices that had to be made."""

    day: date
    read_as: str
    notes: tuple[str, ...] = ()


class DayReader:
    """Reads a day from words; raises `InputRefused` for one that does not exist."""

    __slots__ = ("_day_first", "_periods", "_today", "_words")

    def __init__(self, words: Words, today: date, day_first: bool | None) -> None:
        self._words = words
        self._today = today
        self._day_first = day_first
        self._periods = PeriodReader(words, today)

    def read(self) -> Day | None:
        """Read the next words; return None, having taken none, if they are not a day."""
        return self._words.first_of(
            self._named,
            self._dated,
            self._edge,
            self._counted,
            self._weekday,
            self._neighbour,
            self._first_of_period,
        )

    def _named(self) -> Day | None:
        word = self._words.next
        steps = self._words.look_up(NAMED_DAYS)
        if steps is None:
            return None
        day = add_days(self._today, steps)
        return Day(day, f"{word}, {day}")

    def _dated(self) -> Day | None:
        """Take a date with its month: 2024-03-01, 03/04/2024, March 3rd, the 3rd of March 2024."""
        day = self._words.first_of(self._iso, self._numeric, self._month_and_day)
        if day is None:
            return None
        return Day(day, f"{day.day} {MONTH_NAMES[day.month - 1]} {day.year}")

    def _iso(self) -> date | None:
        day = scan_iso(self._words.next)
        if day is None or isinstance(day, datetime):
            return None
        self._words.skip()
        return day

    def _numeric(self) -> date | None:
        if found := self._words.match(_YEAR_FIRST):
            return calendar_day(int(found[1]), int(found[3]), int(found[4]))
        found = self._words.match(_NUMERIC)
        if found is None:
            return None
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        if self._is_day_first(found[0], first, second):
            return calendar_day(year, second, first)
        return calendar_day(year, first, second)

    def _is_day_first(self, text: str, first: int, second: int) -> bool:
        if self._day_first is not None:
            return self._day_first
        if first <= 12 and second <= 12 and first != second:
            raise InputRefused(
                f"{text!r} can be a day and a month or a month and a day: give day_first, or "
                "write the date as 2024-03-31"
            )
        return first > 12

    def _month_and_day(self) -> date | None:
        self._words.take("the")
        month = self._words.look_up(MONTHS)
        day = self._day_of_month()
        if month is None and day is not None:
            self._words.take("of")
            month = self._words.look_up(MONTHS)
        if month is None or day is None:
            return None
        year = self._words.year()
        return calendar_day(self._today.year if year is None else year, month, day)

    def _day_of_month(self) -> int | None:
        self._words.take("the")
        if found := self._words.match(_DAY_NUMBER):
            return int(found[0])
        return self._words.ordinal()

    def _edge(self) -> Day | None:
        """Take "end of month" and "the beginning of next year"."""
        self._words.take("the")
        edge = self._words.take("beginning", "start", "end")
        period = self._periods.read() if edge and self._words.take("of") else None
        if period is None:
            return None
        if edge == "end":
            return Day(add_days(period.end, -1), f"the last day of {period.read_as}")
        return Day(period.start, f"the first day of {period.read_as}")

    def _counted(self) -> Day | None:
        """Take "third Thursday of November" and "last day of February"."""
        self._words.take("the")
        n = -1 if self._words.take("last") else self._words.ordinal()
        weekday = self._words.look_up(WEEKDAYS)
        if n is None or (weekday is None and not self._words.take("day")):
            return None
        period = self._periods.read() if self._words.take("of") else None
        if period is None:
            return None
        what = "day" if weekday is None else WEEKDAY_NAMES[weekday]
        which = f"the last {what}" if n < 0 else f"{what} number {n}"
        return Day(_nth(period, weekday, n), f"{which} of {period.read_as}")

    def _weekday(self) -> Day | None:
        """Take "Monday", "next Monday", "Monday of next week" and "Monday, March 4"."""
        direction = self._words.look_up(DIRECTIONS)
        weekday = self._words.look_up(WEEKDAYS)
        if weekday is None:
            return None
        if direction is not None:
            return self._nearest(weekday, direction)
        exact = self._words.first_of(
            lambda: self._of_week(weekday), lambda: self._with_date(weekday)
        )
        return exact or self._nearest(weekday, 0)

    def _nearest(self, weekday: int, direction: int) -> Day:
        name = WEEKDAY_NAMES[weekday]
        ahead, back = (weekday - self._today.weekday()) % 7, (self._today.weekday() - weekday) % 7
        match direction:
            case 0:
                return Day(add_days(self._today, ahead), f"the first {name} from {self._today} on")
            case 1:
                return Day(
                    add_days(self._today, ahead or 7), f"the first {name} after {self._today}"
                )
            case _:
                return Day(
                    add_days(self._today, -(back or 7)), f"the latest {name} before {self._today}"
                )

    def _of_week(self, weekday: int) -> Day | None:
        self._words.take("of", "in")
        direction = self._words.look_up(DIRECTIONS)
        if direction is None or not self._words.take("week"):
            return None
        monday = add_days(start_of("weeks", self._today), 7 * direction)
        day = add_days(monday, weekday)
        return Day(day, f"{WEEKDAY_NAMES[weekday]} of the week that begins on {monday}")

    def _with_date(self, weekday: int) -> Day | None:
        dated = self._dated()
        if dated is not None and dated.day.weekday() != weekday:
            raise InputRefused(
                f"{dated.day} is a {WEEKDAY_NAMES[dated.day.weekday()]}, not a "
                f"{WEEKDAY_NAMES[weekday]}: leave out the weekday or correct the date"
            )
        return dated

    def _neighbour(self) -> Day | None:
        """Take "next month": the same day, one month later."""
        direction = self._words.look_up(DIRECTIONS)
        unit = self._words.look_up(PERIOD_UNITS) if direction else None
        if unit is None:
            return None
        length = UNIT_LENGTHS[unit]
        landed = add(self._today, length if direction == 1 else length.negated())
        side = "after" if direction == 1 else "before"
        return Day(landed.value, f"one {unit[:-1]} {side} {self._today}", tuple(landed.notes))

    def _first_of_period(self) -> Day | None:
        period = self._periods.read_quarter_or_month()
        return None if period is None else Day(period.start, f"the first day of {period.read_as}")


def _nth(period: Period, weekday: int | None, n: int) -> date:
    if weekday is not None:
        return nth_weekday(period.start, add_days(period.end, -1), weekday, n)
    day = add_days(period.end, n) if n < 0 else add_days(period.start, n - 1)
    if not period.start <= day < period.end:
        days = (period.end - period.start).days
        raise InputRefused(f"there is no day {n} in {period.read_as}, which has {days} days")
    return day
