"""The tools of the category formatting."""

from __future__ import annotations

import decimal
import sys
from itertools import product
from typing import Any

import pytest
from babel.localedata import locale_identifiers
from hypothesis import given
from hypothesis import strategies as st

from support.tools import refused
from tether.batteries.languages.texts.localized_numbers import (
    ARITHMETIC,
    MOST_DIGITS,
    ListStyle,
    NumberRequest,
    find_locale,
    joined,
)
from tether.batteries.testing import run_tool
from tether.batteries.tools.formatting import format_list, format_number
from tether.core.errors import LimitExceeded
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.tool import Tool


# What another implementation of CLDR writes: ICU 78, by Intl.NumberFormat.
@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (1234567.891, {"decimal_places": 2}, "1,234,567.89"),
        (1234567.891, {"locale": "de", "decimal_places": 2}, "1.234.567,89"),
        (1234567.891, {"locale": "fr", "decimal_places": 2}, "1\u202f234\u202f567,89"),
        (1234567, {"locale": "hi"}, "12,34,567"),
        (-1234567, {"locale": "sv"}, "\u22121\u00a0234\u00a0567"),
        (1234567, {"grouping": False}, "1234567"),
        (0.1234, {"style": "percent"}, "12.34%"),
        (0.1234, {"style": "percent", "locale": "de"}, "12,34\u00a0%"),
        (0.256, {"style": "percent", "decimal_places": 0}, "26%"),
        (0.25, {"style": "percent", "locale": "tr"}, "%25"),
        (1099.98, {"style": "currency", "currency": "USD", "locale": "en-US"}, "$1,099.98"),
        (1099.98, {"style": "currency", "currency": "EUR", "locale": "de_DE"}, "1.099,98\u00a0€"),
        (1099.98, {"style": "currency", "currency": "JPY", "locale": "en-US"}, "¥1,100"),
        (-5.5, {"style": "currency", "currency": "gbp", "locale": "en-GB"}, "-£5.50"),
        (1234567.5, {"style": "currency", "currency": "INR", "locale": "en-IN"}, "₹12,34,567.50"),
        (1.5, {"style": "currency", "currency": "KWD"}, "KWD\u00a01.500"),
        (1099.98, {"style": "currency", "currency": "USD", "decimal_places": 0}, "$1,100"),
        (1234567, {"style": "compact"}, "1.2M"),
        (999999, {"style": "compact"}, "1M"),
        (999999, {"style": "compact", "locale": "de"}, "999.999"),
        (1234567, {"style": "compact", "width": "long"}, "1.2 million"),
        (1234567, {"style": "compact", "width": "long", "locale": "de"}, "1,2 Millionen"),
        (1000000, {"style": "compact", "width": "long", "locale": "de"}, "1 Million"),
        (-1000000, {"style": "compact", "width": "long", "locale": "de"}, "-1 Million"),
        (1000000, {"style": "compact", "width": "long", "locale": "fr"}, "1 million"),
        (1000, {"style": "compact", "width": "long", "locale": "fr"}, "mille"),
        (-1000, {"style": "compact", "width": "long", "locale": "fr"}, "-1 millier"),
        (2000000, {"style": "compact", "width": "long", "locale": "fr"}, "2 millions"),
        (1000000, {"style": "compact", "width": "long", "locale": "it"}, "1 milione"),
        (1000000, {"style": "compact", "width": "long", "locale": "sv"}, "1 miljon"),
        (1000000, {"style": "compact", "width": "long", "locale": "pt-PT"}, "1 milhão"),
        (1000000, {"style": "compact", "width": "long", "locale": "ru"}, "1 миллион"),
        (2000000, {"style": "compact", "width": "long", "locale": "ru"}, "2 миллиона"),
        (5000000, {"style": "compact", "width": "long", "locale": "ru"}, "5 миллионов"),
        (1500000, {"style": "compact", "width": "long", "locale": "ru"}, "1,5 миллиона"),
        (1000000, {"style": "compact", "width": "long", "locale": "pl"}, "1 milion"),
        (3000000, {"style": "compact", "width": "long", "locale": "pl"}, "3 miliony"),
        (5000000, {"style": "compact", "width": "long", "locale": "pl"}, "5 milionów"),
        (1000000, {"style": "compact", "width": "long", "locale": "cs"}, "1 milion"),
        (1200000, {"style": "compact", "width": "long", "locale": "cs"}, "1,2 milionu"),
        (1234567, {"style": "compact", "width": "long", "locale": "ja"}, "123.5万"),
        (1234567, {"style": "compact", "width": "long", "locale": "zh"}, "123.5万"),
        (123456789, {"style": "compact", "width": "long", "locale": "ko"}, "1.2억"),
        (1000, {"style": "compact", "locale": "sw"}, "elfu\u00a01"),
        (-1000, {"style": "compact", "locale": "sw"}, "elfu\u00a0-1"),
        (123456789, {"style": "compact", "locale": "ja"}, "1.2億"),
        (99999999, {"style": "compact", "locale": "ja"}, "1億"),
        (-1500, {"style": "compact"}, "-1.5K"),
        (-1500000, {"style": "compact", "locale": "sv"}, "\u22121,5\u00a0mn"),
        (-0.75, {"style": "currency", "currency": "CHF", "locale": "en"}, "-CHF\u00a00.75"),
        (-0.75, {"style": "currency", "currency": "CHF", "locale": "pl"}, "-0,75\u00a0CHF"),
        (12.3456, {"style": "compact"}, "12.3"),
        (0, {"style": "compact"}, "0"),
        (999.96, {"style": "compact"}, "1K"),
        (1500, {"style": "compact", "decimal_places": 0}, "2K"),
        (12345, {"style": "scientific"}, "1.2345E4"),
        (9.99, {"style": "scientific", "decimal_places": 1}, "1.0E1"),
        (12345, {"style": "scientific", "decimal_places": 0}, "1E4"),
        (0.00012, {"style": "scientific", "locale": "de"}, "1,2E-4"),
        (1, {"style": "unit", "unit": "kilometer", "width": "long"}, "1 kilometer"),
        (
            1,
            {"style": "unit", "unit": "kilometer", "width": "long", "decimal_places": 2},
            "1.00 kilometers",
        ),
        (12.5, {"style": "unit", "unit": "kilometer"}, "12.5 km"),
        (
            1234.5,
            {"style": "unit", "unit": "length-kilometer", "width": "long", "locale": "de"},
            "1.234,5 Kilometer",
        ),
        (
            5,
            {"style": "unit", "unit": "kilometer", "width": "long", "locale": "pl"},
            "5 kilometrów",
        ),
        (2, {"style": "unit", "unit": "kilometer", "width": "long", "locale": "pl"}, "2 kilometry"),
        (2, {"style": "unit", "unit": "kilometer", "width": "long", "locale": "zh"}, "2公里"),
        (55, {"style": "unit", "unit": "mile-per-hour"}, "55 mph"),
        (-42.5, {"style": "unit", "unit": "celsius", "locale": "fr"}, "-42,5\u202f°C"),
        (16, {"style": "unit", "unit": "liter", "width": "long"}, "16 liters"),
        (5, {"style": "currency", "currency": "XCG", "locale": "et"}, "5,00\u00a0Cg."),
        (5, {"style": "currency", "currency": "AFN", "locale": "agq"}, "5\u00a0AFN"),
    ],
)
async def test_a_number_is_written_as_its_language_does(
    value: float, options: dict[str, Any], expected: str
) -> None:
    assert await run_tool(format_number, {"value": value, **options}) == expected


