"""Quantities and bounds in a text: numbers with their units, and comparators with their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tether.text.numbers import numbers_in, with_digits, with_units_apart

_BYTES = (
    "b=1 byte=1 kb=1e3 kilobyte=1e3 mb=1e6 megabyte=1e6 gb=1e9 gigabyte=1e9 tb=1e12 terabyte=1e12"
    " pb=1e15 kib=1024 mib=1048576 gib=1073741824 tib=1099511627776 pib=1125899906842624"
)
_TIMES = (
    "ns=1e-9 nanosecond=1e-9 us=1e-6 \u00b5s=1e-6 \u03bcs=1e-6 microsecond=1e-6 ms=1e-3"
    " millisecond=1e-3 s=1 sec=1 second=1 min=60 minute=60 h=3600 hr=3600 hour=3600 day=86400"
    " week=604800"
)
_KINDS = (
    _BYTES,
    _TIMES,
    "month=1 year=12",
    "hz=1 khz=1e3 mhz=1e6 ghz=1e9",
    "%=1 percent=1",
    "bit=1 kbit=1e3 mbit=1e6 gbit=1e9",
)
_UNITS = {
    name: (kind, float(factor))
    for kind, line in enumerate(_KINDS)
    for name, _, factor in (one.partition("=") for one in line.split())
}
"""The units of each kind, by name, with how much of the kind one is."""

_SPELLED = sorted(_UNITS, key=len, reverse=True)
_NUMBER = r"\d+(?:[.,]\d+)*"
_MEASURED = re.compile(
    rf"(?P<number>{_NUMBER})[ \u00a0-]?(?P<unit>{'|'.join(map(re.escape, _SPELLED))})s?(?!\w)",
    re.IGNORECASE | re.ASCII,  # or letters that are no case of each other would be taken for one
)
_AT_LEAST = (
    r"at least|no (?:less|fewer) than|not (?:less|fewer) than|a minimum of"
    r"|minimum(?: value)?(?: is| of)?|>=|\u2265"
)
_AT_MOST = (
    r"at most|no more than|not more than|not exceed(?:ing)?|up to|a maximum of"
    r"|maximum(?: value)?(?: is| of)?|limited to|<=|\u2264"
)
_OVER = (
    r"(?<!no )(?<!not )more than|greater than|larger than|longer than|over|above|exceeds?"
    r"|exceeding|>"
)
_UNDER = r"(?<!no )(?<!not )(?:less|fewer) than|smaller than|shorter than|under|below|<"
_BEFORE = re.compile(
    rf"(?:\b|(?<=\s)|\A)(?:(?P<least>{_AT_LEAST})|(?P<most>{_AT_MOST})|(?P<over>{_OVER})"
    rf"|(?P<under>{_UNDER}))\s+(?:\w+\s+)?(?P<number>{_NUMBER})",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"(?P<number>{_NUMBER})\+?\s*(?:\w+\s+)?"
    r"(?:(?P<least>(?:or|and) (?:more|later|newer|higher|above|greater|up)\b|\+)"
    r"|(?P<most>(?:or|and) (?:less|fewer|earlier|older|lower|below)\b))",
    re.IGNORECASE,
)
_LOW, _HIGH = {"least", "over"}, {"most", "under"}
_OPPOSITES = {"least": _HIGH, "over": _HIGH, "most": _LOW, "under": _LOW}


class Bound(NamedTuple):
    """A number with the side on which it bounds: `least`, `most`, `over` or `under`."""

    side: str
    number: str


def has_quantity(text: str) -> bool:
    """Say whether a text has a number with a unit."""
    return _MEASURED.search(text) is not None


def is_measured_as(statement: str, quote: str) -> bool:
    """Say whether every quantity of a statement is one of the quote: the same amount of the same.

    A number that the quote has without a unit, or with one that is not known here, counts.
    """
    statement, quote = with_digits(statement), with_digits(quote)
    said = set(_amounts(quote))
    kinds = {(number, kind) for number, kind, _ in _raw(quote)}
    plain, _ = numbers_in(with_units_apart(_MEASURED.sub(" ", quote)))
    return all(
        amount in said or (number in plain and not any(one == number for one, _ in kinds))
        for (number, _, _), amount in zip(_raw(statement), _amounts(statement), strict=True)
    )


def bounds_oppositely(statement: str, quote: str) -> bool:
    """Say whether a number bounds from one side in a statement, and from the other in the quote."""
    said: dict[str, set[str]] = {}
    for bound in _bounds(with_digits(quote)):
        said.setdefault(bound.number, set()).add(bound.side)
    return any(
        said.get(bound.number, set()) and not said[bound.number] - _OPPOSITES[bound.side]
        for bound in _bounds(with_digits(statement))
    )


def _raw(text: str) -> list[tuple[str, int, float]]:
    """Return the quantities of a text: number as written, kind of unit, factor."""
    found: list[tuple[str, int, float]] = []
    for match in _MEASURED.finditer(text):
        kind, factor = _UNITS[match["unit"].lower()]
        found.append((match["number"].replace(",", ""), kind, factor))
    return found


def _amounts(text: str) -> list[tuple[int, float]]:
    return [(kind, round(_value(number) * factor, 9)) for number, kind, factor in _raw(text)]


def _value(number: str) -> float:
    whole, _, rest = number.partition(".")
    return float(f"{whole}.{rest.replace('.', '') or 0}")


def _bounds(text: str) -> Iterator[Bound]:
    for pattern in (_BEFORE, _AFTER):
        for match in pattern.finditer(text):
            side = next(
                name for name, value in match.groupdict().items() if value and name != "number"
            )
            yield Bound(side, match["number"].replace(",", "").rstrip("."))
