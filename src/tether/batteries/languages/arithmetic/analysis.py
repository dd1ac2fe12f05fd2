"""Logarithms, exponentials, circular and hyperbolic functions, to all the digits of a number.

Functions that `decimal` lacks are computed by series, which are short because the argument is first
brought near 0. Where a formula would lose digits, more of them are carried. Angles are in radians.
The functions are called as those of `numbers` are, and raise the same errors.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from tether.batteries.languages.arithmetic.numbers import (
    DIGITS,
    LARGEST_STEADY,
    MOST_BITS,
    Number,
    add,
    approximate,
    divide,
    exact_power,
    exact_root,
    magnitude,
    multiply,
    subtract,
    whole,
    working_precision,
)

PI = Decimal(
    "3.1415926535897932384626433832795028841971693993751058209749445923078164"
    "062862089986280348253421170679821480865132823066470938446"
)

SPARE_DIGITS = DIGITS + 10
"""A few more digits, for a formula of many steps."""

GUARDED_DIGITS = DIGITS + 40
"""Many more digits, for a formula that subtracts almost equal numbers, at least `TINY` apart."""

TINY = Decimal("1e-30")
"""Below this, the first term of a series equals its sum to sixty digits."""

HUGE = Decimal("1e50")
"""Above this, to sixty digits, adding 1 to the square of a number changes nothing."""

ONE = Fraction(1)
LARGEST_DEGREE = 1000


def root(number: Number, degree: Number) -> Number:
    """Return the real root; a negative number has one where the degree is odd."""
    count = whole(degree, "the degree of a root")
    if not 1 <= count <= LARGEST_DEGREE:
        raise ValueError(f"the degree of a root must be from 1 to {LARGEST_DEGREE}")
    if number < 0:
        if count % 2 == 0:
            raise ValueError("an even root of a negative number is not a real number")
        return -root(-number, degree)
    if isinstance(number, Fraction):
        exact = exact_root(number, count)
        if exact is not None:
            return exact
    if count == 2:
        return approximate(number).sqrt()
    return approximate(number) ** (1 / Decimal(count))


def square_root(number: Number) -> Number:
    """Return the square root, exact where it is rational."""
    return root(number, Fraction(2))


def exponential(number: Number) -> Decimal:
    """Return e to the power of the number."""
    return approximate(number).exp()


def natural_logarithm(number: Number) -> Decimal:
    """Return the logarithm to base e."""
    if number <= 0:
        raise ValueError("only positive numbers have a logarithm")
    excess = approximate(subtract(number, ONE))
    if abs(excess) < TINY:
        return excess - excess * excess / 2
    return approximate(number).ln()


def logarithm(number: Number, base: Number | None = None) -> Number:
    """Return the logarithm to a base, which is required: without it, log has two meanings."""
    if base is None:
        raise ValueError("log needs its base: write ln(x), log10(x), log2(x) or log(x, base)")
    below = natural_logarithm(base)
    if below == 0:
        raise ValueError("1 is not a base of logarithms")
    result = natural_logarithm(number) / below
    if isinstance(number, Fraction) and isinstance(base, Fraction):
        nearest = Fraction(round(result)) if abs(result) <= MOST_BITS else Fraction(0)
        if exact_power(base, nearest) == number:
            return nearest
    return result


def cosine(angle: Number, *, quarters_behind: int = 0) -> Decimal:
    """Return the cosine of the angle, turned back by some quarters of a full turn.

    It is 0 where it cannot be distinguished from 0, because the angle itself was rounded.
    """
    if magnitude(angle) > LARGEST_STEADY:
        raise ValueError("the angle is beyond 1e40")
    given = approximate(angle)
    with working_precision(SPARE_DIGITS + max(0, given.adjusted())):
        given = approximate(angle)
        quarters = int((given / (PI / 2)).to_integral_value())
        turned = (quarters - quarters_behind) % 4
        size = _alternating_series(given - quarters * (PI / 2), turned % 2)
    if isinstance(angle, Decimal) and abs(size) * HUGE < abs(given):
        return Decimal(0)
    return -size if turned in (1, 2) else +size


def _alternating_series(angle: Decimal, order: int) -> Decimal:
    """Sum the series of the cosine (order 0) or of the sine (order 1)."""
    if abs(angle) < TINY:
        return angle if order else Decimal(1)
    term, total, count = angle if order else Decimal(1), Decimal(0), order
    step = -angle * angle
    while total + term != total:
        total += term
        count += 2
        term = term * step / (count * (count - 1))
    return total


def sine(angle: Number) -> Decimal:
    """Return the sine."""
    return cosine(angle, quarters_behind=1)


def tangent(angle: Number) -> Decimal:
    """Return the tangent."""
    return _quotient(sine(angle), cosine(angle))


def cotangent(angle: Number) -> Decimal:
    """Return the cotangent."""
    return _quotient(cosine(angle), sine(angle))


def secant(angle: Number) -> Decimal:
    """Return 1 divided by the cosine."""
    return _quotient(Decimal(1), cosine(angle))


def cosecant(angle: Number) -> Decimal:
    """Return 1 divided by the sine."""
    return _quotient(Decimal(1), sine(angle))


def _quotient(above: Decimal, below: Decimal) -> Decimal:
    if below == 0:
        raise ValueError("the function has no value at this angle")
    return above / below


def arctangent(number: Number) -> Decimal:
    """Return the angle of a slope."""
    slope = approximate(number)
    if abs(slope) > HUGE * HUGE:
        return (+PI / 2).copy_sign(slope)
    if abs(slope) < TINY:
        return slope
    with working_precision(SPARE_DIGITS):
        if abs(slope) > 1:
            angle = (PI / 2).copy_sign(slope) - _small_arctangent(1 / slope)
        else:
            angle = _small_arctangent(slope)
    return +angle


def _small_arctangent(slope: Decimal) -> Decimal:
    """Halve the angle three times and sum the series of the arctangent."""
    for _ in range(3):
        slope = slope / (1 + (1 + slope * slope).sqrt())
    odd, total, count = slope, Decimal(0), 1
    step = -slope * slope
    while total + odd / count != total:
        total += odd / count
        count += 2
        odd *= step
    return 8 * total


def angle_of(vertical: Number, horizontal: Number) -> Decimal:
    """Return the angle of a point, from -pi to pi, as `atan2` does elsewhere."""
    if horizontal == 0:
        if vertical == 0:
            raise ValueError("the point 0, 0 has no angle")
        return +(PI / 2).copy_sign(approximate(vertical))
    angle = arctangent(divide(vertical, horizontal))
    if horizontal > 0:
        return angle
    return angle - PI if vertical < 0 else angle + PI


def arcsine(number: Number) -> Decimal:
    """Return the angle of a sine."""
    return angle_of(number, _other_side(number))


def arccosine(number: Number) -> Decimal:
    """Return the angle of a cosine."""
    return angle_of(_other_side(number), number)


def _other_side(number: Number) -> Number:
    if magnitude(number) > 1:
        raise ValueError("the argument must be from -1 to 1")
    return square_root(multiply(subtract(ONE, number), add(ONE, number)))


def hyperbolic_sine(number: Number) -> Decimal:
    """Return the hyperbolic sine."""
    if magnitude(number) < TINY:
        return approximate(number)
    with working_precision(GUARDED_DIGITS):
        grown = exponential(magnitude(number))
        size = (grown - 1 / grown) / 2
    return (+size).copy_sign(approximate(number))


def hyperbolic_cosine(number: Number) -> Decimal:
    """Return the hyperbolic cosine."""
    grown = exponential(magnitude(number))
    return (grown + 1 / grown) / 2


def hyperbolic_tangent(number: Number) -> Decimal:
    """Return the hyperbolic tangent."""
    if magnitude(number) > GUARDED_DIGITS:
        return Decimal(1).copy_sign(approximate(number))
    return hyperbolic_sine(number) / hyperbolic_cosine(number)


def inverse_hyperbolic_sine(number: Number) -> Decimal:
    """Return the number whose hyperbolic sine this is."""
    size = abs(approximate(number))
    if size < TINY:
        return approximate(number)
    with working_precision(GUARDED_DIGITS):
        beyond = size if size > HUGE else (size * size + 1).sqrt()
        result = (size + beyond).ln()
    return (+result).copy_sign(approximate(number))


def inverse_hyperbolic_cosine(number: Number) -> Decimal:
    """Return the number whose hyperbolic cosine this is."""
    if number < 1:
        raise ValueError("the argument must be at least 1")
    if number > HUGE:
        return inverse_hyperbolic_sine(number)
    return inverse_hyperbolic_sine(square_root(multiply(subtract(number, ONE), add(number, ONE))))


def inverse_hyperbolic_tangent(number: Number) -> Decimal:
    """Return the number whose hyperbolic tangent this is."""
    if magnitude(number) >= 1:
        raise ValueError("the argument must be between -1 and 1")
    if magnitude(number) < TINY:
        return approximate(number)
    with working_precision(GUARDED_DIGITS):
        ratio = divide(add(ONE, number), subtract(ONE, number))
        result = natural_logarithm(ratio) / 2
    return +result
