"""From the tree of a web page to its text: one walk, without recursion."""

from __future__ import annotations

import re
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from tether.retrieval.readers.html_content import (
    Attributes,
    Seen,
    all_text,
    attribute,
    heading_anchor,
    own_anchor,
)
from tether.retrieval.readers.html_elements import column_span, gathered, gathered_code, table_parts
from tether.retrieval.readers.html_page import HtmlPage, Run
from tether.retrieval.readers.html_writer import HtmlWriter
from tether.retrieval.readers.preformatted import Part, prose_in
from tether.text.html.elements import BLOCKS, HEADINGS

_CODE = ("code", "kbd", "samp", "tt", "var")
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight(?:-source)?)-([A-Za-z][\w+#.-]{0,30})")
_MOST_AROUND = 8
_SIGNS = frozenset(("¶", "#", "§", "🔗", "\u200b"))
Handler = Callable[[LexborNode, Attributes], None]
Close = Callable[[], None]


class HtmlWalk:
    """Walks through the content of a page and writes the visible part.

    `highest` is the level of the title of the page, which is that of a section in parts of a book.
    """

    def __init__(self, page: HtmlPage, seen: Seen, *, highest: int = 1) -> None:
        self._seen = seen
        self._highest = highest
        self._writer = HtmlWriter(page)
        self._stack: list[LexborNode | Close] = []
        self._handlers = self._make_handlers()

    def walk(self, root: LexborNode) -> None:
        """Write everything below an element."""
        self._descend(root)
        while self._stack:
            top = self._stack.pop()
            if isinstance(top, LexborNode):
                self._visit(top)
            else:
                top()
        self._writer.interrupt()

    def _make_handlers(self) -> dict[str, Handler]:
        handlers: dict[str, Handler] = {
            "a": self._link,
            "blockquote": self._quote,
            "br": self._break,
            "dd": self._definition,
            "dl": self._list,
            "dt": self._term,
            "img": self._image,
            "li": self._item,
            "math": self._formula,
            "ol": self._list,
            "pre": self._code,
            "rp": self._nothing,
            "table": self._table,
            "ul": self._list,
        }
        handlers.update(dict.fromkeys(BLOCKS, self._part) | handlers)
        handlers.update(dict.fromkeys(HEADINGS, self._heading))
        handlers.update(dict.fromkeys(_CODE, self._inline_code))
        return handlers

    def _visit(self, node: LexborNode) -> None:
        tag = node.tag
        if tag == "-text":
            self._writer.run.add(node.text_content or "")
            return
        attributes = self._seen.attributes(node)
        if attributes is not None:
            handler = self._handlers.get(tag or "")
            if handler:
                handler(node, attributes)
            else:
                self._descend(node)

    def _descend(self, node: LexborNode, close: Close | None = None) -> None:
        if close is not None:
            self._stack.append(close)
        child = node.last_child
        while child is not None:
            self._stack.append(child)
            child = child.prev

    def _nothing(self, node: LexborNode, attributes: Attributes) -> None:
        """Leave an element out."""

    def _part(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.part()
        self._descend(node, self._writer.part)

    def _break(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.run.add_break()

    def _image(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.run.add(f" {attributes.get('alt') or ''} ")

    def _formula(self, node: LexborNode, attributes: Attributes) -> None:
        source = node.css_first("annotation")
        self._writer.run.add(all_text(source if source is not None else node))

    def _heading(self, node: LexborNode, attributes: Attributes) -> None:
        level = max(1, int((node.tag or "h6")[1]) - self._highest + 1)
        self._writer.begin_heading(level, heading_anchor(node))
        self._descend(node, self._writer.end_heading)

    def _link(self, node: LexborNode, attributes: Attributes) -> None:
        target = attributes.get("href") or ""
        anchor = attributes.get("id") or attributes.get("name") or ""
        text = all_text(node).strip()
        if anchor and not text:
            self._writer.anchor = anchor
        if target.startswith("#") and text in _SIGNS:
            return
        if target and not target.lower().startswith(("javascript:", "data:", "vbscript:")):
            self._writer.begin_link(target)
            self._descend(node, self._writer.end_link)
        else:
            self._descend(node)

    def _inline_code(self, node: LexborNode, attributes: Attributes) -> None:
        run = self._writer.run
        start = run.length
        self._descend(node, lambda: run.end_whole(start))

    def _quote(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.begin_quote()
        self._descend(node, self._writer.end_quote)

    def _list(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.begin_list(number=_first_number(node.tag, attributes))
        self._descend(node, self._writer.end_list)

    def _item(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.begin_item()
        self._descend(node, self._writer.part)

    def _term(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.begin_term(own_anchor(node))
        self._descend(node, self._writer.part)

    def _definition(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.begin_definition()
        self._descend(node, self._writer.part)

    def _code(self, node: LexborNode, attributes: Attributes) -> None:
        self._writer.interrupt()
        text, language = gathered_code(node, self._seen), _language(node)
        is_marked = bool(language) or node.css_first("code") is not None
        for part in (not is_marked and prose_in(text)) or [Part(text, is_prose=False)]:
            if part.is_prose:
                run = Run()
                run.add(part.text)
                self._writer.page.prose(run)
            else:
                self._writer.page.code(part.text, language)

    def _table(self, node: LexborNode, attributes: Attributes) -> None:
        parts = table_parts(node)
        if parts is None:
            self._part(node, attributes)
            return
        self._writer.interrupt()
        if parts.caption is not None:
            self._writer.page.prose(gathered(parts.caption, self._seen))
        rows = [self._row(cells) for cells in parts.rows]
        self._writer.page.table(rows, parts.header_rows)

    def _row(self, cells: list[LexborNode]) -> list[Run]:
        row: list[Run] = []
        for cell in cells:
            row.append(gathered(cell, self._seen))
            row.extend(Run() for _ in range(column_span(cell) - 1))
        return row


def _first_number(tag: str | None, attributes: Attributes) -> int:
    if tag != "ol":
        return 0
    written = attributes.get("start") or ""
    return int(written) if written.isascii() and written.isdecimal() and len(written) < 9 else 1


def _language(node: LexborNode) -> str:
    """Return the language of code, as the element in it, itself or those around it say."""
    element = node.css_first("code") or node
    for _ in range(_MOST_AROUND):
        if found := _LANGUAGE.search(attribute(element, "class")):
            return found[1]
        parent = element.parent
        if parent is None:
            break
        element = parent
    return ""
