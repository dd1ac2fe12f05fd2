"""The numbers of the calculator: fractions while they are exact, sixty digits where they are not.

A `Fraction` is exact. A `Decimal` stands for an irrational number, or for a fraction too long to be
carried along. It has `DIGITS` digits, of which fifteen are shown; the others are there so that what
is shown is right. All of this is called inside `working_precision()`.

Complaints are those of the `math` module, and the evaluator turns them into refusals: `ValueError`
where there is no real answer, `ZeroDivisionError`, `OverflowError`, and decimal's own two.
"""

from __future__ import annotations

import decimal
import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

Number = Fraction | Decimal

MOST_BITS = 10_000
"""How long the numerator and the denominator of an exact number may be."""

LARGEST_EXPONENT = 3010
"""The power of ten that has `MOST_BITS` bits: no number is larger, and none is closer to zero."""

DIGITS = 60
STEADY_DIGITS = 45
"""How many digits of a rounded number are surely right after a long calculation."""

NOISE = Decimal("1e-40")
"""When a subtraction cancels all digits but the last twenty, what is left is taken for rounding."""

LARGEST_STEADY = 10**40
TOO_LONG = "the result is a whole number of more than 10,000 bits, which is about 3,000 digits"


def working_precision(digits: int = DIGITS) -> AbstractContextManager[Context]:
    """Return the context in which numbers are worked with."""
    trapped = [
        decimal.Overflow,
        decimal.Underflow,
        decimal.Subnormal,
        decimal.DivisionByZero,
        decimal.InvalidOperation,
    ]
    return decimal.localcontext(
        Context(
            prec=digits,
            rounding=decimal.ROUND_HALF_EVEN,
            Emax=LARGEST_EXPONENT,
            Emin=-LARGEST_EXPONENT,
            traps=trapped,
        )
    )


def approximate(number: Number) -> Decimal:
    """Return the number to as many digits as are carried along."""
    if isinstance(number, Decimal):
        return number
    return Decimal(number.numerator) / Decimal(number.denominator)


def magnitude(number: Number) -> Number:
    """Return the number without its sign."""
    return -number if number < 0 else number


def bits_of(number: Number) -> int:
    """Return how long an exact number is, and 0 for the others, which are all equally long."""
    if isinstance(number, Decimal):
        return 0
    return number.numerator.bit_length() + number.denominator.bit_length()


def fitted(number: Fraction) -> Number:
    """Return the number, or its first digits where it is too long a fraction.

    Raises `OverflowError` where it is too long a whole number.
    """
    if max(number.numerator.bit_length(), number.denominator.bit_length()) <= MOST_BITS:
        return number
    if number.denominator == 1:
        raise OverflowError(TOO_LONG)
    return approximate(number)


def steady(number: Number) -> Fraction:
    """Return an exact number as it is, and another one without its last digits.

    So that 2.999…, with all its digits, counts as 3 where numbers are rounded or counted. Raises
    `ValueError` where the digits before the point are not all known.
    """
    if isinstance(number, Fraction):
        return number
    if abs(number) >= LARGEST_STEADY:
        raise ValueError("only the first digits of so large a number are known")
    return Fraction(number.normalize(Context(prec=STEADY_DIGITS)))


def whole(number: Number, name: str) -> int:
    """Return a whole number, called `name` in the refusal; raise `ValueError`."""
    fraction = steady(number)
    if fraction.denominator != 1:
        raise ValueError(f"{name} must be a whole number")
    return fraction.numerator


def in_whole_steps(number: Number, rule: Callable[[Fraction], int]) -> Number:
    """Return the number rounded by a rule such as `math.floor`."""
    return fitted(Fraction(rule(steady(number))))


def is_less(one: Number, other: Number) -> bool:
    """Say whether one is smaller than the other, exactly where both are exact."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one < other
    return approximate(one) < approximate(other)


def add(one: Number, other: Number) -> Number:
    """Return the sum; 0 where two rounded numbers differ only by their rounding."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return fitted(one + other)
    left, right = approximate(one), approximate(other)
    total = left + right
    return total if abs(total) >= max(abs(left), abs(right)) * NOISE else Decimal(0)


def subtract(one: Number, other: Number) -> Number:
    """Return the difference."""
    return add(one, -other)


def multiply(one: Number, other: Number) -> Number:
    """Return the product."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return fitted(one * other)
    return approximate(one) * approximate(other)


def divide(one: Number, other: Number) -> Number:
    """Return the quotient; raise `ZeroDivisionError`."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return fitted(one / other)
    if other == 0:
        raise ZeroDivisionError
    return approximate(one) / approximate(other)


def floor_divide(one: Number, other: Number) -> Number:
    """Return the quotient rounded down."""
    return in_whole_steps(divide(one, other), math.floor)


def remainder(one: Number, other: Number) -> Number:
    """Return what floor division leaves: it has the sign of the divisor."""
    return subtract(one, multiply(floor_divide(one, other), other))


def power(base: Number, exponent: Number) -> Number:
    """Return the power, exact where its exact form is short enough.

    How long it would be is known before it is worked out. Raises `ValueError` where it is not real.
    """
    if exponent == 0:
        return Fraction(1)
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    if base == 0:
        return base
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        exact = exact_power(base, exponent)
        if exact is not None:
            return exact
    if base < 0 and not _is_whole(exponent):
        raise ValueError("this power is not a real number; an odd root is root(x, n) or cbrt(x)")
    if magnitude(exponent) > LARGEST_STEADY:
        raise OverflowError("the exponent is beyond 1e40")
    return approximate(base) ** approximate(exponent)


def exact_power(base: Fraction, exponent: Fraction) -> Number | None:
    """Return the power of a number that is not 0, if it is rational and short enough."""
    root = exact_root(base, exponent.denominator)
    if root is None:
        return None
    length = max(math.log2(abs(root.numerator)), math.log2(root.denominator))
    if length and abs(exponent.numerator) > MOST_BITS / length:
        if root.denominator == 1 and exponent > 0:
            raise OverflowError(TOO_LONG)
        return None
    return fitted(root**exponent.numerator)


def exact_root(number: Fraction, degree: int) -> Fraction | None:
    """Return the root if it is rational; the root of a negative number is not looked for."""
    if degree == 1:
        return number
    if number < 0:
        return None
    top = _whole_root(number.numerator, degree)
    bottom = _whole_root(number.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _whole_root(number: int, degree: int) -> int | None:
    if number < 2:
        return number
    if degree >= number.bit_length():
        return None  # the root lies between 1 and 2
    root = 1 << -(-number.bit_length() // degree)  # Newton's method, from above
    while (power := root ** (degree - 1)) * root > number:
        root = ((degree - 1) * root + number // power) // degree
    return root if root**degree == number else None


def _is_whole(number: Number) -> bool:
    return isinstance(number, Fraction) and number.denominator == 1
