"""docutils as an independent judge of what is a title, a paragraph, an item and code."""

from __future__ import annotations

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import given, settings
from hypothesis import strategies as some

from tether.retrieval.readers.rst import read_rst
from tether.retrieval.readers.rst_page import section_anchor

pytestmark = pytest.mark.unmeasured

SAFE = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "halt_level": 5,
    "report_level": 5,
    "doctitle_xform": False,
}
PLAIN_WORDS = some.text(alphabet="abcdefgh", min_size=1, max_size=6)
MARKED = some.sampled_from(
    ["**bold**", "*slanted*", "``code *x*``", "`site <https://a.example>`_", "\\*escaped", "2*3"]
)
SENTENCES = some.lists(PLAIN_WORDS | MARKED, min_size=1, max_size=8).map(" ".join)
TITLES = some.lists(PLAIN_WORDS, min_size=1, max_size=3).map(" ".join)


def section(level: int, title: str) -> str:
    return f"{title}\n{'=-~'[level] * max(len(title), 4)}\n"


PARTS = some.one_of(
    SENTENCES.map(lambda words: f"{words}\n"),
    some.lists(SENTENCES, min_size=1, max_size=3).map(
        lambda items: "".join(f"* {item}\n" for item in items)
    ),
    SENTENCES.map(lambda words: f"{words}::\n\n    some code\n      deeper\n"),
    SENTENCES.map(lambda words: f".. note::\n\n   {words}\n"),
)
PAGES = some.lists(
    some.tuples(some.integers(0, 2), TITLES, some.lists(PARTS, max_size=4)), min_size=1, max_size=4
)


def joined(text: str) -> str:
    return " ".join(text.split())


@given(PAGES)
@settings(max_examples=60)
def test_the_same_titles_paragraphs_items_and_code(page: list[tuple[int, str, list[str]]]) -> None:
    deepest, parts = 0, list[str]()
    for level, title, body in page:
        level = min(level, deepest)  # noqa: PLW2901  # no level may be skipped
        deepest = level + 1
        parts.extend((section(level, title), *body))
    source = "\n".join(parts)
    tree = publish_doctree(source, settings_overrides=SAFE)
    document = read_rst(key="a", name="a.rst", data=source.encode())
    assert [block.plain for block in document.blocks if block.kind == "heading"] == [
        joined(node.astext()) for node in tree.findall(nodes.title)
    ]
    assert [
        joined(piece) for block in document.blocks for piece in texts(block.kind, block.plain)
    ] == [
        joined(node.astext())
        for node in tree.findall(nodes.paragraph)
        if not isinstance(node.parent, nodes.system_message)
    ]
    assert [block.plain for block in document.blocks if block.kind == "code"] == [
        node.astext() for node in tree.findall(nodes.literal_block)
    ]


def texts(kind: str, plain: str) -> list[str]:
    if kind == "list":
        return plain.split("\n")
    return [plain] if kind == "paragraph" else []


LATIN = some.text(some.characters(max_codepoint=0x17F), max_size=30)


@given(LATIN | TITLES)
def test_anchors_are_those_of_docutils(title: str) -> None:
    assert section_anchor(title) == nodes.make_id(title)
