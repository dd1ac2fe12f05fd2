"""The parsing tools."""

from __future__ import annotations

import json
from configparser import ConfigParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether import Tool
from tether.batteries.testing import run_tool
from tether.batteries.tools.parsing import (
    detect_delimiter,
    parse_csv,
    parse_key_values,
    parse_kv,
    parse_yaml,
)
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

TOOLS = [parse_csv, parse_yaml, parse_kv, detect_delimiter]


async def refusal(tool: Tool, args: dict[str, Any]) -> InputRefused:
    with pytest.raises(ToolDownstreamError) as failed:
        await run_tool(tool, args)
    assert isinstance(failed.value.__cause__, InputRefused)
    return failed.value.__cause__


async def test_csv_becomes_columns_and_rows() -> None:
    # The example of RFC 4180, section 2, rules 3 and 7.
    text = 'field_name,other\r\naaa,"b""bb"\r\nzzz\r\n'
    assert await run_tool(parse_csv, {"text": text}) == {
        "columns": ["field_name", "other"],
        "rows": [["aaa", 'b"bb'], ["zzz"]],
        "row_count": 2,
        "ragged_rows": 1,
        "delimiter": ",",
        "has_header": True,
    }


@pytest.mark.parametrize(
    ("args", "columns", "rows"),
    [
        ({"text": "a;b\n1,5;2"}, ["a", "b"], [["1,5", "2"]]),
        ({"text": "a;b", "delimiter": ",", "header": False}, ["column_1"], [["a;b"]]),
        ({"text": "a\tb", "delimiter": "tab", "header": False}, None, [["a", "b"]]),
        ({"text": "a|b", "delimiter": "|", "header": False}, None, [["a", "b"]]),
        ({"text": "1,2\n3,4", "header": True}, ["1", "2"], [["3", "4"]]),
        ({"text": "1,2\n3,4"}, ["column_1", "column_2"], [["1", "2"], ["3", "4"]]),
        ({"text": "word\nother", "header": False}, ["column_1"], [["word"], ["other"]]),
        ({"text": "=1+1,@x", "header": False}, None, [["=1+1", "@x"]]),  # case 57: just text
    ],
)
async def test_delimiter_and_header_are_found_or_said(
    args: dict[str, Any], columns: list[str] | None, rows: list[list[str]]
) -> None:
    result = await run_tool(parse_csv, args)
    assert result["rows"] == rows
    assert columns is None or result["columns"] == columns


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"text": 'a\n"b'}, "line 2 is never closed"),
        ({"text": "a\0"}, "NUL"),
        ({"text": "a", "delimiter": "ab"}, "the delimiter has to be one character, not 'ab'"),
        ({"text": "," * 100_000}, "100,001 columns"),  # case 57
        ({"text": "a" * 200_000}, "200,000 characters in a cell"),  # case 57
        ({"text": '"' + "a\n" * 200_000}, "is its quote closed"),  # case 57
    ],
)
async def test_bad_csv_is_refused_with_its_line(args: dict[str, Any], why: str) -> None:
    assert why in (await refusal(parse_csv, args)).message


@pytest.mark.parametrize(
    ("tool", "args", "argument"),
    [
        (parse_csv, {"text": "a" * 5_000_001}, "text"),
        (parse_csv, {"text": "a", "delimiter": ""}, "delimiter"),
        (parse_csv, {"text": "a", "header": "first"}, "header"),
        (parse_yaml, {"text": "a" * 262_145}, "text"),
        (parse_kv, {"text": "a" * 1_000_001}, "text"),
        (detect_delimiter, {}, "text"),
    ],
)
async def test_arguments_that_do_not_fit_are_named(
    tool: Tool, args: dict[str, Any], argument: str
) -> None:
    with pytest.raises(InvalidToolArgs) as refused:
        await run_tool(tool, args)
    assert all(problem.path.startswith(argument) for problem in refused.value.problems)


async def test_yaml_becomes_data_of_the_dialect_that_the_description_tells() -> None:
    text = "yes: no\ntime: 12:30:45\nzip: 017\nmode: 0o17\nsize: 1e3\nday: 2001-12-14\n"
    assert await run_tool(parse_yaml, {"text": text}) == {
        "yes": "no",
        "time": "12:30:45",
        "zip": 17,
        "mode": 15,
        "size": 1000.0,
        "day": "2001-12-14",
    }
    assert "YAML 1.2" in parse_yaml.description
    assert await run_tool(parse_yaml, {"text": ""}) is None


