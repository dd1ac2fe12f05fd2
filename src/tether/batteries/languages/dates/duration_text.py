"""Durations written for people: in words, in short, as on a clock, or as ISO 8601."""

from __future__ import annotations

from typing import Literal, NamedTuple

from tether.batteries.languages.dates.durations import DAY, SECOND, Duration
from tether.core.errors import InputRefused

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
    """So many of one unit; the number is text, because seconds may have decimals."""

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
    where asked for. What is smaller than `smallest` is rounded, halves upwards in size. A minus
    sign stands before the whole. Raises `InputRefused` where months would have to become days, and
    for units that do not fit the style or each other.
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
            f"the duration has months, which are no fixed number of {largest}: leave out `largest`"
        )
    years, months = divmod(months, 12)
    return [Part(str(years), "years"), Part(str(months), "months")]


def _fixed(microseconds: int, largest: Unit | None, smallest: FixedUnit | None) -> list[Part]:
    """Split what has a fixed length, rounded first so that 59.6 seconds become a minute."""
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
        raise InputRefused("the duration has months, which no clock shows: use another style")
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
