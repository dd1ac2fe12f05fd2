"""Pages made to be slow or to break a parser: time goes with size, and nothing breaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrieval.readers.pages import read
from support.growth import assert_grows_linearly
from tether.retrieval.readers.dispatch import read_document

pytestmark = pytest.mark.unmeasured
LENGTH = 2_000

UNITS = {
    "brackets": "[", "links": "[a](b", "titles": '[a](b "c', "images": "![[", "closers": "]",
    "tags": "<a ", "quoted tags": '<a "', "comments": "<!--", "scripts": "<script>", "stars": "*a ",
    "runs": "*a**b ", "unders": "_a_b", "tildes": "~a~~", "ticks": "` `` ", "braces": "{",
    "shortcodes": '{{< a b="', "liquid": "{% ", "urls": "http://a)", "wiki": "[[a|b", "dots": ".",
    "numbers": "1. ", "abbreviations": "e.g. ", "quotes": ">", "deep items": "- ", "items": "- a\n",
    "quote lines": "> a\n", "headings": "# a\n", "setext": "a\n=\n", "fences": "```\n",
    "fenced items": "- ```\n", "admonitions": "!!! a\n", "containers": "::: a\n", "rows": "a|",
    "tables": "|a|\n|-|\n", "definitions": "[a]: b\n", "divs": "<div>\n", "spaces": " ",
    "newlines": "\n", "marks": "\u0301", "stops": "。", "attributes": "a{b=c ", "entities": "&#",
    "imports": "import {\n", "directives": "```{note}\n", "nested": "- a\n  - b\n    - c\n",
    "escapes": "\\", "emoji": "👨‍👩‍👧",
}  # fmt: skip
ONCE = {
    "spaces in a heading": ("# a", " ", "b"),
    "spaces in a marker": ("!!! a", " ", "!"),
    "spaces in a container": ("::: a", " ", "{"),
    "spaces in attributes": ("`a`{b=c", " ", "d"),
    "spaces in a tag": ("<a", " ", ""),
    "a long name in a tag": ("<a ", "x", ">"),
    "an open target": ("[a](", "(", ""),
    "an open title": ('[a](b "', "c", ""),
    "a label": ("[", "a", "]: b"),
    "an open anchor": ("# a {", " ", "#b"),
    "brackets around links": ("[" * 3_000, "[a](b)", ""),
    "a comment of spaces": ("<!--", " ", "x"),
}


def reading(name: str, before: str = "", after: str = "") -> Callable[[str], object]:
    """Return what reads a page of some size."""

    def work(text: str) -> object:
        return read_document(key="k", name=name, data=f"{before}{text}{after}".encode())

    return work


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
def test_time_goes_with_the_size_of_the_page(unit: str) -> None:
    assert_grows_linearly(reading("a.md"), unit, LENGTH)


@pytest.mark.parametrize(("before", "unit", "after"), ONCE.values(), ids=ONCE.keys())
def test_time_goes_with_the_size_of_one_element(before: str, unit: str, after: str) -> None:
    assert_grows_linearly(reading("a.md", before, after), unit, LENGTH)


SOURCE = ["#", "/", "/*", "/**/", '"', '"""', "'", "`", "=begin\n", "=", "<!--", "pub ", "[", "--"]


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.rs", "a.rb", "a.sh", "a.toml", "a.sql"])
def test_time_goes_with_the_size_of_source_code(name: str) -> None:
    for unit in SOURCE:
        assert_grows_linearly(reading(name), unit, LENGTH)


def test_a_megabyte_on_one_line_is_read() -> None:
    page = read("*word* " * 200_000)
    assert page.notes == ("a paragraph too long to be prose was read with its markup",)
    assert sum(len(piece.plain.split()) for piece in page.blocks[0].pieces) == 200_000
    assert len(read("x" * 1_000_000, "a.py").blocks) == 1
    assert len(read("x" * 1_000_000, "a.txt").blocks[0].pieces) == 1


def test_deep_nesting_ends_in_a_note_and_not_in_an_error() -> None:
    for unit in ("> ", "- ", "1. ", "[", "*a "):
        page = read(unit * 20_000 + "end")
        assert "end" in page.blocks[-1].plain


def test_a_staircase_of_items_keeps_its_words() -> None:
    page = read("".join(f"{'  ' * depth}- w{depth}\n" for depth in range(200)))
    found = [word for block in page.blocks for word in block.plain.split() if word.startswith("w")]
    assert found == [f"w{depth}" for depth in range(200)]
