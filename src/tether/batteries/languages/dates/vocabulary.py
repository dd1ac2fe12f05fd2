"""The words of dates, periods and durations, and a cursor over them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from tether.batteries.languages.dates.iso_dates import MONTH_NAMES, WEEKDAY_NAMES
from tether.core.checks import in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

T = TypeVar("T")

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth", "twentieth"),
)
ONES = {word: number for number, word in enumerate(_ONES)}
TENS = {word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)}
ORDINALS = {word: number for number, word in enumerate(_ORDINALS, 1)} | {"thirtieth": 30}

WEEKDAYS = {
    **{name.lower(): number for number, name in enumerate(WEEKDAY_NAMES)},
    **{name[:3].lower(): number for number, name in enumerate(WEEKDAY_NAMES)},
    "tues": 1,
    "thur": 3,
    "thurs": 3,
}
MONTHS = {
    **{name.lower(): number for number, name in enumerate(MONTH_NAMES, 1)},
    **{name[:3].lower(): number for number, name in enumerate(MONTH_NAMES, 1)},
    "sept": 9,
}
UNITS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), "seconds"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "minutes"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), "hours"),
    **dict.fromkeys(("day", "days", "d"), "days"),
    **dict.fromkeys(("week", "weeks", "wk", "wks", "w"), "weeks"),
    **dict.fromkeys(("month", "months", "mo", "mos"), "months"),
    **dict.fromkeys(("quarter", "quarters"), "quarters"),
    **dict.fromkeys(("year", "years", "yr", "yrs", "y"), "years"),
}
"""Without `m`, which can mean minutes or months."""

VOCABULARY = frozenset(
    {
        *ONES,
        *TENS,
        *ORDINALS,
        *WEEKDAYS,
        *MONTHS,
        *UNITS,
        *("a", "an", "and", "the", "of", "in", "at", "on", "to", "from", "date", "now", "ago"),
        *("today", "tomorrow", "yesterday", "before", "after", "this", "current", "next", "coming"),
        *("last", "previous", "past", "end", "start", "beginning", "noon", "midnight", "am", "pm"),
        *("q1", "q2", "q3", "q4"),
    }
)
"""Every known word, so that an error can name the unknown ones."""

_DOTTED = re.compile(r"[a-z]+\.|(?:[a-z]\.)+[a-z]?")
_GLUED = re.compile(r"([0-9.:]*[0-9])([a-z]+)")
_ORDINAL = re.compile(r"([1-9][0-9]{0,2})(?:st|nd|rd|th)")
_YEAR = re.compile(r"[0-9]{4}")


class Words:
    """The words of a text in lower case, taken from left to right.

    A reader that does not find its words must leave `position` unchanged, or set it back.
    """

    __slots__ = ("_words", "furthest", "position")

    def __init__(self, text: str) -> None:
        chunks = text.lower().replace(",", " ").split()
        self._words = [word for chunk in chunks for word in _split(chunk)]
        self.position = 0
        self.furthest = 0
        """The first word that no reader could take: the one to name in an error."""

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    @property
    def next(self) -> str:
        """The word that would be taken now; empty at the end."""
        return self._words[self.position] if self.position < len(self._words) else ""

    @property
    def unread(self) -> str:
        """The first word that no reader could take; empty if all were taken at some time."""
        return self._words[self.furthest] if self.furthest < len(self._words) else ""

    def skip(self) -> None:
        """Take the next word."""
        self.position += 1
        self.furthest = max(self.furthest, self.position)

    def take(self, *choices: str) -> str | None:
        """Take the next word if it is one of these."""
        word = self.next
        if word not in choices:
            return None
        self.skip()
        return word

    def take_all(self, *words: str) -> bool:
        """Take all of these words, in this order, or none."""
        mark = self.position
        if all(self.take(word) for word in words):
            return True
        self.position = mark
        return False

    def look_up(self, table: Mapping[str, T]) -> T | None:
        """Take the next word if the table has it, and return its value."""
        found = table.get(self.next)
        if found is not None:
            self.skip()
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take the next word if it matches entirely."""
        found = pattern.fullmatch(self.next)
        if found is not None:
            self.skip()
        return found

    def first_of(self, *readers: Callable[[], T | None]) -> T | None:
        """Return the first result of the readers that is not None; the others take nothing."""
        mark = self.position
        for read in readers:
            if (found := read()) is not None:
                return found
            self.position = mark
        return None

    def number(self) -> int | None:
        """Take a whole number in words, up to ninety-nine, or "a" and "an" for one."""
        if self.take("a", "an"):
            return 1
        if (tens := self.look_up(TENS)) is not None:
            ones = self.look_up(ONES) if 1 <= ONES.get(self.next, 0) <= 9 else None
            return tens + (ones or 0)
        return self.look_up(ONES)

    def ordinal(self) -> int | None:
        """Take a place in an order: 3rd, 100th, third, twenty-first."""
        if found := self.match(_ORDINAL):
            return int(found[1])
        mark = self.position
        if tens := self.look_up(TENS):
            if 1 <= ORDINALS.get(self.next, 0) <= 9:
                return tens + (self.look_up(ORDINALS) or 0)
            self.position = mark
        return self.look_up(ORDINALS)

    def year(self) -> int | None:
        """Take a year of four digits."""
        found = self.match(_YEAR)
        return int(found[0]) if found else None


def _split(chunk: str) -> list[str]:
    """Separate 5pm into 5 and pm, and twenty-one into its words; make p.m. pm."""
    if _DOTTED.fullmatch(chunk):
        return [chunk.replace(".", "")]
    if (found := _GLUED.fullmatch(chunk)) and not _ORDINAL.fullmatch(chunk):
        return [found[1], found[2]]
    parts = chunk.split("-")
    return parts if len(parts) > 1 and all(part.isalpha() for part in parts) else [chunk]


def unreadable(words: Words, problem: str, examples: str) -> InputRefused:
    """Return the error for an unreadable text; it names the words that were not understood."""
    unknown = [word for word in words if word not in VOCABULARY and not word[0].isdecimal()]
    if unknown:
        reason = f"unknown: {', '.join(in_short(word) for word in unknown)}"
    elif words.unread:
        reason = f"not understood from {in_short(words.unread)} on"
    else:
        reason = "its words do not fit together"
    return InputRefused(f"{problem} ({reason}). Write for instance {examples}.")
