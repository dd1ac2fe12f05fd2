"""Conversions against pint, which has its own table, and against published definitions."""

from __future__ import annotations

import functools
import math
from typing import Any

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.testing import run_tool
from tether.batteries.tools.unit_conversion import convert_unit
from tether.batteries.tools.units import UNITS, Unit
from tether.core.errors import InputRefused
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError


async def convert(value: float | str, from_unit: str, to_unit: str) -> Any:
    return await run_tool(
        convert_unit, {"value": value, "from_unit": from_unit, "to_unit": to_unit}
    )


async def test_the_example_is_five_miles_in_kilometres() -> None:
    example = convert_unit.meta.get("example")
    assert await run_tool(convert_unit, example) == {
        "result": "8.04672",
        "exact": True,
        "unit": "kilometre (km)",
        "from_unit": "mile (mi)",
    }


# Exact by definition: NIST SP 811 (2008), appendix B; SI Brochure (2019); IEC 80000-13.
DEFINITIONS = [
    (1, "in", "cm", "2.54"),
    (1, "ft", "m", "0.3048"),
    (1, "yd", "m", "0.9144"),
    (1, "mi", "m", "1609.344"),
    (1, "nmi", "m", "1852"),
    (1, "fathom", "ft", "6"),
    (1, "furlong", "yd", "220"),
    (1, "ly", "m", "9460730472580800"),
    (1, "au", "m", "149597870700"),
    (1, "Å", "nm", "0.1"),
    (1, "chain", "yd", "22"),
    (1, "league", "mi", "3"),
    (1, "micron", "nm", "1000"),
    (1, "sqft", "sqin", "144"),
    (1, "bushel", "in³", "2150.42"),
    (1, "short hundredweight", "lb", "100"),
    (1, "long hundredweight", "lb", "112"),
    (1, "therm", "BTU", "100000"),
    (1, "ft-lbf", "J", "1.3558179483314004"),
    (1, "lbf·ft", "Nm", "1.3558179483314004"),
    (1, "EB", "PB", "1000"),
    (1, "EiB", "PiB", "1024"),
    # Whole numbers beyond doubles, and decimal numbers as text
    (9007199254740993, "m", "mm", "9007199254740993000"),
    ("9007199254740993.1", "m", "km", "9007199254740.9931"),
    (" -1.50e1 ", "m", "cm", "-1500"),
    ("0.1", "in", "mm", "2.54"),
    (1, "acre", "m²", "4046.8564224"),
    (1, "ha", "m2", "10000"),
    (640, "acres", "sq mi", "1"),
    (1, "gal", "in³", "231"),
    (1, "gal", "L", "3.785411784"),
    (1, "imperial gallon", "L", "4.54609"),
    (1, "fl oz", "mL", "29.5735295625"),
    (1, "imp fl oz", "mL", "28.4130625"),
    (3, "tsp", "tbsp", "1"),
    (16, "tbsp", "cup", "1"),
    (1, "bbl", "gal", "42"),
    (1, "cc", "mL", "1"),
    (1, "lb", "kg", "0.45359237"),
    (1, "oz", "g", "28.349523125"),
    (1, "troy ounce", "g", "31.1034768"),
    (1, "grain", "mg", "64.79891"),
    (1, "carat", "mg", "200"),
    (1, "stone", "lb", "14"),
    (1, "short ton", "kg", "907.18474"),
    (1, "long ton", "kg", "1016.0469088"),
    (1, "tonne", "kg", "1000"),
    (1, "week", "s", "604800"),
    (1, "Julian year", "days", "365.25"),
    (1, "common year", "days", "365"),
    (36, "km/h", "m/s", "10"),
    (1, "mph", "km/h", "1.609344"),
    (1, "kn", "km/h", "1.852"),
    (1, "c", "m/s", "299792458"),
    (1, "atm", "Pa", "101325"),
    (760, "Torr", "atm", "1"),
    (1, "mmHg", "Pa", "133.322387415"),
    (1, "at", "Pa", "98066.5"),
    (1, "cmH2O", "Pa", "98.0665"),
    (1, "mbar", "hPa", "1"),
    (1, "kWh", "MJ", "3.6"),
    (1, "kcal", "J", "4184"),
    (1, "BTU", "J", "1055.05585262"),
    (1, "eV", "J", "1.602176634e-19"),
    (1, "erg", "J", "0.0000001"),
    (1, "ton of TNT", "GJ", "4.184"),
    (1, "hp", "W", "745.69987158227022"),
    (1, "PS", "W", "735.49875"),
    (1, "kgf", "N", "9.80665"),
    (1, "lbf", "N", "4.4482216152605"),
    (1, "dyn", "µN", "10"),
    (1, "turn", "°", "360"),
    (1, "°", "arcmin", "60"),
    (1, "°", "arcsec", "3600"),
    (100, "gon", "°", "90"),
    (1, "rad", "mrad", "1000"),
    (1, "B", "bit", "8"),
    (1, "kB", "B", "1000"),
    (1, "KB", "B", "1000"),
    (1, "KiB", "B", "1024"),
    (1, "GiB", "MB", "1073.741824"),
    (1, "PiB", "B", "1125899906842624"),
    (1, "Mb", "kB", "125"),
    (1, "MB/s", "Mbps", "8"),
    (1, "MiB/s", "B/s", "1048576"),
    (60, "rpm", "Hz", "1"),
    (1, "GHz", "MHz", "1000"),
    (10, "km/L", "L/100km", "10"),
    (5, "L/100km", "km/L", "20"),
    (8, "L/100km", "L/100km", "8"),
    (1, "m³/h", "L/min", None),
    (1, "gpm", "L/min", "3.785411784"),
    (60, "L/min", "L/s", "1"),
    # Temperatures: the fixed points of Celsius and Fahrenheit, absolute zero, and where they meet
    (0, "°C", "K", "273.15"),
    (100, "°C", "°F", "212"),
    (32, "°F", "°C", "0"),
    (-40, "°F", "°C", "-40"),
    (0, "K", "°C", "-273.15"),
    (-459.67, "°F", "K", "0"),
    (0, "K", "°F", "-459.67"),
    (491.67, "°R", "°C", "0"),
    (-273.15, "°C", "°R", "0"),
    # Decimal numbers are exact too
    (0.1, "in", "mm", "2.54"),
    (1e-7, "km", "mm", "0.1"),
    (1e22, "m", "km", "10000000000000000000"),
    (-5, "m", "cm", "-500"),
    (0, "m", "cm", "0"),
]


