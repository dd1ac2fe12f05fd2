"""The paragraphs and list items of a passage, with the headings above them.

Everything else (code, tables, comments, front matter, markers) is skipped.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tether.ask.quoting import lines
from tether.ask.quoting.block_state import CODE_INDENT, Block, BlockState, Place, width_of
from tether.text.markdown.marks import (
    CODE_SPAN,
    delimiter_cells,
    fence_of,
    heading_of,
    is_closing_fence,
    is_rule,
    list_mark_of,
    unquoted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def blocks_of(text: str, most_lines: int) -> Iterator[Block]:
    """Yield the headings, paragraphs and items of the first `most_lines` lines, in order."""
    start, title = lines.start_of(text)
    reader = _Reader(text, start)
    if title is not None:
        reader.heading(0, *title)
    yield from reader.read(most_lines)


class _Reader(BlockState):
    """Reads line by line; a rule per kind of line, tried in order."""

    def __init__(self, text: str, start: int) -> None:
        super().__init__(text)
        self._start = start
        self._underlines: list[str] = []
        self._prose_fences: list[str] = []
        self._components = frozenset(lines.COMPONENT_END.findall(text))

    def read(self, most_lines: int) -> Iterator[Block]:
        """Yield each block as soon as it is complete."""
        for start, end in islice(lines.lines_of(self._text), most_lines):
            if start >= self._start and not (self._skips and self._skips(start, end)):
                self._take(start, end)
            yield from self._ready
            self._ready.clear()
        self._close()
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
        if begin == end or ("|" in line and lines.ROW.search(CODE_SPAN.sub("x", line))):
            self._close()
            return
        if self._open is not None and self._open.depth != depth:
            self._close()
        self._classify(begin, start + len(line.rstrip()), depth, width_of(line))

    def _classify(self, begin: int, end: int, depth: int, indent: int) -> None:
        """Let the first rule that knows the line take it; other lines are text."""
        self._left = self._leave(indent) if self._open is None else None
        if self._open is None:
            base = self._places[-1].content if self._places else 0
            if indent >= base + CODE_INDENT:
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

    def term(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The first line of a definition, below a short line that is less indented."""
        above = self._open
        if above is None or above.list or above.start != above.last_line or above.term:
            return False
        name = self._text[above.start : above.end]
        is_deeper = above.indent + 2 <= indent and self._text[begin].isupper()
        if not is_deeper or len(name) > lines.LONGEST_TERM or name[-1] in ".,:;!?":
            return False
        self._open, self._term = None, name
        self._places.append(Place(indent, above.indent))
        self._define(begin, end, depth, indent)
        return True

    def component(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A tag of a component around prose, such as <Note>, where the passage closes it too."""
        match = lines.COMPONENT.match(self._text, begin, end)
        if match is None or match["name"] not in self._components:
            return False
        self._close()
        start = match.end() + width_of(self._text[match.end() : end])
        if start < end:
            self._classify(start, end, depth, 0)
        return True

    def fence(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A fence around code, which is skipped, or around prose, which is not."""
        is_container = self._text.startswith(":::", begin, end)
        found = None if is_container else fence_of(self._text[begin:end])
        if found is None and not is_container:
            return False
        self._close()
        if found is None:
            return True
        fence = found.mark
        directive = lines.INFO.match(found.info)
        name = directive["name"] if directive else ""
        if self._prose_fences and fence == self._prose_fences[-1] and not name:
            self._prose_fences.pop()
        elif name in lines.PROSE_DIRECTIVES and found.info[0] == "{":
            self._prose_fences.append(fence)
        else:
            self._skip_until(lambda line: is_closing_fence(line.strip(" \t>"), fence))
        return True

    def tag(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A tag that begins or ends a block of HTML."""
        match = lines.TAG.match(self._text, begin, end)
        if match is None:
            return False
        self._close()
        name, is_closing = match["name"].lower(), bool(match["close"])
        start = match.end() + width_of(self._text[match.end() : end])
        if name in lines.SKIPPED_TAGS and not is_closing:
            self._skip_until(lambda line: line.lower().startswith(f"</{name}"))
        elif start < end and not is_closing and name[0] == "h" and name[1:].isdigit():
            self.heading(int(name[1]), start, end)
        elif start < end and not is_closing and name == "dt":
            self._term = self._text[start:end]
        elif start < end and not is_closing and name == "dd" and self._term:
            self._define(start, end, depth, indent)
        elif start < end and not is_closing and name == "li":
            self._begin_item(start, end, depth, indent, is_ordered=False)
        elif start < end:
            self._classify(start, end, depth, 0)
        return True

    def directive(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """An explicit markup block of reStructuredText: prose, or skipped with its content."""
        match = lines.DIRECTIVE.match(self._text, begin, end)
        if match is None:
            return False
        self._close()
        if match["name"] not in lines.PROSE_DIRECTIVES:
            self._skip_deeper(indent)
            return True
        self._places.append(Place(indent + 2, indent))
        if match["name"] in lines.INLINE_DIRECTIVES and match.end() < end:
            self._add(match.end(), end, depth, indent)
        return True

    def admonition(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The title line of an admonition whose prose is indented."""
        if lines.ADMONITION.match(self._text, begin, end) is None:
            return False
        self._close()
        self._places.append(Place(indent + CODE_INDENT, indent))
        return True

    def titled(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A heading with number signs."""
        heading = heading_of(lines.ATTRIBUTES.sub("", self._text[begin:end]))
        if heading is None or not heading.text:
            return False
        start = self._text.index(heading.text, begin + heading.depth)
        return self.heading(heading.depth, start, start + len(heading.text))

    def table(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A row or a border of a table; without outer bars, the line above was its header."""
        is_rule = delimiter_cells(self._text[begin:end]) > 1
        if not is_rule and lines.TABLE.match(self._text, begin, end) is None:
            return False
        if is_rule and self._open is not None:
            shortened = self._open._replace(end=self._open.last_line)
            self._open = shortened if shortened.end > shortened.start else None
        self._close()
        if is_rule or self._text[begin] == "=":
            self._skip_until(lambda line: not line.strip())
        return True

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
        task = lines.TASK.match(line, start)
        start = begin + (task.end() if task else start)
        is_ordered = number is not None or line.startswith("#")
        self._begin_item(start, end, depth, indent, is_ordered=is_ordered)
        return True

    def definition(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The definition of a term, after a colon."""
        match = lines.DEFINITION.match(self._text, begin, end)
        if match is None:
            return False
        above = self._open
        is_line = above is not None and above.start == above.last_line
        if above is not None and is_line and not above.list and not above.term:
            self._open, self._term = None, self._text[above.start : above.end]
        self._close()
        self._define(match.end(), end, depth, indent)
        return True


_RULES_FOR_WORDS = (_Reader.cell, _Reader.term)
_RULES = (
    _Reader.thematic_break,
    _Reader.underline,
    _Reader.fence,
    _Reader.comment,
    _Reader.tag,
    _Reader.component,
    _Reader.directive,
    _Reader.admonition,
    _Reader.marker,
    _Reader.titled,
    _Reader.table,
    _Reader.item,
    _Reader.definition,
    _Reader.term,
)
