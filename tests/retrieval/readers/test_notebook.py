"""Notebooks: cells in order, text outputs only, nothing run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from retrieval.readers.pages import read, shape
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers import notebook


def cell(kind: str, source: object, *outputs: Any, **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "outputs": list(outputs), **more}


def page(*cells: Any, **more: Any) -> Document:
    made = {"cells": list(cells), "nbformat": 4, "metadata": {}, **more}
    return read(json.dumps(made), "a/book.ipynb")


def test_markdown_and_code_cells_keep_their_order_and_places() -> None:
    book = page(
        cell("markdown", ["# The book\n", "\n", "Some *text*. [Link](x).\n"]),
        cell("code", "import os\n\nprint(1)"),
        cell("markdown", "## The book"),
        cell("code", "  \n"),
        metadata={"language_info": {"name": "python"}, "kernelspec": {"language": "R"}},
    )
    assert book.title == "The book"
    assert book.kind == "notebook"
    assert shape(book) == [
        ("heading", "The book"),
        ("paragraph", "Some text. Link."),
        ("code", "import os\nprint(1)"),
        ("heading", "The book"),
    ]
    assert "```python\nimport os\n\nprint(1)\n```" in book.text
    assert [book.text[link.start :][:9] for link in book.links] == ["[Link](x)"]
    assert [block.anchor for block in book.blocks if block.level] == ["the-book", "the-book-1"]
    assert book.metadata == (("code", "python"),)


def test_only_the_text_of_outputs_is_kept() -> None:
    book = page(
        cell(
            "code",
            "x",
            {"output_type": "stream", "text": ["line 1\n", "\x1b[31mline 2\x1b[0m\n"]},
            {"data": {"text/plain": "42", "text/html": "<b>42</b>", "image/png": "iVBOR"}},
            {"data": {"text/plain": "<Figure size 1x1>", "image/svg+xml": "<svg/>"}},
            {"data": {"text/markdown": "**m**", "application/javascript": "alert(1)"}},
            {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["x"]},
            "no object",
        ),
    )
    assert [plain for _, plain in shape(book)] == [
        "x",
        "line 1\nline 2",
        "42",
        "**m**",
        "ValueError: bad",
    ]
    assert "iVBOR" not in book.text
    assert "alert" not in book.text
    assert set(book.notes) == {
        "left out: 1 outputs of type text/html",
        "left out: 1 outputs of type image/png",
        "left out: 1 outputs of type image/svg+xml",
        "left out: 1 outputs of type application/javascript",
    }


def test_long_outputs_are_cut_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MOST_OUTPUT", 3_000)
    long = {"output_type": "stream", "text": "x" * 10_000}
    book = page(cell("code", "a", long, long, long))
    assert [len(plain) for _, plain in shape(book)] == [1, 2_000, 1_000]
    assert book.notes == ("left out: 3 outputs that are too long, in part",)


def test_embedded_images_are_left_out() -> None:
    book = page(cell("markdown", f"![Alt](data:image/png;base64,{'QUJD' * 5_000}) text"))
    assert len(book.text) < 100
    assert book.blocks[0].plain == "Alt text"
    assert book.notes == ("left out: 1 embedded images",)


def test_format_3_has_worksheets_inputs_and_heading_cells() -> None:
    old = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": "Old"},
                    {"cell_type": "heading", "level": "x", "source": "Odd"},
                    {
                        "cell_type": "code",
                        "input": ["y = 1"],
                        "outputs": [{"output_type": "pyout", "text": ["1"]}],
                    },
                ]
            },
            "odd",
        ],
    }
    book = read(json.dumps(old), "old.ipynb")
    assert [(block.level, block.plain) for block in book.blocks] == [
        (2, "Old"),
        (1, "Odd"),
        (0, "y = 1"),
        (0, "1"),
    ]


def test_cells_that_are_neither_text_nor_code_are_counted() -> None:
    book = page(cell("raw", "x"), {}, "odd", cell("markdown", 5), cell("code", ["a", 5, "b"]))
    assert shape(book) == [("code", "ab")]
    assert book.notes == ("left out: 3 cells that are neither Markdown nor code",)
    assert book.title == "Book"


def test_a_fence_in_the_code_does_not_end_it() -> None:
    book = page(
        cell("code", 's = """\n```\n"""'), cell("markdown", "```\nopen"), cell("markdown", "t")
    )
    assert [kind for kind, _ in shape(book)] == ["code", "code", "paragraph"]
    assert book.text.startswith("````\n")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "not valid JSON"),
        (b"", "not valid JSON"),
        (b"[]", "no notebook"),
        (b'{"a": 1}', "no notebook"),
        (b"[" * 200_000, "nested too deep"),
        (b'{"cells": \x00}', "binary"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "not valid JSON"),
    ],
    ids=["open", "empty", "list", "object", "deep", "nul", "number"],
)
def test_what_is_no_notebook_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(DocumentUnreadable, match=reason):
        read(data, "x.ipynb")


def test_half_a_character_becomes_a_replacement() -> None:
    book = read('{"cells": [{"cell_type": "markdown", "source": "a\\ud800b"}]}', "x.ipynb")
    assert book.text.startswith("a\ufffdb")


def test_a_strange_language_name_is_not_written_into_the_text() -> None:
    book = page(cell("code", "x"), metadata={"language_info": {"name": "py`\n# no"}})
    assert book.text.startswith("```\nx\n```")
    assert page(metadata=[], cells=[]).blocks == ()


def test_cells_beyond_a_number_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tether.retrieval.readers.notebook.MOST_CELLS", 2)
    book = page(*(cell("markdown", text) for text in ("one", "two", "three", "four", "five")))
    assert [block.plain for block in book.blocks] == ["one", "two"]
    assert book.notes == ("left out: 3 cells beyond the first 2",)
