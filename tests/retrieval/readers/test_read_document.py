"""The one face of all readers: which reader is chosen, and what holds whatever the bytes are."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.readers.pages import check_places, read, shape
from retrieval.reading.pdf_files import pdf, words
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.dispatch import read_document
from tether.retrieval.readers.names import READABLE_ENDINGS, kind_of


@pytest.mark.parametrize(
    ("name", "content_type", "data", "kind"),
    [
        ("a.md", "", b"", "markdown"),
        ("A.MARKDOWN", "text/plain; charset=utf-8", b"", "markdown"),
        ("a.md", "text/html; charset=utf-8", b"", "html"),
        ("a.mdx", "", b"", "mdx"),
        ("a.rst", "", b"", "rst"),
        ("a.ipynb", "application/json", b"", "notebook"),
        ("a.htm", "", b"", "html"),
        ("a.pdf", "application/octet-stream", b"", "pdf"),
        ("a.py", "", b"", "source"),
        ("a.csv", "text/csv", b"", "source"),
        ("LICENSE", "", b"words", "text"),
        ("download", "application/pdf", b"", "pdf"),
        ("download", "", b"%PDF-1.7", "pdf"),
        ("page", "", b"\xef\xbb\xbf\n<!DOCTYPE html>", "html"),
        ("https://e.org/page?x=a.md", "", b"<HTML>", "html"),
        ("https://e.org/guide.md?raw=1#top", "", b"", "markdown"),
        ("c#.md", "", b"", "markdown"),
        ("why?.md", "", b"", "markdown"),
        ("a.unknown", "Text/Markdown", b"", "markdown"),
        ("a.unknown", "", b"words", "text"),
        ("", "", b"", "text"),
    ],
)
def test_name_content_type_and_bytes_choose_the_reader(
    name: str, content_type: str, data: bytes, kind: str
) -> None:
    assert kind_of(name, content_type, data) == kind


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.md", b"# T\n"),
        ("a.mdx", b"# T\n"),
        ("a.rst", b"T\n=\n\nText.\n"),
        ("a.html", b"<html><body><main><h1>T</h1><p>Text.</p></main></body></html>"),
        ("a.ipynb", b'{"cells": []}'),
        ("a.txt", b"Text."),
        ("a.py", b"x = 1"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_kind_is_read_and_keeps_its_key_and_url(name: str, data: bytes) -> None:
    document = read_document(key="k/a", name=name, data=data, url="https://e.org/a")
    assert (document.key, document.url) == ("k/a", "https://e.org/a")
    assert document.kind == kind_of(name)


def test_a_broken_pdf_is_unreadable_and_nothing_else() -> None:
    with pytest.raises(DocumentUnreadable):
        read_document(key="a", name="a.pdf", data=b"%PDF-1.4 broken")


def test_an_unknown_ending_with_binary_data_is_told_what_can_be_read() -> None:
    with pytest.raises(DocumentUnreadable, match=r"binary.*Markdown.*PDF"):
        read_document(key="a.zip", name="a.zip", data=b"PK\x03\x04\x00")


def test_the_table_of_endings_is_in_small_letters_with_a_dot() -> None:
    assert all(re.fullmatch(r"\.[a-z0-9]+", ending) for ending in READABLE_ENDINGS)
    assert {
        ".md",
        ".mdx",
        ".rst",
        ".html",
        ".ipynb",
        ".pdf",
        ".txt",
        ".py",
    } <= READABLE_ENDINGS.keys()


NAMES = ["a.md", "a.mdx", "a.txt", "a.py", "a.js", "a.rs", "a.rb", "a.toml", "a.sh", "a.ipynb", "a"]
LINES = [
    "# Head",
    "## Head {#id}",
    "word one. Two.",
    "",
    "",
    "  more",
    "    indented",
    "\tTab",
    "- item",
    "  - nested",
    "1. one",
    "> quote",
    "> [!NOTE]",
    "```",
    "```py",
    "~~~",
    "| a | b |",
    "|---|---|",
    "***",
    "---",
    "===",
    "::: tip Title",
    ":::",
    '!!! note "T"',
    "    inside",
    '=== "Tab"',
    "///",
    "/// x | Y",
    "<!-- c",
    "-->",
    "<div>",
    "</div>",
    "<h2>Hi</h2>",
    "<Tab label='x'>",
    "{{< note >}}",
    '{{% tab name="n" %}}',
    "[a]: /b",
    "[a] and [b](c)",
    "import x from 'y'",
    "export const a = {",
    "}",
    "{/* x",
    "*/}",
    "`code` **b** _i_",
    "```{note} T",
    ":class: x",
    "[[toc]]",
    "+++",
    "title: x",
    '"""',
    "'''",
    "# c",
    "// c",
    "/* c",
    "*/",
    "def f():",
    "=begin",
    "=end",
    "\f",
    "日本。文",
    "́",
]
pages = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join)


