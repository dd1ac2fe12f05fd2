"""Tables of a web page: rows of cells, unless the table only arranges the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from tether.retrieval.readers.html_content import attribute

_SECTIONS = ("thead", "tbody", "tfoot")
_CELLS = ("td", "th")
_WIDEST_SPAN = 50
_ARRANGING = "h1, h2, h3, h4, h5, h6, pre, table, ul, ol, blockquote"


class TableParts(NamedTuple):
    """The rows of a table, how many of them are its header, and its caption."""

    rows: list[list[LexborNode]]
    header_rows: int
    caption: LexborNode | None


def table_parts(table: LexborNode) -> TableParts | None:
    """Return the parts of a table that holds data; None for one that only arranges the page."""
    rows = list(_rows(table))
    cells = [_children(row, _CELLS) for row, _ in rows]
    filled = [row for row in cells if row]
    if not filled or _arranges(table, filled):
        return None
    header = 0
    for (_, is_head), row in zip(rows, cells, strict=True):
        if not row:
            continue
        if not (is_head or all(cell.tag == "th" for cell in row)):
            break
        header += 1
    captions = _children(table, ("caption",))
    return TableParts(filled, header % (len(filled) + 1), captions[0] if captions else None)


def column_span(cell: LexborNode) -> int:
    """Return how many columns a cell takes, within reason."""
    written = attribute(cell, "colspan")
    if not (written.isascii() and written.isdecimal() and len(written) < 6):
        return 1
    return min(max(int(written), 1), _WIDEST_SPAN)


def _arranges(table: LexborNode, rows: list[list[LexborNode]]) -> bool:
    if attribute(table, "role") in ("presentation", "none"):
        return True
    if any(cell.tag == "th" for row in rows for cell in row):
        return False
    return (
        max(len(row) for row in rows) == 1 or table.css_first(f"td :is({_ARRANGING})") is not None
    )


def _rows(table: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    for section in _children(table, _SECTIONS):  # the parser puts every row into one
        for row in _children(section, ("tr",)):
            yield row, section.tag == "thead"


def _children(node: LexborNode, tags: tuple[str, ...]) -> list[LexborNode]:
    found: list[LexborNode] = []
    child = node.first_child
    while child is not None:
        if child.tag in tags:
            found.append(child)
        child = child.next
    return found
