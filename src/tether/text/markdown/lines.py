"""Markdown line by line: the block that a line belongs to, and the text on it.

A scan of lines and not a whole CommonMark parser: it needs one line more than the one it judges, so
a document of any size can stream through it. It knows front matter, ATX headings, fenced and
indented code, lists, quotes, tables and rules, but not underlined headings and HTML blocks:
their lines are paragraphs to it, or rules. Blocks in a list item or a quote belong to it.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, NamedTuple

from tether.text.markdown.marks import (
    DEEPEST,
    MARKS,
    ListMark,
    Place,
    fence_of,
    heading_of,
    is_closing_fence,
    is_rule,
    is_table_head,
    list_mark_of,
    table_cells,
    unquoted,
)

Kind = Literal[
    "blank", "frontmatter", "heading", "paragraph", "list", "code", "quote", "table", "rule"
]


class Fence(NamedTuple):
    """A block of fenced code, the same for all of its lines."""

    start: int
    lang: str | None
    mark: str
    column: int
    is_quoted: bool


class Line(NamedTuple):
    """One line: the outermost block it belongs to, and its text without the marks of blocks.

    `opens` says that this block starts here, `begins` that `text` does not go on from the line
    before. `text` is None where there is nothing to read, and is code where `is_code`. A heading
    has a `depth`.
    """

    number: int
    kind: Kind
    text: str | None = None
    opens: bool = False
    begins: bool = True
    is_code: bool = False
    depth: int = 0
    fence: Fence | None = None


class LineScanner:
    """Judges the lines of a document in order, each with the one that follows it.

    `frontmatter_end` is the line that closes the front matter. A scan may start at any heading that
    is not in a list: nothing before it reaches beyond it.
    """

    __slots__ = (
        "_dashes",
        "_fence",
        "_frontmatter_end",
        "_is_after_blank",
        "_is_in_paragraph",
        "_is_in_quote",
        "_is_indented",
        "_kind",
        "_offsets",
        "_style",
    )

    def __init__(self, frontmatter_end: int = -1) -> None:
        self._frontmatter_end = frontmatter_end
        self._fence: Fence | None = None
        self._offsets: list[int] = []  # the columns of the list items that are open
        self._style = ""
        self._dashes = -1  # the line below the head of a table
        self._kind: Kind = "blank"
        self._is_after_blank = True
        self._is_in_paragraph = False  # text is open that the next line may go on with
        self._is_in_quote = False  # and that text is in a quote
        self._is_indented = False  # the line before is indented code

    def scan(self, number: int, line: str, following: str | None) -> Line:
        """Judge one line; `following` is the next one, None for the last."""
        line = line.removesuffix("\r")
        if number <= self._frontmatter_end:
            return Line(number, "frontmatter", opens=number == 0)
        place = Place().skip(line)
        if self._fence is not None and self._is_inside(self._fence, line, place):
            return self._fenced(number, self._fence, line, place)
        self._fence = None
        if place.position == len(line):
            self._is_after_blank = True
            self._is_in_paragraph = False
            return Line(number, "blank")
        judged = self._judge(number, line, place, following)
        self._kind = judged.kind
        self._is_indented = judged.is_code
        self._is_after_blank = False
        return judged

    def _is_inside(self, fence: Fence, line: str, place: Place) -> bool:
        """Return whether a line still belongs to the list item or the quote of a fence."""
        if fence.is_quoted:
            return line.startswith(">", place.position)
        return place.position == len(line) or place.column >= self._base(len(self._offsets))

    def _fenced(self, number: int, fence: Fence, line: str, place: Place) -> Line:
        base = self._base(len(self._offsets))
        if fence.is_quoted:
            base = unquoted(line, place).column
            place = unquoted(line, place).skip(line)
        content = line[place.position :]
        if place.column - base < 4 and is_closing_fence(content.rstrip(" \t"), fence.mark):
            self._fence = None
            return Line(number, self._kind, fence=fence)
        code = " " * max(0, place.column - fence.column) + content
        return Line(number, self._kind, code, is_code=True, fence=fence)

    def _base(self, kept: int) -> int:
        return self._offsets[kept - 1] if kept else 0

    def _judge(self, number: int, line: str, place: Place, following: str | None) -> Line:
        if number == self._dashes:
            return Line(number, "table")
        kept = bisect_right(self._offsets, place.column)
        indent = place.column - self._base(kept)
        if self._is_in_paragraph and not self._interrupts(line, place, indent, kept, following):
            return self._continued(number, line[place.position :])
        del self._offsets[kept:]
        goes_on = self._is_in_paragraph and self._is_in_quote
        self._is_in_paragraph = False
        if indent >= 4:
            return self._indented(number, line, place, self._base(kept) + 4)
        if line.startswith(">", place.position):
            return self._quoted(number, line, place, goes_on=goes_on)
        mark = list_mark_of(line, place)
        if mark is not None and not is_rule(line[place.position :]):
            return self._item(number, line, mark)
        return self._leaf(number, line, place, following)

    def _interrupts(
        self, line: str, place: Place, indent: int, kept: int, following: str | None
    ) -> bool:
        """Return whether a line ends the text before it without a blank line."""
        if indent >= 4:
            return self._kind == "table"
        content = line[place.position :].rstrip(" \t")
        if content[0] in MARKS:
            if content[0] == ">" or _is_block(content):
                return True
            if mark := list_mark_of(line, place):
                is_outside = self._is_in_quote or kept < len(self._offsets)
                return mark.can_interrupt or is_outside or self._kind == "table"
        return self._kind == "paragraph" and is_table_head(content, following)

    def _continued(self, number: int, text: str) -> Line:
        if self._kind == "table":
            return Line(number, "table", "\t".join(table_cells(text)))
        return Line(number, self._kind, text, begins=False)

    def _indented(self, number: int, line: str, place: Place, column: int) -> Line:
        code = " " * (place.column - column) + line[place.position :]
        if self._offsets:
            return Line(number, "list", code, is_code=True)
        return Line(number, "code", code, opens=not self._is_indented, is_code=True)

    def _item(self, number: int, line: str, mark: ListMark) -> Line:
        """Judge a line that starts list items, and the text after their markers."""
        opens = not self._offsets and (self._kind != "list" or self._style != mark.style)
        if not self._offsets:
            self._style = mark.style
        inner: ListMark | None = mark
        for _ in range(DEEPEST):
            if inner is None:
                break
            mark = inner
            self._offsets.append(mark.offset)
            inner = None if is_rule(line[mark.content.position :]) else _next(line, mark)
        return self._item_content(number, line, mark)._replace(opens=opens)

    def _item_content(self, number: int, line: str, mark: ListMark) -> Line:
        place = mark.content
        if place.position == len(line):
            return Line(number, "list")
        if place.column - mark.offset >= 4:
            return self._indented(number, line, place, mark.offset + 4)
        if line.startswith(">", place.position):
            return self._quoted(number, line, place, goes_on=False)
        return self._leaf(number, line, place, None)

    def _quoted(self, number: int, line: str, place: Place, *, goes_on: bool) -> Line:
        """Judge a line of a quote; lists in it are read item by item, but not kept in mind."""
        kind: Kind = "list" if self._offsets else "quote"
        opens = kind == "quote" and (self._kind != "quote" or self._is_after_blank)
        outer = unquoted(line, place)
        place = outer.skip(line)
        content = line[place.position :].rstrip(" \t")
        if not content:
            return Line(number, kind, opens=opens)
        mark = list_mark_of(line, place)
        if goes_on and not mark and not _is_block(content):
            self._is_in_paragraph = True
            return Line(number, kind, line[place.position :], begins=False)
        for _ in range(DEEPEST):
            if mark is None or is_rule(line[place.position :]):
                break
            place = mark.content
            mark = list_mark_of(line, place)
        judged = self._leaf(number, line, place, None, is_quoted=True)
        return judged._replace(kind=kind, opens=opens, depth=0)

    def _leaf(
        self,
        number: int,
        line: str,
        place: Place,
        following: str | None,
        *,
        is_quoted: bool = False,
    ) -> Line:
        """Judge a leaf block: a fence, a heading, a rule, a table or a paragraph."""
        content = line[place.position :].rstrip(" \t")
        is_outer = not self._offsets
        kind: Kind | None = "list" if self._offsets else None
        if fence := fence_of(content):
            self._fence = Fence(number, fence.lang, fence.mark, place.column, is_quoted)
            return Line(number, kind or "code", opens=is_outer, fence=self._fence)
        if heading := heading_of(content):
            depth = heading.depth if is_outer else 0
            return Line(number, kind or "heading", heading.text, opens=is_outer, depth=depth)
        if is_rule(content):
            return Line(number, kind or "rule", opens=is_outer)
        self._is_in_paragraph, self._is_in_quote = True, is_quoted
        if is_outer and not is_quoted and is_table_head(content, following):
            self._dashes = number + 1
            return Line(number, "table", "\t".join(table_cells(content)), opens=True)
        return Line(number, kind or "paragraph", line[place.position :], opens=is_outer)


def _is_block(content: str) -> bool:
    return bool(fence_of(content) or heading_of(content) or is_rule(content))


def _next(line: str, mark: ListMark) -> ListMark | None:
    """Return the marker right after another one."""
    is_near = mark.content.column - mark.offset < 4
    return list_mark_of(line, mark.content) if is_near else None
