"""YAML as plain data."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.languages.records.safe_yaml import parse_yaml
from tether.core.errors import InputRefused, LimitExceeded

# YAML 1.2.2, section 10.3.2, the table of tag resolution of the core schema, with the examples of
# sections 10.2.1.1 to 10.3.2. https://yaml.org/spec/1.2.2/#1032-tag-resolution
CORE_SCHEMA = [
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("~", None),
    ("", None),
    ("true", True),
    ("True", True),
    ("TRUE", True),
    ("false", False),
    ("False", False),
    ("FALSE", False),
    ("0", 0),
    ("-19", -19),
    ("+12", 12),
    ("017", 17),
    ("0o7", 7),
    ("0o17", 15),
    ("0x3A", 58),
    ("0xff", 255),
    ("0.", 0.0),
    (".5", 0.5),
    ("+12e03", 12000.0),
    ("-2E+05", -200000.0),
    ("1e3", 1000.0),
    ("2.3e4", 23000.0),
]

# Values of YAML 1.1 (https://yaml.org/type/) that are text in 1.2.
TEXT_IN_YAML_12 = [
    *("yes", "no", "on", "off", "y", "n", "Yes", "NO"),
    *("12:30:45", "190:20:30.15", "1_000", "0b1010", "685_230.15"),
    *("2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-12-15 2:59:43.10"),
    *("nULL", "tRUE", "0o8", "0xg", "-0x1", "+0o7", ".", "e3", "1e", "1.5.2", "-", "=", "<<"),
]

# YAML 1.2.2, example 10.8, without its line of infinite floats.
EXAMPLE_10_8 = """A null: null
Booleans: [ true, True, false, FALSE ]
Integers: [ 0, 0o7, 0x3A, -19 ]
Floats: [
  0., -0.0, .5, +12e03, -2E+05 ]
"""

# YAML 1.2.2, examples 2.1 to 2.6, 2.13, 2.15, 2.16 and 2.18, and what chapter 2 says they are.
PREVIEW = [
    (
        "- Mark McGwire\n- Sammy Sosa\n- Ken Griffey\n",
        ["Mark McGwire", "Sammy Sosa", "Ken Griffey"],
    ),
    (
        "hr:  65    # Home runs\navg: 0.278 # Batting average\nrbi: 147   # Runs Batted In\n",
        {"hr": 65, "avg": 0.278, "rbi": 147},
    ),
    (
        "american:\n- Boston Red Sox\n- Detroit Tigers\nnational:\n- New York Mets\n",
        {"american": ["Boston Red Sox", "Detroit Tigers"], "national": ["New York Mets"]},
    ),
    (
        "-\n  name: Mark McGwire\n  hr:   65\n-\n  name: Sammy Sosa\n  hr:   63\n",
        [{"name": "Mark McGwire", "hr": 65}, {"name": "Sammy Sosa", "hr": 63}],
    ),
    (
        "- [name        , hr, avg  ]\n- [Mark McGwire, 65, 0.278]\n",
        [["name", "hr", "avg"], ["Mark McGwire", 65, 0.278]],
    ),
    (
        "Mark McGwire: {hr: 65, avg: 0.278}\nSammy Sosa: {\n    hr: 63,\n    avg: 0.288,\n }\n",
        {"Mark McGwire": {"hr": 65, "avg": 0.278}, "Sammy Sosa": {"hr": 63, "avg": 0.288}},
    ),
    ("# ASCII Art\n--- |\n  \\//||\\/||\n  // ||  ||__\n", "\\//||\\/||\n// ||  ||__\n"),
    (
        "--- >\n Sammy Sosa completed another\n fine season.\n\n   63 Home Runs\n\n What a year!\n",
        "Sammy Sosa completed another fine season.\n\n  63 Home Runs\n\nWhat a year!\n",
    ),
    (
        'plain:\n  This unquoted\n  scalar.\n\nquoted: "So does this\n  quoted scalar.\\n"\n',
        {
            "plain": "This unquoted scalar.",
            "quoted": "So does this quoted scalar.\n",
        },
    ),
]


@pytest.fixture(params=["C", "Python"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run with the loader in C, and with the one in Python that is there without it."""
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader")
    return str(request.param)


@pytest.mark.parametrize(("text", "expected"), CORE_SCHEMA)
def test_plain_scalars_follow_the_core_schema(text: str, expected: Any) -> None:
    value = parse_yaml(text)
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize("text", TEXT_IN_YAML_12)
def test_what_only_yaml_1_1_takes_for_a_value_is_text(text: str) -> None:
    assert parse_yaml(f"key: {text}" if text != "-" else "key: '-'")["key"] == text


