"""Numbers and lists in the style of a language, with the CLDR data of Unicode that Babel includes.

Babel is loaded when the first language is looked up. Its data lacks two things of CLDR: the digits
of scripts that have their own (its symbols for them would be mixed with Latin digits, so the
symbols for Latin digits are used throughout), and that some languages group from five digits on.
"""

from __future__ import annotations

import copy
import decimal
import re
import unicodedata
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from babel import Locale
    from babel.numbers import NumberPattern

MOST_DIGITS = 400
"""The most digits before or after the point: any double has fewer."""

ARITHMETIC = decimal.Context(4 * MOST_DIGITS, decimal.ROUND_HALF_EVEN)
"""The context for rounding, independent of the caller's own."""

CompactFormats = dict[str, dict[str, "NumberPattern"]]
"""Patterns by the kind of plural, or "1" for exactly one, and by the power of ten they begin at."""


ListStyle = Literal["and", "or", "unit"]

_LIST_PATTERNS: dict[ListStyle, list[str]] = {
    "and": ["standard"],
    "or": ["or"],
    "unit": ["standard", "unit-short", "unit"],
}
"""The sources of the patterns of a list; later ones override earlier ones, as in CLDR."""


class NumberRequest(NamedTuple):
    """A number and the way to write it.

    Call its methods in the decimal context `ARITHMETIC`.
    """

    number: decimal.Decimal
    region: Locale
    places: int | None
    grouping: bool
    width: Literal["short", "long"]

    def plain(self) -> str:
        """Write the number with all its digits, or rounded to the places asked for."""
        places = places_of(self.number)
        return self.written(self.region.decimal_formats[None], (places, places))

    def percent(self) -> str:
        """Write a hundred times the number, with the percent sign."""
        places = max(0, places_of(self.number) - 2)
        return self.written(self.region.percent_formats[None], (places, places))

    def scientific(self) -> str:
        """Round first: Babel would write 9.99 to one place as 10.0E0."""
        request = self
        if self.places is not None:
            rounding = decimal.Context(self.places + 1, decimal.ROUND_HALF_EVEN)
            request = self._replace(number=rounding.plus(self.number))
        return request.written(self.region.scientific_formats[None], (0, 2 * MOST_DIGITS))

    def compact(self) -> str:
        """Write 1.2M or 1.2 million; the plural is that of the 1.2.

        Rounds before it looks for the unit, so that 999,999 is 1M and not 1000K.
        """
        places = 1 if self.places is None else self.places
        formats = self._compact_formats()
        _, scale = _unit_of(formats["other"], self.number)
        number = round(self.number / scale, places) * scale
        magnitude, scale = _unit_of(formats["other"], number)
        pattern: NumberPattern = self.region.decimal_formats[None]
        if scale > 1:
            number /= scale
            pattern = self._compact_pattern(formats, magnitude, number)
        return self._replace(number=number, places=None).written(pattern, (0, places))

    def priced(self, currency: str) -> str:
        """Write an amount of money; raise `InputRefused` for an unknown currency."""
        from babel.numbers import get_currency_precision, get_currency_symbol  # noqa: PLC0415

        code = currency.upper()
        self._refuse_unknown(code, currency)
        own = get_currency_precision(code)
        written = self.written(self.region.currency_formats["standard"], (own, own), code)
        return _spaced(written, get_currency_symbol(code, self.region))

    def measured(self, unit: str) -> str:
        """Write the number with its unit, whose kind may be left out: length-meter is meter."""
        from babel.units import format_unit  # noqa: PLC0415

        region, places = self.region, places_of(self.number)
        names = list(map(str, region.unit_display_names))
        full_names = {name.partition("-")[2]: name for name in names}
        name = unit if unit in names else full_names.get(unit)
        if name is None:
            close = _close(unit, full_names)
            raise _unknown("unit", unit, close, "kilometer, celsius or mile-per-hour")
        pattern: Any = self._shaped(region.decimal_formats[None], (places, places))
        counted = _rounded(self.number, places if self.places is None else self.places)
        written = format_unit(counted, name, self.width, pattern, region)
        is_missing = name in written  # for some languages Babel has only the short form
        return format_unit(counted, name, "short", pattern, region) if is_missing else written

    def written(
        self, found: NumberPattern, own_places: tuple[int, int], currency: str | None = None
    ) -> str:
        """Write the number in a locale's pattern; without `places`, with the style's own.

        It is rounded here, because Babel would leave the sign on a number that becomes zero.
        """
        pattern, number = self._shaped(found, own_places), self.number
        if pattern.exp_prec is None:
            number = _rounded(number, pattern.frac_prec[1] + pattern.scale)
        return str(pattern.apply(number, self.region, currency, currency_digits=False))

    def _shaped(self, found: NumberPattern, own_places: tuple[int, int]) -> NumberPattern:
        """Return a locale's pattern, changed to the decimal places and the grouping asked for.

        Babel writes every minus as a hyphen; the locale may have another sign.
        """
        from babel.numbers import get_minus_sign_symbol  # noqa: PLC0415

        pattern = copy.copy(found)
        positive, negative = found.prefix
        pattern.prefix = (positive, negative.replace("-", get_minus_sign_symbol(self.region)))
        pattern.frac_prec = own_places if self.places is None else (self.places, self.places)
        if not self.grouping:
            pattern.grouping = (2 * MOST_DIGITS, 2 * MOST_DIGITS)
        return pattern

    def _compact_formats(self) -> CompactFormats:
        """Return the patterns of the width asked for; languages without long ones use the short."""
        formats: Mapping[str, CompactFormats] = self.region.compact_decimal_formats
        return formats[self.width if self.width in formats else "short"]

    def _compact_pattern(
        self, formats: CompactFormats, magnitude: str, shown: decimal.Decimal
    ) -> NumberPattern:
        """Return the pattern for the number that stands before the unit."""
        kinds = [self.region.plural_form(abs(shown).normalize()), "other"]
        if shown == 1:
            kinds.insert(0, "1")
        return next(
            formats[kind][magnitude] for kind in kinds if magnitude in formats.get(kind, ())
        )

    def _refuse_unknown(self, code: str, currency: str) -> None:
        """Refuse an unknown currency, and suggest codes by their names in this language."""
        from babel.numbers import list_currencies  # noqa: PLC0415

        known = list_currencies()
        if code in known:
            return
        said = currency.casefold()
        names: Mapping[str, str] = self.region.currencies
        named = sorted((len(name), code) for code, name in names.items() if said in name.casefold())
        close = [code for _, code in named] or _close(code, known)
        raise _unknown("currency", currency, close, "EUR, USD or JPY")


