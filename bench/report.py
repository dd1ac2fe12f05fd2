"""The table that people read."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence

from bench.figures import AIMS, Figure

HEADINGS = ("figure", "value", "unit", "floor", "ratio", "remark")
TO_THE_LEFT = (0, 2, 5)


def machine() -> str:
    """Say where this was measured."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}), {python}"


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as aligned columns; a ratio is how many times the floor's cost."""
    known = {figure["name"]: figure for figure in figures}
    rows = [HEADINGS, *(_row(figure, known) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (
        cell.ljust(width) if column in TO_THE_LEFT else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()


def _row(figure: Figure, known: Mapping[str, Figure]) -> tuple[str, ...]:
    return (
        figure["name"],
        _number(figure["value"]),
        figure["unit"],
        "" if figure["baseline"] is None else _number(figure["baseline"]),
        "" if figure["ratio"] is None else f"{figure['ratio']:.2f}",
        _remark(figure, known),
    )


def _remark(figure: Figure, known: Mapping[str, Figure]) -> str:
    """Say whether the aim is met or, for a peer, what it costs next to Tether."""
    aim = AIMS.get(figure["name"])
    if aim is not None:
        return f"{'met' if aim.reached(figure) else 'missed'}: {aim.text}"
    case, is_peer, _ = figure["name"].partition(" [")
    return f"{figure['value'] / known[case]['value']:.1f} times Tether" if is_peer else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:,.2f}"
