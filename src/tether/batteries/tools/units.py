"""The units of measurement, with exact factors.

Sources of the factors: NIST Special Publication 811 (2008), appendix B, for those it prints in
bold, which are exact; the SI Brochure (2019); IEC 80000-13 for binary prefixes. Feet, miles and
acres are international ones. US customary volumes go by the plain name, imperial ones are named so.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from tether.batteries.languages.arithmetic.expression_analysis import PI


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
_THOUSANDS = ("p", "n", "µ", "m", "k", "M", "G", "T", "P")
_LARGE = ("k", "M", "G", "T", "P", "E")
_OTHER_SIGNS = {("µ", False): ("u", "μ"), ("k", True): ("K",)}
"""Other signs of a prefix, by whether it is of data: KB is common for kB."""

_BINARY = {"Ki": "kibi", "Mi": "mebi", "Gi": "gibi", "Ti": "tebi", "Pi": "pebi", "Ei": "exbi"}

_FOOT = Fraction("0.3048")
_INCH = _FOOT / 12
_MILE = _FOOT * 5280
_POUND = Fraction("0.45359237")
_GRAVITY = Fraction("9.80665")
_GALLON = 231 * _INCH**3
_IMPERIAL = Fraction("0.00454609")
_MERCURY = Fraction("133.322387415")
_TURN = 2 * Fraction(PI)


def _unit(
    dimension: str,
    names: str,
    symbols: str,
    factor: str | int | Fraction,
    *,
    offset: Fraction = Fraction(0),
    is_inverse: bool = False,
) -> Unit:
    """Make a unit of names and symbols that are separated by commas."""
    return Unit(dimension, _split(names), _split(symbols), Fraction(factor), offset, is_inverse)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _prefixed(unit: Unit, *prefixes: str) -> tuple[Unit, ...]:
    """Return a unit and its multiples by powers of ten."""
    return (unit, *(_multiple(unit, prefix) for prefix in prefixes))


def _multiple(unit: Unit, prefix: str) -> Unit:
    word, exponent = _PREFIXES[prefix]
    signs = (prefix, *_OTHER_SIGNS.get((prefix, unit.dimension.startswith("data")), ()))
    return unit._replace(
        names=tuple(word + name for name in unit.names),
        symbols=tuple(sign + symbol for sign in signs for symbol in unit.symbols),
        factor=unit.factor * Fraction(10) ** exponent,
    )


def _binary(unit: Unit) -> tuple[Unit, ...]:
    """Return the multiples of a unit by powers of 1024."""
    return tuple(
        unit._replace(
            names=tuple(word + name for name in unit.names),
            symbols=tuple(prefix + symbol for symbol in unit.symbols),
            factor=unit.factor * 1024**step,
        )
        for step, (prefix, word) in enumerate(_BINARY.items(), start=1)
    )


def _raised(units: tuple[Unit, ...], dimension: str, word: str, exponent: int) -> tuple[Unit, ...]:
    """Return the squares or cubes of units of length."""
    signs = ("²", "2", "^2") if exponent == 2 else ("³", "3", "^3")
    return tuple(
        Unit(
            dimension,
            tuple(f"{word} {name}" for name in unit.names),
            (
                *(unit.symbols[0] + sign for sign in signs),
                f"{word[:2]} {unit.symbols[0]}",
                *((f"sq{unit.symbols[0]}",) if exponent == 2 else ()),
            ),
            unit.factor**exponent,
        )
        for unit in units
    )


_LENGTHS = (
    *_prefixed(_unit("length", "metre, metres, meter, meters", "m", 1), *_PREFIXES),
    _unit("length", "inch, inches", 'in, ", ″', _INCH),
    _unit("length", "foot, feet", "ft, ', \u2032", _FOOT),
    _unit("length", "yard, yards", "yd", _FOOT * 3),
    _unit("length", "mile, miles, statute mile, statute miles", "mi", _MILE),
    _unit("length", "nautical mile, nautical miles", "nmi, NM", 1852),
    _unit("length", "fathom, fathoms", "ftm", _FOOT * 6),
    _unit("length", "furlong, furlongs", "fur", _MILE / 8),
    _unit("length", "chain, chains", "ch", _MILE / 80),
    _unit("length", "league, leagues", "lea", _MILE * 3),
    _unit("length", "micron, microns", "micron", "1e-6"),
    _unit("length", "thou", "thou", _INCH / 1000),
    _unit("length", "ångström, ångströms, angstrom, angstroms", "Å", "1e-10"),
    _unit("length", "astronomical unit, astronomical units", "au, AU", 149_597_870_700),
    _unit("length", "light year, light years", "ly", 9_460_730_472_580_800),
)
_RAISED = {"m", "km", "dm", "cm", "mm", "in", "ft", "yd", "mi"}
_SIDES = tuple(unit for unit in _LENGTHS if unit.symbols[0] in _RAISED)

_AREAS = (
    *_raised(_SIDES, "area", "square", 2),
    _unit("area", "hectare, hectares", "ha", 10_000),
    _unit("area", "are, ares", "are", 100),
    _unit("area", "acre, acres", "ac", _FOOT**2 * 43_560),
)

_VOLUMES = (
    *_raised(_SIDES, "volume", "cubic", 3),
    *_prefixed(
        _unit("volume", "litre, litres, liter, liters", "L, l", "0.001"),
        *("n", "µ", "m", "c", "d", "da", "h", "k", "M", "G"),
    ),
    _unit("volume", "cc", "cc, ccm", "1e-6"),
    _unit("volume", "US gallon, gallon, gallons, US gallons", "gal, US gal", _GALLON),
    _unit("volume", "US quart, quart, quarts, US quarts", "qt, US qt", _GALLON / 4),
    _unit("volume", "US pint, pint, pints, US pints", "pt, US pt", _GALLON / 8),
    _unit("volume", "US cup, cup, cups, US cups", "cup", _GALLON / 16),
    _unit(
        "volume",
        "US fluid ounce, fluid ounce, fluid ounces, US fluid ounces, ounce, ounces",
        "fl oz, floz, US fl oz, oz",
        _GALLON / 128,
    ),
    _unit("volume", "US tablespoon, tablespoon, tablespoons", "tbsp", _GALLON / 256),
    _unit("volume", "US teaspoon, teaspoon, teaspoons", "tsp", _GALLON / 768),
    _unit(
        "volume", "imperial gallon, imperial gallons, UK gallon, UK gallons", "imp gal", _IMPERIAL
    ),
    _unit(
        "volume", "imperial quart, imperial quarts, UK quart, UK quarts", "imp qt", _IMPERIAL / 4
    ),
    _unit("volume", "imperial pint, imperial pints, UK pint, UK pints", "imp pt", _IMPERIAL / 8),
    _unit(
        "volume",
        "imperial fluid ounce, imperial fluid ounces, UK fluid ounce, UK fluid ounces",
        "imp fl oz",
        _IMPERIAL / 160,
    ),
    _unit("volume", "US bushel, bushel, bushels, US bushels", "bu", Fraction("2150.42") * _INCH**3),
    _unit("volume", "oil barrel, oil barrels, barrel of oil, barrels of oil", "bbl", _GALLON * 42),
)

_MASSES = (
    *_prefixed(_unit("mass", "gram, grams, gramme, grammes", "g", "0.001"), *_PREFIXES),
    _unit("mass", "tonne, tonnes, metric ton, metric tons, ton, tons", "t", 1000),
    _unit("mass", "pound, pounds", "lb, lbs", _POUND),
    _unit("mass", "ounce, ounces", "oz", _POUND / 16),
    _unit("mass", "stone, stones", "st", _POUND * 14),
    _unit("mass", "short ton, short tons, US ton, US tons, ton, tons", "sh tn", _POUND * 2000),
    _unit(
        "mass", "long ton, long tons, imperial ton, imperial tons, ton, tons", "l tn", _POUND * 2240
    ),
    _unit(
        "mass",
        "short hundredweight, short hundredweights, hundredweight, hundredweights",
        "sh cwt, cwt",
        _POUND * 100,
    ),
    _unit(
        "mass",
        "long hundredweight, long hundredweights, hundredweight, hundredweights",
        "l cwt, cwt",
        _POUND * 112,
    ),
    _unit("mass", "grain, grains", "grain", _POUND / 7000),
    _unit("mass", "carat, carats", "ct", "0.0002"),
    _unit("mass", "troy ounce, troy ounces", "ozt, oz t", _POUND / 7000 * 480),
)

_TIMES = (
    *_prefixed(_unit("time", "second, seconds", "s, sec", 1), *_THOUSANDS),
    _unit("time", "minute, minutes", "min, mins", 60),
    _unit("time", "hour, hours", "h, hr, hrs", 3600),
    _unit("time", "day, days", "d", 86_400),
    _unit("time", "week, weeks", "wk", 604_800),
    _unit("time", "fortnight, fortnights", "fortnight", 1_209_600),
    _unit("time", "common year, common years, year, years", "yr, yrs", 86_400 * 365),
    _unit("time", "Julian year, Julian years, year, years", "yr, yrs", 31_557_600),
)

_TEMPERATURES = (
    _unit("temperature", "kelvin, kelvins", "K", 1),
    _unit(
        "temperature",
        "degree Celsius, degrees Celsius, Celsius, centigrade",
        "°C, ºC, C, degC, deg C, ℃",
        1,
        offset=Fraction("273.15"),
    ),
    _unit(
        "temperature",
        "degree Fahrenheit, degrees Fahrenheit, Fahrenheit",
        "°F, ºF, F, degF, deg F, ℉",
        Fraction(5, 9),
        offset=Fraction("459.67") * 5 / 9,
    ),
    _unit(
        "temperature",
        "degree Rankine, degrees Rankine, Rankine",
        "°R, ºR, degR, deg R",
        Fraction(5, 9),
    ),
)

_SPEEDS = (
    _unit(
        "speed",
        "metre per second, metres per second, meter per second, meters per second",
        "m/s, mps",
        1,
    ),
    _unit(
        "speed",
        "kilometre per hour, kilometres per hour, kilometer per hour, kilometers per hour",
        "km/h, kmh, kph, km/hr",
        Fraction(1000, 3600),
    ),
    _unit(
        "speed",
        "kilometre per second, kilometres per second, kilometer per second, kilometers per second",
        "km/s",
        1000,
    ),
    _unit(
        "speed",
        "centimetre per second, centimetres per second, centimeter per second",
        "cm/s",
        "0.01",
    ),
    _unit("speed", "mile per hour, miles per hour", "mph, mi/h", _MILE / 3600),
    _unit("speed", "foot per second, feet per second", "ft/s, fps", _FOOT),
    _unit("speed", "foot per minute, feet per minute", "ft/min, fpm", _FOOT / 60),
    _unit("speed", "knot, knots", "kn, kt, kts", Fraction(1852, 3600)),
    _unit("speed", "speed of light", "c", 299_792_458),
)

_PRESSURES = (
    *_prefixed(_unit("pressure", "pascal, pascals", "Pa", 1), "m", "h", "k", "M", "G"),
    *_prefixed(_unit("pressure", "bar, bars", "bar", 100_000), "m", "k"),
    _unit("pressure", "atmosphere, atmospheres, standard atmosphere", "atm", 101_325),
    _unit("pressure", "technical atmosphere, technical atmospheres", "at", _GRAVITY * 10_000),
    _unit("pressure", "torr, torrs", "Torr", Fraction(101_325, 760)),
    _unit("pressure", "millimetre of mercury, millimeter of mercury", "mmHg", _MERCURY),
    _unit("pressure", "inch of mercury, inches of mercury", "inHg", _MERCURY * Fraction("25.4")),
    _unit("pressure", "centimetre of water, centimeter of water", "cmH2O", _GRAVITY * 10),
    _unit(
        "pressure",
        "pound per square inch, pounds per square inch",
        "psi, lbf/in²",
        _POUND * _GRAVITY / _INCH**2,
    ),
)

_ENERGIES = (
    *_prefixed(_unit("energy", "joule, joules", "J", 1), *_THOUSANDS),
    *_prefixed(_unit("energy", "watt hour, watt hours", "Wh", 3600), "m", "k", "M", "G", "T"),
    *_prefixed(
        _unit(
            "energy",
            "electronvolt, electronvolts, electron volt, electron volts",
            "eV",
            Fraction("1.602176634e-19"),
        ),
        *("m", "k", "M", "G", "T"),
    ),
    _unit("energy", "thermochemical calorie, calorie, calories", "cal, Cal", "4.184"),
    _unit(
        "energy",
        "kilocalorie, kilocalories, food calorie, food calories, calorie, calories",
        "kcal, Cal",
        4184,
    ),
    _unit(
        "energy",
        "British thermal unit, British thermal units",
        "BTU, Btu, BTUs",
        Fraction("1055.05585262"),
    ),
    _unit("energy", "erg, ergs", "erg", "1e-7"),
    _unit(
        "energy",
        "foot pound, foot pounds, foot pound force",
        "ft·lbf, ft lbf, ft lb, ft-lbf, ft-lb, ft*lbf",
        _FOOT * _POUND * _GRAVITY,
    ),
    _unit("energy", "therm, therms", "thm", Fraction("105505585.262")),
    _unit("energy", "ton of TNT, tons of TNT", "tTNT", 4_184_000_000),
)

_TORQUES = (
    _unit(
        "torque",
        "newton metre, newton metres, newton meter, newton meters",
        "N·m, N m, Nm, N-m, N*m, N\u22c5m",
        1,
    ),
    _unit(
        "torque",
        "pound foot, pound feet, pound force foot, pound force feet",
        "lbf·ft, lbf ft, lb ft, lbf-ft, lb-ft, lbf*ft",
        _FOOT * _POUND * _GRAVITY,
    ),
)
"""A dimension of its own: a newton metre is no joule, although their factors are the same."""

_POWERS = (
    *_prefixed(_unit("power", "watt, watts", "W", 1), *_THOUSANDS),
    _unit("power", "mechanical horsepower, horsepower", "hp", _FOOT * _POUND * _GRAVITY * 550),
    _unit("power", "metric horsepower", "PS, cv", _GRAVITY * 75),
    _unit(
        "power",
        "BTU per hour, British thermal units per hour",
        "BTU/h, Btu/h",
        Fraction("1055.05585262") / 3600,
    ),
)

_FORCES = (
    *_prefixed(_unit("force", "newton, newtons", "N", 1), "µ", "m", "k", "M"),
    _unit("force", "dyne, dynes", "dyn", "1e-5"),
    _unit("force", "kilogram force, kilograms force, kilopond, kiloponds", "kgf, kp", _GRAVITY),
    _unit("force", "pound force, pounds force", "lbf", _POUND * _GRAVITY),
)

_ANGLES = (
    *_prefixed(_unit("angle", "radian, radians", "rad", 1), "m", "µ"),
    _unit("angle", "degree, degrees", "°, deg", _TURN / 360),
    _unit(
        "angle",
        "arcminute, arcminutes, minute of arc, minutes of arc",
        "arcmin, \u2032, '",
        _TURN / 21_600,
    ),
    _unit(
        "angle",
        "arcsecond, arcseconds, second of arc, seconds of arc",
        'arcsec, ″, "',
        _TURN / 1_296_000,
    ),
    _unit("angle", "gradian, gradians, gon, gons, grad, grads", "gon", _TURN / 400),
    _unit("angle", "turn, turns, revolution, revolutions", "rev", _TURN),
)

_DATA_SIZES = (
    *_prefixed(_unit("data", "bit, bits", "bit, b", 1), *_LARGE),
    *_prefixed(_unit("data", "byte, bytes", "B", 8), *_LARGE),
    *_binary(_unit("data", "bit, bits", "bit, b", 1)),
    *_binary(_unit("data", "byte, bytes", "B", 8)),
)

_DATA_RATES = (
    *_prefixed(
        _unit("data rate", "bit per second, bits per second", "bit/s, bps, b/s", 1), *_LARGE
    ),
    *_prefixed(_unit("data rate", "byte per second, bytes per second", "B/s, Bps", 8), *_LARGE),
    *_binary(_unit("data rate", "byte per second, bytes per second", "B/s", 8)),
)

_FREQUENCIES = (
    *_prefixed(_unit("frequency", "hertz", "Hz", 1), "m", "k", "M", "G", "T"),
    _unit("frequency", "revolution per minute, revolutions per minute", "rpm", Fraction(1, 60)),
)

_FUEL_ECONOMIES = (
    _unit(
        "fuel economy",
        "kilometre per litre, kilometres per litre, kilometer per liter, kilometers per liter",
        "km/L, km/l",
        1,
    ),
    _unit(
        "fuel economy",
        "litre per 100 kilometres, litres per 100 kilometres, liter per 100 kilometers, "
        "liters per 100 kilometers, litres per 100 km, liters per 100 km",
        "L/100km, l/100km, L/100 km, l/100 km",
        100,
        is_inverse=True,
    ),
    _unit(
        "fuel economy",
        "mile per US gallon, miles per US gallon, mile per gallon, miles per gallon",
        "mpg, US mpg",
        _MILE / 1_000_000 / _GALLON,
    ),
    _unit(
        "fuel economy",
        "mile per imperial gallon, miles per imperial gallon, miles per UK gallon",
        "imp mpg, UK mpg",
        _MILE / 1_000_000 / _IMPERIAL,
    ),
)

_FLOWS = (
    _unit("flow", "cubic metre per second, cubic metres per second", "m³/s, m3/s", 1),
    _unit("flow", "cubic metre per hour, cubic metres per hour", "m³/h, m3/h", Fraction(1, 3600)),
    _unit("flow", "litre per second, litres per second, liters per second", "L/s, l/s", "0.001"),
    _unit(
        "flow",
        "litre per minute, litres per minute, liters per minute",
        "L/min, l/min",
        Fraction(1, 60_000),
    ),
    _unit("flow", "US gallon per minute, gallons per minute", "gpm", _GALLON / 60),
    _unit("flow", "cubic foot per minute, cubic feet per minute", "cfm, ft³/min", _FOOT**3 / 60),
)

UNITS: tuple[Unit, ...] = (
    *_LENGTHS,
    *_AREAS,
    *_VOLUMES,
    *_MASSES,
    *_TIMES,
    *_TEMPERATURES,
    *_SPEEDS,
    *_PRESSURES,
    *_ENERGIES,
    *_TORQUES,
    *_POWERS,
    *_FORCES,
    *_ANGLES,
    *_DATA_SIZES,
    *_DATA_RATES,
    *_FREQUENCIES,
    *_FUEL_ECONOMIES,
    *_FLOWS,
)