async def test_yaml_that_cannot_be_used_is_refused_with_its_place() -> None:
    assert "line 1, column 4" in (await refusal(parse_yaml, {"text": "a: *b"})).message
    assert isinstance(await refusal(parse_yaml, {"text": "[" * 5_000}), LimitExceeded)  # case 55


async def test_lines_of_key_and_value_become_an_object() -> None:
    lines = [
        "\ufeff# a comment",
        "; another",
        "",
        "HOST=example.org",
        "  Port : 8080\r",
        "export PATH = /bin:/usr/bin # where",
        "Content-Type: text/html; charset=utf-8",
        "url: https://x.org/?a=b#top",
        "color=#fff",
        "empty=",
        "exported: yes",
        "export\tTABBED=1",
        'said="line\\none \\"two\\" C:\\\\ \\x" # comment',
        "raw='a\\n # b'",
        "full name=Anna Li",
    ]
    assert await run_tool(parse_kv, {"text": "\n".join(lines)}) == {
        "HOST": "example.org",
        "Port": "8080",
        "PATH": "/bin:/usr/bin",
        "Content-Type": "text/html; charset=utf-8",
        "url": "https://x.org/?a=b#top",
        "color": "#fff",
        "empty": "",
        "exported": "yes",
        "TABBED": "1",
        "said": 'line\none "two" C:\\ \\x',
        "raw": "a\\n # b",
        "full name": "Anna Li",
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a=1\nb", "line 2 is not key=value or KEY: value, but 'b'"),
        ("[section]\na=1", "line 1 is not key=value or KEY: value, but '[section]'"),
        ("a=1\n\na: 2", "the key 'a' is there twice, in lines 1 and 3"),
        ("=1", "line 1 needs a key"),
        ('"a": 1', "line 1 needs a key, without quotes"),
        ('a="b', "the quote in line 1 is not closed"),
        ("a='b'c", "line 1 goes on after the closing quote: 'c'"),
        ('a="x" y', "line 1 goes on after the closing quote: 'y'"),
        ('a="b\\"', "the quote in line 1 is not closed"),
    ],
)
async def test_a_line_that_is_no_pair_is_refused(text: str, why: str) -> None:
    assert why in (await refusal(parse_kv, {"text": text})).message


async def test_a_long_bad_line_is_shown_in_short() -> None:
    assert len((await refusal(parse_kv, {"text": "x" * 500_000})).message) < 400


keys = st.text(st.sampled_from("abcdefgh._-"), min_size=1).filter(lambda key: key.strip(".-_"))
values = st.text(st.sampled_from("abc 123=:;,/#'\"é"), max_size=12).filter(
    lambda value: not value.strip().startswith(("'", '"')) and "#" not in value
)


@given(st.dictionaries(keys, values, max_size=6), st.sampled_from(["=", ": ", " = "]))
def test_unquoted_lines_read_as_an_ini_file_reads(pairs: dict[str, str], sign: str) -> None:
    """The oracle is `configparser`, given a section and no inline comments."""
    text = "\n".join(f"{key}{sign}{value}" for key, value in pairs.items())
    ini = ConfigParser(interpolation=None)
    ini.optionxform = str  # type: ignore[method-assign, assignment]  # keep the case of keys
    ini.read_string(f"[all]\n{text}")
    assert parse_key_values(text) == dict(ini["all"])


@given(st.text(st.sampled_from('ab "\\\n\r\t#=:;é')))
def test_a_value_in_double_quotes_reads_as_in_json(value: str) -> None:
    assert parse_key_values(f"key={json.dumps(value, ensure_ascii=False)}") == {"key": value}


async def test_a_delimiter_is_found_with_its_name() -> None:
    found = await run_tool(detect_delimiter, {"text": "a;b\n1,5;2\n3;4\n"})
    assert found == {"delimiter": ";", "name": "semicolon", "confidence": 0.75, "columns": 2}
    assert (await run_tool(detect_delimiter, {"text": "words"}))["delimiter"] is None
