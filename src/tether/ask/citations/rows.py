"""Rows of a table beside a statement: which of them it names, by their first cell."""

from __future__ import annotations

from tether.ask.citations.comparison import written
from tether.ask.citations.passage import Window
from tether.text.units import Unit


def names_another_row(statement: str, window: Window) -> bool:
    """Say whether a statement names rows of a table, and a row of its quote is not among them.

    "Team" does not name the row "Team Plus", and a fact about one row is not to be read in two.
    """
    quoted = {unit for unit in window.units if unit.kind == "row"}
    if not quoted:
        return False
    block = window.units[0].block
    rows = [one for one in window.passage.units if one.kind == "row" and one.block == block]
    named = _named(statement, rows)
    return bool(named) and not quoted <= named


def _named(statement: str, rows: list[Unit]) -> set[Unit]:
    """Return the rows whose first cell a statement has, and that is not a part of another one."""
    said = tuple(token.casefold() for token in written(statement).tokens)
    keys = {row: _key(row) for row in rows}
    found = {row: key for row, key in keys.items() if key and _has(said, key)}
    return {
        row
        for row, key in found.items()
        if not any(key != other and _has(other, key) for other in found.values())
    }


def _key(row: Unit) -> tuple[str, ...]:
    """Return the words of a row's first cell, without its column's name."""
    first = row.text.partition("; ")[0]
    cell = first.partition(": ")[2] or first
    return tuple(token.casefold() for token in written(cell).key)


def _has(tokens: tuple[str, ...], part: tuple[str, ...]) -> bool:
    size = len(part)
    return any(tokens[at : at + size] == part for at in range(len(tokens) - size + 1))
