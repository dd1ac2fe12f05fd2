"""Elements of a page that are read as a whole: cells, code and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from tether.retrieval.readers.html_content import Attributes, Seen, attribute
from tether.retrieval.readers.html_page import Run
from tether.text.html.elements import INLINE

_LINES = frozenset(("div", "p", "li", "tr"))
_SECTIONS = ("thead", "tbody", "tfoot")
_CELLS = ("td", "th")
_WIDEST_SPAN = 50
_ARRANGING = "h1, h2, h3, h4, h5, h6, pre, table, ul, ol, blockquote"


def gathered(root: LexborNode, seen: Seen) -> Run:
    """Return an element's text as one run, its parts apart from each other."""
    run = Run()
    links: list[tuple[str, int]] = []
    for event, node, attributes in _events(root, seen):
        tag = node.tag or ""
        if event == "text":
            run.add(node.text_content or "")
        elif tag == "a":
            _follow(run, links, attributes)
        elif tag == "img" and attributes is not None:
            run.add(f" {attributes.get('alt') or ''} ")
        elif tag not in INLINE:
            run.add_gap()
    return run


def gathered_code(root: LexborNode, seen: Seen) -> str:
    """Return code as it is shown: with its line breaks, without the numbers of its lines."""
    parts: list[str] = []
    for event, node, _ in _events(root, seen):
        if event == "text":
            parts.append(node.text_content or "")
        elif (node.tag == "br" and event == "open") or (
            node.tag in _LINES and event == "close" and not (parts and parts[-1].endswith("\n"))
        ):
            parts.append("\n")
    return "".join(parts).replace("\r\n", "\n")


def _follow(run: Run, links: list[tuple[str, int]], attributes: Attributes | None) -> None:
    """Note where a link begins, which has attributes, and where it ends."""
    if attributes is not None:
        links.append((attributes.get("href") or "", run.length))
    else:
        target, start = links.pop()
        if target:
            run.end_link(target, start)


def _events(root: LexborNode, seen: Seen) -> Iterator[tuple[str, LexborNode, Attributes | None]]:
    """Yield the visible nodes below an element, in order."""
    stack: list[tuple[LexborNode, bool]] = []
    _push_children(stack, root)
    while stack:
        node, is_end = stack.pop()
        if is_end:
            yield "close", node, None
        elif node.tag == "-text":
            yield "text", node, None
        else:
            attributes = seen.attributes(node)
            if attributes is not None:
                yield "open", node, attributes
                stack.append((node, True))
                _push_children(stack, node)


def _push_children(stack: list[tuple[LexborNode, bool]], node: LexborNode) -> None:
    child = node.last_child
    while child is not None:
        stack.append((child, False))
        child = child.prev


class TableParts(NamedTuple):
    """The rows of a table, how many of them are its header, and its caption."""

    rows: list[list[LexborNode]]
    header_rows: int
    caption: LexborNode | None


def table_parts(table: LexborNode) -> TableParts | None:
    """Return the parts of a data table; None for a table that only arranges the page."""
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
