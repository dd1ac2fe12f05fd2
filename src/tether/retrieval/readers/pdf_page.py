"""What the pages of a PDF become: their text, with a heading for each page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tether.retrieval.document import Block, Piece
from tether.retrieval.readers.excerpt import Excerpt, excerpt
from tether.retrieval.readers.fragments import Fragments
from tether.retrieval.readers.lines import Line
from tether.retrieval.readers.pdf_lines import paragraphs
from tether.retrieval.readers.plain import sentence_pieces

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\n(?=[^\W\d_A-Z])")
_PAGE_LEVEL = 6
PAGE_BREAK = "\f"


class PdfText:
    """Writes the text of a PDF page by page, and notes where its blocks lie.

    Each page begins with a heading of its own, so that what is cited from it links to the page.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """Everything that was written."""
        return "".join(self._parts)

    def page(self, number: int, lines: Sequence[str], titles: Mapping[str, int]) -> None:
        """Write a page. `titles` are the sections that begin on it, with their levels."""
        if self._parts:
            self._write(f"\n{PAGE_BREAK}\n")
        self._heading(f"Page {number}", _PAGE_LEVEL, number)
        for group in _groups(lines, titles):
            title = " ".join(lines[group[0]].split()) if len(group) == 1 else ""
            if title.lower() in titles:
                self._write("\n\n")
                self._heading(title, titles[title.lower()], number)
            else:
                self._paragraph([lines[at].strip() for at in group])

    def _heading(self, title: str, level: int, number: int) -> None:
        start = self._length
        end = self._write(title)
        self.blocks.append(
            Block(
                kind="heading",
                start=start,
                end=end,
                pieces=(Piece(start=start, end=end, plain=title),),
                level=level,
                anchor=f"page={number}",
            )
        )

    def _paragraph(self, lines: Sequence[str]) -> None:
        self._write("\n\n")
        start = self._length
        text = "\n".join(lines)
        end = self._write(text)
        taken = excerpt(text, [Line(0, len(text))])
        pieces = tuple(
            Piece(start=start + piece.start, end=start + piece.end, plain=piece.plain)
            for piece in sentence_pieces(taken, _joined(taken).plain())
        )
        self.blocks.append(Block(kind="paragraph", start=start, end=end, pieces=pieces))

    def _write(self, text: str) -> int:
        self._parts.append(text)
        self._length += len(text)
        return self._length


def _joined(taken: Excerpt) -> Fragments:
    """Join the words that were divided at the ends of lines."""
    fragments = Fragments()
    at = 0
    for found in _HYPHEN.finditer(taken.text):
        fragments.add(taken.text[at : found.start()], at)
        at = found.end()
    fragments.add(taken.text[at:], at)
    return fragments


def _groups(lines: Sequence[str], titles: Mapping[str, int]) -> list[list[int]]:
    """Return the paragraphs of a page, with lines that are titles of sections on their own."""
    groups: list[list[int]] = []
    for group in paragraphs(lines):
        part: list[int] = []
        for number in group:
            if " ".join(lines[number].split()).lower() in titles:
                groups.extend(([*part], [number]) if part else ([number],))
                part = []
            else:
                part.append(number)
        if part:
            groups.append(part)
    return groups
