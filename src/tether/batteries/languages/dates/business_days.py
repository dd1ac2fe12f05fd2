"""Business days: counted and added by arithmetic, never day by day."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import date
from typing import TYPE_CHECKING

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

LAST_DAY = date.max.toordinal()


class BusinessCalendar:
    """Which days are worked: all but the weekend and the holidays.

    `weekend` holds weekdays, 0 for Monday. Raises `InputRefused` if it holds all seven.
    """

    __slots__ = ("_holidays", "_workdays")

    def __init__(self, weekend: Iterable[int] = (5, 6), holidays: Iterable[date] = ()) -> None:
        self._workdays = tuple(sorted(set(range(7)) - set(weekend)))
        if not self._workdays:
            raise InputRefused("the weekend has all seven days: leave at least one to work on")
        worked = {day.toordinal() for day in holidays if day.weekday() in self._workdays}
        self._holidays = sorted(worked)

    def count(self, start: date, end: date, *, include_end: bool = False) -> int:
        """Return the business days from `start` on, up to but not including `end`.

        As numpy.busday_count: the start is counted and the end is not, and where the end comes
        first the result is negative. `include_end` counts the end as well.
        """
        if end < start:
            first = end.toordinal() if include_end else end.toordinal() + 1
            return self._through(first - 1) - self._through(start.toordinal())
        last = end.toordinal() if include_end else end.toordinal() - 1
        return self._through(last) - self._through(start.toordinal() - 1)

    def add(self, start: date, days: int) -> date:
        """Return the so-many-th business day after `start`, or before it if negative.

        No days lead to the start itself, or to the first business day after it. As
        numpy.busday_offset with `roll` "backward" for days after, and else "forward". Raises
        `InputRefused` outside the years 1 to 9999.
        """
        passed = self._through(start.toordinal() if days > 0 else start.toordinal() - 1)
        wanted = passed + days if days > 0 else passed + days + 1
        ordinal = bisect_left(range(LAST_DAY + 1), wanted, key=self._through)
        if not 1 <= ordinal <= LAST_DAY:
            raise InputRefused("the result is outside the years 0001 to 9999: add fewer days")
        return date.fromordinal(ordinal)

    def _through(self, ordinal: int) -> int:
        """Return the business days from 0001-01-01, a Monday, up to and including a day."""
        weeks, rest = divmod(ordinal, 7)
        worked = weeks * len(self._workdays) + bisect_left(self._workdays, rest)
        return worked - bisect_right(self._holidays, ordinal)
