"""The units of measurement, with exact factors.

Sources of the factors: NIST Special Publication 811 (2008), appendix B, for those it prints in
bold, which are exact; the SI Brochure (2019); IEC 80000-13 for binary prefixes. Feet, miles and
acres are international ones. US customary volumes go by the plain name, imperial ones are named so.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.languages.arithmetic.analysis import PI

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Unit(NamedTuple):
    """A unit: so many of the dimension's base unit, plus an offset for temperatures."""

    dimension: str
    names: tuple[str, ...]
    """In words, singular and plural; any case will do. The first is the one shown."""
    symbols: tuple[str, ...]
    """In letters whose case matters. The first is the one shown."""
    factor: Fraction
    offset: Fraction = Fraction(0)
    is_inverse: bool = False
    """Whether it counts the other way round: litres per kilometre among kilometres per litre."""


_PREFIXES = {
    "p": ("pico", -12),
    "n": ("nano", -9),
    "µ": ("micro", -6),
    "m": ("milli", -3),
    "c": ("centi", -2),
    "d": ("deci", -1),
    "da": ("deca", 1),
    "h": ("hecto", 2),
    "k": ("kilo", 3),
    "M": ("mega", 6),
    "G": ("giga", 9),
    "T": ("tera", 12),
    "P": ("peta", 15),
    "E": ("exa", 18),
}
_OTHER_SIGNS = {("µ", False): ("u", "μ"), ("k", True): ("K",)}
"""Other signs of a prefix, by whether it is of data: KB is common for kB."""

_BINARY = {"Ki": "kibi", "Mi": "mebi", "Gi": "gibi", "Ti": "tebi", "Pi": "pebi", "Ei": "exbi"}

_FOOT = Fraction("0.3048")
_GALLON = 231 * (_FOOT / 12) ** 3
_CONSTANTS = {
    "foot": _FOOT,
    "inch": _FOOT / 12,
    "mile": _FOOT * 5280,
    "pound": Fraction("0.45359237"),
    "gravity": Fraction("9.80665"),
    "gallon": _GALLON,
    "imperial_gallon": Fraction("0.00454609"),
    "mercury": Fraction("133.322387415"),
    "turn": 2 * Fraction(PI),
}
"""The names that factors use, in metres, kilograms, m/s², cubic metres, pascals and radians."""

_RAISED = {"m", "km", "dm", "cm", "mm", "in", "ft", "yd", "mi"}
"""The units of length whose squares are units of area, and their cubes of volume."""

_TERM = re.compile(r"([*/]) ([\w.-]+)(?:\^([23]))?")