@pytest.mark.parametrize(("value", "from_unit", "to_unit", "result"), DEFINITIONS)
async def test_a_definition_is_exact(
    value: float | str, from_unit: str, to_unit: str, result: str | None
) -> None:
    answer = await convert(value, from_unit, to_unit)
    assert answer["result"] == (result or "16.6666666666667")
    assert answer["exact"] is (result is not None)
    assert answer.get("fraction") == (None if result else "50/3")


# Pint's names, where they are not ours with underscores.
PINT_NAMES = {
    "mechanical horsepower": "horsepower",
    "thermochemical calorie": "calorie",
    "British thermal unit": "international_british_thermal_unit",
    "BTU per hour": "international_british_thermal_unit / hour",
    "ton of TNT": "ton_TNT",
    "tonne": "metric_ton",
    "Julian year": "julian_year",
    "atmosphere": "standard_atmosphere",
    "millimetre of mercury": "millimeter_Hg",
    "inch of mercury": "inch_Hg",
    "centimetre of water": "centimeter_H2O",
    "pound per square inch": "psi",
    "gradian": "grade",
    "short hundredweight": "hundredweight",
    "newton metre": "newton * metre",
    "pound foot": "force_pound * foot",
}
NOT_IN_PINT = {
    "fathom",  # of the US survey foot there; six feet above
    "furlong",  # the same; 220 yards above
    "chain",  # the same; 22 yards above
    "league",  # the same; three miles above
    "therm",  # of a rounded BTU there; 100,000 of them above
    "acre",  # the same; 4046.8564224 m² above
    "revolution per minute",  # an angle by a time there; a frequency above
    "degree Celsius",  # an offset: readings are compared below
    "degree Fahrenheit",
}
BASES = {
    "length": "m",
    "area": "m²",
    "volume": "m³",
    "mass": "kg",
    "time": "s",
    "temperature": "K",
    "speed": "m/s",
    "pressure": "Pa",
    "energy": "J",
    "torque": "N·m",
    "power": "W",
    "force": "N",
    "angle": "rad",
    "data": "bit",
    "data rate": "bit/s",
    "frequency": "Hz",
    "fuel economy": "km/L",
    "flow": "m³/s",
}


@functools.cache
def registry() -> Any:
    return pint.UnitRegistry()


