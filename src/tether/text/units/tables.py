"""The rows of a table with the names of their columns, in each way that a passage writes tables."""

# No `from __future__ import annotations` here: see units.py.
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from tether.text.markdown.marks import delimiter_cells, table_cells
from tether.text.sentences import Span
from tether.text.units.block_state import Block, width_of

LONGEST_TABLE = 20_000
"""In characters, how far from its first border the last border of a simple table may be."""

_DEEPEST = 200
"""In characters, how far a table may be indented."""

_EMPTY_LINE = re.compile(r"\n[ \t]*(?=\n)")
_CLOSING_BORDER = re.compile(r"^[ \t]*+=++(?:[ \t]++=++)++(?=[ \t]*(?:\n[ \t]*(?:\n|\Z)|\Z))", re.M)
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_GRID_BORDER = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE_BORDER = re.compile(r"=+(?:[ \t]+=+)+")
_COLUMN = re.compile(r"=+")
_RULE = re.compile(r"[-=+| ]*")
_BULLET = re.compile(r"[*+-](?:[ \t]+|$)")
_HEADER_ROWS = re.compile(r":header-rows:[ \t]*(\d{1,3})[ \t]*$", re.MULTILINE)
_HTML_ROW = re.compile(
    r"<tr\b[^<>]*>(?P<inside>.*?)(?:</tr\s*>|(?=<tr\b|</t(?:able|body|foot)\b))", re.I | re.S
)
_HTML_CELL = re.compile(
    r"<(?P<name>t[hd])\b(?P<attributes>[^<>]*)>(?P<inside>.*?)(?=</?t[hd]\b|\Z)", re.I | re.S
)
_HTML_SPAN = re.compile(r"colspan\s*=\s*[\"']?(\d{1,2})", re.I)


class Row(NamedTuple):
    """A row: its place, and the source of its cells."""

    start: int
    end: int
    cells: tuple[str, ...]


