"""The lines of reStructuredText, and the marks that begin its blocks."""

from __future__ import annotations

import re
from typing import NamedTuple

from tether.retrieval.readers.lines import Line, lines_of

_INDENTATION = re.compile(r"[ \t\f\v]*+")
_TAB = 8
_FOOTER = "+++"
"""Separates the footer of a card from its text: only inside a card, which is indented."""
_BULLET = re.compile(r"[-*+•‣⁃](?:\s+|$)")  # noqa: RUF001
_ENUMERATOR = re.compile(r"\(?(?:\d{1,9}|#|[A-Za-z]|[ivxlcdmIVXLCDM]{2,9})[.)](?:\s+|$)")
_FIELD = re.compile(r":([A-Za-z_](?:[^:\n]|:(?=\w)){0,120}):(?:\s+|$)")
_OPTION = re.compile(r"(?:-[A-Za-z0-9?]|--[A-Za-z0-9]|/[A-Z])\S*")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_GRID = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE = re.compile(r"=+(?: +=+)+")


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
    """Return the rest of a line, after a marker of `offset` characters."""
    words = line.words[offset:].lstrip()
    skipped = len(line.words) - len(words)
    return RstLine(line.begin, line.start + skipped, line.end, line.column + skipped, words)


def end_of_indented(lines: list[RstLine], begin: int, column: int) -> int:
    """Return the number of the line after the last one from `begin` that lies right of a column.

    Blank lines belong to it, except those at the end.
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


def bullet(line: RstLine) -> int:
    """Return the length of a bullet and the space after it; 0 without a bullet."""
    found = _BULLET.match(line.words)
    return found.end() if found else 0


def enumerator(line: RstLine, following: RstLine | None) -> int:
    """Return the length of the mark of a numbered item; 0 without a mark.

    A line that only begins with "A." does not count: the next one would have to be blank, indented
    or numbered too.
    """
    found = _ENUMERATOR.match(line.words)
    if found is None:
        return 0
    is_item = (
        following is None
        or following.is_blank
        or following.column > line.column
        or _ENUMERATOR.match(following.words) is not None
    )
    return found.end() if is_item else 0


def field_name(line: RstLine) -> str:
    """Return the name of a field (`:name: what it says`), or ""."""
    found = _FIELD.match(line.words)
    return found[1] if found else ""


def field_body(line: RstLine) -> RstLine:
    """Return the text of a field on its own line."""
    found = _FIELD.match(line.words)
    return rest(line, found.end() if found else 0)


def is_option(line: RstLine) -> bool:
    """Return whether a line describes an option of a command."""
    return _OPTION.match(line.words) is not None and not line.words.startswith("---")


def adornment(line: RstLine) -> str:
    """Return the character that a line is a row of, or ""."""
    found = _ADORNMENT.fullmatch(line.words)
    return found[1] if found else ""


def is_grid(line: RstLine) -> bool:
    """Return whether a line is the border of a grid table."""
    return _GRID.fullmatch(line.words) is not None


def is_simple_border(line: RstLine) -> bool:
    """Return whether a line is a border of a simple table."""
    return _SIMPLE.fullmatch(line.words) is not None


def is_explicit(line: RstLine) -> bool:
    """Return whether a line begins a directive, a target, a footnote or a comment."""
    return (
        line.words.startswith(".. ") or line.words in ("..", "__") or (line.words.startswith("__ "))
    )


def interrupts(line: RstLine) -> bool:
    """Return whether a line inside an item begins another block."""
    return is_explicit(line) or line.words.startswith(">>> ") or is_grid(line)
