"""Rows of text written as Markdown, CSV or TSV tables."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDEST_COLUMN = 60
"""Longer cells are not aligned: padding a whole column to them would add mostly spaces."""

_FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""The starts of cells that spreadsheets run as formulas: OWASP's list, with full-width forms."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LINE_END = re.compile("\r\n|\n|\r")


class TextTable(NamedTuple):
    """A heading and rows, with as many cells in each."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]


class _Column(NamedTuple):
    width: int
    is_numeric: bool

    @property
    def rule(self) -> str:
        """The line below the heading; the colon sets numbers to the right."""
        return "-" * (self.width - 1) + (":" if self.is_numeric else "-")

    def padded(self, cell: str) -> str:
        spaces = " " * (self.width - _display_width(cell))
        return spaces + cell if self.is_numeric else cell + spaces


def markdown_table(table: TextTable) -> str:
    """Return a table of GitHub's Markdown with aligned columns, those of numbers to the right.

    A pipe or a backslash in a cell is escaped, and a line end becomes `<br>`.
    """
    lines = [[_markdown_cell(cell) for cell in line] for line in (table.heading, *table.rows)]
    columns = [_column(cells) for cells in zip(*lines, strict=True)]
    heading, *rows = (
        [column.padded(cell) for column, cell in zip(columns, line, strict=True)] for line in lines
    )
    rule = [column.rule for column in columns]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, rule, *rows))


def delimited_table(table: TextTable, delimiter: str) -> str:
    """Return a table as RFC 4180 describes, with any delimiter: CRLF ends each line.

    A spreadsheet would run a cell that begins like a formula: such a cell is prefixed with an
    apostrophe, unless it is a plain number.
    """
    special = re.compile(rf'[{re.escape(delimiter)}"\r\n]|^\s|\s$')
    lines = [
        delimiter.join(_quoted(_inert(cell), special) for cell in line)
        for line in (table.heading, *table.rows)
    ]
    return "".join(
        (line or '""') + "\r\n" for line in lines
    )  # an empty line would not be read as a row


def is_number(text: str) -> bool:
    """Say whether a text is a number in decimal digits, with or without an exponent."""
    return _NUMBER.fullmatch(text) is not None


def _column(cells: Sequence[str]) -> _Column:
    filled = [cell for cell in cells[1:] if cell]
    width = min(max(map(_display_width, cells)), WIDEST_COLUMN)
    return _Column(max(width, 3), bool(filled) and all(map(is_number, filled)))


def _markdown_cell(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("|", "\\|")
    return _LINE_END.sub("<br>", escaped)


def _display_width(text: str) -> int:
    """Count columns of a screen: two for a wide character, none for a mark on another."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def _inert(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) and not is_number(cell) else cell


def _quoted(cell: str, special: re.Pattern[str]) -> str:
    if special.search(cell) is None:
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'
