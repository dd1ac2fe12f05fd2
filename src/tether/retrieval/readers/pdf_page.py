"""Pages of a PDF: lines that repeat, paragraphs, and text that is not visible."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tether.retrieval.document import Block, Piece
from tether.retrieval.readers.lines import Excerpt, Line, excerpt, sentence_pieces
from tether.text.fragments import Fragments

_NUMBER = re.compile(r"\d+")
_EDGE = 2
_FEWEST_PAGES = 3
_MOST_SHARE = 0.6
_SHORT = 0.75
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\n(?=[^\W\d_A-Z])")
_PAGE_LEVEL = 6
PAGE_BREAK = "\f"
_SHOWING = (b"Tj", b"TJ", b"'", b'"')
_INVISIBLE_MODES = (3, 7)
_WHITE = {b"g": [1.0], b"rg": [1.0] * 3, b"sc": [1.0] * 3, b"scn": [1.0] * 3, b"k": [0.0] * 4}
_SMALLEST = 1.0
_DEEPEST = 64
Box = tuple[float, float, float, float]
State = tuple[float, float, bool]


def repeated_lines(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the headers and footers: lines at the edges of most pages, numbers aside."""
    if len(pages) < _FEWEST_PAGES:
        return frozenset()
    counts: Counter[str] = Counter()
    for lines in pages:
        counts.update({line_shape(line) for line in edges(lines)})
    least = max(_FEWEST_PAGES, _MOST_SHARE * len(pages))
    return frozenset(shape for shape, count in counts.items() if count >= least and shape)


def edges(lines: Sequence[str]) -> list[str]:
    """Return the first and the last lines of a page."""
    filled = [line for line in lines if line.strip()]
    return [*filled[:_EDGE], *filled[_EDGE:][-_EDGE:]]


def line_shape(line: str) -> str:
    """Return a line as it repeats: whatever number the page has."""
    return _NUMBER.sub("#", " ".join(line.split()).lower())


def without_repeated(lines: Sequence[str], repeated: frozenset[str]) -> list[str]:
    """Return a page without its header and footer, and without blank lines around it."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    at_edge = {*filled[:_EDGE], *filled[_EDGE:][-_EDGE:]}
    dropped = {number for number in at_edge if line_shape(lines[number]) in repeated}
    kept = [number for number in filled if number not in dropped]
    if not kept:
        return []
    span = range(kept[0], kept[-1] + 1)
    return [lines[number] for number in span if number not in dropped]


def paragraphs(lines: Sequence[str]) -> list[list[int]]:
    """Return the numbers of the lines of each paragraph.

    A paragraph ends at a blank line, and after a full stop in a line that does not fill its width.
    """
    lengths = sorted(len(line) for line in lines if line.strip())
    usual = lengths[int(0.8 * (len(lengths) - 1))] if lengths else 0
    found: list[list[int]] = [[]]
    for number, line in enumerate(lines):
        if not line.strip():
            found.append([])
            continue
        found[-1].append(number)
        if line.rstrip().endswith((".", "!", "?", ":")) and len(line) < _SHORT * usual:
            found.append([])
    return [group for group in found if group]


class PdfText:
    """Writes the text of a PDF page by page, and notes where its blocks lie.

    Each page begins with a heading, so that a quote from it links to the page.
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


class HiddenText:
    """Counts the bytes of text that is drawn invisibly, in white, too small or outside the page.

    A white text may lie on something dark, so this is a hint for people and not a filter.
    """

    def __init__(self, box: Box) -> None:
        self.count = 0
        self._box = box
        self._mode = 0.0
        self._size = 12.0
        self._is_white = False
        self._saved: list[State] = []

    def see(self, operator: bytes, operands: Sequence[Any], matrix: Any, text_matrix: Any) -> None:
        """Follow one operator of the page."""
        numbers = [float(item) for item in operands if isinstance(item, (int, float))]
        if operator in _SHOWING:
            if self._hides(_matrix(matrix), _matrix(text_matrix)):
                self.count += _length(operands)
        elif operator == b"q":
            self._saved.append((self._mode, self._size, self._is_white))
            del self._saved[:-_DEEPEST]
        elif operator == b"Q" and self._saved:
            self._mode, self._size, self._is_white = self._saved.pop()
        elif operator == b"Tr" and numbers:
            self._mode = numbers[0]
        elif operator == b"Tf" and numbers:
            self._size = numbers[-1]
        elif operator in _WHITE and numbers:
            self._is_white = numbers == _WHITE[operator] or (
                operator == b"scn" and numbers == [1.0]
            )

    def _hides(self, matrix: list[float], text_matrix: list[float]) -> bool:
        if self._mode in _INVISIBLE_MODES or self._is_white:
            return True
        x, y = text_matrix[4:]
        scale = max(abs(text_matrix[2]), abs(text_matrix[3])) * max(
            abs(matrix[1]), abs(matrix[3]), abs(matrix[0])
        )
        if abs(self._size) * scale < _SMALLEST:
            return True
        left = x * matrix[0] + y * matrix[2] + matrix[4]
        bottom = x * matrix[1] + y * matrix[3] + matrix[5]
        low_x, low_y, high_x, high_y = self._box
        return not (low_x - 1 <= left <= high_x + 1 and low_y - 1 <= bottom <= high_y + 1)


def _matrix(numbers: Any) -> list[float]:
    found = [float(number) for number in numbers]
    return found if len(found) == 6 else [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def _length(operands: Sequence[Any]) -> int:
    total = 0
    for item in operands:
        if isinstance(item, (str, bytes)):
            total += len(item)
        elif isinstance(item, list):
            total += sum(len(part) for part in item if isinstance(part, (str, bytes)))
    return total