def test_the_example_of_the_core_schema() -> None:
    assert parse_yaml(EXAMPLE_10_8) == {
        "A null": None,
        "Booleans": [True, True, False, False],
        "Integers": [0, 7, 58, -19],
        "Floats": [0.0, -0.0, 0.5, 12000.0, -200000.0],
    }
    assert math.copysign(1, parse_yaml("-0.0")) == -1


@pytest.mark.parametrize(("text", "expected"), PREVIEW)
@pytest.mark.usefixtures("loader")
def test_the_examples_of_chapter_two(text: str, expected: Any) -> None:
    assert parse_yaml(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"true"', "true"),
        ("'12'", "12"),
        ('""', ""),
        ("|\n  12", "12"),
        ("!!str 12", "12"),
        ('!!int "12"', 12),
        ("!!float 3", 3.0),
        ("!!float 0x10", 16.0),
        ("!!bool true", True),
        ("!!null ''", None),
        ("!!seq [a]", ["a"]),
        ("!!map {a: 1}", {"a": 1}),
        ("! {a: 1}", {"a": 1}),
        ("! '12'", "12"),
        ("!<tag:yaml.org,2002:int> 3", 3),
        ("%TAG ! tag:yaml.org,2002:\n--- !int 3", 3),
    ],
)
@pytest.mark.usefixtures("loader")
def test_quotes_and_the_core_tags_decide_what_a_scalar_is(text: str, expected: Any) -> None:
    value = parse_yaml(text)
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("1: a\n1.10: b\ntrue: c\n~: d\n2001-12-14: e\n0x10: f\n012: g\n", None),
        ("\"a b\": 1\n'c': 2\n? d\n: 3\n", ["a b", "c", "d"]),
        ("<<: {a: 1}\nb: 2", ["<<", "b"]),
        ("{a, b: 1}", ["a", "b"]),
        ("!!int 3: a", ["3"]),
    ],
)
def test_a_key_is_the_text_that_is_written(text: str, keys: list[str] | None) -> None:
    written = [line.split(":")[0] for line in text.split("\n") if line]
    assert list(parse_yaml(text)) == (keys or written)


json_texts = st.text(
    st.sampled_from("abcXYZ 0123456789-:#{}[],&*!|>'\"%@`~\\.?\n\té😀"), max_size=20
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | json_texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(json_texts, inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.sampled_from([None, 2]))
def test_json_is_yaml(value: Any, indent: int | None) -> None:
    assert parse_yaml(json.dumps(value, ensure_ascii=False, indent=indent)) == value


words = st.text(st.sampled_from("abcdefghij"), min_size=1, max_size=8).filter(
    lambda word: not isinstance(yaml.safe_load(word), bool)
)
plain_values = st.recursive(
    st.integers() | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=20,
)


@given(plain_values)
def test_block_style_reads_as_pyyaml_writes_and_reads_it(value: Any) -> None:
    """The oracle is PyYAML, on words and numbers, which YAML 1.1 and 1.2 read alike."""
    text = yaml.safe_dump(value, default_flow_style=False)
    assert parse_yaml(text) == yaml.safe_load(text) == value


def test_a_byte_order_mark_and_nothing_are_no_content() -> None:
    assert parse_yaml("\ufeffa: 1") == {"a": 1}
    assert parse_yaml("") is None
    assert parse_yaml("# only a comment\n") is None
    assert parse_yaml("--- a\n...\n") == "a"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: b: c", "line 1, column 5"),
        ("a: 1\nb:\n\t- c", "line 3, column 1"),
        ("a: [1, 2", "column"),
        ("a: 'x", "line 1, column"),
        ("a:\n  - b\n c: d", "line 3, column"),
        ("%YAML 3.0\n--- a", "line 1, column"),
        ("!undefined!tag a", "line 1, column"),
        ("a: @b", "line 1, column 4"),
        ("&a [1]", "the anchor 'a' is not allowed"),
        ("a: &b 1\nc: *b", "the anchor 'b' is not allowed"),
        ("*a", "the alias 'a' is not allowed"),
        ("a: 1\nb: 2\na: 3", "line 3, column 1 the key 'a' is there twice"),
        ("1: a\n'1': b", "the key '1' is there twice"),
        ("{a: 1, a: 2}", "the key 'a' is there twice"),
        ("[a]: b", "a key has to be a single value"),
        ("? {a: 1}\n: b", "a key has to be a single value"),
        ("a: .inf", "line 1, column 4 '.inf' is not a finite number"),
        ("- -.INF", "'-.INF' is not a finite number"),
        ("- .NaN", "'.NaN' is not a finite number"),
        ("1e999", "'1e999' is not a finite number"),
        (f"!!float {'9' * 400}", "not a finite number"),
        ("a\n---\nb", "line 2, column 1 a second document starts"),
        ("!!int x", "'x' is not a !!int"),
        ("!!bool yes", "'yes' is not a !!bool"),
        ("!!null x", "'x' is not a !!null"),
        ("!!set {a}", "!!str, !!int"),
        ("!!map [a]", "the tag 'tag:yaml.org,2002:map' is not allowed"),
        ("!!timestamp 2001-12-14", "the tag 'tag:yaml.org,2002:timestamp' is not allowed"),
        ("!mine 1", "the tag '!mine' is not allowed"),
        ("a: \x07", "'\\x07' at line 1, column 4"),
        ("a: b\nc: \x00", "'\\x00' at line 2, column 4"),
        ("a\ud800", "'\\ud800' at line 1, column 2"),
        ('"\\UFFFFFFFF"', "this is not YAML"),
        ("!<%80> a", "this is not YAML"),
    ],
)
@pytest.mark.usefixtures("loader")
def test_bad_yaml_is_refused_with_its_place(text: str, why: str) -> None:
    with pytest.raises(InputRefused) as refused:
        parse_yaml(text)
    assert why in refused.value.message
    assert not isinstance(refused.value, LimitExceeded)


