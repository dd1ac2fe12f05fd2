"""Conversion between units of measurement."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from tether.batteries.languages.arithmetic.numbers import answer_of
from tether.batteries.languages.arithmetic.sample import exact
from tether.batteries.tools.ready_made import NumberOrText, ready_made
from tether.batteries.tools.units import UNITS, Unit
from tether.core.checks import in_short
from tether.core.errors import InputRefused

LONGEST_UNIT = 60

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")

UnitName = Annotated[str, Field(min_length=1, max_length=LONGEST_UNIT)]


@ready_made(example={"value": 5, "from_unit": "mi", "to_unit": "km"})
def convert_unit(
    value: NumberOrText,
    from_unit: UnitName,
    to_unit: UnitName,
) -> dict[str, Any]:
    """Convert a measurement from one unit to another, exactly.

    Knows length, area, volume, mass, time, temperature, speed, pressure, energy, torque, power,
    force, angle, data, data rate, frequency, fuel economy and flow, by name (kilometres, square
    feet, miles per hour) or by symbol (km, ft², mph, °C, L/100km). Names may be in any case, but
    the case of symbols matters: MB is megabytes, Mb megabits, mB nothing; kB is 1000 bytes, KiB
    1024. Gallons, pints, cups and mpg are those of the US; imperial ones are called imperial
    gallon, imp gal, imp mpg. Temperatures are readings, not differences.

    Returns the result as text, whether it is exact or rounded to 15 significant digits, and the
    units as they were understood.

    Args:
        value: The number to convert, or its digits as text, as in 0.10 or 1.5e3.
        from_unit: The unit it is in.
        to_unit: The unit to convert it to.
    """
    source, target = _pair(from_unit, to_unit)
    base = _to_base(_exact(value), source)
    return {
        **answer_of(_from_base(base, target)),
        "unit": _shown(target),
        "from_unit": _shown(source),
    }


def _exact(value: float | str) -> Fraction:
    if not isinstance(value, str):
        return exact(value)
    if not _DECIMAL.fullmatch(value.strip()):
        raise InputRefused(
            f"value {in_short(value)} is not a decimal number: write it as 1234.5 or 1.5e-3, "
            "without separators, with an exponent of up to three digits"
        )
    return Fraction(Decimal(value.strip()))


def _to_base(value: Fraction, unit: Unit) -> Fraction:
    if unit.is_inverse:
        return _inverse(value, unit)
    base = value * unit.factor + unit.offset
    if unit.dimension == "temperature" and base < 0:
        raise InputRefused("the value is below absolute zero, which is 0 K or -273.15 °C")
    return base


def _from_base(base: Fraction, unit: Unit) -> Fraction:
    if unit.is_inverse:
        return _inverse(base, unit)
    return (base - unit.offset) / unit.factor


def _inverse(value: Fraction, unit: Unit) -> Fraction:
    if value == 0:
        raise InputRefused(f"0 cannot be converted to or from {_shown(unit)}: it would be infinite")
    return unit.factor / value


def _pair(from_unit: str, to_unit: str) -> tuple[Unit, Unit]:
    """Find the two units; the meaning of one may depend on the other."""
    sources, targets = _candidates("from_unit", from_unit), _candidates("to_unit", to_unit)
    pairs = [pair for pair in product(sources, targets) if pair[0].dimension == pair[1].dimension]
    if not pairs:
        raise InputRefused(_incompatible(sources[0], targets[0]))
    for name, given, units in (("from_unit", from_unit, 0), ("to_unit", to_unit, 1)):
        meanings = dict.fromkeys(pair[units] for pair in pairs)
        if len(meanings) > 1:
            listed = " or ".join(_shown(unit) for unit in meanings)
            raise InputRefused(
                f"{name} {in_short(given)} can mean {listed}: give one of these names"
            )
    return pairs[0]


def _candidates(parameter: str, text: str) -> tuple[Unit, ...]:
    """Return the units that a text can mean: by symbol, or by name in any case."""
    symbol = " ".join(text.split()).removesuffix(".")
    found = _BY_SYMBOL.get(symbol) or _BY_NAME.get(_name_key(symbol))
    if not found:
        raise InputRefused(f"{parameter} {in_short(text)} is not a known unit{_hint(symbol)}")
    return found


def _hint(text: str) -> str:
    key = _name_key(text)
    if key in ("month", "months"):
        return ": months have no fixed length, so convert days or weeks"
    if spellings := _SPELLINGS.get(text.casefold()):
        return f": the case of symbols matters. Did you mean {' or '.join(spellings)}?"
    alike = difflib.get_close_matches(key, _BY_NAME, n=4, cutoff=0.75)
    if alike:
        names = {_BY_NAME[name]: name for name in reversed(alike)}  # of each unit, the most alike
        return f": did you mean {' or '.join(reversed(names.values()))}?"
    dimensions = ", ".join(dict.fromkeys(unit.dimension for unit in UNITS))
    return f": there are units of {dimensions}, each by its English name or its symbol"


def _incompatible(source: Unit, target: Unit) -> str:
    symbols = ", ".join(unit.symbols[0] for unit in UNITS if unit.dimension == source.dimension)
    return (
        f"{_shown(source)} is a unit of {source.dimension} and {_shown(target)} one of "
        f"{target.dimension}. Other units of {source.dimension} are {symbols}"
    )


def _shown(unit: Unit) -> str:
    return f"{unit.names[0]} ({unit.symbols[0]})"


def _name_key(name: str) -> str:
    return " ".join(name.casefold().replace("-", " ").replace("_", " ").split())


def _index(entries: Iterable[tuple[str, Unit]]) -> Mapping[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    for key, unit in entries:
        found[key] = (*found.get(key, ()), unit)
    return MappingProxyType({key: tuple(dict.fromkeys(units)) for key, units in found.items()})


def _symbols() -> Iterator[tuple[str, Unit]]:
    return ((symbol, unit) for unit in UNITS for symbol in unit.symbols)


_BY_SYMBOL = _index(_symbols())
_BY_NAME = _index((_name_key(name), unit) for unit in UNITS for name in unit.names)
_SPELLINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        folded: tuple(symbol for symbol in _BY_SYMBOL if symbol.casefold() == folded)
        for folded in {symbol.casefold() for symbol in _BY_SYMBOL}
    }
)
