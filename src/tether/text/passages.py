"""A passage as a model reads it: its words in their order, without what only a browser needs.

Link targets, anchors, reference definitions, comments, tags and the marks of site generators cost
tokens and say nothing. Headings, items, rows and code keep their form. What is quoted in the end is
the document itself, never this text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether.text.units.blocks import blocks_of
from tether.text.units.code import code_of
from tether.text.units.inlines import readable
from tether.text.units.lines import with_plain_breaks
from tether.text.units.tables import header_above, table_of
from tether.text.units.units import MOST_LINES
from tether.text.words import count_letters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.text.units.block_state import Block

LEAST_KEPT = 0.9
"""How many of the letters of a passage have to come through; otherwise it is not read so."""

_CLOSE = frozenset({"item", "definition"})
"""Blocks that stand without an empty line between them."""


def readable_passage(text: str, plain: str, *, header: str = "") -> str:
    """Return a passage as a model reads it.

    `plain` is the passage without markup, as the reader of its document made it: it is the result
    where the text has another form than is read here. `header` is the header of a table whose rows
    the passage begins with.
    """
    source = with_plain_breaks(header_above(header, text) + text)
    written, last = "", ""
    for block in blocks_of(source, MOST_LINES):
        shown = _shown(source, block)
        if shown:
            apart = "\n" if last == block.kind and last in _CLOSE else "\n\n"
            written += f"{apart if written else ''}{shown}"
            last = block.kind
    enough = count_letters(written) >= LEAST_KEPT * count_letters(plain)
    return written if enough else f"{header}\n{plain}".strip()


def _shown(text: str, block: Block) -> str:
    if block.kind == "code":
        return _code(text, block)
    if block.kind == "table":
        return "\n".join(_rows(text, block))
    words = readable(text[block.start : block.end])
    if not words or block.kind == "paragraph":
        return words
    if block.kind == "heading":
        marks = _before(text, block).strip()
        return f"{marks if marks and not marks.strip('#') else '#' * len(block.path)} {words}"
    if block.term is not None:
        return f"{readable(text[slice(*block.term)])}: {words}"
    return f"{_mark(text, block)} {words}"


def _mark(text: str, block: Block) -> str:
    """Return the mark of an item with its indentation: its number, or a dash."""
    before = _before(text, block).strip(">")
    indent, mark = len(before) - len(before.lstrip()), before.strip()
    return " " * indent + (mark if block.is_ordered and mark else "-")


def _before(text: str, block: Block) -> str:
    return text[text.rfind("\n", 0, block.start) + 1 : block.start]


def _code(text: str, block: Block) -> str:
    code = code_of(text, block)
    return f"```\n{code}\n```" if code else ""


def _rows(text: str, block: Block) -> Iterator[str]:
    table = table_of(text, block)
    if table.names:
        yield _row(table.names)
    for row in table.rows:
        yield _row(row.cells)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(readable, cells))} |"
