"""The lines of reStructuredText: where each begins, and how far it is indented."""

from __future__ import annotations

import re
from typing import NamedTuple

from tether.retrieval.readers.lines import Line, lines_of

_INDENTATION = re.compile(r"[ \t\f\v]*+")
_TAB = 8
_FOOTER = "+++"
"""What parts the footer of a card from its text: only inside of one, which is indented."""


class RstLine(NamedTuple):
    """A line: its own start, where its words start and end, and the column that they start in.

    A blank line has no words, and its column is 0.
    """

    begin: int
    start: int
    end: int
    column: int
    words: str

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing on it."""
        return not self.words

    @property
    def span(self) -> Line:
        """Where its words lie."""
        return Line(self.start, self.end)


def rst_lines(text: str) -> list[RstLine]:
    """Return all lines of a text."""
    return [_rst_line(text, line) for line in lines_of(text)]


def _rst_line(text: str, line: Line) -> RstLine:
    found = _INDENTATION.match(text, line.start, line.end)
    start = found.end() if found else line.start
    words = text[start : line.end].rstrip()
    if words == _FOOTER and start > line.start:
        words = ""
    column = len(text[line.start : start].expandtabs(_TAB)) if words else 0
    return RstLine(line.start, start, start + len(words), column, words)


def rest(line: RstLine, offset: int) -> RstLine:
    """Return the line from one of its words on: what follows a marker of `offset` characters."""
    words = line.words[offset:].lstrip()
    skipped = len(line.words) - len(words)
    return RstLine(line.begin, line.start + skipped, line.end, line.column + skipped, words)


def end_of_indented(lines: list[RstLine], begin: int, column: int) -> int:
    """Return the number of the line after the last one from `begin` that lies right of a column.

    Blank lines belong to what they stand in; those at the end do not.
    """
    end = begin
    for number in range(begin, len(lines)):
        line = lines[number]
        if line.is_blank:
            continue
        if line.column <= column:
            break
        end = number + 1
    return end
