"""Tables of reStructuredText: drawn as a grid, as columns, or written as a list or as CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import pairwise

from tether.retrieval.document import Piece
from tether.retrieval.readers.rst_lines import RstLine, rest
from tether.retrieval.readers.rst_marks import bullet, is_grid, is_simple_border
from tether.retrieval.readers.rst_page import RstPage

_COLUMN = re.compile(r"=+")


def grid_end(lines: Sequence[RstLine], begin: int) -> int:
    """Return the number of the line after a grid table."""
    end, column = begin, lines[begin].column
    while end < len(lines) and lines[end].words[:1] in ("+", "|") and lines[end].column == column:
        end += 1
    return end


def add_grid(page: RstPage, lines: Sequence[RstLine]) -> None:
    """Add a grid table; the header ends at the border of equal signs."""
    bounds = [at for at, character in enumerate(lines[0].words) if character == "+"]
    pieces: list[Piece] = []
    row: list[RstLine] = []
    header_end = 0
    for line in lines:
        if not is_grid(line):
            row.append(line)
            continue
        if row:
            pieces.append(_grid_row(page, row, bounds))
            row = []
        if "=" in line.words and pieces:
            header_end = line.end
    if row:
        pieces.append(_grid_row(page, row, bounds))
    page.rows(pieces, header_end)


def _grid_row(page: RstPage, row: Sequence[RstLine], bounds: Sequence[int]) -> Piece:
    cells: dict[int, list[RstLine]] = {}
    for line in row:
        for column, cell in _grid_cells(line, bounds):
            cells.setdefault(column, []).append(cell)
    plain = " | ".join(page.cell(cells[column]) for column in sorted(cells))
    return Piece(start=row[0].start, end=row[-1].end, plain=plain)


def _grid_cells(line: RstLine, bounds: Sequence[int]) -> list[tuple[int, RstLine]]:
    """Cut a line at the borders; one that is missing joins two cells, as the table means it."""
    cuts = [at for at in bounds if line.words[at : at + 1] in ("|", "+")]
    if len(cuts) < 2:  # it does not keep to the columns
        cuts = [0, len(line.words.rstrip("|"))]
    return [
        (start, cell)
        for start, end in pairwise(cuts)
        if not (cell := part(line, start + 1, end)).is_blank
    ]


def part(line: RstLine, start: int, end: int) -> RstLine:
    """Return the words between two characters of a line."""
    words = line.words[start:end]
    inner = words.strip()
    begin = line.start + start + len(words) - len(words.lstrip())
    return RstLine(line.begin, begin, begin + len(inner), line.column + start, inner)


def simple_end(lines: Sequence[RstLine], begin: int) -> tuple[int, int]:
    """Return the number of the line after a simple table, and how far the search for it went.

    It ends at a border that a blank line follows, or nothing. Where there is no such border the end
    is `begin`, and no table begins on any line before that where the search ended.
    """
    borders = 0
    for number in range(begin, len(lines)):
        line = lines[number]
        if not line.is_blank and line.column < lines[begin].column:
            return begin, number
        if is_simple_border(line):
            borders += 1
            if borders > 1 and (number + 1 == len(lines) or lines[number + 1].is_blank):
                return number + 1, number + 1
    return begin, len(lines)


def add_simple(page: RstPage, lines: Sequence[RstLine]) -> None:
    """Add a simple table; with three borders, what is above the second one is the header."""
    columns = [found.start() for found in _COLUMN.finditer(lines[0].words)]
    borders = [number for number, line in enumerate(lines) if is_simple_border(line)]
    header_end = lines[borders[1]].end if len(borders) > 2 else 0
    pieces: list[Piece] = []
    row: list[RstLine] = []
    for line in lines[1:]:
        is_new = line.column == lines[0].column
        if row and (is_new or line.is_blank):
            pieces.append(_simple_row(page, row, columns))
            row = []
        if not (line.is_blank or is_simple_border(line) or set(line.words) <= {"-", " "}):
            row.append(line)
    page.rows(pieces, header_end)


def _simple_row(page: RstPage, row: Sequence[RstLine], columns: Sequence[int]) -> Piece:
    cells: list[list[RstLine]] = [[] for _ in columns]
    left = row[0].column
    for line in row:
        shift = line.column - left
        bounds = [max(0, column - shift) for column in columns] + [len(line.words)]
        bounds[0] = 0
        for number, (start, end) in enumerate(pairwise(bounds)):
            if not (cell := part(line, start, max(start, end))).is_blank:
                cells[number].append(cell)
    plain = " | ".join(page.cell(cell) for cell in cells)
    return Piece(start=row[0].start, end=row[-1].end, plain=plain)


def add_list_table(page: RstPage, lines: Sequence[RstLine], header_rows: int) -> None:
    """Add a table that is written as a list of lists."""
    pieces: list[Piece] = []
    row: list[list[RstLine]] = []
    start = 0
    left = min((line.column for line in lines if not line.is_blank), default=0)
    for line in lines:
        if line.column == left and (length := bullet(line)):
            _add_row(page, pieces, start, row)
            start, row, line = line.start, [], rest(line, length)  # noqa: PLW2901
        if length := bullet(line):
            row.append([])
            line = rest(line, length)  # noqa: PLW2901
        if row and not line.is_blank:
            row[-1].append(line)
    _add_row(page, pieces, start, row)
    header_end = pieces[header_rows - 1].end if 0 < header_rows <= len(pieces) else 0
    page.rows(pieces, header_end)


def _add_row(page: RstPage, pieces: list[Piece], start: int, row: list[list[RstLine]]) -> None:
    if any(row):
        plain = " | ".join(page.cell(cell) for cell in row)
        end = max(cell[-1].end for cell in row if cell)
        pieces.append(Piece(start=start, end=end, plain=plain))


def add_csv_table(page: RstPage, lines: Sequence[RstLine], header_rows: int) -> None:
    """Add a table that is written as comma-separated values, one row on each line or several."""
    pieces: list[Piece] = []
    row: list[RstLine] = []
    quotes = 0
    for line in lines:
        if line.is_blank:
            continue
        row.append(line)
        quotes += line.words.count('"')
        if quotes % 2 == 0:
            pieces.append(_csv_row(row))
            row, quotes = [], 0
    if row:
        pieces.append(_csv_row(row))
    header_end = pieces[header_rows - 1].end if 0 < header_rows <= len(pieces) else 0
    page.rows(pieces, header_end)


def _csv_row(row: Sequence[RstLine]) -> Piece:
    written = " ".join(line.words for line in row)
    try:
        cells = next(csv.reader([written], skipinitialspace=True), [])
    except csv.Error:  # a cell that is longer than the module takes
        cells = [written]
    plain = " | ".join(" ".join(cell.split()) for cell in cells)
    return Piece(start=row[0].start, end=row[-1].end, plain=plain)