def pint_name(unit: Unit) -> str:
    name = PINT_NAMES.get(unit.names[0], unit.names[0]).removeprefix("US ")
    for word, exponent in (("square", 2), ("cubic", 3)):
        if name.startswith(word):
            first, _, rest = name.removeprefix(word).strip().partition(" per ")
            name = f"{first} ** {exponent}" + (f" per {rest}" if rest else "")
    parts = [part.strip().removeprefix("US ") for part in name.replace(" per ", " / ").split("/")]
    return " / ".join(part if "*" in part else part.replace(" ", "_") for part in parts)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "unit", [unit for unit in UNITS if unit.names[0] not in NOT_IN_PINT], ids=lambda u: u.names[0]
)
async def test_every_unit_agrees_with_pint(unit: Unit) -> None:
    base = next(other for other in UNITS if BASES[unit.dimension] in other.symbols)
    ours = float((await convert(1, unit.names[0], BASES[unit.dimension]))["result"])
    if unit.is_inverse:
        theirs = registry().Quantity(100, "kilometre") / registry().Quantity(1, "litre")
    else:
        theirs = registry().Quantity(1.0, pint_name(unit))
    assert ours == pytest.approx(theirs.to(pint_name(base)).magnitude, rel=1e-12)


@given(st.integers(-45_000, 10_000_000))
async def test_readings_of_temperature_agree_with_pint(hundredths: int) -> None:
    fahrenheit = hundredths / 100
    reading = registry().Quantity(fahrenheit, "degF")
    for ours, theirs in (("°C", "degC"), ("K", "kelvin"), ("°R", "degR")):
        result = float((await convert(fahrenheit, "°F", ours))["result"])
        assert result == pytest.approx(reading.to(theirs).magnitude, abs=1e-9, rel=1e-12)


PAIRS = [
    (one, other)
    for one in UNITS
    for other in UNITS
    if one.dimension == other.dimension and one.symbols[0] in BASES.values()
]


@given(st.sampled_from(PAIRS), st.integers(1, 10**6))
async def test_there_and_back_is_where_it_began(pair: tuple[Unit, Unit], value: int) -> None:
    one, other = pair
    there = await convert(value, one.names[0], other.names[0])
    back = await convert(float(there["result"]), other.names[0], one.names[0])
    assert float(back["result"]) == pytest.approx(value, rel=1e-12)


AMBIGUOUS = {
    *("ton", "tons", "calorie", "calories", "Cal", "year", "years", "yr", "yrs"),
    *("hundredweight", "hundredweights", "cwt"),
}


@pytest.mark.unmeasured
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.names[0])
async def test_every_name_and_symbol_of_a_unit_means_it(unit: Unit) -> None:
    target = BASES[unit.dimension]
    expected = await convert(2, unit.names[0], target)
    assert await convert(2, unit.names[0].upper().replace(" ", "_"), target) == expected
    for text in {*unit.names, *unit.symbols} - AMBIGUOUS:
        assert await convert(2, f" {text} ", target) == expected
    for text in {*unit.names, *unit.symbols} & AMBIGUOUS:
        with pytest.raises(ToolDownstreamError, match="give one of these names"):
            await convert(2, text, target)


# What has several meanings is taken for the one that fits the other unit.
FITTING = [
    (6, "'", "cm", "182.88"),
    (6, "'", "°", "0.1"),
    (6, '"', "cm", "15.24"),
    (36, '"', "°", "0.01"),
    (1, "oz", "g", "28.349523125"),
    (1, "oz", "mL", "29.5735295625"),
    (1, "ounces", "lb", "0.0625"),
]


@pytest.mark.parametrize(("value", "from_unit", "to_unit", "result"), FITTING)
async def test_a_unit_with_two_meanings_is_the_one_that_fits(
    value: float, from_unit: str, to_unit: str, result: str
) -> None:
    assert (await convert(value, from_unit, to_unit))["result"] == result


# Spelling: names in any case and with hyphens or underscores; symbols exactly.
SPELLINGS = [
    ("KILOMETERS", "m", "1000"),
    ("Kilometre", "m", "1000"),
    ("PASCAL", "Pa", "1"),
    ("Newton Meters", "N·m", "1"),
    ("kilowatt-hours", "kJ", "3600"),
    ("square_feet", "in2", "144"),
    ("sq ft", "in^2", "144"),
    ("nautical  mile", "km", "1.852"),
    ("NM", "km", "1.852"),
    ("lbs.", "kg", "0.45359237"),
    ("um", "nm", "1000"),
    ("μm", "nm", "1000"),
    ("µm", "nm", "1000"),
    ("Ms", "s", "1000000"),
    ("ms", "s", "0.001"),
    ("deg", "°", "1"),
    ("US gallons", "gal", "1"),
    ("UK gallon", "L", "4.54609"),
]


@pytest.mark.parametrize(("from_unit", "to_unit", "result"), SPELLINGS)
async def test_units_are_found_however_they_are_spelt(
    from_unit: str, to_unit: str, result: str
) -> None:
    assert (await convert(1, from_unit, to_unit))["result"] == result


