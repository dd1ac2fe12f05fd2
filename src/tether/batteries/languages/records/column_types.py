"""What a column of text seems to hold, judged by its cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tether.batteries.languages.records.delimited import as_number

if TYPE_CHECKING:
    from collections.abc import Iterable

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