def find_locale(name: str) -> Locale:
    """Return the data of a language and region.

    Raises `InputRefused` for a language that is not known, and where Babel is not installed.
    """
    try:
        from babel import Locale, UnknownLocaleError  # noqa: PLC0415
        from babel.localedata import locale_identifiers  # noqa: PLC0415
    except ModuleNotFoundError:
        raise InputRefused(
            "formatting needs the package Babel, which is not installed here: "
            "pip install 'tether[tools]'"
        ) from None
    try:
        return Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        close = _close(name.replace("-", "_"), locale_identifiers())
        raise _unknown("locale", name, close, "en, en_GB or zh_Hant_TW") from None


def joined(items: list[str], region: Locale, style: ListStyle) -> str:
    """Join items into a phrase; Babel lacks the inheritance of the patterns of measures."""
    patterns: Mapping[str, Mapping[str, str]] = region.list_patterns
    parts = dict[str, str]()
    for name in _LIST_PATTERNS[style]:
        parts |= patterns.get(name, {}).items()
    if len(items) < 3:
        return parts["2"].format(*items) if len(items) == 2 else "".join(items)
    phrase = parts["start"].format(*items[:2])
    for item in items[2:-1]:
        phrase = parts["middle"].format(phrase, item)
    return parts["end"].format(phrase, items[-1])


def places_of(number: decimal.Decimal) -> int:
    """Return the number of digits after the point of a finite number."""
    return max(0, -int(number.as_tuple().exponent))


def _rounded(number: decimal.Decimal, places: int) -> decimal.Decimal:
    """Round to exactly so many places, as plurals depend on them; a zero loses its sign."""
    return round(number, places) + 0


def _unit_of(formats: Mapping[str, NumberPattern], number: decimal.Decimal) -> tuple[str, int]:
    """Return the power of ten whose pattern a compact number takes, and its divisor.

    That is 1,000 for 12K, and 1 where the number is written out.
    """
    magnitude = max((int(size) for size in formats if int(size) <= abs(number)), default=0)
    if not magnitude:
        return "0", 1
    pattern = formats[str(magnitude)]
    is_bare = not pattern.prefix[0] and not pattern.suffix[0]
    return str(magnitude), 1 if is_bare else magnitude // 10 ** (pattern.int_prec[0] - 1)


def _spaced(written: str, symbol: str) -> str:
    """Add a space between a currency of letters and the digits, which CLDR requires."""
    if unicodedata.category(symbol[-1])[0] not in "SZ":
        written = re.sub(f"{re.escape(symbol)}(?=[0-9])", f"{symbol}\u00a0", written)
    if unicodedata.category(symbol[0])[0] not in "SZ":
        written = re.sub(f"(?<=[0-9]){re.escape(symbol)}", f"\u00a0{symbol}", written)
    return written


def _close(given: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(given, sorted(known), n=5, cutoff=0.5)


def _unknown(what: str, given: str, similar: list[str], examples: str) -> InputRefused:
    hint = f"Did you mean {' or '.join(similar[:5])}?" if similar else f"Known are {examples}."
    return InputRefused(f"{what} {given!r} is not known. {hint}")
