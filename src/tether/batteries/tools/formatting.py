"""Numbers and lists as people write them in their language, with the data of Unicode's CLDR.

Babel carries that data and is loaded when the first number or list is formatted.
"""

from __future__ import annotations

import copy
import decimal
import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Field, StrictFloat, StrictInt

from tether.batteries.tools.ready_made import ready_made
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from babel import Locale
    from babel.numbers import NumberPattern

MOST_DIGITS = 400
"""How many digits a number may have before or behind its point: any double has fewer."""

NumberText = Annotated[str, Field(min_length=1, max_length=1_000)]
LocaleName = Annotated[str, Field(max_length=40, pattern="^[A-Za-z0-9_-]+$")]
Name = Annotated[str, Field(min_length=1, max_length=60)]
Item = Annotated[str, Field(max_length=1_000)]
Style = Literal["decimal", "percent", "scientific", "compact", "currency", "unit"]


@ready_made(example={"value": "1234567.891", "locale": "de", "decimal_places": 2})
def format_number(
    value: StrictInt | StrictFloat | NumberText,
    *,
    locale: LocaleName = "en",
    style: Style = "decimal",
    decimal_places: Annotated[int, Field(ge=0, le=50)] | None = None,
    grouping: bool = True,
    currency: Name | None = None,
    unit: Name | None = None,
    width: Literal["short", "long"] = "short",
) -> str:
    """Format a number as it is written in a language: separators, percent, currency or unit.

    Without decimal_places all digits are kept, except that a currency has its own number of them
    and compact shows at most one. Rounding takes a half to the even neighbour. percent multiplies
    by 100.

    Args:
        value: The number; as text, such as "0.10" or "1e6", no digit is lost.
        locale: The language and region, such as en, de-CH or hi.
        style: How to write it; compact is for instance 1.2M.
        decimal_places: Exactly so many digits behind the point; for compact, at most so many.
        grouping: Whether to separate thousands.
        currency: The ISO 4217 code, such as EUR, for style currency.
        unit: The CLDR name, such as kilometer or mile-per-hour, for style unit.
        width: For compact and unit, whether to write 1M and 5 km, or 1 million and 5 kilometers.
    """
    _refuse_strays(style, currency, unit)
    request = _Request(_number(value), _locale(locale), decimal_places, grouping, width)
    with decimal.localcontext(decimal.Context(4 * MOST_DIGITS, decimal.ROUND_HALF_EVEN)):
        if currency is not None:
            return _priced(request, currency)
        if unit is not None:
            return _measured(request, unit)
        if style == "compact":
            return _compact(request)
        if style == "scientific":
            return _scientific(request)
        return _plain(request, is_percent=style == "percent")


@ready_made(example={"items": ["apples", "pears", "plums"], "style": "or"})
def format_list(
    items: Annotated[list[Item], Field(max_length=200)],
    locale: LocaleName = "en",
    style: Literal["and", "or", "unit"] = "and",
) -> str:
    """Join items into a phrase as a language does: a, b, and c; a, b, or c; 3 feet, 7 inches.

    Args:
        items: The items, in order; none gives an empty text.
        locale: The language and region, such as en, de-CH or ja.
        style: Whether the items belong together, are alternatives, or are parts of one measure.
    """
    region = _locale(locale)
    from babel.lists import format_list as join  # noqa: PLC0415  # see the module's docstring

    return join(items, style="standard" if style == "and" else style, locale=region)


class _Request(NamedTuple):
    """A number, and how it is to be written."""

    number: decimal.Decimal
    region: Locale
    places: int | None
    grouping: bool
    width: Literal["short", "long"]

    @property
    def minus(self) -> str:
        """The sign of negative numbers."""
        from babel.numbers import get_minus_sign_symbol  # noqa: PLC0415

        return get_minus_sign_symbol(self.region)

    def written(
        self, found: NumberPattern, own_places: tuple[int, int], currency: str | None = None
    ) -> str:
        """Write the number in a locale's pattern; without `places`, with the style's own."""
        pattern = self.shaped(found, own_places)
        return str(pattern.apply(self.number, self.region, currency, currency_digits=False))

    def shaped(self, found: NumberPattern, own_places: tuple[int, int]) -> NumberPattern:
        """Return a locale's pattern, changed to the decimal places and the grouping asked for.

        Babel writes every minus as a hyphen; the locale may have another sign.
        """
        pattern = copy.copy(found)
        positive, negative = found.prefix
        pattern.prefix = (positive, negative.replace("-", self.minus))
        pattern.frac_prec = own_places if self.places is None else (self.places, self.places)
        if not self.grouping:
            pattern.grouping = (2 * MOST_DIGITS, 2 * MOST_DIGITS)
        return pattern


def _plain(request: _Request, *, is_percent: bool) -> str:
    places = _places(request.number)
    if is_percent:
        own = max(0, places - 2)
        return request.written(request.region.percent_formats[None], (own, own))
    return request.written(request.region.decimal_formats[None], (places, places))


