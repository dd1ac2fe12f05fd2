"""A list of numbers, reckoned with exactly.

Each number is taken for the decimal number it is written as, not for the binary one it is stored
as, and all of them are brought to whole units: 0.1, 2 and 0.25 are 10, 200 and 25 units of 0.01.
Sums, squares and comparisons are then those of whole numbers, and what is asked for is rounded
once, at the end. A double's exponent bounds how long the whole numbers can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property

from tether.core.errors import InputRefused

WIDEST = 800
"""How many digits hold every double, and whole numbers of 400 digits, in units of any double."""

_NO_ROOM = (
    "a result is beyond 1e308 or within 1e-323 of 0, where numbers end: give the values in larger "
    "or smaller units"
)


class Sample:
    """Some numbers, at least one of them, in whole units."""

    def __init__(self, numbers: Sequence[float]) -> None:
        self.is_whole = all(isinstance(number, int) for number in numbers)
        """Whether all of them were given as whole numbers, which may be longer than a double."""
        decimals = [Decimal(repr(number)) for number in numbers]
        exponents = (int(number.as_tuple().exponent) for number in decimals)
        places = max(0, -min(exponents))
        wide = Context(prec=WIDEST)
        self.units = [int(number.scaleb(places, wide)) for number in decimals]
        self.scale = 10**places
        """How many units make 1."""

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.units)

    @cached_property
    def total(self) -> int:
        """Their sum, in units."""
        return sum(self.units)

    @cached_property
    def ordered(self) -> list[int]:
        """All of them from small to large, in units."""
        return sorted(self.units)

    @property
    def distances(self) -> Iterator[int]:
        """How far each is from the mean, times the count, in units."""
        return (self.count * unit - self.total for unit in self.units)

    @cached_property
    def spread(self) -> int:
        """The sum of the squared distances from the mean, times the count, in squared units."""
        return self.joint_spread(self)

    def joint_spread(self, other: Sample) -> int:
        """Return the sum of the products of both distances from the mean, times the count."""
        products = sum(a * b for a, b in zip(self.units, other.units, strict=True))
        return self.count * products - self.total * other.total

    def percentile(self, percent: Fraction) -> Fraction:
        """Return the number below which so many per cent are, between two numbers on a line.

        In units. This is what numpy calls linear, and R type 7.
        """
        rank, part = divmod(percent * (self.count - 1) / 100, 1)
        lower = self.ordered[rank]
        upper = self.ordered[min(rank + 1, self.count - 1)]
        return lower + (upper - lower) * part

    def number(self, units: Fraction | int) -> float:
        """Return so many units as a number: exact where it and all that were given are whole.

        Else it is rounded once; raises `InputRefused` where a double has no room for it.
        """
        if self.is_whole and units.denominator == 1:
            return units.numerator
        return _unless_lost(units, quotient(units.numerator, units.denominator * self.scale))

    def modes(self) -> tuple[list[int], int]:
        """Return the most frequent numbers, in units and in order, and how often they occur."""
        tally = Counter(self.ordered)
        most = max(tally.values())
        return [unit for unit, count in tally.items() if count == most], most


def exact(number: float) -> Fraction:
    """Return the decimal number that a double is written as, or a whole number itself."""
    return Fraction(repr(number))


def quotient(above: int, below: int) -> float:
    """Divide and round once; raise `InputRefused` where the result is too large for a double."""
    try:
        return above / below
    except OverflowError:
        raise InputRefused(_NO_ROOM) from None


def rounded(number: Fraction) -> float:
    """Round once, but not to 0; raise `InputRefused` where a double has no room."""
    return _unless_lost(number, quotient(number.numerator, number.denominator))


def _unless_lost(exact_number: Fraction | int, result: float) -> float:
    if exact_number and not result:
        raise InputRefused(_NO_ROOM)
    return result


def root_of(number: Fraction) -> Fraction:
    """Return the square root to forty digits, of which a double keeps sixteen."""
    context = Context(prec=40)
    ratio = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    return Fraction(context.sqrt(ratio))
