"""Hostile reStructuredText: no file is read, nothing is expanded, and time grows with length."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from support.growth import assert_grows_linearly
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.rst import read_rst

CANARY = "canary-that-must-stay-in-its-file"


def read(text: str) -> Document:
    return read_rst(key="a.rst", name="a.rst", data=text.encode())


@pytest.mark.parametrize(
    "source",
    [
        ".. include:: {path}\n",
        ".. include:: {path}\n   :literal:\n",
        ".. literalinclude:: {path}\n",
        ".. raw:: html\n   :file: {path}\n",
        ".. raw:: html\n   :url: http://canary.example/\n",
        ".. csv-table::\n   :file: {path}\n",
        ".. csv-table::\n   :url: http://canary.example/\n",
        ".. code-block:: text\n   :file: {path}\n",
        ".. graphviz:: {path}\n",
        ".. role:: raw-html(raw)\n   :format: html\n\n:raw-html:`<script>`\n",
        ".. |x| include:: {path}\n\n|x|\n",
        ".. |x| raw:: html\n   :file: {path}\n\n|x|\n",
        ".. note::\n\n   .. include:: {path}\n",
        ".. image:: {path}\n",
    ],
    ids=range(14),
)
def test_no_file_and_no_address_is_opened(source: str, tmp_path: Path) -> None:
    path = tmp_path / "canary.txt"
    path.write_text(CANARY)
    document = read(source.format(path=path))
    assert CANARY not in document.text
    assert all(CANARY not in block.plain for block in document.blocks)
    named = "{path}" in source or "url" in source
    skipped = ("graphviz", "|x|", "image", "role")
    if named and not any(word in source for word in skipped):
        assert any("not followed" in note or "raw output" in note for note in document.notes)


def test_substitutions_are_replaced_once_and_never_without_end() -> None:
    recursive = read(".. |a| replace:: |b| |b|\n.. |b| replace:: |a| |a|\n\n|a| end.\n")
    assert [block.plain for block in recursive.blocks] == ["|b| |b| end."]
    long = "x" * 10_000
    many = "".join(f".. |s{number}| replace:: {long}\n" for number in range(100))
    uses = " ".join(f"|s{number}|" for number in range(100))
    (block,) = read(f"{many}\n{uses}\n").blocks
    assert len(block.plain) < 50_000


INLINE = ["*x ", "**x ", "`x ", "``x ", ":a:`x ", ":aa:", "|x ", "[x ", "x_ ", "\\", "`a <", "`"]
BLOCKS = [
    *("* a\n", "- a\n\n", "a\n b\n", "a::\n\n", "..\n\n", ".. a::\n", ".. a::\n  :b: c\n", "\n"),
    *(".. _a:\n", "  == ==\n  x\n", "+-+\n| |\n", ":a: b\n", "a\n-\n", "====\n", "  a\n a\n"),
]


@pytest.mark.unmeasured
@pytest.mark.parametrize("unit", INLINE, ids=range(len(INLINE)))
def test_the_time_for_a_paragraph_grows_with_its_length(unit: str) -> None:
    assert_grows_linearly(read, unit, length=15_000)


@pytest.mark.unmeasured
@pytest.mark.parametrize("unit", BLOCKS, ids=range(len(BLOCKS)))
def test_the_time_for_blocks_grows_with_their_number(unit: str) -> None:
    assert_grows_linearly(read, unit, length=4_000)


@pytest.mark.unmeasured
def test_nesting_costs_nothing() -> None:
    nested = "".join(" " * depth + ".. note::\n\n" for depth in range(1_500))
    deep = f"{nested}{' ' * 1_500}At the bottom.\n"
    assert read(deep).blocks[-1].plain == "At the bottom."
    items = "".join(" " * (2 * depth) + "* a\n\n" for depth in range(500))
    assert len(read(items).blocks) == 1


@pytest.mark.unmeasured
@given(
    some.lists(
        some.sampled_from(
            ["\n", " ", "  ", ".. ", "::", "=", "====", "*", "`", "``", "_", "|", ":", "a", "b c",
             "+--+", "- ", "1. ", ">>> ", "[1]_", "\\", "note::", "list-table::", "\t", "\r\n"]
        ),
        max_size=40,
    ).map("".join)
)  # fmt: skip
def test_any_text_gives_ordered_blocks_inside_of_it(text: str) -> None:
    document = read(text)
    end = 0
    for block in document.blocks:
        assert end <= block.start < block.end <= len(text)
        place = block.start
        for piece in block.pieces:
            assert place <= piece.start <= piece.end <= block.end
            place = piece.end
        end = block.end


@pytest.mark.unmeasured
@given(some.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        document = read_rst(key="a", name="a.rst", data=data)
    except DocumentUnreadable:
        return
    assert document.title
