"""The tables of docs/measurements.md: each stands between two marks, written by one script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"


def line(cells: Sequence[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def share(value: float) -> str:
    """Return a share as the page writes it: .598."""
    return f"{value:.3f}".removeprefix("0")


def write_section(name: str, text: str) -> None:
    """Put a text between the marks of a section; the rest of the page stays."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
