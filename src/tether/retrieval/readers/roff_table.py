"""Tables of roff: options, formats, then rows of cells between tabs."""

from __future__ import annotations

import re

MOST_ROWS = 20_000
MOST_CELLS = 200
_TAB = re.compile(r"tab\s*\(\s*(.)\s*\)")
_BOLD = re.compile(r"[bB]")
_RULE = re.compile(r"[_=]|\\_")


class RoffTable:
    """Collects the lines of a table. The header is above a rule, or bold where the rest is not."""

    def __init__(self) -> None:
        self._tab = "\t"
        self._formats: list[str] = []
        self._in_format = True
        self._block: list[str] | None = None
        self._rows: list[list[str]] = []
        self._header_rows = 0

    def add(self, line: str) -> None:
        """Add a line that is not the table's end."""
        if self._block is not None:
            self._in_block(line, self._block)
        elif self._in_format:
            self._format(line)
        elif _RULE.fullmatch(line.strip()):
            self._header_rows = self._header_rows or (1 if len(self._rows) == 1 else 0)
        elif line.strip() and len(self._rows) < MOST_ROWS:
            self._rows.append([])
            self._cells(line)

    def begin_format(self) -> None:
        """Read other formats, for the rows below."""
        self._in_format = True

    def rows(self) -> tuple[list[list[str]], int]:
        """Return the rows, and how many of them are the header."""
        rows = [row for row in self._rows if any(cell.strip() for cell in row)]
        is_bold = [_BOLD.search(line) is not None for line in self._formats]
        header = self._header_rows or int(len(is_bold) > 1 and is_bold[0] and not is_bold[-1])
        return rows, header if len(rows) > header else 0

    def _format(self, line: str) -> None:
        if line.rstrip().endswith(";") and not self._formats:
            found = _TAB.search(line)
            self._tab = found[1] if found else self._tab
            return
        self._formats.append(line)
        self._in_format = not line.rstrip().endswith(".")

    def _cells(self, line: str) -> None:
        row = self._rows[-1]
        for cell in line.split(self._tab, MOST_CELLS)[:MOST_CELLS]:
            if cell.strip() == "T{":
                self._block = []
                return
            row.append("" if _RULE.fullmatch(cell.strip()) or cell == "\\^" else cell.strip())

    def _in_block(self, line: str, block: list[str]) -> None:
        if not line.startswith("T}"):
            block.append(line)
            return
        self._block = None
        self._rows[-1].append(" ".join(block))
        if line.startswith(f"T}}{self._tab}"):
            self._cells(line[len(self._tab) + 2 :])