@given(pages | st.text(max_size=60), st.sampled_from(NAMES))
def test_any_text_becomes_blocks_in_order_or_the_one_error(text: str, name: str) -> None:
    try:
        document = read_document(key="k", name=name, data=text.encode("utf-8", "replace"))
    except DocumentUnreadable:
        return
    check_places(document)


@given(st.binary(max_size=120), st.sampled_from(NAMES))
def test_any_bytes_become_a_document_or_the_one_error(data: bytes, name: str) -> None:
    try:
        document = read_document(key="k", name=name, data=data)
    except DocumentUnreadable:
        return
    check_places(document)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "source", "outputs", "cell_type", "data", "text/plain", "text"]
            ),
            inner | st.sampled_from(["markdown", "code", "heading"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(values, max_size=4))
def test_any_json_becomes_a_notebook(cells: list[object]) -> None:
    data = json.dumps({"cells": cells, "worksheets": cells}).encode()
    check_places(read_document(key="k", name="a.ipynb", data=data))


CONSTRUCTS = [
    "w{0}.",
    "# w{0}",
    "w{0}\n====",
    "- w{0}\n  - w{0}b",
    "1. w{0}\n\n   w{0}b",
    "> w{0}",
    "```\nw{0}\n```",
    "    w{0}",
    "| w{0} | w{0}b |\n|---|---|\n| w{0}c | w{0}d |",
    "::: tip w{0}\nw{0}b\n:::",
    '!!! note "w{0}"\n    w{0}b\n\n    > w{0}c',
    "/// x | w{0}\nw{0}b\n///",
    "**w{0}** `w{0}b` [w{0}c](x)",
    "<div>\n<p>w{0}</p>\n</div>",
    "{{{{< note >}}}}\nw{0}\n{{{{< /note >}}}}",
    "> [!TIP]\n> w{0}",
    '=== "w{0}"\n    w{0}b',
    "<details>\n<summary>w{0}</summary>\n\nw{0}b\n\n</details>",
    "[w{0}]\n[w{0}b]: x",
    "```{{note}} w{0}\nw{0}b\n```",
    "<h3>w{0}</h3>\nw{0}b",
    "- w{0}\n\n  ```\n  w{0}b\n  ```",
    "![w{0}](x)",
]


@given(st.lists(st.sampled_from(CONSTRUCTS), min_size=1, max_size=10))
def test_every_word_of_a_page_is_in_its_blocks_once_and_in_order(constructs: list[str]) -> None:
    text = "\n\n".join(made.format(number) for number, made in enumerate(constructs))
    document = read(text)
    words = re.findall(r"w\d+[a-d]?", "\n".join(plain for _, plain in shape(document)))
    assert words == re.findall(r"w\d+[a-d]?", text)
    for block in document.blocks:
        for piece in block.pieces:
            source = document.text[piece.start : piece.end]
            assert all(word in source for word in re.findall(r"w\d+[a-d]?", piece.plain))


@given(st.text(st.sampled_from("ab *_`~[]!>#-+1.|=\\\n"), max_size=60))
def test_only_marks_are_outside_of_blocks(text: str) -> None:
    document = read(text)
    covered = {place for block in document.blocks for place in range(block.start, block.end)}
    outside = "".join(letter for place, letter in enumerate(text) if place not in covered)
    assert not re.search("[ab]", outside)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.md", b"words"),
        ("a.mdx", b"words"),
        ("a.rst", b"words"),
        ("a.txt", b"words"),
        ("a.py", b"x = 1"),
        ("a.html", b"<p>words"),
        ("a.ipynb", b'{"cells": [{"cell_type": "markdown", "source": "words"}]}'),
        ("a.pdf", pdf([words(b"words")])),
    ],
    ids=["md", "mdx", "rst", "txt", "py", "html", "ipynb", "pdf"],
)
def test_what_the_source_calls_a_document_is_its_title_of_last_resort(
    name: str, data: bytes
) -> None:
    assert read_document(key=name, name=name, data=data, title="From the list").title == (
        "From the list"
    )


def test_a_title_of_its_own_wins_over_what_the_source_calls_a_document() -> None:
    for name, text in (("a.md", "# Own"), ("a.html", "<h1>Own</h1>"), ("a.rst", "Own\n===\n")):
        assert read_document(key="k", name=name, data=text.encode(), title="Other").title == "Own"


def test_the_character_set_that_a_server_names_is_obeyed() -> None:
    page = "<p>Привет, мир".encode("koi8-r")
    found = read_document(
        key="k", name="a.html", data=page, content_type="text/html; charset=koi8-r"
    )
    assert found.blocks[0].plain == "Привет, мир"


def test_only_addresses_have_queries() -> None:
    assert read_document(key="why?.md", name="why?.md", data=b"words").title == "Why?"
    address = "https://a.example/guide?x=1"
    assert read_document(key=address, name="guide.html", data=b"<p>words").title == "Guide"
