"""The state while the lines of a passage are read: headings, open text, lists, code."""

# No `from __future__ import annotations` here: see units.py.
from collections.abc import Callable
from typing import Literal, NamedTuple

CODE_INDENT = 4


class Block(NamedTuple):
    """A heading, a paragraph or a list item: its place, and the headings and list it belongs to.

    `path` are the headings above it, outermost first. Items of one list share its number.
    """

    kind: Literal["heading", "paragraph", "item"]
    start: int
    end: int
    path: tuple[str, ...]
    list: int = 0
    is_ordered: bool = False


class Open(NamedTuple):
    """A paragraph or an item that is being read, and the term that it defines."""

    start: int
    end: int
    last_line: int
    depth: int
    indent: int
    list: int = 0
    is_ordered: bool = False
    term: str = ""


class Place(NamedTuple):
    """The owner of indented text: a list item, or (number 0) an admonition."""

    content: int
    marker: int
    list: int = 0
    is_ordered: bool = False


class BlockState:
    """The blocks that are ready, the one that is open, and where it belongs."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._path: list[tuple[int, str]] = []
        self._open: Open | None = None
        self._ready: list[Block] = []
        self._skips: Callable[[int, int], bool] | None = None
        self._places: list[Place] = []
        self._left: Place | None = None
        self._list_count = 0
        self._term = ""

    def heading(self, level: int, start: int, end: int) -> bool:
        """Note a heading: it ends the open block and replaces headings of its level and below."""
        self._close()
        self._places.clear()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, self._text[start:end]))
        self._ready.append(Block("heading", start, end, self._titles()))
        return True

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._path)

    def _add(self, begin: int, end: int, depth: int, indent: int) -> None:
        if self._open is None:
            self._term = ""
            self._open = Open(begin, end, begin, depth, indent)
        else:
            self._open = self._open._replace(end=end, last_line=begin)

    def _define(self, begin: int, end: int, depth: int, indent: int) -> None:
        """Open the definition of the last term, which is above it as a heading would be."""
        self._open = Open(begin, end, begin, depth, indent, term=self._term)

    def _close(self) -> None:
        """End the open block; a paragraph that ends in two colons announces code."""
        if self._open is None:
            return
        block, self._open = self._open, None
        kind: Literal["paragraph", "item"] = "item" if block.list else "paragraph"
        start, end = block.start, block.end
        path = (*self._titles(), block.term) if block.term else self._titles()
        self._ready.append(Block(kind, start, end, path, block.list, block.is_ordered))
        if self._text.endswith("::", start, end):
            self._skip_deeper(block.indent)

    def _leave(self, indent: int) -> Place | None:
        """Leave the places that text with this indent does not belong to; return the last."""
        left = None
        while self._places and indent < self._places[-1].content:
            left = self._places.pop()
        return left

    def _begin_item(
        self, begin: int, end: int, depth: int, indent: int, *, is_ordered: bool
    ) -> None:
        left = self._leave(indent + 1) or self._left
        number = left.list if left is not None and left.is_ordered == is_ordered else 0
        if not number or left is None or abs(left.marker - indent) > 1:
            self._list_count += 1
            number = self._list_count
        self._places.append(Place(indent + 2, indent, number, is_ordered))
        self._open = Open(begin, end, begin, depth, indent, number, is_ordered)

    def _skip_deeper(self, indent: int) -> None:
        def skips(start: int, end: int) -> bool:
            line = self._text[start:end]
            if not line.strip() or width_of(line) > indent:
                return True
            self._skips = None
            return False

        self._skips = skips

    def _skip_until(self, is_last: Callable[[str], bool]) -> None:
        def skips(start: int, end: int) -> bool:
            if is_last(self._text[start:end]):
                self._skips = None
            return True

        self._skips = skips


def width_of(line: str) -> int:
    """Return how far a line is indented, in columns."""
    spaces = line[: len(line) - len(line.lstrip())]
    return len(spaces.expandtabs(CODE_INDENT))