def test_an_escape_the_loader_in_python_cannot_turn_into_a_character_is_no_surrogate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert parse_yaml('"\\ud800"') == "\ufffd"


def test_a_version_of_too_many_digits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader")
    with pytest.raises(InputRefused, match="out of range"):
        parse_yaml(f"%YAML 1.{'9' * 5000}\n--- a")


ALIASES = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
)
MERGES = "a: &a {k: v}\n" + "".join(
    f"{b}: &{b}\n  <<: [{', '.join([f'*{a}'] * 9)}]\n"
    for a, b in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [ALIASES, MERGES, "&a\n<<: *a", "&a [*a]"],
    ids=["alias bomb", "merge bomb", "<<: *self", "self"],
)
@pytest.mark.usefixtures("loader")
def test_bombs_of_aliases_are_refused_before_they_grow(text: str) -> None:  # case 55
    with pytest.raises(InputRefused, match="anchor"):
        parse_yaml(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5_000,
        "[\n" * 5_000,
        "{a: " * 5_000,
        "- " * 5_000,
        "".join(f"{' ' * level}a:\n" for level in range(200)),
        f"[{'a,' * 60_000}]",
        "- a: b\n" * 17_000,
        "1" * 2_000,
        f"0x{'f' * 2_000}",
        f"1.{'0' * 200_000}",
        "a" * 300_000,
        "é" * 140_000,
        "".join(f"%TAG !h{n}! tag:x,2000:\n" for n in range(200)),
    ],
    ids=lambda text: text[:8],
)
@pytest.mark.usefixtures("loader")
def test_what_is_too_large_or_too_deep_is_refused(text: str) -> None:  # case 55
    with pytest.raises(LimitExceeded) as refused:
        parse_yaml(text)
    assert len(refused.value.message) < 500


def test_a_flow_map_of_100_kilobytes_and_a_hundred_levels_are_read() -> None:  # case 55
    entries = ", ".join(f"key{number}: {number}" for number in range(7_000))
    assert parse_yaml(f"{{{entries}}}")["key6999"] == 6_999
    value = parse_yaml("[" * 100 + "]" * 100)
    for _ in range(99):
        (value,) = value
    assert value == []
    assert parse_yaml("9" * 1_000) == int("9" * 1_000)
    assert len(parse_yaml("a" * 250_000)) == 250_000


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.mkdir", "!!python/object/new:os.mkdir", "!!python/name:os.x"]
)
def test_no_tag_constructs_anything(tag: str, tmp_path: Path) -> None:  # case 55
    target = tmp_path / "made"
    with pytest.raises(InputRefused, match="tag"):
        parse_yaml(f"{tag} ['{target}']")
    assert not target.exists()


def test_without_pyyaml_the_refusal_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputRefused, match=r"pip install 'tether\[tools\]'"):
        parse_yaml("a: 1")


@given(st.text(st.sampled_from("ab1 \n\t:-?[]{},#&*!|>'\"%@`~.\\<\r\x85\u2028\ufeffé\x00\ud800")))
def test_any_text_is_data_for_json_or_refused(text: str) -> None:
    try:
        value = parse_yaml(text)
    except InputRefused:
        return
    json.dumps(value, allow_nan=False).encode()
