"""The blocks of a passage: headings, paragraphs, items, definitions, tables and code, in order.

Markdown, reStructuredText, HTML and extracted text are read line by line, by their look. Comments,
front matter and marks for the machine are skipped.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tether.text.markdown.marks import (
    CODE_SPAN,
    delimiter_cells,
    fence_of,
    heading_of,
    is_rule,
    list_mark_of,
    unquoted,
)
from tether.text.units import lines
from tether.text.units.block_state import CODE_INDENT, Block, Place, width_of
from tether.text.units.explicit import ExplicitRules
from tether.text.units.tables import closes, closing_borders, end_of_simple_table

if TYPE_CHECKING:
    from collections.abc import Iterator


def blocks_of(text: str, most_lines: int) -> Iterator[Block]:
    """Yield the blocks of the first `most_lines` lines, in order.

    `text` has plain line breaks.
    """
    start, title = lines.start_of(text)
    reader = _Reader(text, start)
    if title is not None:
        reader.heading(0, *title)
    yield from reader.read(most_lines)


class _Reader(ExplicitRules):
    """Reads line by line; a rule per kind of line, tried in order."""

    def __init__(self, text: str, start: int) -> None:
        super().__init__(text)
        self._start = start
        self._closing: list[int] | None = None
        self._underlines: list[str] = []

    def read(self, most_lines: int) -> Iterator[Block]:
        """Yield each block as soon as it is complete."""
        for start, end in islice(lines.lines_of(self._text), most_lines):
            if start >= self._start and not self._skips(start, end):
                self._take(start, end)
            yield from self._ready
            self._ready.clear()
        self._finish()
        yield from self._ready

    def _take(self, start: int, end: int) -> None:
        depth = 0
        line = self._text[start:end]
        place = lines.LINE_START.skip(line)
        is_prompt = lines.PROMPT.match(line, place.position) is not None
        if place.column < 4 and line.startswith(">", place.position) and not is_prompt:
            quoted = unquoted(line, place).position
            start, depth = start + quoted, line.count(">", 0, quoted)
            line = line[quoted:]
        begin = start + len(line) - len(line.lstrip())
        if begin == end:
            self._pause()
            return
        stop = start + len(line.rstrip())
        if "|" in line and self._is_row(line):
            self._gather("table", begin, stop, depth)
            return
        if self._open is not None and self._open.depth != depth:
            self._close()
        self.classify(begin, stop, depth, width_of(line))

    def _is_row(self, line: str) -> bool:
        """Say whether a line with bars is a row: of the table above, or of one without a header."""
        if self._gathered is not None:
            return self._gathered.kind == "table"
        bare = line.strip()
        begins = bare.startswith("|")
        may_be = begins or (bare.endswith("|") and self._open is None)
        return may_be and lines.ROW.search(CODE_SPAN.sub("x", line)) is not None

    def classify(self, begin: int, end: int, depth: int, indent: int) -> None:
        """Let the first rule that knows the line take it; other lines are text."""
        self._left = self._leave(indent) if self._open is None else None
        if self._open is None:
            base = self._places[-1].text if self._places else 0
            if indent >= base + CODE_INDENT:
                self._gather("code", begin, end, depth)
                return
        rules = _RULES_FOR_WORDS if self._text[begin].isalpha() else _RULES
        if not any(rule(self, begin, end, depth, indent) for rule in rules):
            self._add(begin, end, depth, indent)

    def thematic_break(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """Marks with spaces between them, which end the block above."""
        line = self._text[begin:end]
        if not is_rule(line) or len(line.split()) < 2:  # without gaps it may underline a heading
            return False
        self._close()
        self._places.clear()
        return True

    def underline(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A line of one mark: it makes a heading of the line above, or is a break."""
        match = lines.UNDERLINE.match(self._text, begin, end)
        if match is None:
            return False
        above, mark = self._open, match["mark"]
        is_short = above is not None and end - begin < 0.8 * (above.end - above.start)
        if above is None or above.start != above.last_line or (is_short and mark not in "=-"):
            self._close() if mark != "~" else None
            return mark != "~"
        self._open = None
        if mark not in self._underlines:
            self._underlines.append(mark)
        return self.heading(self._underlines.index(mark) + 1, above.start, above.end)

    def titled(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A heading with number signs."""
        heading = heading_of(lines.ATTRIBUTES.sub("", self._text[begin:end]))
        if heading is None or not heading.text:
            return False
        start = self._text.index(heading.text, begin + heading.depth)
        return self.heading(heading.depth, start, start + len(heading.text))

    def table(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A row or a border of a table; without outer bars, the line above was its header."""
        is_delimiter = delimiter_cells(self._text[begin:end]) > 1
        if not is_delimiter and lines.TABLE.match(self._text, begin, end) is None:
            return False
        above = self._open
        if is_delimiter and above is not None:
            shortened = above._replace(end=above.last_line)
            self._open = shortened if shortened.end > shortened.start else None
            self._gather("table", above.last_line, above.end, depth)
        if self._text[begin] == "=":
            self._simple_table(begin, end, depth)
        else:
            self._gather("table", begin, end, depth)
        return True

    def _simple_table(self, begin: int, end: int, depth: int) -> None:
        """Take a simple table of reStructuredText as a whole.

        A border that only closes one is the end of a table of which the passage has the last rows,
        which cannot be read without their columns.
        """
        if self._closing is None:
            self._closing = closing_borders(self._text)
        if closes(end, self._closing):
            self._open = None
            return
        self._close()
        self._start = end_of_simple_table(self._text, end, self._closing)
        stop = begin + len(self._text[begin : self._start].rstrip())
        self._ready.append(Block("table", begin, stop, self._titles(), is_quoted=depth > 0))

    def item(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The first line of a list item; only a list that begins with 1 interrupts a paragraph."""
        line = self._text[begin:end]
        mark = list_mark_of(line, lines.LINE_START)
        other = None if mark else lines.OTHER_ITEM.match(line)
        number = mark.number if mark else None
        start = mark.content.position if mark else other.end() if other else end - begin
        if start == end - begin or (number or 0) > lines.LARGEST_NUMBER:
            return False
        if self._open and not self._places and number not in (None, 1):
            return False
        self._close()
        is_ordered = number is not None or line.startswith("#")
        width = mark.offset if mark else 2
        start += begin
        self._begin_item(start, end, depth, indent, width=width, is_ordered=is_ordered)
        if fence_of(self._text[start:end]) is not None:  # an item that begins with code
            self._open = None
            return self.fence(start, end, depth, indent)
        return True

    def definition(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The definition of a term, after a colon."""
        match = lines.DEFINITION.match(self._text, begin, end)
        if match is None:
            return False
        above = self._open
        is_line = above is not None and above.start == above.last_line
        if above is not None and is_line and not above.list and not above.term:
            self._open, self._term = None, (above.start, above.end)
        self._close()
        self._define(match.end(), end, depth, indent)
        return True

    def term(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The first line of a definition, below a short line that is less indented.

        It begins with a capital, or the short line is a name: a few words that begin no sentence.
        """
        above = self._open
        if above is None or above.list or above.start != above.last_line or above.term:
            return False
        name = self._text[above.start : above.end]
        is_name = len(name.split()) <= lines.MOST_WORDS_OF_A_NAME and not name[0].isupper()
        is_deeper = above.indent + 2 <= indent and (is_name or self._text[begin].isupper())
        if not is_deeper or len(name) > lines.LONGEST_TERM or name[-1] in ".,:;!?":
            return False
        self._open, self._term = None, (above.start, above.end)
        self._places.append(Place(indent, above.indent, indent))
        self._define(begin, end, depth, indent)
        return True


_RULES_FOR_WORDS = (_Reader.cell, _Reader.term)
_RULES = (
    _Reader.thematic_break,
    _Reader.underline,
    _Reader.fence,
    _Reader.comment,
    _Reader.tag,
    _Reader.component,
    _Reader.open_tag,
    _Reader.directive,
    _Reader.admonition,
    _Reader.session,
    _Reader.marker,
    _Reader.titled,
    _Reader.table,
    _Reader.item,
    _Reader.definition,
    _Reader.term,
)
