"""Dates in English words, read by a small grammar: next Monday, in two weeks, end of month.

The rules where people disagree:

- "Monday" and "this Monday" are the first Monday from today on, today included; "next Monday" is
  the first one after today, "last Monday" the latest before it. "Monday of next week" is exact.
- "next month" alone is the same day one month later; "beginning of next month" is its first day.
- A date without a year is one of this year; a quarter or a month alone is its first day.
- 03/04/2024 is refused unless `day_first` is given, or one of the numbers can be no month.
- Days, weeks, months and years lead to a date; hours, minutes and seconds to a time.
- Weeks begin on Monday. Midnight is the beginning of its day.

Whatever the text, there is an answer or an `InputRefused` after at most 64 characters.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.languages.dates.calendar_math import add
from tether.batteries.languages.dates.clock_words import split_zone, take_time
from tether.batteries.languages.dates.date_periods import PERIOD_UNITS
from tether.batteries.languages.dates.date_words import Words, unreadable
from tether.batteries.languages.dates.dates import DateOrTime, at, check_length, scan_iso
from tether.batteries.languages.dates.day_words import Day, DayReader
from tether.batteries.languages.dates.duration_text import format_duration
from tether.batteries.languages.dates.durations import UNIT_LENGTHS, Duration, take_duration
from tether.batteries.languages.dates.time_zones import locate, move, zone_name
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from datetime import tzinfo

_WITHOUT_YEAR = re.compile(
    r"(?<![0-9./-])[0-9]{1,2}([/.-])[0-9]{1,2}(?:\1[0-9]{1,2})?(?![0-9/.:-])"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z.]*,?\s+"
    r"(?:[0-9]{1,2}(?:st|nd|rd|th)?,?\s+)?'?[0-9]{2}\b(?!:)",
    re.IGNORECASE | re.ASCII,
)
"""3/6/24, 3/6, 3 Mar 24 and Mar 3, 24, which are looked for in what could not be read."""

_EXAMPLES = "next Monday, in two weeks, March 3rd 2024, end of month, tomorrow at 5pm, 2024-03-01"


class Reading(NamedTuple):
    """What a text means, how it was read, and what had to be decided."""

    value: DateOrTime
    """A date, or a moment with its zone."""
    read_as: str
    notes: tuple[str, ...] = ()


def read_natural_date(
    text: str, reference: datetime, zone: tzinfo, *, day_first: bool | None = None
) -> Reading:
    """Return what `text` means at the moment `reference`, for somebody in `zone`.

    A zone at the end of the text comes before `zone`. Raises `InputRefused`, naming the words it
    does not know, and `LimitExceeded`.
    """
    check_length(text, "text")
    written = scan_iso(text.strip())
    if written is not None:
        return _as_written(written, zone)
    rest, named = split_zone(text.strip())
    words = Words(rest)
    reading = _Expression(words, reference, named or zone, day_first).read()
    if reading is None or words.next:
        if _WITHOUT_YEAR.search(rest):
            raise InputRefused(
                f"text: {text!r} needs a year of four digits, as in 2024-03-06 or 6 March 2024"
            )
        raise unreadable(words, f"text: {text!r} cannot be read as a date", _EXAMPLES)
    return reading


def _as_written(value: DateOrTime, zone: tzinfo) -> Reading:
    if not isinstance(value, datetime) or value.tzinfo is not None:
        return Reading(value, "ISO 8601, as written")
    moment, _, note = locate(value, zone)
    return Reading(moment, f"ISO 8601, in {zone_name(zone)}", (note,) if note else ())


class _Expression:
    """A time and a day in either order, or so much before or after another expression."""

    __slots__ = ("_days", "_reference", "_words", "_zone")

    def __init__(
        self, words: Words, reference: datetime, zone: tzinfo, day_first: bool | None
    ) -> None:
        self._words = words
        self._zone = zone
        self._reference = move(reference, zone)
        self._days = DayReader(words, self._reference.date(), day_first)

    def read(self) -> Reading | None:
        """Return what the next words mean, or None, having taken nothing."""
        return self._words.first_of(
            self._now, self._away, self._iso_time, self._day_first, self._time_first
        )

    def _now(self) -> Reading | None:
        return Reading(self._reference, "the reference time") if self._words.take("now") else None

    def _iso_time(self) -> Reading | None:
        """Take "2024-03-01T10:00", where it is only a part of the text."""
        value = scan_iso(self._words.next)
        if not isinstance(value, datetime):
            return None
        self._words.skip()
        return _as_written(value, self._zone)

    def _day_first(self) -> Reading | None:
        self._words.take("on")
        day = self._days.read()
        return None if day is None else self._at_time(day)

    def _time_first(self) -> Reading | None:
        since_midnight = take_time(self._words)
        if since_midnight is None:
            return None
        self._words.take("on")
        today = self._reference.date()
        day = self._days.read() or Day(today, f"today, {today}")
        return self._at(day, since_midnight)

    def _at_time(self, day: Day) -> Reading:
        """Take the time that may follow a day."""
        since_midnight = take_time(self._words)
        return Reading(*day) if since_midnight is None else self._at(day, since_midnight)

    def _at(self, day: Day, since_midnight: timedelta) -> Reading:
        moment, _, note = locate(at(day.day, since_midnight), self._zone)
        minutes = since_midnight // timedelta(minutes=1)
        clock = f"{minutes // 60:02}:{minutes % 60:02}"
        how = f"{day.read_as}, at {clock} in {zone_name(self._zone)}"
        return Reading(moment, how, (*day.notes, note) if note else day.notes)

    def _away(self) -> Reading | None:
        """Take "in two weeks", "3 days ago" and "two weeks before 2024-03-01"."""
        if self._words.take("in"):
            duration = take_duration(self._words)
            return None if duration is None else self._from_now(duration)
        duration = self._words.first_of(lambda: take_duration(self._words), self._one_unit)
        side = self._words.take("ago", "before", "after", "from")
        if duration is None or side is None:
            return None
        signed = duration.negated() if side in ("ago", "before") else duration
        if side == "ago" or self._words.take("now"):
            return self._from_now(signed)
        anchor = self.read()
        return None if anchor is None else self._from(anchor, signed)

    def _one_unit(self) -> Duration | None:
        """Take "day" in "the day after tomorrow"."""
        self._words.take("the")
        unit = self._words.look_up(PERIOD_UNITS)
        return None if unit is None else UNIT_LENGTHS[unit]

    def _from_now(self, duration: Duration) -> Reading:
        """Lead to a day, on which a time may follow, unless there are hours or less."""
        if duration.microseconds:
            return self._from(Reading(self._reference, ""), duration)
        day = self._from(Reading(self._reference.date(), ""), duration)
        return self._at_time(Day(*day))

    def _from(self, anchor: Reading, duration: Duration) -> Reading:
        start = anchor.value
        if duration.microseconds:
            start = locate(start, self._zone).moment
        value, notes = add(start, duration)
        side = "before" if min(duration) < 0 else "after"
        length = format_duration(duration).removeprefix("-")
        return Reading(value, f"{length} {side} {start.isoformat()}", (*anchor.notes, *notes))
