"""JSON5 against its specification (spec.json5.org) and against strict JSON, which it contains."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.json.json5 import LONGEST_JSON5, parse_json5
from tether.batteries.languages.json.values import DEEPEST
from tether.core.errors import InputRefused, LimitExceeded

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner)
)

# The example on the first page of json5.org.
KITCHEN_SINK = r"""{
  // comments
  unquoted: 'and you can quote me on that',
  singleQuotes: 'I can use "double quotes" here',
  lineBreaks: "Look, Mom! \
No \\n's!",
  hexadecimal: 0xdecaf,
  leadingDecimalPoint: .8675309, andTrailing: 8675309.,
  positiveSign: +1,
  trailingComma: 'in objects', andIn: ['arrays',],
  "backwardsCompatible": "with JSON",
}
"""


def test_the_example_of_the_first_page() -> None:
    assert parse_json5(KITCHEN_SINK) == {
        "unquoted": "and you can quote me on that",
        "singleQuotes": 'I can use "double quotes" here',
        "lineBreaks": "Look, Mom! No \\n's!",
        "hexadecimal": 0xDECAF,
        "leadingDecimalPoint": 0.8675309,
        "andTrailing": 8675309.0,
        "positiveSign": 1,
        "trailingComma": "in objects",
        "andIn": ["arrays"],
        "backwardsCompatible": "with JSON",
    }


@given(values, st.sampled_from([None, 0, 2]), st.booleans())
def test_strict_json_is_json5(value: Any, indent: int | None, ascii_only: bool) -> None:
    assert parse_json5(json.dumps(value, indent=indent, ensure_ascii=ascii_only)) == value


# spec.json5.org: 3 objects, 4 arrays, 5 strings, 6 numbers, 7 comments, 8 white space, and the
# productions of ECMAScript 5.1 that they name (7.6 identifiers, 7.8.3 and 7.8.4 literals).
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ("{a:1}", {"a": 1}),
        ("{a:1,}", {"a": 1}),
        ("{$_a9: 1, _: 2, while: 3, null: 4}", {"$_a9": 1, "_": 2, "while": 3, "null": 4}),
        ("{ü: 1, 中文: 2, ℵ: 3}", {"ü": 1, "中文": 2, "ℵ": 3}),
        ("{a\u0301b: 1, a\u200cb: 2}", {"a\u0301b": 1, "a\u200cb": 2}),
        ("{\\u0061b: 1, c\\u0064: 2}", {"ab": 1, "cd": 2}),
        ("{'a': 1, \"b\": 2, '': 3}", {"a": 1, "b": 2, "": 3}),
        ("{a\u00a0:\u00a01}", {"a": 1}),
        ("[]", []),
        ("[ ]", []),
        ("[1,2,]", [1, 2]),
        ("[[],[[]],]", [[], [[]]]),
        (r"'\'\"\\\b\f\n\r\t\v\0'", "'\"\\\b\f\n\r\t\v\0"),
        (r"'\x41\u00e9\A\C\/\D'", "AéAC/D"),
        ("'a\\\nb\\\r\nc\\\rd\\\u2028e\\\u2029f'", "abcdef"),
        ("'\u2028 \u2029 \t'", "\u2028 \u2029 \t"),
        ('"it\'s"', "it's"),
        (r"'\ud83d\ude00'", "\U0001f600"),
        (r"'\ud83d'", "\ufffd"),
        ("0", 0),
        ("-0", 0),
        ("+1", 1),
        ("-1", -1),
        (".5", 0.5),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("5.e1", 50.0),
        ("1E-2", 0.01),
        ("0xC8", 200),
        ("-0Xff", -255),
        ("1e308", 1e308),
        ("true", True),
        (" false ", False),
        ("null", None),
        ("// a\n1 // b", 1),
        ("/* a\n * b */ 1 /**/", 1),
        ("[1,//\n2/*,3*/,/**/]", [1, 2]),
        ("{/**/a/**/:/**/1/**/}", {"a": 1}),
        ("//\u20281", 1),
        ("\t\v\f\u00a0\ufeff\u2003\u30001\n\r\u2028\u2029", 1),
    ],
)
def test_what_the_specification_allows(text: str, value: Any) -> None:
    found = parse_json5(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "character 1: expected a value, and found the end"),
        ("// only", "expected a value"),
        ("/* open", "expected a value"),
        ("1 2", "character 3: expected nothing more"),
        ("[,]", "expected a value"),
        ("[1,,2]", "expected a value"),
        ("[1 2]", "expected ',' or ']'"),
        ("[1", "expected ',' or ']'"),
        ("{,}", "expected a key"),
        ("{a 1}", "expected ':'"),
        ("{a: 1 b: 2}", "expected ',' or '}'"),
        ("{1a: 1}", "expected a key"),
        ("{a-b: 1}", "expected ':'"),
        ("{\\u0031a: 1}", "expected a key"),
        ("{\ud800: 1}", "expected a key"),
        ("{₠: 1}", "expected a key"),
        ("{a:", "expected a value"),
        ("'a", "expected ' at the end"),
        ('"a\nb"', 'expected " at the end'),
        ("'\\1'", "expected an escape"),
        ("'\\01'", "expected an escape"),
        ("'\\x4'", "expected an escape"),
        ("'\\u004'", "expected an escape"),
        ("'\\", "expected an escape"),
        ("01", "expected a value"),
        ("0x", "expected a value"),
        (".", "expected a value"),
        ("1e", "expected a value"),
        ("+ 1", "expected a value"),
        ("--1", "expected a value"),
        ("1a", "expected a value"),
        ("1.2.3", "expected a value"),
        ("True", "expected a value"),
        ("undefined", "expected a value"),
        ("Infinity", "a number that JSON can hold"),
        ("[-Infinity]", "character 2: expected a number that JSON can hold"),
        ("+NaN", "a number that JSON can hold"),
        ("1e999", "range of a double"),
        ("-1e999", "range of a double"),
        ("0x" + "f" * 4_301, "4,300 digits"),
        ("1" * 100_000, "4,300 digits"),
        ("{a: 1, 'a': 2}", "the key 'a' occurs twice"),
    ],
)
def test_what_it_does_not_is_refused_where_it_is(text: str, said: str) -> None:
    with pytest.raises(InputRefused) as refused:
        parse_json5(text)
    assert said in refused.value.message
    assert len(refused.value.message) < 300


def test_nesting_and_size_have_limits() -> None:
    assert parse_json5("[" * DEEPEST + "]" * DEEPEST)
    for text in ("[" * 201, "{a:" * 201, "[" * 100_000):
        with pytest.raises(LimitExceeded, match="200 levels"):
            parse_json5(text)
    with pytest.raises(LimitExceeded, match="1,000,001 characters"):
        parse_json5(" " * (LONGEST_JSON5 + 1))
    assert parse_json5("[1]", longest=3) == [1]


def test_a_stack_that_is_almost_used_up_is_a_refusal_too() -> None:
    def deep(left: int) -> None:
        if left:
            deep(left - 1)
        else:
            parse_json5("[" * 150 + "]" * 150)

    frames = len(inspect.stack(0))
    with pytest.raises(LimitExceeded, match="200 levels"):
        deep(sys.getrecursionlimit() - frames - 60)
