"""Plain text: paragraphs, and headings only where they are sure."""

from __future__ import annotations

import pytest

from retrieval.readers.pages import quoted, read, shape

TEXT = """\
The Title
=========

First paragraph. It has
two sentences.

A part
------
Second.

INSTALLING THE TOOL

Third.

OK

Not a heading
--
text

LINES ABOVE
text below
"""


def test_underlined_and_capital_lines_are_headings() -> None:
    page = read(TEXT, "notes.txt")
    assert [(block.kind, block.level, block.plain) for block in page.blocks] == [
        ("heading", 1, "The Title"),
        ("paragraph", 0, "First paragraph. It has two sentences."),
        ("heading", 2, "A part"),
        ("paragraph", 0, "Second."),
        ("heading", 2, "INSTALLING THE TOOL"),
        ("paragraph", 0, "Third."),
        ("paragraph", 0, "OK"),
        ("paragraph", 0, "Not a heading -- text"),
        ("paragraph", 0, "LINES ABOVE text below"),
    ]
    assert page.title == "The Title"
    assert page.blocks[2].anchor == "a-part"
    assert quoted(page)[0] == "The Title\n========="
    assert page.kind == "text"


@pytest.mark.parametrize(
    "text",
    [
        "1234 5678\n\nx",
        "A line that is much longer than its underline\n---\n",
        "=====\n=====\n",
        "above\nName\n====\n",
        f"{'LONG ' * 40}\n\nx",
        "-----\n",
    ],
    ids=["digits", "short underline", "rules", "inside", "long", "rule"],
)
def test_what_may_be_no_heading_is_prose(text: str) -> None:
    assert {block.kind for block in read(text, "a.txt").blocks} == {"paragraph"}


def test_a_text_may_be_empty_or_have_no_title() -> None:
    assert read("", "empty.txt").blocks == ()
    assert read("   \n\n", "a/readme.txt").title == "A"
    assert read("words", "some_notes.txt").title == "Some notes"


def test_a_paragraph_without_end_is_parted() -> None:
    page = read("a line of text\n" * 450, "long.txt")
    assert [block.plain.count("line") for block in page.blocks] == [200, 200, 50]


def test_indented_lines_and_form_feeds_stay_in_their_paragraph() -> None:
    assert shape(read("  one\n\ttwo\x0c three\n \n  four", "a.txt")) == [
        ("paragraph", "one two three"),
        ("paragraph", "four"),
    ]