# What is shown is what was given: the digits of the argument are the expected value.
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("12345678901234567890.123456789012345678901234567890", None),
        ("0.10", None),
        ("-0.000000000000000000000000000000000000000000001", None),
        (12345678901234567890123, "12345678901234567890123"),
        (0.1, "0.1"),
        (5.0, "5"),
        (1e22, "1" + "0" * 22),
        ("1e6", "1000000"),
        ("1.5E-7", "0.00000015"),
    ],
)
async def test_no_digit_is_lost(value: str | float, expected: str | None) -> None:
    written = await run_tool(format_number, {"value": value, "grouping": False})
    assert written == (expected or value)


@given(
    number=st.decimals(allow_nan=False, allow_infinity=False, places=6), places=st.integers(0, 8)
)
async def test_rounding_is_that_of_decimal_arithmetic(number: decimal.Decimal, places: int) -> None:
    arguments = {"value": f"{number:f}", "decimal_places": places}
    written = await run_tool(format_number, arguments)
    with decimal.localcontext(decimal.Context(prec=100)):
        exact = number.quantize(decimal.Decimal(1).scaleb(-places), decimal.ROUND_HALF_EVEN)
    assert written == f"{exact or abs(exact):,f}"


async def test_a_callers_decimal_context_has_no_influence() -> None:
    with decimal.localcontext(decimal.Context(prec=2, rounding=decimal.ROUND_UP)):
        assert await run_tool(format_number, {"value": "1234.56789"}) == "1,234.56789"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"value": "1,5"}, "'1,5' is not a number"),
        ({"value": "NaN"}, "is not a number"),
        ({"value": "Infinity"}, "is not a number"),
        ({"value": "1e99999999999999999999"}, "is not a number"),
        ({"value": 1, "locale": "xx"}, "locale 'xx' is not known"),
        ({"value": 1, "locale": "en-UX"}, "Did you mean en_"),
        ({"value": 1, "locale": "12345678"}, "Known are en, en_GB"),
        ({"value": 1, "style": "currency"}, "currency and style 'currency' belong together"),
        ({"value": 1, "currency": "EUR"}, "currency and style 'currency' belong together"),
        ({"value": 1, "style": "unit"}, "unit and style 'unit' belong together"),
        ({"value": 1, "style": "currency", "currency": "euro"}, "Did you mean EUR"),
        ({"value": 1, "style": "currency", "currency": "EUX"}, "EUR"),
        ({"value": 1, "style": "currency", "currency": "1234567"}, "Known are EUR, USD"),
        ({"value": 1, "style": "unit", "unit": "kilometre"}, "Did you mean kilometer"),
        ({"value": 1, "style": "unit", "unit": "er"}, "unit 'er' is not known"),
        ({"value": 1, "style": "unit", "unit": "1234567"}, "Known are kilometer"),
    ],
)
async def test_what_cannot_be_formatted_is_refused_with_a_way_out(
    arguments: dict[str, Any], expected: str
) -> None:
    assert expected in str(await refused(format_number, **arguments))


