"""Links, numbers that cite, and code in an answer; and no text takes long to read."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.growth import assert_grows_linearly
from tether.ask.citations.markdown import read_blocks
from tether.ask.citations.tokens import Token, scan

LENGTH = 16_000 if os.environ.get("EXPLORE") == "deep" else 2_000


def links(text: str) -> list[tuple[str, str]]:
    return [(token.text, token.target) for token in scan(text) if token.kind == "link"]


def numbers(text: str) -> list[tuple[int, ...]]:
    return [token.numbers for token in scan(text) if token.kind == "number"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a [b](c) d", [("b", "c")]),
        ('a [b](c "title") d', [("b", "c")]),
        ("a [b](c 'title') d", [("b", "c")]),
        ("a [b](c (title)) d", [("b", "c")]),
        ("[b]( c )", [("b", "c")]),
        ("[b](<c d>)", [("b", "c d")]),
        ("[b](wiki/x_(y))", [("b", "wiki/x_(y)")]),
        (r"[b](wiki/x\(y)", [("b", "wiki/x(y")]),
        ("[b]()", [("b", "")]),
        ("[https://ok/a](https://ok/a).", [("https://ok/a", "https://ok/a")]),
        ("[a `b](c)` d](e)", [("a `b](c)` d", "e")]),
        ("[a [b] c](d)", [("a [b] c", "d")]),
        ("[a [b](evil)](ok)", [("b", "evil")]),
        ("!\\[a [b](evil)](ok)", [("b", "evil")]),
        ("[![x](evil)](ok)", []),
        ("[one](1) and [two](2)", [("one", "1"), ("two", "2")]),
    ],
)
def test_inline_links_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    if "![" in text:  # an image takes the place of what it is in
        assert [token.kind for token in scan(text) if token.kind == "image"] == ["image"]
    else:
        assert links(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[full][ref]",
        "[collapsed][]",
        "[shortcut]",
        "<https://evil.example>",
        "https://evil.example",
        "www.evil.example",
        '<a href="https://evil.example">x</a>',
        r"\[x](https://evil.example)",
        r"[x\](https://evil.example)",
        "`[x](https://evil.example)`",
        "``a ` [x](https://evil.example)``",
        "[x](https://evil.example",
        "[x] (https://evil.example)",
        "[x](<https://evil.example)",
        "[x](a b)",
        "]( [",
        "[[cite:doc-9999]]",
        "[x](" + "(" * 9 + ")" * 10,
    ],
)
def test_everything_else_is_no_link(text: str) -> None:
    assert links(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so [1].", [(1,)]),
        ("so.[1]", [(1,)]),
        ("so [1, 3]", [(1, 3)]),
        ("so [1][2]", [(1, 2)]),
        ("so [1] [2]", [(1,), (2,)]),
        ("so [1-3]", [(1, 2, 3)]),
        ("so [3-1]", [(3, 1)]),
        ("so [^2]", [(2,)]),
        ("so \u30102\u3011", [(2,)]),
        ("so \u30102\u2020source\u3011", [(2,)]),
        ("so (source 2)", [(2,)]),
        ("so [Source: 2]", [(2,)]),
        ("items[1] is", []),
        ("f(x)[1]", []),
        ("`so [1]`", []),
        (r"so \[1]", []),
        ("[1]: https://evil.example", []),
        ("(2)", []),
        ("[2024]", []),
    ],
)
def test_numbers_in_brackets(text: str, expected: list[tuple[int, ...]]) -> None:
    assert numbers(text) == expected


def test_code_is_a_token_of_its_own() -> None:
    found = [token for token in scan("use `a  b` and ``c ` d`` and ` open") if token.kind == "code"]

    assert [(token.text, token.raw) for token in found] == [
        ("a b", "`a  b`"),
        ("c ` d", "``c ` d``"),
    ]


@given(st.text(alphabet="[]()!`<>\\\"' \n1,ab", max_size=60))
def test_tokens_are_the_whole_text(text: str) -> None:
    assert "".join(token.raw for token in scan(text)) == text


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[a](<b",
        "[a](",
        "](",
        "`",
        "`a``",
        "![",
        "[1",
        "[a](b)",
        "\\",
        "(",
        "[1, 2, ",
        "a [b] ",
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert_grows_linearly(scan, unit, LENGTH)


@pytest.mark.parametrize("unit", ["> ", "- ", "\n    x", "```\n", "|a|\n", "# ", "[a]: b\n", "1. "])
def test_hostile_lines_take_linear_time(unit: str) -> None:
    assert_grows_linearly(read_blocks, unit, LENGTH)


def test_blocks_of_an_answer() -> None:
    text = (
        "# Head\nFirst line\nsecond line\n\nIt needs:\n\n- one\n  more\n- two\n\n"
        "  continued\n\nAfter\n> quoted\n\n| a | b |\n|---|---|\n| c | d |\n\n"
        "---\n\n    indented\n    code\n\n~~~py\nx = 1\n\ny\n~~~\n"
        "[1]: https://evil.example\n> [^2]: https://evil.example\n```\nopen"
    )

    found = [(block.kind, block.prefix, block.text) for block in read_blocks(text)]

    assert found == [
        ("heading", "# ", "Head"),
        ("paragraph", "", "First line\nsecond line"),
        ("paragraph", "", "It needs:"),
        ("item", "- ", "one\nmore"),
        ("item", "- ", "two"),
        ("paragraph", "  ", "continued"),
        ("paragraph", "", "After"),
        ("paragraph", "> ", "quoted"),
        ("row", "", "| a | b"),
        ("row", "", "|---|---"),
        ("row", "", "| c | d"),
        ("code", "", "indented\ncode"),
        ("code", "py", "x = 1\n\ny"),
        ("definition", "", "[1]: https://evil.example"),
        ("definition", "", "> [^2]: https://evil.example"),
        ("code", "", "open"),
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("1. Do:\n   ```\n   x\n```\nIt works.", ["item", "code", "paragraph"]),
        ("It takes two.\n2. Then three.", ["paragraph", "item"]),
        ("Both:\n| a | b |\n| c | d |", ["paragraph", "row", "row"]),
        ("Title\n=====\n\nText", ["paragraph", "paragraph"]),
    ],
)
def test_blocks_are_those_a_model_meant_where_markdown_has_others(
    text: str, kinds: list[str]
) -> None:
    assert [block.kind for block in read_blocks(text)] == kinds
    assert "=" not in "".join(block.text for block in read_blocks(text))


def test_a_list_is_one_section_with_what_leads_into_it() -> None:
    blocks = read_blocks("Alone.\n\nIt needs:\n\n- one\n- two\n\nAfter.")

    assert [block.section for block in blocks] == [1, 2, 2, 2, 3]
    assert [block.gap for block in blocks[2:4]] == ["\n\n", "\n"]


def test_a_token_of_text_is_itself() -> None:
    assert scan("plain") == [Token(kind="text", text="plain", raw="plain")]