_TABLE = """
length
metre(s), meter(s) | m | 1 | all
inch, inches | in, ", ″ | inch
foot, feet | ft, ', \u2032 | foot
yard(s) | yd | foot * 3
mile(s), statute mile(s) | mi | mile
nautical mile(s) | nmi, NM | 1852
fathom(s) | ftm | foot * 6
furlong(s) | fur | mile / 8
chain(s) | ch | mile / 80
league(s) | lea | mile * 3
micron(s) | micron | 1e-6
thou | thou | inch / 1000
ångström(s), angstrom(s) | Å | 1e-10
astronomical unit(s) | au, AU | 149_597_870_700
light year(s) | ly | 9_460_730_472_580_800

area
hectare(s) | ha | 10_000
are(s) | are | 100
acre(s) | ac | foot^2 * 43_560

volume
litre(s), liter(s) | L, l | 0.001 | n µ m c d da h k M G
cc | cc, ccm | 1e-6
US gallon, gallon(s), US gallons | gal, US gal | gallon
US quart, quart(s), US quarts | qt, US qt | gallon / 4
US pint, pint(s), US pints | pt, US pt | gallon / 8
US cup, cup(s), US cups | cup | gallon / 16
US fluid ounce, fluid ounce(s), US fluid ounces, ounce(s) | fl oz, floz, US fl oz, oz \
| gallon / 128
US tablespoon, tablespoon(s) | tbsp | gallon / 256
US teaspoon, teaspoon(s) | tsp | gallon / 768
imperial gallon(s), UK gallon(s) | imp gal | imperial_gallon
imperial quart(s), UK quart(s) | imp qt | imperial_gallon / 4
imperial pint(s), UK pint(s) | imp pt | imperial_gallon / 8
imperial fluid ounce(s), UK fluid ounce(s) | imp fl oz | imperial_gallon / 160
US bushel, bushel(s), US bushels | bu | 2150.42 * inch^3
oil barrel(s), barrel(s) of oil | bbl | gallon * 42

mass
gram(s), gramme(s) | g | 0.001 | all
tonne(s), metric ton(s), ton(s) | t | 1000
pound(s) | lb, lbs | pound
ounce(s) | oz | pound / 16
stone(s) | st | pound * 14
short ton(s), US ton(s), ton(s) | sh tn | pound * 2000
long ton(s), imperial ton(s), ton(s) | l tn | pound * 2240
short hundredweight(s), hundredweight(s) | sh cwt, cwt | pound * 100
long hundredweight(s), hundredweight(s) | l cwt, cwt | pound * 112
grain(s) | grain | pound / 7000
carat(s) | ct | 0.0002
troy ounce(s) | ozt, oz t | pound / 7000 * 480

time
second(s) | s, sec | 1 | p n µ m k M G T P
minute(s) | min, mins | 60
hour(s) | h, hr, hrs | 3600
day(s) | d | 86_400
week(s) | wk | 604_800
fortnight(s) | fortnight | 1_209_600
common year(s), year(s) | yr, yrs | 86_400 * 365
Julian year(s), year(s) | yr, yrs | 31_557_600

temperature
kelvin(s) | K | 1
degree(s) Celsius, Celsius, centigrade | °C, ºC, C, degC, deg C, ℃ | 1 | offset 273.15
degree(s) Fahrenheit, Fahrenheit | °F, ºF, F, degF, deg F, ℉ | 5 / 9 | offset 459.67 * 5 / 9
degree(s) Rankine, Rankine | °R, ºR, degR, deg R | 5 / 9

speed
metre(s) per second, meter(s) per second | m/s, mps | 1
kilometre(s) per hour, kilometer(s) per hour | km/h, kmh, kph, km/hr | 1000 / 3600
kilometre(s) per second, kilometer(s) per second | km/s | 1000
centimetre(s) per second, centimeter per second | cm/s | 0.01
mile(s) per hour | mph, mi/h | mile / 3600
foot per second, feet per second | ft/s, fps | foot
foot per minute, feet per minute | ft/min, fpm | foot / 60
knot(s) | kn, kt, kts | 1852 / 3600
speed of light | c | 299_792_458

pressure
pascal(s) | Pa | 1 | m h k M G
bar(s) | bar | 100_000 | m k
atmosphere(s), standard atmosphere | atm | 101_325
technical atmosphere(s) | at | gravity * 10_000
torr(s) | Torr | 101_325 / 760
millimetre of mercury, millimeter of mercury | mmHg | mercury
inch of mercury, inches of mercury | inHg | mercury * 25.4
centimetre of water, centimeter of water | cmH2O | gravity * 10
pound(s) per square inch | psi, lbf/in² | pound * gravity / inch^2

energy
joule(s) | J | 1 | p n µ m k M G T P
watt hour(s) | Wh | 3600 | m k M G T
electronvolt(s), electron volt(s) | eV | 1.602176634e-19 | m k M G T
thermochemical calorie, calorie(s) | cal, Cal | 4.184
kilocalorie(s), food calorie(s), calorie(s) | kcal, Cal | 4184
British thermal unit(s) | BTU, Btu, BTUs | 1055.05585262
erg(s) | erg | 1e-7
foot pound(s), foot pound force | ft·lbf, ft lbf, ft lb, ft-lbf, ft-lb, ft*lbf \
| foot * pound * gravity
therm(s) | thm | 105505585.262
ton(s) of TNT | tTNT | 4_184_000_000

torque
newton metre(s), newton meter(s) | N·m, N m, Nm, N-m, N*m, N\u22c5m | 1
pound foot, pound feet, pound force foot, pound force feet \
| lbf·ft, lbf ft, lb ft, lbf-ft, lb-ft, lbf*ft | foot * pound * gravity

power
watt(s) | W | 1 | p n µ m k M G T P
mechanical horsepower, horsepower | hp | foot * pound * gravity * 550
metric horsepower | PS, cv | gravity * 75
BTU per hour, British thermal units per hour | BTU/h, Btu/h | 1055.05585262 / 3600

force
newton(s) | N | 1 | µ m k M
dyne(s) | dyn | 1e-5
kilogram(s) force, kilopond(s) | kgf, kp | gravity
pound(s) force | lbf | pound * gravity

angle
radian(s) | rad | 1 | m µ
degree(s) | °, deg | turn / 360
arcminute(s), minute(s) of arc | arcmin, \u2032, ' | turn / 21_600
arcsecond(s), second(s) of arc | arcsec, ″, " | turn / 1_296_000
gradian(s), gon(s), grad(s) | gon | turn / 400
turn(s), revolution(s) | rev | turn

data
bit(s) | bit, b | 1 | k M G T P E
byte(s) | B | 8 | k M G T P E
bit(s) | bit, b | 1 | binary
byte(s) | B | 8 | binary

data rate
bit(s) per second | bit/s, bps, b/s | 1 | k M G T P E
byte(s) per second | B/s, Bps | 8 | k M G T P E
byte(s) per second | B/s | 8 | binary

frequency
hertz | Hz | 1 | m k M G T
revolution(s) per minute | rpm | 1 / 60

fuel economy
kilometre(s) per litre, kilometer(s) per liter | km/L, km/l | 1
litre(s) per 100 kilometres, liter(s) per 100 kilometers, litres per 100 km, liters per 100 km \
| L/100km, l/100km, L/100 km, l/100 km | 100 | inverse
mile(s) per US gallon, mile(s) per gallon | mpg, US mpg | mile / 1_000_000 / gallon
mile(s) per imperial gallon, miles per UK gallon | imp mpg, UK mpg \
| mile / 1_000_000 / imperial_gallon

flow
cubic metre(s) per second | m³/s, m3/s | 1
cubic metre(s) per hour | m³/h, m3/h | 1 / 3600
litre(s) per second, liters per second | L/s, l/s | 0.001
litre(s) per minute, liters per minute | L/min, l/min | 1 / 60_000
US gallon per minute, gallons per minute | gpm | gallon / 60
cubic foot per minute, cubic feet per minute | cfm, ft³/min | foot^3 / 60
"""
"""A line for each unit, below its dimension: names, symbols, factor, and sometimes an option.

A name with "(s)" stands for the singular and the plural. The option is a list of the prefixes that
the unit takes, "binary" for its multiples by powers of 1024 alone, an offset, or "inverse". Torque
is a dimension of its own: a newton metre is not a joule, although their factors are the same.
"""