def _scientific(request: _Request) -> str:
    """Round first: Babel would write 9.99 to one place as 10.0E0."""
    if request.places is not None:
        rounding = decimal.Context(request.places + 1, decimal.ROUND_HALF_EVEN)
        request = request._replace(number=rounding.plus(request.number))
    return request.written(request.region.scientific_formats[None], (0, 2 * MOST_DIGITS))


def _compact(request: _Request) -> str:
    """Round first: Babel would write 999,999 as 1000K, and numbers below the first unit in full."""
    from babel.numbers import format_compact_decimal  # noqa: PLC0415

    number, region, places = request.number, request.region, request.places
    places = 1 if places is None else places
    formats = region.compact_decimal_formats[request.width]["other"]
    scale = _scale(formats, number)
    number = round(number / scale, places) * scale
    if _scale(formats, number) == 1:
        plain = request._replace(number=number, places=None)
        return plain.written(region.decimal_formats[None], (0, places))
    written = format_compact_decimal(
        number, format_type=request.width, locale=region, fraction_digits=places
    )
    return written.replace("-", request.minus, 1) if number < 0 else written


def _scale(formats: Mapping[str, NumberPattern], number: decimal.Decimal) -> int:
    """Return what a compact number is divided by: 1,000 for 12K, and 1 where it is written out."""
    magnitude = max((int(size) for size in formats if int(size) <= abs(number)), default=0)
    pattern = formats[str(magnitude)].pattern if magnitude else "0"
    return 1 if pattern == "0" else magnitude // 10 ** (pattern.count("0") - 1)


def _priced(request: _Request, currency: str) -> str:
    from babel.numbers import get_currency_precision, get_currency_symbol  # noqa: PLC0415

    names: Mapping[str, str] = request.region.currencies
    code = currency.upper()
    if code not in names:
        said = currency.casefold()
        named = sorted((len(name), code) for code, name in names.items() if said in name.casefold())
        close = [code for _, code in named] or _close(code, names)
        raise _unknown("currency", currency, close, "EUR, USD or JPY")
    own = get_currency_precision(code)
    written = request.written(request.region.currency_formats["standard"], (own, own), code)
    return _spaced(written, get_currency_symbol(code, request.region))


def _spaced(written: str, symbol: str) -> str:
    """Part a currency of letters from the digits beside it, as CLDR asks and Babel does not."""
    if unicodedata.category(symbol[-1])[0] not in "SZ":
        written = re.sub(f"{re.escape(symbol)}(?=[0-9])", f"{symbol}\u00a0", written)
    if unicodedata.category(symbol[0])[0] not in "SZ":
        written = re.sub(f"(?<=[0-9]){re.escape(symbol)}", f"\u00a0{symbol}", written)
    return written


def _measured(request: _Request, unit: str) -> str:
    """Write a number with its unit, whose kind may be left out: length-kilometer is kilometer."""
    from babel.units import format_unit  # noqa: PLC0415

    region, places = request.region, _places(request.number)
    names = list(map(str, region.unit_display_names))
    full_names = {name.partition("-")[2]: name for name in names}
    name = unit if unit in names else full_names.get(unit)
    if name is None:
        close = _close(unit, full_names)
        raise _unknown("unit", unit, close, "kilometer, celsius or mile-per-hour")
    pattern: Any = request.shaped(region.decimal_formats[None], (places, places))
    shown = places if request.places is None else request.places
    counted = request.number.quantize(decimal.Decimal(1).scaleb(-shown))  # 1.0 is a plural
    written = format_unit(counted, name, request.width, pattern, region)
    is_missing = name in written  # for some languages Babel has only the short form
    return format_unit(counted, name, "short", pattern, region) if is_missing else written


def _number(value: float | str) -> decimal.Decimal:
    """Return the number; of one given as text even the zeros at the end are kept."""
    text = value if isinstance(value, str) else repr(value).removesuffix(".0")
    try:
        number = decimal.Decimal(text)
    except decimal.InvalidOperation:
        number = decimal.Decimal("NaN")
    if not number.is_finite():
        raise InputRefused(f"value {in_short(value)} is no number such as -1234.5 or 1.5e6")
    if number.adjusted() >= MOST_DIGITS or _places(number) > MOST_DIGITS:
        raise LimitExceeded(
            f"value has more than {MOST_DIGITS} digits before or behind its point when written out"
        )
    return number


def _places(number: decimal.Decimal) -> int:
    """Return how many digits stand behind the point of a finite number."""
    return max(0, -int(number.as_tuple().exponent))


def _locale(name: str) -> Locale:
    """Return what is known of a language. Both tools come here first: it finds out about Babel."""
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


def _close(given: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(given, sorted(known), n=5, cutoff=0.5)


def _unknown(what: str, given: str, similar: list[str], examples: str) -> InputRefused:
    hint = f"Did you mean {' or '.join(similar[:5])}?" if similar else f"Known are {examples}."
    return InputRefused(f"{what} {given!r} is not known. {hint}")


def _refuse_strays(style: Style, currency: str | None, unit: str | None) -> None:
    """Refuse a currency or unit that is missing, or that the style would silently ignore."""
    for name, value in (("currency", currency), ("unit", unit)):
        if (value is not None) != (style == name):
            raise InputRefused(f"{name} and style {name!r} belong together: give both or neither")
