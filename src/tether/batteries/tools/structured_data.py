"""Structured data: tables and JSON as text, and checks of known formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, WithJsonSchema

from tether.batteries.languages.json.text import JsonLayout, read_verbatim
from tether.batteries.languages.json.values import refuse_oversized
from tether.batteries.languages.records.tables import TextTable, delimited_table, markdown_table
from tether.batteries.languages.texts.formats import FormatName, format_problem
from tether.batteries.tools.ready_made import Text, ready_made
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

MOST_ROWS = 10_000
MOST_COLUMNS = 200
LONGEST_CELLS = 1_000_000
LONGEST_JSON = 5_000_000

Row = Annotated[JsonValue, WithJsonSchema({"type": ["object", "array"]})]
Rows = Annotated[list[Row], Field(max_length=MOST_ROWS)]
Columns = Annotated[list[Annotated[str, Field(max_length=1_000)]], Field(max_length=MOST_COLUMNS)]


@ready_made(
    example={"rows": [{"fruit": "apple", "price": 1.2}, {"fruit": "fig"}], "format": "markdown"}
)
def format_table(
    rows: Rows,
    format: Literal["markdown", "csv", "tsv"] = "markdown",
    columns: Columns | None = None,
) -> str:
    """Write rows as a table in Markdown, CSV or TSV; return its text.

    Rows are objects, whose keys name the columns, or lists, of which the first is the heading if
    columns is left out. Missing cells stay empty, and a list or object in a cell is written as
    JSON. In CSV and TSV a cell that a spreadsheet would run as a formula is prefixed with an
    apostrophe.

    Args:
        rows: The rows: all objects, or all lists.
        format: The kind of table.
        columns: The columns to show, in this order; for rows of lists, their heading.
    """
    named = [row for row in rows if isinstance(row, dict)]
    listed = [row for row in rows if isinstance(row, list)]
    if len(rows) not in (len(named), len(listed)):
        raise InputRefused("rows must be all objects, or all lists")
    table = _of_lists(listed, columns) if listed else _of_objects(named, columns)
    return _WRITERS[format](table)


@ready_made(example={"data": '{"b":[1,2],"a":null}', "mode": "pretty", "sort_keys": True})
def json_format(
    data: JsonValue,
    *,
    mode: Literal["pretty", "minify"] = "pretty",
    indent: Annotated[int, Field(ge=1, le=8)] = 2,
    sort_keys: bool = False,
) -> str:
    """Write JSON out in readable lines, or as short as possible; return the JSON text.

    Reads JSON text strictly: duplicate keys, NaN and comments are refused with their place. The
    numbers of a text keep their digits; in a value they are those of a double.

    Args:
        data: The value, or a text that contains JSON.
        mode: Whether to indent it or to leave out all spaces.
        indent: How many spaces to indent by.
        sort_keys: Whether to sort the keys of objects.
    """
    value = read_verbatim(data) if isinstance(data, str) else data
    refuse_oversized(value, "data")
    layout = JsonLayout(indent if mode == "pretty" else None, sort_keys)
    return "".join(_limited(layout.pieces(value)))


@ready_made(example={"value": "2024-02-30", "format": "iso_date"})
def validate_format(value: Text, format: FormatName) -> dict[str, Any]:
    """Check whether a text is of a well-known format; return valid, and the reason where it is not.

    email is a plain mailbox; uuid has hyphens; iso dates and times are YYYY-MM-DD and hh:mm:ss with
    an optional offset; hex_color begins with #; url is absolute and has a host; iban, credit_card,
    isbn10 and isbn13 are checked by their check digits; e164 is a telephone number such as
    +14155550123; slug is lower-case-words. Nothing is looked up: a valid address may not exist.

    Args:
        value: The text to check, without spaces around it.
        format: The format it should have.
    """
    reason = format_problem(value, format)
    return {"valid": True} if reason is None else {"valid": False, "reason": reason}


def _of_objects(rows: list[dict[str, JsonValue]], columns: list[str] | None) -> TextTable:
    known = dict.fromkeys(key for row in rows for key in row)
    shown = list(known) if columns is None else columns
    if rows and (unknown := [name for name in shown if name not in known]):
        raise InputRefused(
            f"no row has the column {in_short(unknown[0])}; there are {in_short(list(known))}"
        )
    return _table(shown, ([row.get(name) for name in shown] for row in rows))


def _of_lists(rows: list[list[JsonValue]], columns: list[str] | None) -> TextTable:
    if columns is None:
        columns, rows = [_cell(value) for value in rows[0]], rows[1:]
    for number, row in enumerate(rows, start=1):
        if len(row) > len(columns):
            raise InputRefused(
                f"row {number} has {len(row)} cells, but there are {len(columns)} columns"
            )
    width = len(columns)
    return _table(columns, ([*row, *[None] * (width - len(row))] for row in rows))


def _table(heading: list[str], rows: Iterable[list[JsonValue]]) -> TextTable:
    """Return the table as text cells; raise `LimitExceeded` if it is too large."""
    if not 0 < len(heading) <= MOST_COLUMNS:
        raise InputRefused(f"a table needs 1 to {MOST_COLUMNS} columns, not {len(heading)}")
    length = 0
    lines: list[list[str]] = []
    all_rows: Iterable[Sequence[JsonValue]] = chain([heading], rows)
    for row in all_rows:
        line = [_cell(value) for value in row]
        length += sum(map(len, line)) + len(line)
        if length > LONGEST_CELLS:
            raise LimitExceeded(
                f"the table has more than {LONGEST_CELLS:,} characters: write it in parts"
            )
        lines.append(line)
    return TextTable(lines[0], lines[1:])


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    refuse_oversized(value, "a cell")
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _limited(pieces: Iterable[str]) -> Iterable[str]:
    """Pass on the pieces of a text; raise `LimitExceeded` where indenting makes it too long."""
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > LONGEST_JSON:
            raise LimitExceeded(
                f"the JSON text would have more than {LONGEST_JSON:,} characters: use a smaller "
                "indent, or minify it"
            )
        yield piece


_WRITERS: dict[str, Callable[[TextTable], str]] = {
    "markdown": markdown_table,
    "csv": lambda table: delimited_table(table, ","),
    "tsv": lambda table: delimited_table(table, "\t"),
}
