"""Numbers and lists in the style of a language, with the data of Unicode's CLDR."""

from __future__ import annotations

import decimal
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from tether.batteries.languages.records.tables import is_number
from tether.batteries.languages.texts.localized_numbers import (
    ARITHMETIC,
    MOST_DIGITS,
    ListStyle,
    NumberRequest,
    find_locale,
    joined,
    places_of,
)
from tether.batteries.tools.ready_made import ready_made
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

LONGEST_NUMBER = 1_000

Number = Annotated[Any, WithJsonSchema({"type": ["number", "string"], "maxLength": LONGEST_NUMBER})]
LocaleName = Annotated[str, Field(max_length=40, pattern="^[A-Za-z0-9_-]+$")]
Name = Annotated[str, Field(min_length=1, max_length=60)]
Item = Annotated[str, Field(max_length=1_000)]
Style = Literal["decimal", "percent", "scientific", "compact", "currency", "unit"]


@ready_made(example={"value": "1234567.891", "locale": "de", "decimal_places": 2})
def format_number(
    value: Number,
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
    by 100. Digits are 0 to 9 in every language, and numbers of four digits or more are grouped.

    Args:
        value: The number; as text, such as "0.10" or "1e6", no digit is lost. Such text has no
            spaces and no separators of thousands.
        locale: The language and region, such as en, de-CH or hi.
        style: How to write it; compact is for instance 1.2M.
        decimal_places: The exact number of digits after the point; for compact, the most.
        grouping: Whether to separate thousands.
        currency: The ISO 4217 code, such as EUR, for style currency.
        unit: The CLDR name, such as kilometer or mile-per-hour, for style unit.
        width: For compact and unit, whether to write 1M and 5 km, or 1 million and 5 kilometers.
    """
    _refuse_strays(style, currency, unit)
    request = NumberRequest(_number(value), find_locale(locale), decimal_places, grouping, width)
    with decimal.localcontext(ARITHMETIC):
        if currency is not None:
            return request.priced(currency)
        if unit is not None:
            return request.measured(unit)
        writers = {"percent": request.percent, "scientific": request.scientific}
        writers |= {"compact": request.compact, "decimal": request.plain}
        return writers[style]()


@ready_made(example={"items": ["apples", "pears", "plums"], "style": "or"})
def format_list(
    items: Annotated[list[Item], Field(max_length=200)],
    locale: LocaleName = "en",
    style: ListStyle = "and",
) -> str:
    """Join items into a phrase as a language does: a, b, and c; a, b, or c; 3 feet, 7 inches.

    Args:
        items: The items, in order; none gives an empty text.
        locale: The language and region, such as en, de-CH or ja.
        style: Whether the items belong together, are alternatives, or are parts of one measure.
    """
    return joined(items, find_locale(locale), style)


def _number(value: object) -> decimal.Decimal:
    """Return the number; one given as text keeps its trailing zeros."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InputRefused(f"value is a number, or the text of one, not {in_short(value)}")
    if isinstance(value, int) and value.bit_length() > 4 * MOST_DIGITS:
        raise _too_long()
    text = value if isinstance(value, str) else repr(value).removesuffix(".0")
    if len(text) > LONGEST_NUMBER:
        raise _too_long()
    try:
        number = decimal.Decimal(text if is_number(text) else "NaN")
    except decimal.InvalidOperation:
        number = decimal.Decimal("NaN")
    if not number.is_finite():
        raise InputRefused(
            f"value {in_short(value)} is not a number such as -1234.5 or 1.5e6: write it with the "
            "digits 0 to 9 and a point, without spaces and separators of thousands"
        )
    if number.adjusted() >= MOST_DIGITS or places_of(number) > MOST_DIGITS:
        raise _too_long()
    return number or number.copy_abs()


def _too_long() -> LimitExceeded:
    return LimitExceeded(
        f"value has more than {MOST_DIGITS} digits before or after its point when written out"
    )


def _refuse_strays(style: Style, currency: str | None, unit: str | None) -> None:
    """Refuse a currency or unit that is missing, or that the style would silently ignore."""
    for name, value in (("currency", currency), ("unit", unit)):
        if (value is not None) != (style == name):
            raise InputRefused(f"{name} and style {name!r} belong together: give both or neither")
