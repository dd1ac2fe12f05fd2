"""The functions and constants of the calculator, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key, partial, reduce
from types import MappingProxyType
from typing import NamedTuple

from tether.batteries.languages.arithmetic import analysis
from tether.batteries.languages.arithmetic.numbers import (
    MOST_BITS,
    TOO_LONG,
    Number,
    add,
    divide,
    fitted,
    in_whole_steps,
    is_less,
    magnitude,
    multiply,
    power,
    remainder,
    whole,
)

CONSTANTS: Mapping[str, Decimal] = MappingProxyType(
    {
        "pi": analysis.PI,
        "tau": Decimal("6.28318530717958647692528676655900576839433879875021164194988918461563281"),
        "e": Decimal("2.71828182845904523536028747135266249775724709369995957496696762772407663"),
        "phi": Decimal("1.61803398874989484820458683436563811772030917980576286213544862270526046"),
    }
)
MOST_PLACES = 1000
LARGEST_SQUARED = Fraction(10**1400)


class Function(NamedTuple):
    """A function and the number of its arguments; `most` is None where there is no limit."""

    apply: Callable[..., Number]
    least: int = 1
    most: int | None = 1
    work: int = 5
    """The microseconds it took when it was measured, with short arguments."""


def _known_at(
    point: int, value: int, function: Callable[[Number], Number]
) -> Callable[[Number], Number]:
    """Wrap a function that has one exact value, at a rational point."""

    def apply(number: Number) -> Number:
        exactly_there = isinstance(number, Fraction) and number == point
        return Fraction(value) if exactly_there else function(number)

    return apply


def _to_base(base: int, number: Number) -> Number:
    return analysis.logarithm(number, Fraction(base))


def _cube_root(number: Number) -> Number:
    return analysis.root(number, Fraction(3))


def _degrees(angle: Number) -> Number:
    return divide(multiply(angle, Fraction(180)), analysis.PI)


def _radians(angle: Number) -> Number:
    return multiply(divide(angle, Fraction(180)), analysis.PI)


def _sign(number: Number) -> Number:
    return Fraction((number > 0) - (number < 0))


def _rounded(number: Number, places: Number = Fraction(0)) -> Number:
    """Round to decimal places, halves away from zero."""
    count = whole(places, "the number of places")
    if abs(count) > MOST_PLACES:
        raise ValueError(f"the number of places must be from -{MOST_PLACES} to {MOST_PLACES}")
    scale = Fraction(10) ** count
    return divide(in_whole_steps(multiply(number, scale), _half_away_from_zero), scale)


def _half_away_from_zero(number: Fraction) -> int:
    size = math.floor(abs(number) + Fraction(1, 2))
    return size if number > 0 else -size


def _ordered(*numbers: Number) -> list[Number]:
    return sorted(numbers, key=cmp_to_key(_compare))


def _compare(one: Number, other: Number) -> int:
    return is_less(other, one) - is_less(one, other)


def _minimum(*numbers: Number) -> Number:
    return reduce(lambda one, other: other if is_less(other, one) else one, numbers)


def _maximum(*numbers: Number) -> Number:
    return reduce(lambda one, other: other if is_less(one, other) else one, numbers)


def _sum(*numbers: Number) -> Number:
    return reduce(add, numbers)


def _mean(*numbers: Number) -> Number:
    return divide(_sum(*numbers), Fraction(len(numbers)))


def _median(*numbers: Number) -> Number:
    ordered, middle = _ordered(*numbers), len(numbers) // 2
    return _mean(*ordered[middle - 1 + len(numbers) % 2 : middle + 1])


def _clamp(number: Number, lowest: Number, highest: Number) -> Number:
    if is_less(highest, lowest):
        raise ValueError("the second argument, the lowest value, is above the third, the highest")
    return _maximum(lowest, _minimum(number, highest))


def _hypotenuse(*sides: Number) -> Number:
    """Return the root of the sum of squares; scaled by the longest side if that is too long."""
    longest = _maximum(*map(magnitude, sides))
    if longest == 0 or 1 / LARGEST_SQUARED < longest < LARGEST_SQUARED:
        return analysis.square_root(_sum(*(multiply(side, side) for side in sides)))
    return multiply(longest, _hypotenuse(*(divide(side, longest) for side in sides)))


def _greatest_common_divisor(*numbers: Number) -> Number:
    return Fraction(math.gcd(*(whole(number, "each argument") for number in numbers)))


def _least_common_multiple(*numbers: Number) -> Number:
    """Take the numbers one at a time, so that no intermediate result is much too long."""
    multiple = Fraction(1)
    for number in numbers:
        multiple = Fraction(math.lcm(multiple.numerator, whole(number, "each argument")))
        fitted(multiple)
    return multiple


def _counts(*numbers: Number) -> tuple[int, ...]:
    counts = tuple(whole(number, "each argument") for number in numbers)
    if min(counts) < 0:
        raise ValueError("the arguments must not be negative")
    return counts


def _permutations(number: Number, taken: Number) -> Number:
    total, count = _counts(number, taken)
    if count > total:
        return Fraction(0)
    _refuse_long(count, total)
    return fitted(Fraction(math.perm(total, count)))


def _factorial(number: Number) -> Number:
    return _permutations(number, number)


def _combinations(number: Number, taken: Number) -> Number:
    total, count = _counts(number, taken)
    if count > total:
        return Fraction(0)
    count = min(count, total - count)
    _refuse_long(count, Fraction(3 * total, max(1, count)))
    return fitted(Fraction(math.comb(total, count)))


def _refuse_long(factors: int, size: Fraction | int) -> None:
    """Refuse a product of so many factors, none above `size`, that is surely too long.

    Surely, because those of n * (n - 1) * … are not much smaller, and because the binomial
    coefficient of n and k lies between (n / k) ** k and (e * n / k) ** k.
    """
    if factors > MOST_BITS or factors * math.log2(max(1, math.floor(size))) > 2 * MOST_BITS:
        raise OverflowError(TOO_LONG)


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "abs": Function(magnitude),
        "sign": Function(_sign),
        "sqrt": Function(analysis.square_root, work=15),
        "cbrt": Function(_cube_root, work=250),
        "root": Function(analysis.root, 2, 2, work=250),
        "pow": Function(power, 2, 2, work=250),
        "exp": Function(_known_at(0, 1, analysis.exponential), work=55),
        "ln": Function(_known_at(1, 0, analysis.natural_logarithm), work=105),
        "log": Function(analysis.logarithm, 1, 2, work=215),
        "log2": Function(partial(_to_base, 2), work=215),
        "log10": Function(partial(_to_base, 10), work=125),
        "sin": Function(_known_at(0, 0, analysis.sine), work=50),
        "cos": Function(_known_at(0, 1, analysis.cosine), work=50),
        "tan": Function(_known_at(0, 0, analysis.tangent), work=95),
        "cot": Function(analysis.cotangent, work=95),
        "sec": Function(_known_at(0, 1, analysis.secant), work=50),
        "csc": Function(analysis.cosecant, work=50),
        "asin": Function(_known_at(0, 0, analysis.arcsine), work=105),
        "acos": Function(_known_at(1, 0, analysis.arccosine), work=105),
        "atan": Function(_known_at(0, 0, analysis.arctangent), work=80),
        "atan2": Function(analysis.angle_of, 2, 2, work=80),
        "sinh": Function(_known_at(0, 0, analysis.hyperbolic_sine), work=80),
        "cosh": Function(_known_at(0, 1, analysis.hyperbolic_cosine), work=55),
        "tanh": Function(_known_at(0, 0, analysis.hyperbolic_tangent), work=115),
        "asinh": Function(_known_at(0, 0, analysis.inverse_hyperbolic_sine), work=160),
        "acosh": Function(_known_at(1, 0, analysis.inverse_hyperbolic_cosine), work=165),
        "atanh": Function(_known_at(0, 0, analysis.inverse_hyperbolic_tangent), work=155),
        "deg": Function(_degrees),
        "rad": Function(_radians),
        "floor": Function(partial(in_whole_steps, rule=math.floor)),
        "ceil": Function(partial(in_whole_steps, rule=math.ceil)),
        "trunc": Function(partial(in_whole_steps, rule=math.trunc)),
        "round": Function(_rounded, 1, 2, work=20),
        "min": Function(_minimum, 1, None),
        "max": Function(_maximum, 1, None),
        "sum": Function(_sum, 1, None),
        "mean": Function(_mean, 1, None),
        "median": Function(_median, 1, None, work=25),
        "gcd": Function(_greatest_common_divisor, 1, None),
        "lcm": Function(_least_common_multiple, 1, None),
        "factorial": Function(_factorial),
        "perm": Function(_permutations, 2, 2),
        "comb": Function(_combinations, 2, 2),
        "hypot": Function(_hypotenuse, 1, None, work=25),
        "mod": Function(remainder, 2, 2, work=12),
        "clamp": Function(_clamp, 3, 3),
    }
)