class Table(NamedTuple):
    """The header rows of a table, which may be none, and the others."""

    header: tuple[Row, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns; those of several header rows are joined."""
        columns = zip_longest(*(row.cells for row in self.header), fillvalue="")
        return tuple(" ".join(filter(None, column)) for column in columns)

    @property
    def lead(self) -> Span | None:
        """The place of the header."""
        return (self.header[0].start, self.header[-1].end) if self.header else None


class Line(NamedTuple):
    """A line of a table, without the white space and the marks of a quote around it."""

    start: int
    words: str
    column: int

    @property
    def end(self) -> int:
        """The end of its words."""
        return self.start + len(self.words)


def table_of(text: str, block: Block) -> Table:
    """Return the rows of a block that is a table; rows that the passage cuts are left out."""
    start = block.start
    if text.startswith("<", start):
        return _html_table(text, block)
    lines = list(_lines_of(text, block))
    if text.startswith("..", start) or text.startswith(("`", "~"), start):
        return _list_table(text[start : block.end], lines)
    if text.startswith("=", start):
        return _simple_table(lines)
    if any(_GRID_BORDER.fullmatch(line.words) for line in lines):
        return _grid_table(lines)
    return _pipe_table(lines, len(text.rstrip()))


def end_of_simple_table(text: str, border: int, closing: Sequence[int]) -> int:
    """Return the end of a simple table whose first border ends at a place.

    It is the first of the `closing` borders, if that is near. Without one it is the first empty
    line: a passage may end in the middle of a table.
    """
    place = bisect_right(closing, border)
    if place < len(closing) and closing[place] - border <= LONGEST_TABLE:
        return closing[place]
    empty = _EMPTY_LINE.search(text, border)
    return len(text) if empty is None else empty.start()


def closes(border: int, closing: Sequence[int]) -> bool:
    """Say whether a border that ends at a place is one of those that close a table."""
    place = bisect_right(closing, border)
    return place > 0 and closing[place - 1] == border


def closing_borders(text: str) -> list[int]:
    """Return the ends of the borders that close simple tables: an empty line follows, or none."""
    return [found.end() for found in _CLOSING_BORDER.finditer(text)] if "= " in text else []


def _lines_of(text: str, block: Block) -> Iterator[Line]:
    """Yield the lines of a block; an empty one has no words."""
    start = block.start
    first = text.rfind("\n", max(0, start - _DEEPEST), start) + 1
    start = first if not text[first:start].strip(" \t>") else start
    for source in text[start : block.end].split("\n"):
        quote = _QUOTE.match(source) if block.is_quoted else None
        inner = source[quote.end() :] if quote else source
        begin = start + len(source) - len(inner.lstrip())
        yield Line(begin, inner.strip(), width_of(inner))
        start += len(source) + 1


def _pipe_table(lines: Sequence[Line], length: int) -> Table:
    """Read a table of Markdown; without a rule below a header, rows have bars at both ends.

    A row without the bars of the rule is cut, but for one that forgets the last.
    """
    rule = next((at for at, line in enumerate(lines) if delimiter_cells(line.words)), -1)
    model = lines[rule].words if rule >= 0 else "||"
    rows: list[Row] = []
    for line in lines[rule + 1 :]:
        begins = line.words.startswith("|") or not model.startswith("|")
        ends = line.words.endswith("|") or not model.endswith("|")
        if begins and (ends or (rule > 0 and line.end < length)):
            rows.append(_pipe_row(line))
    return Table(tuple(map(_pipe_row, lines[: max(0, rule)])), tuple(rows))


def _pipe_row(line: Line) -> Row:
    return Row(line.start, line.end, tuple(table_cells(line.words)))


def _grid_table(lines: Sequence[Line]) -> Table:
    """Read a grid table; its header is above the border of equal signs."""
    borders = [line.words for line in lines if _GRID_BORDER.fullmatch(line.words)]
    bounds = [at for at, character in enumerate(borders[0]) if character == "+"]
    header: tuple[Row, ...] = ()
    rows: list[Row] = []
    group: list[Line] = []
    for line in lines:
        if _GRID_BORDER.fullmatch(line.words) is None:
            group.append(line)
            continue
        if group:
            rows.append(_row(group, _grid_cells(group, bounds)))
            group = []
        if "=" in line.words and not header:
            header, rows = tuple(rows), []
    if group:
        rows.append(_row(group, _grid_cells(group, bounds)))
    return Table(header, tuple(rows))


def _grid_cells(group: Sequence[Line], bounds: Sequence[int]) -> list[str]:
    """Cut lines at the borders; one that is missing joins two cells, as the table means it."""
    cells: dict[int, list[str]] = {start: [] for start in bounds[:-1]}
    for line in group:
        cuts = [at for at in bounds if line.words[at : at + 1] in ("|", "+")]
        parts = [(start, line.words[start + 1 : end]) for start, end in pairwise(cuts)]
        if not parts:  # it does not keep to the columns
            parts = list(zip(bounds[:-1], line.words.strip("|").split("|"), strict=False))
        for start, part in parts:
            if _RULE.fullmatch(part) is None:
                cells[start].append(part.strip())
    return ["\n".join(lines) for lines in cells.values()]


def _simple_table(lines: Sequence[Line]) -> Table:
    """Read a simple table; its header is above the second border, if rows are below."""
    first = lines[0]
    columns = [found.start() for found in _COLUMN.finditer(first.words)]
    tables: list[list[Row]] = [[]]
    group: list[Line] = []
    for line in [*lines[1:], Line(0, "", 0)]:
        is_border = _SIMPLE_BORDER.fullmatch(line.words) is not None
        if group and (line.column <= first.column or not line.words):
            tables[-1].append(_row(group, _simple_cells(group, columns, first.column)))
            group = []
        if is_border:
            tables.append([])
        elif _RULE.fullmatch(line.words) is None:
            group.append(line)
    header, rows, *_ = [*tables, []] if len(tables) > 1 else ([], tables[0])
    return Table(tuple(header), tuple(rows)) if rows else Table((), tuple(header))


def _simple_cells(group: Sequence[Line], columns: Sequence[int], left: int) -> list[str]:
    cells: list[list[str]] = [[] for _ in columns]
    for line in group:
        shift = max(0, line.column - left)
        bounds = [max(0, column - shift) for column in columns[1:]]
        for cell, (start, end) in zip(cells, pairwise([0, *bounds, len(line.words)]), strict=True):
            cell.append(line.words[start:end].strip())
    return ["\n".join(filter(None, cell)) for cell in cells]


def _list_table(source: str, lines: Sequence[Line]) -> Table:
    """Read a table of reStructuredText that is written as a list of lists."""
    left = min((line.column for line in lines[1:] if _BULLET.match(line.words)), default=0)
    groups: list[list[Line]] = []
    for line in lines[1:]:
        if line.column == left and _BULLET.match(line.words):
            groups.append([])
        if groups and line.words and line.column >= left:
            groups[-1].append(line)
    rows = tuple(_row(group, _listed_cells(group)) for group in groups)
    found = _HEADER_ROWS.search(source)
    count = int(found[1]) if found else 0
    return Table(rows[:count], rows[count:])


def _listed_cells(group: Sequence[Line]) -> list[str]:
    first = _BULLET.sub("", group[0].words, count=1)
    cells: list[list[str]] = []
    for words in [first, *(line.words for line in group[1:])]:
        if mark := _BULLET.match(words):
            cells.append([words[mark.end() :]])
        elif cells:
            cells[-1].append(words)
    return ["\n".join(cell) for cell in cells]


def _html_table(text: str, block: Block) -> Table:
    """Read a table of HTML; the rows of its header have no other cells."""
    header: list[Row] = []
    rows: list[Row] = []
    for found in _HTML_ROW.finditer(text, block.start, block.end):
        cells = list(_HTML_CELL.finditer(text, *found.span("inside")))
        is_header = not rows and all(cell["name"].lower() == "th" for cell in cells)
        end = found.start() + len(found[0].rstrip())
        row = Row(found.start(), end, tuple(_html_cells(cells)))
        (header if is_header and cells else rows).append(row)
    return Table(tuple(header), tuple(rows))


def _html_cells(cells: Sequence[re.Match[str]]) -> Iterator[str]:
    for cell in cells:
        yield cell["inside"].strip()
        span = _HTML_SPAN.search(cell["attributes"])
        yield from [""] * (int(span[1]) - 1 if span else 0)


def _row(group: Sequence[Line], cells: Sequence[str]) -> Row:
    return Row(group[0].start, group[-1].end, tuple(cells))


def row_text(cells: Sequence[str], names: Sequence[str]) -> str:
    """Return a row as "name: cell; name: cell"; a cell alone where its column has no name."""
    pairs = zip_longest(names[: len(cells)], cells, fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def header_above(header: str, text: str) -> str:
    """Return the header of a table as it is to be written above rows; "" where it cannot be."""
    head = header.rstrip()
    first, last = head.partition("\n")[0].strip(), head.rpartition("\n")[2].strip()
    if not head or text.startswith(head):
        return ""
    if _SIMPLE_BORDER.fullmatch(last):
        return f"{head}\n" if _SIMPLE_BORDER.fullmatch(first) else f"{last}\n{head}\n"
    return f"{head}\n" if _GRID_BORDER.fullmatch(last) or "|" in last else ""
