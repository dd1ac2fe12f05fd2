"""The tools format_table and json_format of the category structured_data."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.tools import refused
from tether.batteries.testing import run_tool
from tether.batteries.tools import structured_data
from tether.batteries.tools.structured_data import format_table, json_format, validate_format
from tether.core.errors import LimitExceeded
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.tool import Tool


# Written by hand after section 4.10 of the GitHub Flavored Markdown specification.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"rows": [{"name": "Ann", "age": 7}, {"name": "Bo|b", "age": 12.5}]},
            "| name  |  age |\n| ----- | ---: |\n| Ann   |    7 |\n| Bo\\|b | 12.5 |",
        ),
        (
            {"rows": [["a", "b"], ["x\ny", "c:\\d"], ["z"]]},
            "| a      | b     |\n| ------ | ----- |\n| x<br>y | c:\\\\d |\n| z      |       |",
        ),
        (
            {"rows": [[1, True, None]], "columns": ["n", "ok", "none"]},
            "|   n | ok   | none |\n| --: | ---- | ---- |\n|   1 | true |      |",
        ),
        (
            {"rows": [{"a": [1, {"b": "é"}], "c": ""}], "columns": ["c", "a"]},
            '| c   | a               |\n| --- | --------------- |\n|     | [1, {"b": "é"}] |',
        ),
        (
            {"rows": [["城市"], ["e\u0301"]]},
            "| 城市 |\n| ---- |\n| e\u0301    |",
        ),
        ({"rows": [], "columns": ["a"]}, "| a   |\n| --- |"),
        ({"rows": [["a" * 61, "b"], ["c", "d"]]}, None),
    ],
)
async def test_a_markdown_table_is_aligned(arguments: dict[str, Any], expected: str | None) -> None:
    table = await run_tool(format_table, arguments)
    if expected is None:  # a very long cell sticks out
        expected = f"| {'a' * 61} | b   |\n| {'-' * 60} | --- |\n| c{' ' * 59} | d   |"
    assert table == expected


async def test_columns_come_in_the_order_in_which_rows_name_them() -> None:
    arguments = {"rows": [{"b": 1}, {"a": 2, "b": 3}], "format": "csv"}
    assert await run_tool(format_table, arguments) == "b,a\r\n1,\r\n3,2\r\n"


# RFC 4180, section 2: CRLF, quotes doubled; for the apostrophe, OWASP on CSV injection.
@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("aaa", "aaa"),
        ('b"bb', '"b""bb"'),
        ("b\r\nbb", '"b\r\nbb"'),
        ("b,b", '"b,b"'),
        (" b ", '" b "'),
        ("", '""'),
        (None, '""'),
        (1.5, "1.5"),
        (-3, "-3"),
        (1e300, "1e+300"),
        ("-3.5e-7", "-3.5e-7"),
        ("+49", "+49"),
        ("=1+1", "'=1+1"),  # case 57
        ("+1 2", "'+1 2"),
        ("-a", "'-a"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", '"\'\r=1"'),
        ("\n=1", '"\'\n=1"'),
        ("\uff1d1", "'\uff1d1"),
        ('=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'),
        ("a=1", "a=1"),
    ],
)
async def test_a_cell_of_csv_is_quoted_and_never_a_formula(cell: Any, expected: str) -> None:
    arguments = {"rows": [[cell]], "columns": ["h"], "format": "csv"}
    assert await run_tool(format_table, arguments) == f"h\r\n{expected}\r\n"


async def test_a_heading_is_no_formula_either() -> None:
    arguments = {"rows": [{"=cmd": "a\tb"}], "format": "tsv"}
    assert await run_tool(format_table, arguments) == '\'=cmd\r\n"a\tb"\r\n'


CELLS = st.text(
    st.characters(exclude_characters="=+-@\t\r\n\x00\uff1d\uff0b\uff0d\uff20", codec="utf-8")
)


@given(
    rows=st.lists(st.lists(CELLS | st.just('a"\r\n,\t'), min_size=3, max_size=3), min_size=1),
    kind=st.sampled_from([("csv", ","), ("tsv", "\t")]),
)
async def test_a_csv_reader_reads_back_what_was_written(
    rows: list[list[str]], kind: tuple[str, str]
) -> None:
    arguments = {"rows": rows, "columns": ["a", "b", "c"], "format": kind[0]}
    written = await run_tool(format_table, arguments)
    read = list(csv.reader(io.StringIO(written, newline=""), delimiter=kind[1], strict=True))
    assert read == [["a", "b", "c"], *rows]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"rows": []}, "needs 1 to 200 columns, not 0"),
        ({"rows": [{}]}, "needs 1 to 200 columns, not 0"),
        ({"rows": [[]]}, "needs 1 to 200 columns, not 0"),
        ({"rows": [{str(n): n for n in range(201)}]}, "not 201"),
        ({"rows": [{"a": 1}], "columns": ["b"]}, "no row has the column 'b'; there are ['a']"),
        ({"rows": [["a"], ["b", "c"]]}, "row 1 has 2 cells, but there are 1 columns"),
        ({"rows": [{"a": 1}, [1]]}, "rows must be all objects, or all lists"),
        ({"rows": [1]}, "rows must be all objects, or all lists"),
        ({"rows": [["a"] * 201]}, "needs 1 to 200 columns, not 201"),
        ({"rows": [["a"] * 201], "columns": ["a"]}, "row 1 has 201 cells"),
    ],
)
async def test_rows_that_make_no_table_are_refused(
    arguments: dict[str, Any], expected: str
) -> None:
    assert expected in str(await refused(format_table, **arguments))


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "rows",
    [
        [["a" * 400_000], ["b" * 300_000], ["c" * 300_000]],
        [["a" * 1_000_000]],
        [[[[]] * 100_001]],
        [["x"] * 200] * 3_000,
    ],
)
@pytest.mark.parametrize("format", ["markdown", "csv"])
async def test_a_table_is_bounded(rows: list[Any], format: str) -> None:  # case 57
    error = await refused(format_table, rows=[["h"] * len(rows[0]), *rows], format=format)
    assert isinstance(error, LimitExceeded)


async def test_a_table_with_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured_data, "LONGEST_CELLS", 10)
    error = await refused(format_table, rows=[["heading"], ["cell"]])
    assert isinstance(error, LimitExceeded)
    assert "more than 10 characters" in str(error)


DATA = {"b": [1, 2.5, "é\u2028"], "a": {}, "c": [], "d": {"x": None, "y": [True, {"z": ""}]}}


@pytest.mark.parametrize("data", [DATA, json.dumps(DATA)])
@pytest.mark.parametrize("sort_keys", [False, True])
async def test_json_is_written_as_the_standard_library_does(data: Any, sort_keys: bool) -> None:
    arguments = {"data": data, "sort_keys": sort_keys, "indent": 3}
    dump = partial(json.dumps, DATA, ensure_ascii=False, sort_keys=sort_keys)
    assert await run_tool(json_format, arguments) == dump(indent=3)
    minified = await run_tool(json_format, {**arguments, "mode": "minify"})
    assert minified == dump(separators=(",", ":"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"data": None}, "null"),
        ({"data": 1e22}, "1e+22"),
        ({"data": "null"}, "null"),
        ({"data": '"text"'}, '"text"'),
        ({"data": " [ 1 , 2 ] ", "mode": "minify"}, "[1,2]"),
        ({"data": [1, 2]}, "[\n  1,\n  2\n]"),
        (
            {"data": '\ufeff["\\ud800", "\\ud83d\\ude00"]', "mode": "minify"},
            '["\ufffd","\U0001f600"]',
        ),
    ],
)
async def test_any_json_value_can_be_written(data: dict[str, Any], expected: str) -> None:
    assert await run_tool(json_format, data) == expected


@pytest.mark.parametrize(
    "number",
    ["1.0000000000000000001", "1e2", "1E+2", "-0", "-0.0", "0.10", "1e-400", "9" * 40, "100.0"],
)
async def test_the_numbers_of_a_text_keep_their_digits(number: str) -> None:
    data = f'{{"a":[{number},{{"b":{number}}}]}}'
    assert await run_tool(json_format, {"data": data, "mode": "minify"}) == data
    assert await run_tool(json_format, {"data": number}) == number


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
)


@given(value=VALUES, indent=st.integers(1, 8), sort_keys=st.booleans())
async def test_every_value_is_written_as_the_standard_library_does(
    value: Any, indent: int, sort_keys: bool
) -> None:
    text = json.dumps(value)
    arguments = {"data": text, "indent": indent, "sort_keys": sort_keys}
    expected = json.dumps(json.loads(text), ensure_ascii=False, indent=indent, sort_keys=sort_keys)
    assert await run_tool(json_format, arguments) == expected


@pytest.mark.parametrize(  # case 56
    ("data", "expected"),
    [
        ("hello", "not JSON"),
        ("[1,]", "not JSON"),
        ('{"a":1,"a":2}', "twice"),
        ("[NaN]", "NaN"),
        pytest.param("[" * 100_000, "JSON", id="100,000 levels"),
        pytest.param("9" * 5_000, "digits", id="5,000 digits"),
        ("// x\n1", "not JSON"),
    ],
)
async def test_what_is_not_strictly_json_is_refused(data: str, expected: str) -> None:
    assert expected in str(await refused(json_format, data=data))


@pytest.mark.parametrize("key", ["__class__", "__proto__", "lc", "$ref"])
async def test_no_key_means_anything(key: str) -> None:  # case 56
    data = json.dumps({key: {"type": "secret"}}, separators=(",", ":"))
    assert await run_tool(json_format, {"data": data, "mode": "minify"}) == data


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (nested(101), "data is too deep"),
        pytest.param(json.dumps(nested(101)), "data is too deep", id="text"),
        ([0] * 100_001, "data has more than 100,000 values"),
    ],
)
async def test_json_that_is_too_large_is_refused(data: Any, expected: str) -> None:
    error = await refused(json_format, data=data)
    assert isinstance(error, LimitExceeded)
    assert expected in str(error)


async def test_indenting_cannot_blow_a_small_value_up() -> None:
    data = nested(95)
    inner = data
    while isinstance(inner[0], list):
        inner = inner[0]
    inner.extend([0] * 50_000)
    error = await refused(json_format, data=data, indent=8)
    assert isinstance(error, LimitExceeded)
    assert "smaller indent, or minify" in str(error)
    assert len(await run_tool(json_format, {"data": data, "mode": "minify"})) < 200_000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (format_table, {"rows": [["a"]] * 10_001}),
        (format_table, {"rows": [["a"]], "format": "html"}),
        (json_format, {"data": [], "indent": 9}),
        (json_format, {"data": [], "mode": "ugly"}),
        (validate_format, {"value": "a", "format": "poem"}),
        (validate_format, {"value": "a" * 1_000_001, "format": "json"}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)