def _units() -> Iterator[Unit]:
    """Read the table."""
    dimension, sides = "", list[Unit]()
    for line in _TABLE.strip().splitlines():
        names, *columns = (column.strip() for column in line.split("|"))
        if columns:
            units = tuple(_family(dimension, names, *columns))
            sides += [unit for unit in units if unit.symbols[0] in _RAISED]
            yield from units
        elif names:
            dimension = names
            yield from _powers(sides, dimension)


def _family(
    dimension: str, names: str, symbols: str, factor: str, extra: str = ""
) -> Iterator[Unit]:
    """Yield the units of one line of the table."""
    unit = Unit(dimension, _names(names), tuple(symbols.split(", ")), _factor(factor))
    match extra.split(" ", 1):
        case ["offset", offset]:
            yield unit._replace(offset=_factor(offset))
        case ["inverse"]:
            yield unit._replace(is_inverse=True)
        case ["binary"]:
            yield from _binary_multiples(unit)
        case _:
            yield unit
            for prefix in _PREFIXES if extra == "all" else extra.split():
                yield _multiple(unit, prefix)


def _names(text: str) -> tuple[str, ...]:
    """Split names at commas, and each "mile(s)" into its singular and its plural."""
    found = list[str]()
    for name in text.split(", "):
        found += [name.replace("(s)", ""), name.replace("(s)", "s")] if "(s)" in name else [name]
    return tuple(found)


def _factor(text: str) -> Fraction:
    """Work out products and quotients of numbers and constants, from left to right."""
    value = Fraction(1)
    for operator, name, exponent in _TERM.findall(f"* {text}"):
        term = (_CONSTANTS.get(name) or Fraction(name)) ** int(exponent or 1)
        value = value * term if operator == "*" else value / term
    return value


def _multiple(unit: Unit, prefix: str) -> Unit:
    word, exponent = _PREFIXES[prefix]
    signs = (prefix, *_OTHER_SIGNS.get((prefix, unit.dimension.startswith("data")), ()))
    return _prefixed(unit, word, signs, Fraction(10) ** exponent)


def _binary_multiples(unit: Unit) -> Iterator[Unit]:
    """Yield the multiples of a unit by powers of 1024."""
    for step, (prefix, word) in enumerate(_BINARY.items(), start=1):
        yield _prefixed(unit, word, (prefix,), Fraction(1024**step))


def _prefixed(unit: Unit, word: str, signs: Iterable[str], factor: Fraction) -> Unit:
    return unit._replace(
        names=tuple(word + name for name in unit.names),
        symbols=tuple(sign + symbol for sign in signs for symbol in unit.symbols),
        factor=unit.factor * factor,
    )


def _powers(sides: Iterable[Unit], dimension: str) -> Iterator[Unit]:
    """Yield the squares of units of length for areas, their cubes for volumes, else nothing."""
    if dimension not in ("area", "volume"):
        return
    word, exponent, sign = ("square", 2, "²") if dimension == "area" else ("cubic", 3, "³")
    for unit in sides:
        symbol = unit.symbols[0]
        joined = (f"sq{symbol}",) if exponent == 2 else ()
        symbols = (f"{symbol}{sign}", f"{symbol}{exponent}", f"{symbol}^{exponent}")
        yield Unit(
            dimension,
            tuple(f"{word} {name}" for name in unit.names),
            (*symbols, f"{word[:2]} {symbol}", *joined),
            unit.factor**exponent,
        )


UNITS: tuple[Unit, ...] = tuple(_units())