@pytest.mark.parametrize(
    "value", ["1e999999", "1e-999999", "1e999999999999999999", "9" * (MOST_DIGITS + 1), "0e9999999"]
)
@pytest.mark.parametrize("style", ["decimal", "scientific", "compact", "percent"])
async def test_a_number_that_would_fill_pages_is_refused(value: str, style: str) -> None:
    error = await refused(format_number, value=value, style=style)
    assert isinstance(error, LimitExceeded)
    assert f"{MOST_DIGITS} digits" in str(error)


@pytest.mark.parametrize(
    "value",
    [sys.float_info.max, sys.float_info.min, 5e-324, "9" * MOST_DIGITS, f"1e-{MOST_DIGITS}"],
)
async def test_every_double_can_be_written_out(value: float | str) -> None:
    for style in ("decimal", "scientific", "compact", "percent"):
        written = await run_tool(format_number, {"value": value, "style": style})
        assert len(written) < 2 * MOST_DIGITS


@pytest.mark.parametrize(
    "value",
    [
        "1_000",
        "1__0",
        "\uff11\uff12",
        "١٢",
        " 5",
        "5 ",
        "1\n",
        "0x10",
        "--1",
        "1e",
        ".",
        "",
        "sNaN",
        "1 000",
    ],
)
async def test_only_plain_decimal_notation_is_read(value: str) -> None:
    assert "the digits 0 to 9 and a point" in str(await refused(format_number, value=value))


@pytest.mark.parametrize("value", [None, True, [1], {"a": 1}])
async def test_what_is_no_number_is_refused_in_plain_words(value: Any) -> None:
    message = str(await refused(format_number, value=value))
    assert "value is a number, or the text of one, not" in message
    assert "input_type" not in message


@pytest.mark.parametrize("value", ["1" * 1_001, "0." + "0" * 2_000, 10**500])
async def test_a_number_of_too_many_characters_is_refused(value: str | int) -> None:
    assert isinstance(await refused(format_number, value=value), LimitExceeded)


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        ("-0", {}, "0"),
        (-0.0, {}, "0"),
        ("-0.00", {}, "0.00"),
        ("-0e5", {"style": "scientific"}, "0E0"),
        (-0.001, {"decimal_places": 2}, "0.00"),
        (-0.00001, {"style": "percent", "decimal_places": 1}, "0.0%"),
        (-0.001, {"style": "currency", "currency": "USD"}, "$0.00"),
        (-0.01, {"style": "compact"}, "0"),
        (-0.4, {"style": "unit", "unit": "meter", "decimal_places": 0}, "0 m"),
        (-0.00001, {"style": "scientific", "decimal_places": 0}, "-1E-5"),
    ],
)
async def test_nothing_has_no_sign(value: Any, options: dict[str, Any], expected: str) -> None:
    assert await run_tool(format_number, {"value": value, **options}) == expected


