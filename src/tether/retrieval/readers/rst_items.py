"""Lists and tables of reStructuredText: bullets, numbers, fields, options, grids."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from tether.retrieval.document import Piece
from tether.retrieval.readers.rst_marks import (
    RstLine,
    bullet,
    enumerator,
    field_name,
    interrupts,
    is_grid,
    is_option,
    is_simple_border,
    rest,
)
from tether.retrieval.readers.rst_page import RstPage

MarkerLength = Callable[[Sequence[RstLine], int], int]
"""How many characters of a line are the mark of an item; below 0 where it begins none."""
_COLUMN = re.compile(r"=+")


class Items(NamedTuple):
    """Items as places and paragraphs, the line after them, and whether code has to follow."""

    items: list[tuple[int, list[list[RstLine]]]]
    end: int
    announces_code: bool


def bullet_length(lines: Sequence[RstLine], at: int) -> int:
    """Measure the mark of a bullet list."""
    return bullet(lines[at]) or -1


def enumerator_length(lines: Sequence[RstLine], at: int) -> int:
    """Measure the number of an item."""
    following = lines[at + 1] if at + 1 < len(lines) else None
    return enumerator(lines[at], following) or -1


def field_length(lines: Sequence[RstLine], at: int) -> int:
    """Take a field for an item without a mark: its name is part of its text."""
    return 0 if field_name(lines[at]) else -1


def option_length(lines: Sequence[RstLine], at: int) -> int:
    """Take an option for an item without a mark."""
    return 0 if is_option(lines[at]) else -1


MARKERS: tuple[MarkerLength, ...] = (
    bullet_length,
    enumerator_length,
    field_length,
    option_length,
)


def items_at(lines: Sequence[RstLine], begin: int, marker: MarkerLength) -> Items:
    """Return the items from a line on that have marks of one kind in the same column.

    They end before a line to the left of them, before a directive, a table or an example inside an
    item, and after a paragraph that announces code.
    """
    column = lines[begin].column
    items: list[tuple[int, list[list[RstLine]]]] = []
    end, is_new = begin, True
    for at in range(begin, len(lines)):
        line = lines[at]
        if line.is_blank:
            if items and announces_code(items[-1][1]):
                return Items(items, end, announces_code=True)
            is_new = True
            continue
        if line.column < column or interrupts(line):
            break
        length = marker(lines, at) if line.column == column else -1
        if line.column == column and length < 0:
            break
        if length >= 0:
            items.append((line.start, [[rest(line, length)]]))
        elif is_new or _begins_nested(lines, at):
            items[-1][1].append([line])
        else:
            items[-1][1][-1].append(line)
        is_new, end = False, at + 1
    return Items([(at, _filled(groups)) for at, groups in items], end, announces_code=False)


def announces_code(groups: Sequence[Sequence[RstLine]]) -> bool:
    """Return whether the last paragraph ends in a double colon."""
    return bool(groups) and bool(groups[-1]) and groups[-1][-1].words.endswith("::")


def _filled(groups: list[list[RstLine]]) -> list[list[RstLine]]:
    return [kept for group in groups if (kept := [line for line in group if line.words])]


def _begins_nested(lines: Sequence[RstLine], at: int) -> bool:
    return any(marker(lines, at) >= 0 for marker in MARKERS[:3])


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
    """Add a simple table; with three borders, the rows above the second one are the header."""
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
