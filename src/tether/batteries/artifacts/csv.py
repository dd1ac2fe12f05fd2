"""Tables as artifacts: delimiter-separated text of any size, asked row by row."""

from __future__ import annotations

from contextlib import aclosing
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.artifacts.row_answers import Page, Reservoir
from tether.batteries.artifacts.row_conditions import Operator, condition
from tether.batteries.languages.records.column_types import cell_type, column_type
from tether.batteries.languages.records.delimited import (
    SAMPLE_ROWS,
    SAMPLE_TEXT,
    column_names,
    detect_delimiter,
)
from tether.batteries.languages.records.row_reader import LONGEST_ROW, RowReader
from tether.core.artifact import SpooledArtifact, artifact_tool
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tether.core.artifact import SpoolReader

MOST_ROWS = 1_000
LONGEST_LINE = 4 * (LONGEST_ROW + 2)
"""In bytes: a line that was cut here has more characters than a row may have."""


class SpooledCsvArtifact(SpooledArtifact):
    """A table that stays with its reader: only the rows of an answer are held.

    Without a delimiter the likely one is looked for in the first rows. With `header` the first row
    names the columns, otherwise they are column_1 and so on. A row that is too short has None for
    the cells it lacks, and one that is too long has columns of its own. Rows are counted from 0,
    without the header. The methods raise `InputRefused` and `LimitExceeded`.
    """

    __slots__ = ("_delimiter", "_header", "_known")

    def __init__(
        self, reader: SpoolReader, delimiter: str | None = None, header: bool = True
    ) -> None:
        super().__init__(reader)
        if delimiter is not None:
            RowReader(delimiter)  # raises for what cannot be one
        self._delimiter = delimiter
        self._header = header
        self._known: _Layout | None = None

    @artifact_tool("artifact_csv_columns")
    async def csv_columns(self) -> dict[str, Any]:
        """List the columns of a table, in order, with the type that its first 1,000 rows suggest.

        The type is integer, number, boolean, date or text, or empty where no row has a value.
        """
        layout = await self._layout()
        types: list[set[str]] = [set() for _ in layout.names]
        async with aclosing(self._rows(layout, MOST_ROWS)) as rows:
            async for _, row in rows:
                for found, cell in zip(types, row, strict=False):
                    found.add(cell_type(cell))
        columns = [
            {"name": name, "type": column_type(found)}
            for name, found in zip(layout.names, types, strict=True)
        ]
        return {"columns": columns, "delimiter": layout.delimiter}

    @artifact_tool("artifact_csv_rows")
    async def csv_rows(self, start: int = 0, end: int | None = None) -> dict[str, Any]:
        """Read rows of a table, each as an object of column names and texts.

        At most 1,000 rows are returned at once, fewer where they are long: next_start says where to
        read on, and is null where the range or the table ends.

        Args:
            start: The first row, counted from 0 without the header.
            end: The row to stop before; left out, the table is read on.
        """
        layout = await self._layout()
        _refuse_outside("start", start, 0, None)
        _refuse_outside("end", end, 0, None)
        page = Page(MOST_ROWS)
        async with aclosing(self._rows(layout, end)) as rows:
            async for number, row in rows:
                if number >= start and not page.add(layout.record(row)):
                    return {"rows": page.items, "next_start": number}
        return {"rows": page.items, "next_start": None}

    @artifact_tool("artifact_csv_where")
    async def csv_where(
        self,
        column: str,
        operator: Operator,
        value: str | bool | int | float = "",
        limit: int = 100,
    ) -> dict[str, Any]:
        """Find the rows of a table whose cell in one column meets a condition.

        Returns the first ones with their numbers, and whether there are more. Two numbers are
        compared as numbers, and a cell that is no number is neither less nor greater than one;
        true and false equal a cell in any case, such as TRUE; anything else is compared as text. A
        missing cell counts as empty.

        Args:
            column: The name of the column.
            operator: How the cell is compared with the value; matches takes it as a regular
                expression in RE2's syntax, is_empty and not_empty ignore it.
            value: What to compare with.
            limit: How many rows to return at most, from 1 to 1,000.
        """
        layout = await self._layout()
        position = layout.position(column)
        _refuse_outside("limit", limit, 1, MOST_ROWS)
        holds = condition(operator, value)
        page = Page(limit)
        async with aclosing(self._rows(layout)) as rows:
            async for number, row in rows:
                cell = row[position] if position < len(row) else ""
                if holds(cell) and not page.add({"row": number, "values": layout.record(row)}):
                    return {"rows": page.items, "more": True}
        return {"rows": page.items, "more": False}

    @artifact_tool("artifact_csv_sample")
    async def csv_sample(self, n: int = 10, seed: int = 0) -> list[dict[str, Any]]:
        """Draw rows of a table at random, each as likely as the others, and return them in order.

        Args:
            n: How many rows, from 1 to 1,000.
            seed: The same number draws the same rows.
        """
        layout = await self._layout()
        _refuse_outside("n", n, 1, MOST_ROWS)
        reservoir = Reservoir(n, seed)
        async with aclosing(self._rows(layout)) as rows:
            async for number, row in rows:
                reservoir.offer(number, row)
        drawn = sorted(reservoir.drawn)
        return [{"row": number, "values": layout.record(row)} for number, row in drawn]

    async def _layout(self) -> _Layout:
        """Return the columns, from the first row; a reader's text does not change."""
        if self._known is None:
            delimiter = self._delimiter
            if delimiter is None:
                sample = [line async for line in self.lines(0, SAMPLE_ROWS, longest=SAMPLE_TEXT)]
                delimiter = detect_delimiter("\n".join(sample)).delimiter or ","
            async with aclosing(self._table(delimiter)) as rows:
                first: list[str] = await anext(rows, [])
            cells = first if self._header else [""] * len(first)
            self._known = _Layout(delimiter, cells, column_names(cells))
        return self._known

    async def _rows(
        self, layout: _Layout, end: int | None = None
    ) -> AsyncGenerator[tuple[int, list[str]], None]:
        """Yield the rows without the header, numbered, up to, not including, `end`."""
        number = -1 if self._header else 0
        async with aclosing(self._table(layout.delimiter)) as rows:
            async for row in rows:
                if number == end:
                    return
                if number >= 0:
                    yield number, row
                number += 1

    async def _table(self, delimiter: str) -> AsyncGenerator[list[str], None]:
        reader = RowReader(delimiter)
        number = 0
        async for line in self.lines(longest=LONGEST_LINE):
            number += 1
            if len(line) > LONGEST_ROW:  # it may have been cut, and must not be read as it is
                raise LimitExceeded(f"line {number} has more than {LONGEST_ROW:,} characters")
            for row in reader.feed(line.removeprefix("\ufeff") if number == 1 else line):
                yield row
        reader.finish()


class _Layout(NamedTuple):
    """How the table is written: its delimiter, the cells that name the columns, and the names."""

    delimiter: str
    cells: list[str]
    names: list[str]

    def record(self, row: list[str]) -> dict[str, str | None]:
        names, extra = self.names, len(row) - len(self.names)
        if extra > 0:
            names = column_names([*self.cells, *[""] * extra])
        return dict(zip_longest(names, row))

    def position(self, column: str) -> int:
        if column not in self.names:
            known = in_short(self.names)
            raise InputRefused(f"there is no column {in_short(column)}; the columns are {known}")
        return self.names.index(column)


def _refuse_outside(name: str, value: int | None, least: int, most: int | None) -> None:
    if value is not None and (value < least or (most is not None and value > most)):
        allowed = f"{least:,} or more" if most is None else f"from {least:,} to {most:,}"
        raise InputRefused(f"{name} has to be {allowed}, not {in_short(value)}")
