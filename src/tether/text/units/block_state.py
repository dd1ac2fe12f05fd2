"""The state while the lines of a passage are read: headings, open text, lists, tables, code."""

# No `from __future__ import annotations` here: see units.py.
from collections.abc import Callable
from typing import Literal, NamedTuple

from tether.text.sentences import Span

CODE_INDENT = 4

Kind = Literal["heading", "paragraph", "item", "definition", "table", "code"]


class Block(NamedTuple):
    """A part of a passage: its place, and the headings and the list it belongs to.

    `path` are the headings above it, outermost first. Items of one list share its number;
    `outer_list` is the one in whose item it is, or 0. `term` is the place of the term that a
    definition defines. `body` is code without its fences, but with the indentation of its first
    line; in a quote, each line of it has marks (`is_quoted`).
    """

    kind: Kind
    start: int
    end: int
    path: tuple[str, ...]
    list: int = 0
    is_ordered: bool = False
    term: Span | None = None
    body: Span = (0, 0)
    is_quoted: bool = False
    outer_list: int = 0


class Open(NamedTuple):
    """A paragraph or an item that is being read, and the term that it defines."""

    start: int
    end: int
    last_line: int
    depth: int
    indent: int
    list: int = 0
    is_ordered: bool = False
    term: Span | None = None
    outer_list: int = 0


class Place(NamedTuple):
    """The owner of indented text: a list item, or (number 0) an admonition.

    Text from the column `content` on belongs to it; its own text is in the column `text`.
    """

    content: int
    marker: int
    text: int
    list: int = 0
    is_ordered: bool = False


class Region(NamedTuple):
    """Lines that are not read as text, up to one that `ends` them, and the block that they make.

    The last line belongs to it where it `is_closed`, as code between fences is; code that is closed
    nowhere is cut off, and is not a block. `start` and `body` are places, or -1 where the
    first line will set them; `last` is the end of the text so far.
    """

    ends: Callable[[str], bool]
    kind: Literal["table", "code"] | None = None
    start: int = -1
    body: int = -1
    last: int = -1
    is_closed: bool = False
    is_quoted: bool = False


def deeper_than(indent: int) -> Callable[[str], bool]:
    """Return the end of a region whose lines are indented by more than so many columns."""
    return lambda line: bool(line.strip()) and width_of(line) <= indent


def is_empty(line: str) -> bool:
    """Say whether a line is empty, which ends some regions."""
    return not line.strip()


class BlockState:
    """The blocks that are ready, the one that is open, and where it belongs."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._path: list[tuple[int, str]] = []
        self._open: Open | None = None
        self._gathered: Block | None = None
        self._ready: list[Block] = []
        self._region: Region | None = None
        self._places: list[Place] = []
        self._left: Place | None = None
        self._list_count = 0
        self._term: Span | None = None
        self._awaited: Span | None = None  # a term whose definition is to come

    def heading(self, level: int, start: int, end: int) -> bool:
        """Note a heading: it ends the open block and replaces headings of its level and below."""
        self._close()
        self._places.clear()
        self._awaited = None
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, self._text[start:end]))
        self._ready.append(Block("heading", start, end, self._titles()))
        return True

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._path)

    def _add(self, begin: int, end: int, depth: int, indent: int) -> None:
        if self._open is None:
            self._close()
            self._term, self._awaited = self._awaited, None
            self._open = Open(begin, end, begin, depth, indent, term=self._term)
        else:
            self._open = self._open._replace(end=end, last_line=begin)

    def _define(self, begin: int, end: int, depth: int, indent: int) -> None:
        """Open the definition of the last term."""
        self._close()
        self._open = Open(begin, end, begin, depth, indent, term=self._term)

    def _gather(self, kind: Literal["table", "code"], begin: int, end: int, depth: int) -> None:
        """Add a line to the table or the code that is open, or open one."""
        known = self._gathered
        if known is None or known.kind != kind or known.is_quoted != (depth > 0):
            self._close()
            line = self._text.rfind("\n", 0, begin) + 1 if kind == "code" else begin
            known = Block(kind, begin, end, self._titles(), body=(line, end), is_quoted=depth > 0)
        self._gathered = known._replace(end=end, body=(known.body[0], end))

    def _close(self) -> Open | None:
        """End the block that is open, and return the text that was."""
        if self._gathered is not None:
            self._ready.append(self._gathered)
            self._gathered = None
        closed, self._open = self._open, None
        if closed is not None:
            kind: Kind = "item" if closed.list else "definition" if closed.term else "paragraph"
            start, end, path = closed.start, closed.end, self._titles()
            listed = closed.list, closed.is_ordered
            block = Block(kind, start, end, path, *listed, term=closed.term)
            self._ready.append(block._replace(outer_list=closed.outer_list))
        return closed

    def _pause(self) -> None:
        """Take an empty line: it ends all but code, and announced code begins after it."""
        if self._gathered is not None and self._gathered.kind == "code":
            return
        closed = self._close()
        if closed is not None and self._text.endswith("::", closed.start, closed.end):
            is_quoted = closed.depth > 0
            self._region = Region(deeper_than(closed.indent), "code", is_quoted=is_quoted)

    def _leave(self, indent: int) -> Place | None:
        """Leave the places that text with this indent does not belong to; return the last."""
        left = None
        while self._places and indent < self._places[-1].content:
            left = self._places.pop()
            self._awaited = None
        return left

    def _begin_item(
        self, begin: int, end: int, depth: int, indent: int, *, width: int = 2, is_ordered: bool
    ) -> None:
        """Open an item whose text is `width` columns to the right of its mark."""
        self._close()
        self._awaited = None
        left = self._leave(indent + 1) or self._left
        number = left.list if left is not None and left.is_ordered == is_ordered else 0
        if not number or left is None or abs(left.marker - indent) > 1:
            self._list_count += 1
            number = self._list_count
        outer = next((place.list for place in reversed(self._places) if place.list), 0)
        self._places.append(Place(indent + 2, indent, indent + width, number, is_ordered))
        opened = Open(begin, end, begin, depth, indent, number, is_ordered)
        self._open = opened._replace(outer_list=outer)

    def _skips(self, start: int, end: int) -> bool:
        """Say whether a line belongs to a region; it may be the one that ends it."""
        region, line = self._region, self._text[start:end]
        if region is None:
            return False
        stop = start + len(line.rstrip())
        if region.ends(line):
            self._end_region(_end_of_tag(line, start) or stop)
            return region.is_closed or stop == start
        if stop > start:
            begin = start + len(line) - len(line.lstrip())
            self._region = region._replace(
                start=begin if region.start < 0 else region.start,
                body=start if region.body < 0 else region.body,
                last=stop,
            )
        return True

    def _end_region(self, end: int) -> None:
        region, self._region = self._region, None
        if region is None or region.kind is None or not 0 <= region.body < region.last:
            return
        stop = end if region.is_closed else region.last
        body = region.body, region.last
        block = Block(region.kind, region.start, stop, self._titles(), body=body)
        self._ready.append(block._replace(is_quoted=region.is_quoted))

    def _finish(self) -> None:
        """End the passage, and with it everything that need not be closed."""
        self._close()
        region = self._region
        if region is not None and not (region.is_closed and region.kind == "code"):
            self._end_region(region.last)


def width_of(line: str) -> int:
    """Return how far a line is indented, in columns."""
    spaces = line[: len(line) - len(line.lstrip())]
    return len(spaces.expandtabs(CODE_INDENT))


def _end_of_tag(line: str, start: int) -> int:
    return start + line.find(">") + 1 if line.startswith("</") and ">" in line else 0
