"""Text in rows and columns: whole tables, the names of their columns, and the likely delimiter."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from itertools import count, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.batteries.languages.records.row_reader import RowReader
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_TEXT = 1_000_000
MOST_ROWS = 100_000
SAMPLE_ROWS = 100
SAMPLE_TEXT = 65_536

DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "pipe", ",": "comma", ":": "colon", " ": "space"}
"""What is looked for. Of two that fit equally the first wins: a decimal comma or a space inside a
cell is common, a stray tab or semicolon in every row is not."""

_WEIGHTS = {":": 0.7, " ": 0.5}
_LEAST_CONFIDENCE = 0.3
_NUMBER = re.compile(
    r"\s*[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,3})?\s*"
)

Header = Literal["auto"] | bool


class Table(NamedTuple):
    """What a text holds; `ragged` counts the rows that have more or fewer cells than columns."""

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

    With `header` the first row names the columns; "auto" takes it for names if every cell of it is
    there, none is a number and no two are equal. Raises `InputRefused` and `LimitExceeded`, naming
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
    """Say whether a first row names the columns: each cell is there, once, and is no number."""
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
    """Return the number a cell is, exactly; None if it is none, or longer than any measure."""
    return Decimal(cell.strip()) if _NUMBER.fullmatch(cell) else None


def detect_delimiter(text: str) -> Detected:
    """Return the delimiter that splits the first rows most evenly.

    The share of rows with the most common number of columns is the measure; colons and spaces weigh
    less, because text is full of them, and few rows prove little.
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
