"""Durations: ISO 8601 (P1Y2M10DT2H30M) or words (1 year, 2 months and 10 days), read and written.

Months have no fixed number of days, and days, where clocks are changed, no fixed number of hours.
So a duration keeps the three apart, and only `calendar_math` joins them, on a given day.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from tether.batteries.languages.dates.date_words import UNITS, Words
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

LONGEST_DURATION = 128
SECOND = 1_000_000
DAY = 86_400 * SECOND
"""In microseconds, as all lengths of time here."""


class Duration(NamedTuple):
    """Months, then days, then time that passes; of one sign, or zero."""

    months: int = 0
    days: int = 0
    microseconds: int = 0

    def negated(self) -> Duration:
        """Return the same length in the other direction."""
        return Duration(-self.months, -self.days, -self.microseconds)

    def plus(self, other: Duration) -> Duration:
        """Return the sum, part by part."""
        return Duration(*(mine + its for mine, its in zip(self, other, strict=True)))


UNIT_LENGTHS = {
    "years": Duration(months=12),
    "quarters": Duration(months=3),
    "months": Duration(months=1),
    "weeks": Duration(days=7),
    "days": Duration(days=1),
    "hours": Duration(microseconds=3600 * SECOND),
    "minutes": Duration(microseconds=60 * SECOND),
    "seconds": Duration(microseconds=SECOND),
}

_NUMBER = r"[0-9]{1,12}(?:[.,][0-9]{1,9})?"
_ISO_UNITS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
_ISO = re.compile(
    rf"P(?:({_NUMBER})Y)?(?:({_NUMBER})M)?(?:({_NUMBER})W)?(?:({_NUMBER})D)?"
    rf"(?:T(?=[0-9])(?:({_NUMBER})H)?(?:({_NUMBER})M)?(?:({_NUMBER})S)?)?",
    re.IGNORECASE | re.ASCII,
)
_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")


def read_duration(text: str, name: str = "duration") -> Duration:
    """Return the duration that `text` writes; a leading minus turns all of it round.

    In ISO 8601 only the last number may have decimals; years and months may have none in either
    form. A fraction of a day counts as hours, 24 to the day. Raises `InputRefused` and
    `LimitExceeded`, calling the text by `name`.
    """
    if len(text) > LONGEST_DURATION:
        raise LimitExceeded(
            f"{name} has {len(text)} characters; at most {LONGEST_DURATION} are allowed"
        )
    unsigned = text.strip().removeprefix("+")
    is_negative = unsigned.startswith("-")
    unsigned = unsigned.removeprefix("-")
    found = _ISO.fullmatch(unsigned)
    duration = _from_iso(found) if found else _from_words(unsigned)
    if duration is None:
        raise InputRefused(
            f"{name}: {in_short(text)} is not a duration: write P1Y2M10DT2H30M, or 1 year 2 months "
            "10 days 2 hours 30 minutes, with numbers of up to 12 digits and 9 decimals"
        )
    return duration.negated() if is_negative else duration


def take_duration(words: Words) -> Duration | None:
    """Take numbers and units, as in "two weeks and 3 days", from words."""
    total: Duration | None = None
    while True:
        mark = words.position
        if total is not None:
            words.take("and")
        amount = _take_amount(words)
        unit = None if amount is None else words.look_up(UNITS)
        if amount is None or unit is None:
            words.position = mark
            return total
        total = (total or Duration()).plus(of_unit(amount, unit))


def of_unit(amount: Fraction, unit: str) -> Duration:
    """Return so many of a unit; raise `InputRefused` for a fraction of a month or a year."""
    months, days, microseconds = UNIT_LENGTHS[unit]
    if months and amount.denominator != 1:
        raise InputRefused(
            f"{float(amount):g} {unit} has no fixed length: write whole {unit}, or use days"
        )
    whole_days = int(amount * days)
    rest = (amount * days - whole_days) * DAY + amount * microseconds
    return Duration(int(amount * months), whole_days, round(rest))


def _from_iso(found: re.Match[str]) -> Duration | None:
    given = [
        (_number(number), unit)
        for number, unit in zip(found.groups(), _ISO_UNITS, strict=True)
        if number is not None
    ]
    if not given or any(amount.denominator != 1 for amount, _ in given[:-1]):
        return None
    total = Duration()
    for amount, unit in given:
        total = total.plus(of_unit(amount, unit))
    return total


def _from_words(text: str) -> Duration | None:
    words = Words(text)
    duration = take_duration(words)
    return None if words.next else duration


def _take_amount(words: Words) -> Fraction | None:
    if found := words.match(_AMOUNT):
        return _number(found[0])
    number = words.number()
    return None if number is None else Fraction(number)


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", "."))
