"""How a number is written down: exactly where that is short enough, else to fifteen digits.

What is written here can be read back by the calculator.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import NotRequired, TypedDict

SHOWN_DIGITS = 15
LONGEST_EXACT_DECIMAL = 50
LARGEST_PLAIN = 21
SMALLEST_PLAIN = -7
LONGEST_FRACTION = 100
"""How many bits either part of a fraction may have to be shown beside its decimal number."""


class Answer(TypedDict):
    """What a calculation is answered with."""

    result: str
    """A decimal number, with an exponent where it is very large or very small."""
    exact: bool
    """Whether that is the number itself, and not the number to fifteen significant digits."""
    fraction: NotRequired[str]
    """The number itself, where no decimal number equals it."""


def answer_of(number: Fraction | Decimal) -> Answer:
    """Return a number in all the forms that are of use to a reader."""
    exact = exact_text(number) if isinstance(number, Fraction) else None
    if exact is not None:
        return Answer(result=exact, exact=True)
    answer = Answer(result=rounded_text(number), exact=False)
    if isinstance(number, Fraction) and _is_short(number):
        answer["fraction"] = f"{number.numerator}/{number.denominator}"
    return answer


def exact_text(number: Fraction) -> str | None:
    """Return all digits of the number; None where it has no end, or more decimals than are read."""
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
    """Return the number to so many significant digits, without zeros at its end."""
    context = Context(prec=digits)
    if isinstance(number, Decimal):
        return _written(context.plus(number))
    return _written(context.divide(Decimal(number.numerator), Decimal(number.denominator)))


def _is_short(number: Fraction) -> bool:
    parts = (number.numerator, number.denominator)
    return max(part.bit_length() for part in parts) <= LONGEST_FRACTION


def _decimal_places(denominator: int) -> int | None:
    """Return how many decimals a fraction has, or None if they do not end."""
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
    """Put the decimal point after so many digits, with zeros where there are none."""
    whole = digits[:position].ljust(position, "0") if position > 0 else "0"
    part = "0" * -position + digits[max(0, position) :]
    return f"{whole}.{part}" if part else whole
