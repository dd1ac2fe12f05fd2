"""The text of a web page as it is written, reading like Markdown, and the blocks in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tether.retrieval.document import Block, BlockKind, Link, Piece
from tether.retrieval.readers.lines import lines_of
from tether.text.sentences import Span, sentences

_SPACE = re.compile(r"[ \t\n\f\r]+")
_INVISIBLE = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")
_FENCE = re.compile(r"`{3,}")
_LONG_ITEM = 1_000
TERMS_JOINT = ", "
"""Between terms that share a definition."""


class RunLink(NamedTuple):
    """A link in running text, `start` characters from its beginning."""

    target: str
    text: str
    start: int


class Run:
    """Collects the text of a paragraph, a title, an item or a cell."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._ends_in_space = True
        self._links: list[tuple[str, int, int]] = []
        self.whole: list[Span] = []

    @property
    def length(self) -> int:
        """How much text there is so far."""
        return self._length

    @property
    def text(self) -> str:
        """The text so far, without white space at its ends."""
        return "".join(self._parts).rstrip()

    @property
    def links(self) -> list[RunLink]:
        """The links that have text, in the order in which they end."""
        text = "".join(self._parts)
        found = [(target, text[start:end], start) for target, start, end in self._links]
        return [
            RunLink(target, " ".join(label.split()), start + len(label) - len(label.lstrip()))
            for target, label, start in found
        ]

    def add(self, text: str) -> None:
        """Add text of the page; any white space is one space, and none at the beginning."""
        shown = _SPACE.sub(" ", text.translate(_INVISIBLE))
        if self._ends_in_space:
            shown = shown.lstrip(" ")
        self._append(shown)

    def add_break(self) -> None:
        """Begin a new line, unless nothing has been said on this one."""
        if self._parts and self._parts[-1] != "\n":
            self._append("\n")

    def add_gap(self) -> None:
        """Keep the next words apart from the last ones."""
        self.add(" ")

    def end_link(self, target: str, start: int) -> None:
        """End a link that began at a place."""
        self._links.append((target, start, self._length))

    def end_whole(self, start: int) -> None:
        """End code that began at a place; no sentence ends in it."""
        if self._length > start:
            self.whole.append((start, self._length))

    def clear(self) -> None:
        """Forget everything: it was white space."""
        self._parts.clear()
        self._links.clear()
        self.whole.clear()
        self._length, self._ends_in_space = 0, True

    def _append(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
            self._ends_in_space = text[-1] in " \n"


Row = Sequence[Run]


class ListLine:
    """A line of a list: its depth, its mark and its text. A term may have an anchor."""

    __slots__ = ("anchor", "depth", "is_term", "is_top", "links", "mark", "text")

    def __init__(
        self,
        *,
        depth: int,
        mark: str,
        run: Run,
        is_top: bool,
        is_term: bool = False,
        anchor: str = "",
    ) -> None:
        self.depth = depth
        self.mark = "  " * depth + mark
        self.text = run.text.replace("\n", " ")
        self.links = run.links
        self.is_top = is_top
        self.is_term = is_term
        self.anchor = anchor

    def join(self, other: ListLine) -> None:
        """Take in the next term: both have the same definition."""
        shift = len(self.text) + len(TERMS_JOINT)
        self.text += TERMS_JOINT + other.text
        self.links += [link._replace(start=link.start + shift) for link in other.links]
        self.anchor = self.anchor or other.anchor


class HtmlPage:
    """Writes the text of a page, and notes where its blocks and links lie."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.links: list[Link] = []
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """Everything that was written."""
        return "".join(self._parts)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return not self._parts

    def heading(self, run: Run, level: int, anchor: str) -> None:
        """Write a heading that is not empty; its line breaks are spaces.

        One that only repeats the heading above it, a level further down, is not written.
        """
        text = " ".join(run.text.split())
        if self.blocks and _repeats(self.blocks[-1], text, level):
            return
        start = self._begin()
        place = self._write("#" * level + " ")
        end = self._write_linked(text, run.links)
        pieces = (Piece(start=place, end=end, plain=text),)
        self._add("heading", start, pieces, level=level, anchor=anchor)

    def prose(self, run: Run, kind: BlockKind = "paragraph") -> None:
        """Write a paragraph, or one of a quotation."""
        text = run.text
        if not text:
            return
        start = self._begin()
        if kind == "quote":
            text = text.replace("\n", "\n> ")
            self._write("> ")
        base = self._write("")
        self._write_linked(text, run.links)
        spans = sentences(text, run.whole)
        self._add(kind, start, [_piece(text, span, base) for span in spans])

    def code(self, code: str, language: str) -> None:
        """Write code between fences that are longer than any in it."""
        lines = code.strip("\n").rstrip()
        if not lines.strip():
            return
        longest = max((len(mark) for mark in _FENCE.findall(lines)), default=2)
        fence = "`" * (longest + 1)
        start = self._begin()
        base = self._write(f"{fence}{language}\n")
        self._write(f"{lines}\n{fence}")
        pieces = [
            Piece(start=base + line.start, end=base + line.end, plain=line.of(lines))
            for line in lines_of(lines)
            if line.of(lines).strip()
        ]
        self._add("code", start, pieces)

    def items(self, lines: Sequence[ListLine]) -> None:
        """Write a list; a definition with an anchor begins another one."""
        begin = 0
        for number, line in enumerate(lines):
            if number and line.is_top and line.anchor:
                self._items(lines[begin:number])
                begin = number
        self._items(lines[begin:])

    def _items(self, lines: Sequence[ListLine]) -> None:
        """Write one block. A top item and the items in it are one piece, unless it is long."""
        if not lines:
            return
        start = self._begin()
        groups: list[list[Piece]] = []
        for number, line in enumerate(lines):
            begin = self._write(("\n\n" if line.is_term else "\n") if number else "")
            begin += len(line.mark) - len(line.mark.lstrip())
            self._write(line.mark)
            end = self._write_linked(line.text, line.links)
            piece = Piece(start=begin, end=end, plain=line.text)
            if line.is_top or not groups:
                groups.append([piece])
            else:
                groups[-1].append(piece)
        pieces = [piece for group in groups for piece in _joined(group)]
        self._add("list", start, pieces, anchor=lines[0].anchor)

    def table(self, rows: Sequence[Row], header_rows: int) -> None:
        """Write a table with pipes, and a rule below its header rows."""
        if not any(run.text for row in rows for run in row):
            return
        start, first = self._begin(), len(self._parts)
        pieces: list[Piece] = []
        header = ""
        for number, row in enumerate(rows):
            begin = self._write("\n" if number else "")
            end = self._write_row(row)
            if number + 1 == header_rows:
                end = self._write("\n" + "| --- " * len(row) + "|")
                header = "".join(self._parts[first:])
            plain = " | ".join(_cell(run) for run in row)
            pieces.append(Piece(start=begin, end=end, plain=plain))
        self._add("table", start, pieces, header=header)

    def _write_row(self, row: Row) -> int:
        for run in row:
            self._write("| ")
            self._write_linked(_cell(run).replace("|", "\\|"), run.links)
            self._write(" ")
        return self._write("|")

    def _begin(self) -> int:
        """Leave a blank line between blocks; return where the next one starts."""
        return self._write("\n\n" if self._parts else "")

    def _write(self, text: str) -> int:
        """Write text and return the place after it."""
        self._parts.append(text)
        self._length += len(text)
        return self._length

    def _write_linked(self, text: str, links: Sequence[RunLink]) -> int:
        self.links.extend(
            Link(target=link.target, text=link.text, start=self._length + link.start)
            for link in links
            if link.text
        )
        return self._write(text)

    def _add(
        self,
        kind: BlockKind,
        start: int,
        pieces: Sequence[Piece],
        *,
        level: int = 0,
        anchor: str = "",
        header: str = "",
    ) -> None:
        block = Block(
            kind=kind,
            start=start,
            end=self._length,
            pieces=tuple(pieces),
            level=level,
            anchor=anchor,
            header=header,
        )
        self.blocks.append(block)


def _repeats(above: Block, text: str, level: int) -> bool:
    is_below = above.kind == "heading" and above.level < level
    return is_below and above.plain.casefold() == text.casefold()


def _piece(text: str, span: Span, base: int) -> Piece:
    start, end = span
    words = " ".join(text[start:end].replace("\n> ", "\n").split())
    return Piece(start=base + start, end=base + end, plain=words)


def _joined(group: Sequence[Piece]) -> list[Piece]:
    if sum(len(piece.plain) for piece in group) > _LONG_ITEM:
        return list(group)
    plain = "\n".join(piece.plain for piece in group)
    return [Piece(start=group[0].start, end=group[-1].end, plain=plain)]


def _cell(run: Run) -> str:
    return " ".join(run.text.split())