REFUSED = [
    (1, "mb", "B", ["from_unit 'mb' is not a known unit", "case of symbols", "Mb or MB?"]),
    (1, "mB", "B", ["case of symbols", "Mb or MB?"]),
    (1, "B", "gb", ["to_unit 'gb'", "Gb or GB?"]),
    (1, "MM", "m", ["mm or Mm?"]),
    (1, "mhz", "Hz", ["mHz or MHz?"]),
    (1, "KG", "g", ["did you mean kg?"]),
    (1, "kG", "g", ["did you mean kg?"]),
    (1, "CM", "m", ["did you mean cm?"]),
    (1, "MPG", "km/L", ["did you mean mpg?"]),
    (1, "ATM", "Pa", ["did you mean atm?"]),
    (1, "kwh", "kJ", ["did you mean kWh?"]),
    (1, "Nm", "m", ["newton metre (N·m)", "torque", "length"]),
    (1, "month", "days", ["months have no fixed length"]),
    (1, "hundredweight", "kg", ["short hundredweight (sh cwt) or long hundredweight (l cwt)"]),
    ("1,5", "m", "cm", ["value '1,5' is not a decimal number", "1234.5"]),
    ("", "m", "cm", ["value '' is not a decimal number"]),
    ("0x10", "m", "cm", ["not a decimal number"]),
    ("\u0661", "m", "cm", ["not a decimal number"]),
    ("1e1000", "m", "cm", ["not a decimal number"]),
    ("inf", "m", "cm", ["not a decimal number"]),
    (1, "ton", "kg", ["tonne (t) or short ton (sh tn) or long ton (l tn)"]),
    (1, "Calories", "J", ["thermochemical calorie (cal) or kilocalorie (kcal)"]),
    (1, "year", "days", ["common year (yr) or Julian year (yr)"]),
    (1, "kg", "m", ["kilogram (kg)", "mass", "metre (m)", "length", "lb, oz"]),
    (1, "°C", "J", ["degree Celsius (°C)", "temperature", "energy"]),
    (1, "ton", "m", ["mass", "length"]),
    (1, "kilometrs", "m", ["from_unit 'kilometrs'", "did you mean kilometres?"]),
    (1, "m", "furlng", ["to_unit 'furlng'", "did you mean furlong"]),
    (1, "qqqqqqq", "m", ["'qqqqqqq'", "there are units of length, area, volume"]),
    (1, "smoot", "m", ["there are units of length, area, volume"]),
    (1, "M", "m", ["'M' is not a known unit"]),
    (1, "k", "m", ["'k' is not a known unit"]),
    (1, " ", "m", ["not a known unit"]),
    (1, ".", "m", ["not a known unit"]),
    (-1, "K", "°C", ["below absolute zero"]),
    (-273.16, "°C", "K", ["below absolute zero"]),
    (-459.68, "°F", "°C", ["below absolute zero"]),
    (0, "mpg", "L/100km", ["0 cannot be converted", "litre per 100 kilometres"]),
    (0, "L/100km", "mpg", ["0 cannot be converted"]),
]


@pytest.mark.parametrize(("value", "from_unit", "to_unit", "messages"), REFUSED)
async def test_what_cannot_be_converted_is_refused(
    value: float | str, from_unit: str, to_unit: str, messages: list[str]
) -> None:
    with pytest.raises(ToolDownstreamError) as caught:
        await convert(value, from_unit, to_unit)
    assert isinstance(caught.value.__cause__, InputRefused)
    for message in messages:
        assert message.lower() in caught.value.__cause__.message.lower()


BAD: list[tuple[str, Any]] = [
    ("value", "5" * 401),
    ("value", [5]),
    ("value", True),
    ("value", None),
    ("value", 10**400),
    ("from_unit", ""),
    ("from_unit", "m" * 61),
    ("to_unit", "m" * 1_000_000),
    ("to_unit", 5),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=lambda given: repr(given)[:20])
async def test_a_bad_argument_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InvalidToolArgs, match=f" {name}: "):
        await run_tool(convert_unit, {**convert_unit.meta.get("example"), name: value})


@pytest.mark.parametrize("value", [math.nan, math.inf])
async def test_a_value_has_to_be_finite(value: float) -> None:
    with pytest.raises(InvalidToolArgs):
        await convert(value, "m", "km")


async def test_the_largest_and_the_smallest_value_are_converted() -> None:
    assert (await convert(1.7976931348623157e308, "Pm", "pm"))["result"] == "1.7976931348623157e335"
    assert (await convert(5e-324, "pm", "Pm"))["result"] == "5e-351"


def test_the_units_are_well_formed() -> None:
    assert len(UNITS) > 150
    assert {unit.dimension for unit in UNITS} == set(BASES)
    for unit in UNITS:
        assert unit.factor > 0
        assert unit.names
        assert unit.symbols
    firsts = [unit.names[0] for unit in UNITS]
    assert len(set(firsts)) == len(firsts)
