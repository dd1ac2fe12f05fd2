"""The blocks of reStructuredText, read line by line.

A directive's content is read as if it stood alone, whatever it is nested in, so that no depth costs
anything and a directive that nobody knows loses nothing but its name. No line is looked at more
than a few times.
"""

from __future__ import annotations

from tether.retrieval.readers.rst_explicit import Explicit, is_directive
from tether.retrieval.readers.rst_items import (
    MARKERS,
    Items,
    add_grid,
    add_simple,
    field_length,
    grid_end,
    items_at,
    simple_end,
)
from tether.retrieval.readers.rst_marks import (
    RstLine,
    adornment,
    end_of_indented,
    field_body,
    field_name,
    interrupts,
    is_explicit,
    is_grid,
    is_simple_border,
)
from tether.retrieval.readers.rst_page import RstPage

_SHORTEST_ADORNMENT = 4

Style = tuple[str, bool]
"""How a title is adorned: the character, and whether it is above the title too."""


class RstScanner:
    """Goes through the lines of a page and adds their blocks to it."""

    def __init__(self, page: RstPage, lines: list[RstLine]) -> None:
        self._page = page
        self._lines = lines
        self._explicit = Explicit(page, lines)
        self._styles: list[Style] = []
        self._no_table_before = 0

    def scan(self) -> None:
        """Read every line."""
        at = 0
        while at < len(self._lines):
            at = at + 1 if self._lines[at].is_blank else self._block(at)

    def _block(self, at: int) -> int:
        """Read what begins on a line, and return the number of the line after it."""
        if is_explicit(self._lines[at]):
            return self._explicit.read(at)
        for attempt in (self._title, self._table, self._example, self._list):
            if (end := attempt(at)) > at:
                return end
        return self._paragraph(at)

    def _line(self, at: int) -> RstLine:
        return self._lines[at] if at < len(self._lines) else RstLine(0, 0, 0, 0, "")

    def _title(self, at: int) -> int:
        """Read a title with its underline and overline, or drop a line between sections."""
        line, below, under = self._line(at), self._line(at + 1), self._line(at + 2)
        mark = adornment(line)
        if line.column or is_directive(line):
            return at
        if mark and len(line.words) >= _SHORTEST_ADORNMENT and below.is_blank:
            return at + 1
        is_over = _underlines(line, below) and _underlines(under, below)
        if is_over and mark == adornment(under) and below.words and not adornment(below):
            return self._heading(at, below, under, (mark, True))
        if not mark and not below.column and _underlines(below, line):
            return self._heading(at, line, below, (adornment(below), False))
        return at

    def _heading(self, begin: int, title: RstLine, under: RstLine, style: Style) -> int:
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style) + 1
        label = self._explicit.label_before(begin)
        self._page.heading(title, under.end, level, label)
        return begin + (3 if style[1] else 2)

    def _table(self, at: int) -> int:
        line = self._lines[at]
        if is_grid(line):
            end = grid_end(self._lines, at)
            add_grid(self._page, self._lines[at:end])
            return end
        if not is_simple_border(line) or at < self._no_table_before:
            return at
        end, seen = simple_end(self._lines, at)
        self._no_table_before = seen
        if end > at:
            add_simple(self._page, self._lines[at:end])
        return end

    def _example(self, at: int) -> int:
        """Read an interactive session or a block of lines, both of which end at a blank line."""
        words = self._lines[at].words
        if not words.startswith((">>> ", "| ")):
            return at
        end = at
        while not self._line(end).is_blank:
            end += 1
        if words.startswith(">>> "):
            self._page.verbatim(self._lines[at:end])
        else:
            self._page.line_block(self._lines[at:end])
        return end

    def _list(self, at: int) -> int:
        for marker in MARKERS:
            if marker(self._lines, at) >= 0:
                found = items_at(self._lines, at, marker)
                if marker is field_length and not self._page.blocks:
                    return self._describe(found)
                return self._add_items(found)
        return self._definitions(at)

    def _describe(self, found: Items) -> int:
        """Keep the fields that a page begins with: they are about it, and no part of it."""
        for _, groups in found.items:
            name = field_name(groups[0][0])
            body = " ".join(line.words for line in [field_body(groups[0][0]), *groups[0][1:]])
            self._page.metadata.append((name.lower(), body.strip()))
        return found.end

    def _add_items(self, found: Items) -> int:
        self._page.items(found.items)
        if found.announces_code:
            return self._code_after(found.end - 1, found.end)
        return found.end

    def _definitions(self, at: int) -> int:
        """Read terms, each with the first paragraph of its definition."""
        column = self._lines[at].column
        items: list[tuple[int, list[list[RstLine]]]] = []
        end = at
        while self._is_term(at, column):
            end = self._end_of_paragraph(at + 1)
            term, meaning = self._lines[at], self._lines[at + 1 : end]
            items.append((term.start, [[term], meaning]))
            at = self._next_filled(end)
            if meaning[-1].words.endswith("::"):
                break
        if items:
            self._page.items(items)
            return self._code_after(end - 1, end)
        return end

    def _is_term(self, at: int, column: int) -> bool:
        line, below = self._line(at), self._line(at + 1)
        return (
            line.column == column
            and not line.is_blank
            and below.column > column
            and not line.words.endswith("::")
            and not interrupts(line)
            and not interrupts(below)
            and all(marker(self._lines, at) < 0 for marker in MARKERS)
        )

    def _paragraph(self, at: int) -> int:
        end = self._end_of_paragraph(at)
        self._page.prose(self._lines[at:end])
        return self._code_after(end - 1, end)

    def _end_of_paragraph(self, at: int) -> int:
        end, column = at + 1, self._lines[at].column
        while not (line := self._line(end)).is_blank and line.column == column:
            end += 1
        return end

    def _next_filled(self, at: int) -> int:
        while at < len(self._lines) and self._lines[at].is_blank:
            at += 1
        return at

    def _code_after(self, last: int, end: int) -> int:
        """Read the code that a line announces with a double colon, where it does."""
        line = self._lines[last]
        if not line.words.endswith("::"):
            return end
        code_end = end_of_indented(self._lines, end, line.column)
        if code_end == end:
            code_end = self._end_of_quoted(self._next_filled(end), line.column)
        self._page.verbatim(self._lines[end:code_end])
        return max(code_end, end)

    def _end_of_quoted(self, at: int, column: int) -> int:
        """Return the end of code that is not indented but quoted: each line has the same mark."""
        mark = self._line(at).words[:1]
        if not mark or mark.isalnum() or self._line(at).column != column:
            return 0
        while self._line(at).words[:1] == mark:
            at += 1
        return at


def _underlines(line: RstLine, title: RstLine) -> bool:
    length = len(line.words)
    is_long = length >= len(title.words) or length >= _SHORTEST_ADORNMENT
    return bool(adornment(line)) and is_long
