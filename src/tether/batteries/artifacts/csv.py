"""Delimited tables as artifacts: text of any size, read row by row."""

from __future__ import annotations

import operator as operators
from contextlib import aclosing
from itertools import zip_longest
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tether.batteries.languages.records.delimited import (
    LONGEST_ROW,
    SAMPLE_ROWS,
    SAMPLE_TEXT,
    RowReader,
    as_number,
    cell_type,
    column_names,
    column_type,
    detect_delimiter,
)
from tether.core.artifact import SpooledArtifact, artifact_tool
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded
from tether.runtime.patterns import SafePattern

if TYPE_CHECKING:
    from collections.abc import Callable

    Condition = Callable[[str], bool]
    from collections.abc import AsyncGenerator

    from tether.core.artifact import SpoolReader

Operator = Literal[
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "contains",
    "starts_with",
    "ends_with",
    "matches",
    "is_empty",
    "not_empty",
]

MOST_ROWS = 1_000
LONGEST_LINE = 4 * (LONGEST_ROW + 2)
"""In bytes: a line that is cut here has more characters than a row may have."""


class SpooledCsvArtifact(SpooledArtifact):
    """A table that is read as a stream: only the rows of a result are in memory.

    Without a delimiter, the likely one is detected in the first rows. With `header` the first row
    names the columns, otherwise they are column_1 and so on. Missing cells of a short row are None,
    and a long row has extra columns. Rows are counted from 0, without the header. The methods raise
    `InputRefused` and `LimitExceeded`.
    """

    __slots__ = ("_delimiter", "_header", "_known")

    def __init__(
        self, reader: SpoolReader, delimiter: str | None = None, header: bool = True
    ) -> None:
        super().__init__(reader)
        if delimiter is not None:
            RowReader(delimiter)  # raises for an invalid delimiter
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

        At most 1,000 rows are returned at once, fewer if they are long. next_start is the row to
        continue from, or null at the end of the range or the table.

        Args:
            start: The first row, counted from 0 without the header.
            end: The row to stop before; if left out, the end of the table.
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
        compared as numbers, and other text is neither less nor greater than a number; true and
        false equal a cell in any case, such as TRUE; anything else is compared as text. A missing
        cell counts as empty.

        Args:
            column: The name of the column.
            operator: The comparison of the cell with the value; matches takes it as a regular
                expression in RE2 syntax, is_empty and not_empty ignore it.
            value: The value to compare with.
            limit: The most rows to return, from 1 to 1,000.
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
        """Draw a uniform random sample of the rows of a table, and return them in order.

        Args:
            n: The number of rows, from 1 to 1,000.
            seed: The same seed draws the same rows.
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
            if len(line) > LONGEST_ROW:  # it may have been cut
                raise LimitExceeded(f"line {number} has more than {LONGEST_ROW:,} characters")
            for row in reader.feed(line.removeprefix("\ufeff") if number == 1 else line):
                yield row
        reader.finish()


class _Layout(NamedTuple):
    """The delimiter of the table, the cells that name the columns, and the names."""

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


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operators.eq,
    "ne": operators.ne,
    "lt": operators.lt,
    "le": operators.le,
    "gt": operators.gt,
    "ge": operators.ge,
}


def condition(operator: Operator, given: str | float) -> Condition:
    """Return the condition as a function of a cell; raise `InputRefused` for a bad pattern.

    Two numbers are compared as numbers, exactly; anything else as text. Other text is neither less
    nor greater than a number. True and false equal a cell in any case.
    """
    if isinstance(given, bool):
        holds = condition(operator, str(given).lower())
        return lambda cell: holds(cell.strip().lower())
    value = given if isinstance(given, str) else in_short(given)
    if operator in _COMPARISONS:
        return _comparison(operator, value)
    if operator == "matches":
        pattern = SafePattern(value)
        return lambda cell: pattern.search(cell) is not None
    tests: dict[str, Condition] = {
        "contains": lambda cell: value in cell,
        "starts_with": lambda cell: cell.startswith(value),
        "ends_with": lambda cell: cell.endswith(value),
        "is_empty": lambda cell: not cell.strip(),
        "not_empty": lambda cell: bool(cell.strip()),
    }
    return tests[operator]


def _comparison(operator: str, value: str) -> Condition:
    compare = _COMPARISONS[operator]
    number = as_number(value)
    if number is None:
        return lambda cell: compare(cell, value)

    def holds(cell: str) -> bool:
        other = as_number(cell)
        if other is not None:
            return compare(other, number)
        return operator == "ne"

    return holds


PAGE_CHARACTERS = 80_000
"""The approximate size of a page, small enough that it is not cut when shown."""

SAMPLE_CHARACTERS = 4_000_000


class Page:
    """The items of one result, limited by their number and by their text."""

    __slots__ = ("_characters", "_most", "items")

    def __init__(self, most: int) -> None:
        self._most = most
        self._characters = 0
        self.items: list[Any] = []

    def add(self, item: dict[str, Any]) -> bool:
        """Add an item and return True, or False if the page is full; one item always fits."""
        self._characters += len(repr(item))
        full = len(self.items) == self._most or self._characters > PAGE_CHARACTERS
        if full and self.items:
            return False
        self.items.append(item)
        return True


class Reservoir:
    """A uniform sample of a stream of unknown length (Vitter's algorithm R)."""

    __slots__ = ("_characters", "_random", "_size", "drawn")

    def __init__(self, size: int, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311  # reproducible, not for secrets
        self._size = size
        self._characters = 0
        self.drawn: list[tuple[int, list[str]]] = []

    def offer(self, number: int, row: list[str]) -> None:
        """Draw the row, or not."""
        place = number if number < self._size else self._random.randrange(number + 1)
        if place >= self._size:
            return
        if place == len(self.drawn):
            self.drawn.append((number, row))
        else:
            self._characters -= _length(self.drawn[place][1])
            self.drawn[place] = (number, row)
        self._characters += _length(row)
        if self._characters > SAMPLE_CHARACTERS:
            raise LimitExceeded(f"{self._size} rows of this table are too long; draw fewer")


def _length(row: list[str]) -> int:
    return sum(map(len, row))
