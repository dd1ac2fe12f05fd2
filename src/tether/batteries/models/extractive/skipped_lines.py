"""Lines that are passed over, and what they end."""

from __future__ import annotations

from tether.batteries.models.extractive import lines
from tether.batteries.models.extractive.block_state import BlockState


class SkippedLines(BlockState):
    """The rules for lines that hold no prose; each says whether it took the line."""

    def thematic_break(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """Marks with spaces between them, which end whatever stands above."""
        if lines.BREAK.match(self._text, begin, end) is None:
            return False
        self._close()
        self._places.clear()
        return True

    def cell(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A cell of a notebook: its code or its output, until an empty line."""
        if lines.CELL.match(self._text, begin, end) is None:
            return False
        self._close()
        self._skip_until(lambda line: not line.strip())
        return True

    def comment(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A comment that fills its lines."""
        if not self._text.startswith("<!--", begin, end):
            return False
        closing = self._text.find("-->", begin, end)
        if closing < 0:
            self._close()
            self._skip_until(lambda line: "-->" in line)
        return closing < 0 or closing + 3 == end

    def marker(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A line for the machine: a template, a label, an option, a reference, a prompt."""
        if not any(kind.match(self._text, begin, end) for kind in (lines.MARKER, lines.PROMPT)):
            return False
        self._close()
        return True
