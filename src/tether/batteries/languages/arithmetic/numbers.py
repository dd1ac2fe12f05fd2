"""The numbers of the calculator, and their text.

A `Fraction` is exact. A `Decimal` stands for an irrational number, or for a fraction that would be
too long. It has `DIGITS` digits, of which fifteen are shown; the others are there so that those are
right. Call all operations inside `working_precision()`.

Errors are those of the `math` module, and the evaluator turns them into refusals: `ValueError`
where there is no real answer, `ZeroDivisionError`, `OverflowError`, and two errors of `decimal`.

A number is written exactly where that is short enough, else to fifteen digits. The calculator can
read that text back.
"""

from __future__ import annotations

import decimal
import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

Number = Fraction | Decimal

MOST_BITS = 10_000
"""The longest numerator or denominator of an exact number."""

LARGEST_EXPONENT = 3010
"""The power of ten that has `MOST_BITS` bits: no number is larger, and none is closer to zero."""

DIGITS = 60
STEADY_DIGITS = 45
"""The digits of a rounded number that are certainly right after a long calculation."""

NOISE = Decimal("1e-40")
"""When a subtraction cancels all digits but the last twenty, the rest is a rounding error."""

LARGEST_STEADY = 10**40
TOO_LONG = "the result is a whole number of more than 10,000 bits, which is about 3,000 digits"


def working_precision(digits: int = DIGITS) -> AbstractContextManager[Context]:
    """Return the decimal context of the calculator."""
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
    """Return the number to the precision of the context."""
    if isinstance(number, Decimal):
        return number
    return Decimal(number.numerator) / Decimal(number.denominator)


def magnitude(number: Number) -> Number:
    """Return the number without its sign."""
    return -number if number < 0 else number


def bits_of(number: Number) -> int:
    """Return the length of an exact number, and 0 for a rounded one: those are all equally long."""
    if isinstance(number, Decimal):
        return 0
    return number.numerator.bit_length() + number.denominator.bit_length()


def fitted(number: Fraction) -> Number:
    """Return the number, rounded if it is a fraction that is too long.

    Raises `OverflowError` for a whole number that is too long.
    """
    if max(number.numerator.bit_length(), number.denominator.bit_length()) <= MOST_BITS:
        return number
    if number.denominator == 1:
        raise OverflowError(TOO_LONG)
    return approximate(number)


def steady(number: Number) -> Fraction:
    """Return an exact number as it is, and a rounded one without its last digits.

    So 2.999…, with all its digits, counts as 3 where numbers are rounded or counted. Raises
    `ValueError` where not all digits before the point are known.
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
    """Return the remainder of floor division, which has the sign of the divisor."""
    return subtract(one, multiply(floor_divide(one, other), other))


def power(base: Number, exponent: Number) -> Number:
    """Return the power, exact where its exact form is short enough.

    Its length is known before it is computed. Raises `ValueError` where it is not a real number.
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
    """Return the root if it is rational; None for a negative number."""
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


SHOWN_DIGITS = 15
LONGEST_EXACT_DECIMAL = 50
LARGEST_PLAIN = 21
SMALLEST_PLAIN = -7
LONGEST_FRACTION = 100
"""The most bits of either part of a fraction that is shown beside its decimal number."""


class Answer(TypedDict):
    """The result of a calculation."""

    result: str
    """A decimal number, with an exponent where it is very large or very small."""
    exact: bool
    """Whether that is the number itself, and not the number to fifteen significant digits."""
    fraction: NotRequired[str]
    """The number itself, where no decimal number equals it."""


def answer_of(number: Fraction | Decimal) -> Answer:
    """Return a number as text: exact or rounded, and as a short fraction where there is one."""
    exact = exact_text(number) if isinstance(number, Fraction) else None
    if exact is not None:
        return Answer(result=exact, exact=True)
    answer = Answer(result=rounded_text(number), exact=False)
    if isinstance(number, Fraction) and _is_short(number):
        answer["fraction"] = f"{number.numerator}/{number.denominator}"
    return answer


def exact_text(number: Fraction) -> str | None:
    """Return all digits of the number; None if they do not end, or there are too many decimals."""
    if number.denominator == 1:
        return _written(Decimal(number.numerator))
    places = _decimal_places(number.denominator)
    if places is None:
        return None
    digits = number.numerator * 10**places // number.denominator
    if abs(digits) >= 10**LONGEST_EXACT_DECIMAL:
        return None
    return _written(Decimal(f"{digits}e-{places}"))


def rounded_text(number: Fraction | Decimal, digits: int = SHOWN_DIGITS) -> str:
    """Return the number to so many significant digits, without trailing zeros."""
    context = Context(prec=digits)
    if isinstance(number, Decimal):
        return _written(context.plus(number))
    return _written(context.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _is_short(number: Fraction) -> bool:
    parts = (number.numerator, number.denominator)
    return max(part.bit_length() for part in parts) <= LONGEST_FRACTION


def _decimal_places(denominator: int) -> int | None:
    """Return the number of decimals of a fraction, or None if they do not end."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _written(number: Decimal) -> str:
    """Write a decimal number plainly, or with an exponent where that would be mostly zeros."""
    significant = "".join(map(str, number.as_tuple().digits)).rstrip("0")
    if not significant:
        return "0"
    minus = "-" if number < 0 else ""
    length = number.adjusted() + 1
    if len(significant) > SHOWN_DIGITS and len(significant) <= length <= 2 * len(significant):
        return minus + significant.ljust(length, "0")
    if SMALLEST_PLAIN < length <= LARGEST_PLAIN:
        return minus + _with_point(significant, length)
    return f"{minus}{_with_point(significant, 1)}e{length - 1}"


def _with_point(digits: str, position: int) -> str:
    """Put the decimal point after so many digits, and fill up with zeros."""
    whole = digits[:position].ljust(position, "0") if position > 0 else "0"
    part = "0" * -position + digits[max(0, position) :]
    return f"{whole}.{part}" if part else whole
