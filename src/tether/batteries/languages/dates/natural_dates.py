"""Dates in English words, read by a small grammar: next Monday, in two weeks, end of month.

The rules where people disagree:

- "Monday" and "this Monday" are the first Monday from today on, today included; "next Monday" is
  the first one after today, "last Monday" the latest before it. "Monday of next week" is exact.
- "next month" alone is the same day one month later; "beginning of next month" is its first day.
- A date without a year is one of this year; a quarter or a month alone is its first day.
- 03/04/2024 is refused unless `day_first` is given, or one of the numbers is above 12.
- Days, weeks, months and years lead to a date; hours, minutes and seconds to a time.
- Weeks begin on Monday. Midnight is the beginning of its day.

A zone may follow: "tomorrow at 5pm", "Monday 14:00 UTC". At most 64 characters are read, and any
text gives a date or an `InputRefused`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.languages.dates.calendar_math import add
from tether.batteries.languages.dates.day_words import Day, DayReader
from tether.batteries.languages.dates.durations import (
    UNIT_LENGTHS,
    Duration,
    format_duration,
    take_duration,
)
from tether.batteries.languages.dates.iso_dates import (
    DateOrTime,
    at,
    check_length,
    scan_iso,
    time_of_day,
)
from tether.batteries.languages.dates.periods import PERIOD_UNITS
from tether.batteries.languages.dates.time_zones import (
    ABBREVIATIONS,
    OFFSET,
    SHIFTED,
    locate,
    move,
    read_zone,
    zone_name,
)
from tether.batteries.languages.dates.vocabulary import Words, unreadable
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from datetime import tzinfo

_WITHOUT_YEAR = re.compile(
    r"(?<![0-9./-])[0-9]{1,2}([/.-])[0-9]{1,2}(?:\1[0-9]{1,2})?(?![0-9/.:-])"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z.]*,?\s+"
    r"(?:[0-9]{1,2}(?:st|nd|rd|th)?,?\s+)?'?[0-9]{2}\b(?!:)",
    re.IGNORECASE | re.ASCII,
)
"""3/6/24, 3/6, 3 Mar 24 and Mar 3, 24: looked for in text that could not be read."""

_EXAMPLES = "next Monday, in two weeks, March 3rd 2024, end of month, tomorrow at 5pm, 2024-03-01"


class Reading(NamedTuple):
    """The meaning of a text, how it was read, and notes on choices that had to be made."""

    value: DateOrTime
    """A date, or a moment with its zone."""
    read_as: str
    notes: tuple[str, ...] = ()


def read_natural_date(
    text: str, reference: datetime, zone: tzinfo, *, day_first: bool | None = None
) -> Reading:
    """Return the meaning of `text` at the moment `reference`, in `zone`.

    A zone at the end of the text overrides `zone`. Raises `InputRefused`, naming the words it
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
        """Read the next words; return None, having taken none, if they are not a date."""
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
        """Return a day, which a time may follow, unless the duration has hours or less."""
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


NAMED_TIMES = {"midnight": timedelta(), "noon": timedelta(hours=12)}
HALVES = {"am": 0, "pm": 12}

_CLOCK = re.compile(r"([0-9]{1,2})(?::([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?)?")
_HOUR = re.compile(r"[0-9]{1,2}")
_ZONE_AT_END = re.compile(
    rf"(?P<before>.*\S)\s+(?P<apart>z|utc|gmt|{SHIFTED}|{'|'.join(ABBREVIATIONS)}"
    rf"|[a-z_]+/[a-z0-9_+/-]+|{OFFSET})"
    rf"|(?P<time>.*:[0-9.]+)(?P<glued>z|{OFFSET})",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


def split_zone(text: str) -> tuple[str, tzinfo | None]:
    """Return the text without the zone at its end, and that zone; raise `InputRefused`.

    A zone is Z, UTC, GMT, an IANA name with a slash, or an offset, which may follow a time of day
    without a space. Abbreviations are recognised too, and refused by name.
    """
    found = _ZONE_AT_END.fullmatch(text)
    if found is None:
        return text, None
    name = found["apart"] or found["glued"]
    if name.lower() in ("z", "utc", "gmt"):
        name = "UTC"
    return found["before"] or found["time"], read_zone(name)


def take_time(words: Words) -> timedelta | None:
    """Take a time of day: noon, 5pm, 5:30 p.m., 17:30 or 17:30:15.

    Returns the time since midnight. An hour alone could be of the morning or of the evening: after
    "at" it is refused, elsewhere it is not read as a time. Raises `InputRefused`.
    """
    is_announced = words.take("at") is not None
    found = words.first_of(lambda: words.look_up(NAMED_TIMES), lambda: _clock(words))
    if found is None and is_announced:
        if _HOUR.fullmatch(words.next):
            raise InputRefused(
                f"'at {words.next}' can be in the morning or in the evening: write "
                f"{words.next}am or {words.next}pm, or {words.next:0>2}:00 of 24 hours"
            )
        words.position -= 1
    return found


def _clock(words: Words) -> timedelta | None:
    found = words.match(_CLOCK)
    if found is None:
        return None
    half = words.look_up(HALVES)
    if found[2] is None and half is None:
        return None
    microsecond = int((found[4] or "")[:6].ljust(6, "0"))
    return time_of_day(
        _hour(int(found[1]), half), int(found[2] or 0), int(found[3] or 0), microsecond
    )


def _hour(hour: int, half: int | None) -> int:
    """Return the hour of 24: 12am is midnight and 12pm noon."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise InputRefused(f"there is no hour {hour} before am or pm: they run from 1 to 12")
    return hour % 12 + half
