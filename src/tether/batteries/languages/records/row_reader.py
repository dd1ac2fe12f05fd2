"""The grammar of rows: CSV and its relatives, by RFC 4180.

The reader is fed by the line, so that a whole text and a stream of lines go the same way, and what
it holds is one row. It is written here because the one of the standard library limits a cell by a
setting of the whole process, and cannot be fed. Beyond RFC 4180 it takes any delimiter, any line
end and ragged rows; a quote inside an unquoted cell is a character like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_ROW = 1_000_000
LONGEST_CELL = 131_072
MOST_COLUMNS = 1_000

_ROW = re.compile("[^\r]+")


class RowReader:
    """Fed lines, it yields the rows that end in them.

    Blank lines are no rows. Raises `InputRefused`, naming the line, for NUL and for text after a
    closing quote, and `LimitExceeded` for what is too long or too wide.
    """

    __slots__ = (
        "_cell_size",
        "_cells",
        "_delimiter",
        "_line",
        "_opened",
        "_parts",
        "_quote",
        "_row_size",
        "_stop",
    )

    def __init__(self, delimiter: str = ",", quote: str = '"') -> None:
        for name, given in (("delimiter", delimiter), ("quote", quote)):
            if len(given) != 1 or given in "\r\n\0":
                raise InputRefused(f"the {name} has to be one character, not {in_short(given)}")
        if delimiter == quote:
            raise InputRefused(f"the delimiter and the quote are both {in_short(quote)}")
        self._delimiter = delimiter
        self._quote = quote
        self._stop = re.compile(f"[{re.escape(delimiter)}\r]")
        self._line = 0
        self._opened = 0  # the line in which a quote was opened that is not closed yet
        self._cells: list[str] = []
        self._parts: list[str] = []
        self._cell_size = 0
        self._row_size = 0

    def feed(self, line: str) -> Iterator[list[str]]:
        """Take the next line, without its newline, and yield the rows that end in it.

        They are read one by one, as a line may hold any number of them: take all, or no more lines.
        """
        self._line += 1
        if "\0" in line:
            raise InputRefused(f"line {self._line} holds a NUL character; remove it")
        if self._opened or self._quote in line:
            yield from self._scan(line)
        else:
            for row in _ROW.finditer(line):
                yield self._split(row[0])

    def finish(self) -> None:
        """Say that there are no more lines; raise `InputRefused` if a quote is still open."""
        if self._opened:
            raise InputRefused(f"the quote that opens in line {self._opened} is never closed")

    def _split(self, row: str) -> list[str]:
        """Read a row without quotes."""
        cells = row.split(self._delimiter)
        self._check(len(cells), len(row), max(map(len, cells)))
        return cells

    def _scan(self, line: str) -> Iterator[list[str]]:
        """Read a line with quotes, or inside of them."""
        position, size = 0, len(line)
        while position <= size:
            end = self._read_cell(line, position)
            if end is None:
                return
            position = end + 1
            if line.startswith(self._delimiter, end):
                continue
            if self._cells:
                yield self._cells
                self._cells, self._row_size = [], 0
            if position == size:  # what ended the row is the first half of a CRLF
                return

    def _read_cell(self, line: str, position: int) -> int | None:
        """Take one cell and return where it ends, or None if it goes on in the next line."""
        if self._opened:
            return self._read_quoted(line, position)
        if line.startswith(self._quote, position):
            self._opened = self._line
            return self._read_quoted(line, position + 1)
        end = self._end_of_cell(line, position)
        ends_blank_row = end == position and not line.startswith(self._delimiter, end)
        if self._cells or not ends_blank_row:
            self._keep(line[position:end])
            self._end_cell()
        return end

    def _read_quoted(self, line: str, position: int) -> int | None:
        while (close := line.find(self._quote, position)) >= 0:
            if not line.startswith(self._quote, close + 1):
                self._keep(line[position:close])
                self._opened = 0
                self._end_cell()
                return self._end_of_quoted(line, close + 1)
            self._keep(line[position : close + 1])
            position = close + 2
        self._keep(f"{line[position:]}\n")
        return None

    def _end_of_quoted(self, line: str, position: int) -> int:
        if self._end_of_cell(line, position) != position:
            raise InputRefused(
                f"line {self._line} goes on after a closing quote, at column {position + 1}; "
                "a quote inside a quoted cell is written twice"
            )
        return position

    def _end_of_cell(self, line: str, position: int) -> int:
        found = self._stop.search(line, position)
        return len(line) if found is None else found.start()

    def _keep(self, part: str) -> None:
        self._parts.append(part)
        self._cell_size += len(part)
        self._row_size += len(part)
        self._check(len(self._cells) + 1, self._row_size, self._cell_size)

    def _end_cell(self) -> None:
        self._cells.append("".join(self._parts))
        self._parts, self._cell_size = [], 0

    def _check(self, columns: int, row: int, cell: int) -> None:
        for what, size, most in (
            ("columns", columns, MOST_COLUMNS),
            ("characters in a row", row, LONGEST_ROW),
            ("characters in a cell", cell, LONGEST_CELL),
        ):
            if size > most:
                where = f"line {self._opened or self._line}"
                hint = "; is its quote closed?" if self._opened else ""
                raise LimitExceeded(f"{where} has {size:,} {what}; at most {most:,}{hint}")
