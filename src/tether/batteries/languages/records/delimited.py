"""Delimited text, such as CSV: rows, column names, column types, and the likely delimiter.

The reader of rows (RFC 4180) takes one line at a time, so that a text and a stream of lines are
read alike, and keeps one row. The standard library's reader limits cells by a setting of the whole
process, and reads from an iterator only. Beyond RFC 4180, any delimiter, any line end and ragged
rows are accepted; a quote inside an unquoted cell is an ordinary character.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from itertools import count, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_ROW = 1_000_000
LONGEST_CELL = 131_072
MOST_COLUMNS = 1_000

_ROW = re.compile("[^\r]+")


class RowReader:
    """Takes lines and yields the rows that end in them.

    Blank lines are skipped. Raises `InputRefused`, naming the line, for NUL and for text after a
    closing quote, and `LimitExceeded` for rows that are too long or too wide.
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
        self._opened = 0  # the line of a quote that is still open
        self._cells: list[str] = []
        self._parts: list[str] = []
        self._cell_size = 0
        self._row_size = 0

    def feed(self, line: str) -> Iterator[list[str]]:
        """Take the next line, without its newline, and yield the rows that end in it.

        A line may contain any number of rows: take them all before the next line.
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
        """End the text; raise `InputRefused` if a quote is still open."""
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
            if position == size:  # the row ended with the CR of a CRLF
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


LONGEST_TEXT = 1_000_000
MOST_ROWS = 100_000
SAMPLE_ROWS = 100
SAMPLE_TEXT = 65_536

DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "pipe", ",": "comma", ":": "colon", " ": "space"}
"""The candidates. Of two that fit equally well the first wins: a decimal comma or a space inside a
cell is common, a stray tab or semicolon in every row is not."""

_WEIGHTS = {":": 0.7, " ": 0.5}
_LEAST_CONFIDENCE = 0.3
_NUMBER = re.compile(
    r"\s*[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?\s*"
)

Header = Literal["auto"] | bool


class Table(NamedTuple):
    """The rows of a text; `ragged` counts those with more or fewer cells than columns."""

    columns: list[str]
    rows: list[list[str]]
    has_header: bool
    ragged: int


class Detected(NamedTuple):
    """The likely delimiter, None if the text has one column, and how sure that is, from 0 to 1."""

    delimiter: str | None
    name: str
    confidence: float
    columns: int


def parse_delimited(
    text: str, delimiter: str = ",", quote: str = '"', header: Header = "auto"
) -> Table:
    """Return the rows of a text, as they are, and a name for each column.

    With `header` the first row names the columns; "auto" takes it as names if its cells are filled,
    different, and not numbers. Raises `InputRefused` and `LimitExceeded`, naming
    the line.
    """
    if len(text) > LONGEST_TEXT:
        raise LimitExceeded(
            f"the text has {len(text):,} characters; at most {LONGEST_TEXT:,} are read"
        )
    rows = list(islice(_rows(text, delimiter, quote), MOST_ROWS + 1))
    if len(rows) > MOST_ROWS:
        raise LimitExceeded(f"the text has more than {MOST_ROWS:,} rows; give fewer at once")
    has_header = bool(rows) and (looks_like_header(rows[0]) if header == "auto" else header)
    names = column_names(rows.pop(0) if has_header else ())
    if not has_header:
        names = column_names([""] * max(map(len, rows), default=0))
    ragged = sum(len(row) != len(names) for row in rows)
    return Table(names, rows, has_header, ragged)


def _rows(text: str, delimiter: str, quote: str) -> Iterator[list[str]]:
    reader = RowReader(delimiter, quote)
    for line in text.removeprefix("\ufeff").split("\n"):
        yield from reader.feed(line)
    reader.finish()


def looks_like_header(row: Sequence[str]) -> bool:
    """Say whether a first row names the columns: its cells are filled, different, not numbers."""
    return all(cell.strip() and as_number(cell) is None for cell in row) and len(
        {cell.strip() for cell in row}
    ) == len(row)


def column_names(cells: Sequence[str]) -> list[str]:
    """Return a different name for each column: a missing one is "column_3", a second "a" "a_2"."""
    taken = {cell.strip() for cell in cells}
    names: dict[str, None] = {}
    for position, cell in enumerate(cells, 1):
        given = cell.strip()
        name = given or f"column_{position}"
        if given in names or (not given and name in taken):
            name = next(free for n in count(2) if (free := f"{name}_{n}") not in taken)
        taken.add(name)
        names[name] = None
    return list(names)


def as_number(cell: str) -> Decimal | None:
    """Return the exact number in a cell; None for other text, or too many digits."""
    return Decimal(cell.strip()) if _NUMBER.fullmatch(cell) else None


def detect_delimiter(text: str) -> Detected:
    """Return the delimiter that splits the first rows most evenly.

    The share of rows with the most common number of columns is the measure; colons and spaces weigh
    less, because they are common in text, and a few rows prove little.
    """
    sample = text.removeprefix("\ufeff")[:SAMPLE_TEXT].split("\n")
    if len(text) > SAMPLE_TEXT and len(sample) > 1:
        sample.pop()
    best = max((_judged(sample, delimiter) for delimiter in DELIMITERS), key=_confidence)
    return best if best.confidence >= _LEAST_CONFIDENCE else Detected(None, "none", 0.0, 1)


def _confidence(detected: Detected) -> float:
    return detected.confidence


def _judged(sample: Iterable[str], delimiter: str) -> Detected:
    reader = RowReader(delimiter)
    try:
        rows = list(islice((row for line in sample for row in reader.feed(line)), SAMPLE_ROWS))
    except InputRefused:
        rows = []
    widths = Counter(map(len, rows))
    columns, even = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
    share = even / (len(rows) + 1) if columns > 1 else 0.0
    confidence = round(share * _WEIGHTS.get(delimiter, 1.0), 3)
    return Detected(delimiter, DELIMITERS[delimiter], confidence, columns)


_DATE = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")


def cell_type(cell: str) -> str:
    """Return integer, number, boolean, date or text, or empty for a cell without text."""
    text = cell.strip()
    if not text:
        return "empty"
    if as_number(text) is not None:
        return "integer" if text.lstrip("+-").isdigit() else "number"
    if text.lower() in ("true", "false"):
        return "boolean"
    return "date" if _DATE.fullmatch(text) else "text"


def column_type(types: Iterable[str]) -> str:
    """Return the type that fits all cells of a column, given those of the cells."""
    found = set(types) - {"empty"}
    if not found:
        return "empty"
    if found == {"integer", "number"}:
        return "number"
    return found.pop() if len(found) == 1 else "text"
