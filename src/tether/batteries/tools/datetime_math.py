"""Date arithmetic: sums of dates and durations, differences, and durations in words."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Annotated

from pydantic import Field, FiniteFloat

from tether.batteries.languages.dates.calendar_math import Difference, add, difference
from tether.batteries.languages.dates.durations import (
    LONGEST_DURATION,
    SECOND,
    Duration,
    FixedUnit,
    Style,
    Unit,
    format_duration,
    of_unit,
    read_duration,
)
from tether.batteries.languages.dates.iso_dates import WEEKDAY_NAMES, read_date_or_time
from tether.batteries.languages.dates.time_zones import locate, read_zone
from tether.batteries.tools.date_arguments import DateText, ZoneText
from tether.batteries.tools.ready_made import ready_made
from tether.core.errors import InputRefused

MOST = 10**12

Amount = Annotated[int, Field(ge=-MOST, le=MOST)]
DurationText = Annotated[str, Field(max_length=LONGEST_DURATION)]


@ready_made(example={"date": "2024-01-31", "amount": 1, "unit": "months"})
def date_add(
    date: DateText,
    amount: Amount | None = None,
    unit: Unit | None = None,
    *,
    duration: DurationText | None = None,
    timezone: ZoneText | None = None,
) -> dict[str, object]:
    """Add a duration to a date or a date and time, or subtract it if it is negative.

    Give either amount and unit, or duration. Months and years come first, and a day that the month
    does not have becomes its last one: 2024-01-31 and one month is 2024-02-29. Weeks and days keep
    the local time, even where clocks change; hours, minutes and seconds are elapsed time. Returns
    the result, its weekday, and notes on choices that had to be made.

    Args:
        date: An ISO 8601 date or date and time, such as 2024-01-31 or 2024-01-31T09:00+01:00.
        amount: How many units to add; negative to subtract.
        unit: The unit of the amount.
        duration: Several units at once: P1Y2M10DT2H30M, or 1 year 2 months; -P1M subtracts.
        timezone: The zone whose local time and clock changes apply, such as Europe/Berlin.
    """
    added = _added(amount, unit, duration)
    start = read_date_or_time(date)
    notes: list[str] = []
    if timezone is not None and (isinstance(start, datetime) or added.microseconds):
        start, _, note = locate(start, read_zone(timezone))
        notes += [note] if note else []
    value, decided = add(start, added)
    return {
        "result": value.isoformat(),
        "weekday": WEEKDAY_NAMES[value.weekday()],
        "notes": notes + decided,
    }


@ready_made(example={"start": "2024-01-31", "end": "2025-03-01"})
def date_diff(
    start: DateText,
    end: DateText,
    *,
    unit: Unit | None = None,
    timezone: ZoneText | None = None,
) -> dict[str, object] | float:
    """Return how far two dates, or dates and times, are apart; negative if the end comes first.

    With a unit, returns only the number of it. Without, returns the total in every unit, and the
    difference in the calendar: the years, months, days and so on that lead from the earlier to the
    later one, and its ISO 8601 form with the sign. Totals of years and months are whole ones; the
    others may have decimals, and a day of theirs is 24 hours.

    Args:
        start: An ISO 8601 date or date and time, such as 2024-01-31 or 2024-01-31T09:00Z.
        end: The other one. If one has an offset, both must have one, or give timezone.
        unit: The only unit wanted.
        timezone: The zone of times without an offset, and of the calendar of both.
    """
    zone = None if timezone is None else read_zone(timezone)
    found = difference(read_date_or_time(start, "start"), read_date_or_time(end, "end"), zone)
    totals = _totals(found)
    if unit is not None:
        return totals[unit]
    signed = found.calendar if found.sign >= 0 else found.calendar.negated()
    return {
        "sign": found.sign,
        "totals": totals,
        "calendar": _parts(found.calendar),
        "iso": format_duration(signed, "iso"),
        "notes": found.notes,
    }


@ready_made(example={"seconds": 93784, "style": "long"})
def duration_format(
    seconds: Annotated[FiniteFloat, Field(ge=-MOST, le=MOST)] | None = None,
    duration: DurationText | None = None,
    *,
    style: Style = "long",
    largest: Unit | None = None,
    smallest: FixedUnit | None = None,
) -> str:
    """Write a duration for people: 1 day, 2 hours, 3 minutes, 4 seconds.

    Give either seconds or duration. A day is 24 hours; months and years are not converted, because
    they have no fixed length. Units that are zero are left out.

    Args:
        seconds: The duration in seconds; may be negative and have decimals, up to microseconds.
        duration: The duration as P1Y2M10DT2H30M, or as 1 year 2 months 10 days.
        style: long (1 day, 2 hours), short (1d 2h), clock (26:00:00) or iso (P1DT2H).
        largest: The largest unit to use; weeks are used only if asked for. Not for clock.
        smallest: The smallest unit to use; the rest is rounded to it, halves up. Not for clock.
    """
    if (seconds is None) == (duration is None):
        raise InputRefused("give either seconds or duration, and not both")
    if duration is not None:
        length = read_duration(duration)
    else:
        length = of_unit(Fraction(repr(seconds)), "seconds")
    return format_duration(length, style, largest=largest, smallest=smallest)


def _added(amount: int | None, unit: Unit | None, duration: str | None) -> Duration:
    if duration is not None and amount is None and unit is None:
        return read_duration(duration)
    if duration is None and amount is not None and unit is not None:
        return of_unit(Fraction(amount), unit)
    if duration is None and amount is not None:
        raise InputRefused("unit is missing: say what the amount counts, such as days or months")
    raise InputRefused("give amount and unit, or else duration, but not both")


def _totals(found: Difference) -> dict[str, float]:
    months = found.calendar.months
    totals: dict[str, float] = {"years": found.sign * (months // 12), "months": found.sign * months}
    elapsed = Fraction(found.sign * found.elapsed, SECOND)
    lengths = {"weeks": 604_800, "days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}
    return totals | {unit: _plain(elapsed / length) for unit, length in lengths.items()}


def _parts(length: Duration) -> dict[str, float]:
    minutes, microseconds = divmod(length.microseconds, 60 * SECOND)
    return {
        "years": length.months // 12,
        "months": length.months % 12,
        "days": length.days,
        "hours": minutes // 60,
        "minutes": minutes % 60,
        "seconds": _plain(Fraction(microseconds, SECOND)),
    }


def _plain(number: Fraction) -> float:
    """Return an integer if the number is whole."""
    return int(number) if number.denominator == 1 else float(number)
