"""Durations: ISO 8601 (P1Y2M10DT2H30M) or words (1 year, 2 months and 10 days), read and written.

Months have no fixed number of days, and days, where clocks are changed, no fixed number of hours.
So a duration keeps the three apart, and only `calendar_math` combines them, on a given day.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal, NamedTuple

from tether.batteries.languages.dates.vocabulary import UNITS, Words
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

LONGEST_DURATION = 128
SECOND = 1_000_000
DAY = 86_400 * SECOND
"""In microseconds, as all lengths of time here."""


class Duration(NamedTuple):
    """Months, then days, then elapsed time; all of one sign, or zero."""

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
    """Parse a duration; a leading minus applies to all of it.

    In ISO 8601 only the last number may have decimals; years and months must be whole in either
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
    """Read numbers and units from words, as in "two weeks and 3 days"."""
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


Style = Literal["long", "short", "clock", "iso"]
FixedUnit = Literal["weeks", "days", "hours", "minutes", "seconds"]
Unit = Literal["years", "months", "weeks", "days", "hours", "minutes", "seconds"]

LENGTHS: dict[FixedUnit, int] = {
    "weeks": 7 * DAY,
    "days": DAY,
    "hours": 3600 * SECOND,
    "minutes": 60 * SECOND,
    "seconds": SECOND,
}
SHORT: dict[Unit, str] = {
    "years": "y",
    "months": "mo",
    "weeks": "w",
    "days": "d",
    "hours": "h",
    "minutes": "min",
    "seconds": "s",
}


class Part(NamedTuple):
    """A number and its unit; the number is text, because seconds may have decimals."""

    number: str
    unit: Unit


def format_duration(
    duration: Duration,
    style: Style = "long",
    *,
    largest: Unit | None = None,
    smallest: FixedUnit | None = None,
) -> str:
    """Write a duration in units from `largest` down to `smallest`, leaving out those that are zero.

    By default in years and months where it has them, days, hours, minutes and seconds; weeks only
    where asked for. Anything below `smallest` is rounded, halves away from zero. A minus sign
    applies to the whole. Raises `InputRefused` where months would have to become days, and for
    units that do not fit the style or each other.
    """
    months, days, microseconds = (abs(part) for part in duration)
    sign = "-" if any(part < 0 for part in duration) else ""
    if style == "clock":
        return sign + _clock(months, days * DAY + microseconds, largest or smallest)
    parts = _months(months, largest)
    parts += _fixed(days * DAY + microseconds, largest, smallest)
    if not any(part.number != "0" for part in parts):
        parts, sign = [Part("0", smallest or "seconds")], ""
    else:
        parts = [part for part in parts if part.number != "0"]
    return sign + _joined(parts, style)


def _months(months: int, largest: Unit | None) -> list[Part]:
    if not months:
        return []
    if largest == "months":
        return [Part(str(months), "months")]
    if largest not in (None, "years"):
        raise InputRefused(
            f"the duration has months, which do not have a fixed number of {largest}: "
            "leave out `largest`"
        )
    years, months = divmod(months, 12)
    return [Part(str(years), "years"), Part(str(months), "months")]


def _fixed(microseconds: int, largest: Unit | None, smallest: FixedUnit | None) -> list[Part]:
    """Split a fixed length into units, rounded first so that 59.6 seconds become a minute."""
    units = list(LENGTHS)
    if smallest is not None:
        step = LENGTHS[smallest]
        microseconds = (microseconds + step // 2) // step * step
    begin = units.index(_first_fixed(largest, smallest))
    end = units.index(smallest or "seconds")
    if begin > end:
        raise InputRefused(f"the largest unit, {largest}, is smaller than the smallest, {smallest}")
    parts: list[Part] = []
    for unit in units[begin : end + 1]:
        count, microseconds = divmod(microseconds, LENGTHS[unit])
        parts.append(Part(str(count), unit))
    if microseconds:
        parts[-1] = Part(f"{parts[-1].number}.{microseconds:06}".rstrip("0"), "seconds")
    return parts


def _first_fixed(largest: Unit | None, smallest: FixedUnit | None) -> FixedUnit:
    if largest is None or largest == "years" or largest == "months":  # noqa: PLR1714  # narrows
        return "weeks" if smallest == "weeks" else "days"
    return largest


def _clock(months: int, microseconds: int, unwanted: Unit | None) -> str:
    if unwanted is not None:
        raise InputRefused("the style clock is hours:minutes:seconds: leave out largest, smallest")
    if months:
        raise InputRefused("the duration has months, which a clock cannot show: use another style")
    seconds, fraction = divmod(microseconds, SECOND)
    decimals = f".{fraction:06}".rstrip("0") if fraction else ""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}{decimals}"


def _joined(parts: list[Part], style: Style) -> str:
    if style == "iso":
        return _iso(parts)
    if style == "short":
        return " ".join(f"{number}{SHORT[unit]}" for number, unit in parts)
    return ", ".join(f"{number} {unit[:-1] if number == '1' else unit}" for number, unit in parts)


def _iso(parts: list[Part]) -> str:
    times = ("hours", "minutes", "seconds")
    days = "".join(f"{number}{unit[0].upper()}" for number, unit in parts if unit not in times)
    clock = "".join(f"{number}{unit[0].upper()}" for number, unit in parts if unit in times)
    return f"P{days}T{clock}" if clock else f"P{days}"
