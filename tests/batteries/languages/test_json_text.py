"""Strict JSON from outside: plain data or a typed refusal, and no third thing (case 56)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.json.text import LONGEST_TEXT, MOST_DIGITS, parse_json
from tether.batteries.languages.json.values import DEEPEST
from tether.core.errors import InputRefused, LimitExceeded

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.sampled_from("abé\n")), inner),
)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.unmeasured
@given(values, st.booleans())
def test_what_the_json_module_writes_is_read_back(value: Any, ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only)) == value


# RFC 8259: section 2 (structure), 6 (numbers), 7 (strings), 8.1 (byte order mark).
@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" \t\r\n1 ", 1),
        ("-0.5e+2", -50.0),
        ('"\\u00e9\\n\\/"', "é\n/"),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\ud83d\ude00"', "\U0001f600"),
        ("\ufeff[1]", [1]),
        ("1e308", 1e308),
        ("9" * 400, int("9" * 400)),
        ('"\\\\ud800"', "\\ud800"),
    ],
)
def test_what_the_standard_allows_is_read(text: str, value: Any) -> None:
    assert parse_json(text) == value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"\\ud800"', "\ufffd"),
        ('"\\uDC00x"', "\ufffdx"),
        ('"\\ud800\\u0041"', "\ufffdA"),
        ('"\\ud800\\ud83d\\ude00"', "\ufffd\U0001f600"),
        ('"\ud800"', "\ufffd"),
    ],
)
def test_half_a_surrogate_pair_is_replaced_as_in_all_text(text: str, shown: str) -> None:
    assert parse_json(text) == shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": Expecting value at column 1"),
        ('{"a": 1,}', "at column"),
        ("[1\n2]", "line 2, column 1"),
        ("[1] 2", "Extra data"),
        ("{a: 1}", "at column 2"),
        ("[\n  1\n  2]", "at line 3, column 3"),
        ("'a'", ": Expecting value at column 1"),
        ('"a\nb"', "line 1, column 3"),
        ("01", "Extra data"),
        ("NaN", "NaN"),
        ("[Infinity]", "Infinity"),
        ("-Infinity", "-Infinity"),
        ("1e999", "'1e999'"),
        ("-1e999", "range of a double"),
        ('{"a": 1, "b": 2, "a": 3}', "the key 'a' twice"),
        ('[{"x": {"\\u0061": 1, "a": 2}}]', "the key 'a' twice"),
        ('{"\\ud800": 1, "\\udc00": 2}', "twice"),
        ("9" * (MOST_DIGITS + 1), "4,300 digits"),
        ("1" * 1_000_000, "4,300 digits"),
    ],
)
def test_anything_else_is_refused_and_the_refusal_says_where_or_what(text: str, said: str) -> None:
    with pytest.raises(InputRefused, match=r"JSON|number") as refused:
        parse_json(text)
    assert said in refused.value.message
    assert len(refused.value.message) < 400


def test_nesting_ends_at_its_limit_and_far_beyond_it() -> None:
    value = parse_json(nested(DEEPEST))
    for _ in range(DEEPEST - 1):
        [value] = value
    assert value == []
    for depth in (DEEPEST + 1, 500, 100_000):
        with pytest.raises(LimitExceeded, match="nested"):
            parse_json(nested(depth))
    with pytest.raises(LimitExceeded, match="nested"):
        parse_json('{"a":' * 201 + "1" + "}" * 201)


def test_text_is_read_up_to_a_size() -> None:
    assert parse_json("[1]", longest=3) == [1]
    with pytest.raises(LimitExceeded, match="JSON Lines"):
        parse_json("[1] ", longest=3)
    with pytest.raises(LimitExceeded, match="5,000,001 characters"):
        parse_json(" " * (LONGEST_TEXT + 1))


@pytest.mark.parametrize(
    "text",
    [
        '{"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]}',
        '{"__class__": "os.system", "__proto__": {"a": 1}, "constructor": {}}',
        '{"$ref": "file:///etc/passwd", "@type": "java.lang.Runtime"}',
        '{"py/object": "subprocess.Popen", "!!python/object/apply": 1}',
    ],
)
def test_keys_that_mean_something_elsewhere_are_plain_keys(text: str) -> None:
    value = parse_json(text)
    assert type(value) is dict
    assert value == json.loads(text)


@pytest.fixture
def no_digit_limit() -> Iterator[None]:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(limit)


@pytest.mark.usefixtures("no_digit_limit")
def test_digits_are_counted_where_the_interpreter_does_not() -> None:
    assert parse_json("[12]") == [12]
    with pytest.raises(InputRefused, match="4,300 digits"):
        parse_json("1" * 1_000_000)