def test_the_schema_asks_for_a_number_or_its_text() -> None:
    schema = format_number.describe()["input_schema"]["properties"]["value"]
    assert schema["type"] == ["number", "string"]


@pytest.mark.unmeasured
def test_every_language_writes_every_style() -> None:
    """Without the tool around it, which takes longer than all of this."""
    numbers = [decimal.Decimal(text) for text in ("1000000", "-25300.5")]
    with decimal.localcontext(ARITHMETIC):
        for number, name in product(numbers, locale_identifiers()):
            short = NumberRequest(number, find_locale(name), None, True, "short")
            long = short._replace(width="long")
            assert all([short.plain(), short.percent(), short.scientific(), short.compact()])
            assert all([long.compact(), long.measured("kilometer"), short.priced("XCG")])


@pytest.mark.parametrize("style", ["and", "or", "unit"])
def test_every_language_joins_a_list(style: ListStyle) -> None:
    for name in locale_identifiers():
        for items in (["1 m", "2 cm"], ["1 m", "2 cm", "3 mm"], ["1 m", "2 cm", "3 mm", "4 µm"]):
            phrase = joined(items, find_locale(name), style)
            assert [item for item in items if item in phrase] == items


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (format_number, {"value": 1, "decimal_places": 51}),
        (format_number, {"value": 1, "locale": "../../etc/passwd"}),
        (format_number, {"value": 1, "style": "roman"}),
        (format_list, {"items": ["a"] * 201}),
        (format_list, {"items": ["a"], "style": "xor"}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)


# What another implementation of CLDR writes: ICU 78, by Intl.ListFormat.
@pytest.mark.parametrize(
    ("items", "options", "expected"),
    [
        (["a", "b", "c"], {}, "a, b, and c"),
        (["a", "b"], {}, "a and b"),
        (["a"], {}, "a"),
        ([], {}, ""),
        (["a", "b", "c"], {"style": "or"}, "a, b, or c"),
        (["3 feet", "7 inches"], {"style": "unit"}, "3 feet, 7 inches"),
        (["a", "b", "c"], {"locale": "en-GB"}, "a, b and c"),
        (["a", "b", "c"], {"locale": "de"}, "a, b und c"),
        (["a", "b", "c"], {"locale": "fr"}, "a, b et c"),
        (["a", "b", "c"], {"locale": "ja"}, "a、b、c"),
        (["a", "b", "c"], {"locale": "es", "style": "or"}, "a, b o c"),
        (["a", "b", "c"], {"locale": "zh", "style": "or"}, "a、b或c"),
        (["a", "b"], {"locale": "de", "style": "unit"}, "a, b"),
        (["a", "b", "c", "d"], {"locale": "de", "style": "unit"}, "a, b, c und d"),
        (["a", "b"], {"locale": "es", "style": "unit"}, "a y b"),
        (["a", "b", "c", "d"], {"locale": "es", "style": "unit"}, "a, b, c y d"),
        (["a", "b", "c", "d"], {"locale": "nl", "style": "unit"}, "a, b, c en d"),
        (["a", "b", "c", "d"], {"locale": "ca", "style": "unit"}, "a, b, c i d"),
        (["a", "b", "c", "d"], {"locale": "ru", "style": "unit"}, "a b c d"),
    ],
)
async def test_items_are_joined_as_the_language_does(
    items: list[str], options: dict[str, Any], expected: str
) -> None:
    assert await run_tool(format_list, {"items": items, **options}) == expected


async def test_braces_in_an_item_stay_text() -> None:
    items = ["{0.__class__}", "{1}", "{", "}}", "%s"]
    assert await run_tool(format_list, {"items": items}) == "{0.__class__}, {1}, {, }}, and %s"


async def test_an_unknown_language_of_a_list_is_refused() -> None:
    assert "locale 'xx' is not known" in str(await refused(format_list, items=["a"], locale="xx"))


@pytest.mark.parametrize(
    ("tool", "arguments"), [(format_number, {"value": 1}), (format_list, {"items": ["a"]})]
)
async def test_without_babel_the_tools_say_what_to_install(
    tool: Tool, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "babel", None)
    assert "pip install 'tether[tools]'" in str(await refused(tool, **arguments))
