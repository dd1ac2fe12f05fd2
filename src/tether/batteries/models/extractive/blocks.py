"""The paragraphs and list items of a passage, with the headings they stand under.

Everything else (code, tables, comments, front matter, markers) is passed over.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from tether.batteries.models.extractive import lines
from tether.batteries.models.extractive.block_state import (
    CODE_INDENT,
    Block,
    Place,
    width_of,
)
from tether.batteries.models.extractive.passage_start import start_of
from tether.batteries.models.extractive.skipped_lines import SkippedLines

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSING_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*$")


def blocks_of(text: str, most_lines: int) -> Iterator[Block]:
    """Yield the headings, paragraphs and items of so many lines, in their order."""
    start, title = start_of(text)
    reader = _Reader(text, start)
    if title is not None:
        reader.heading(0, *title)
    yield from reader.read(most_lines)


class _Reader(SkippedLines):
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
        if quoted := lines.QUOTE_PREFIX.match(self._text, start, end):
            start, depth = quoted.end(), quoted[0].count(">")
        line = self._text[start:end]
        begin = start + len(line) - len(line.lstrip())
        if begin == end or ("|" in line and lines.ROW.search(lines.CODE.sub("x", line))):
            self._close()
            return
        if self._open is not None and self._open.depth != depth:
            self._close()
        self._classify(begin, start + len(line.rstrip()), depth, width_of(line))

    def _classify(self, begin: int, end: int, depth: int, indent: int) -> None:
        """Let the first rule that knows the line take it; what is left is text."""
        self._left = self._leave(indent) if self._open is None else None
        if self._open is None:
            base = self._places[-1].content if self._places else 0
            if indent >= base + CODE_INDENT:
                return
        rules = _RULES_FOR_WORDS if self._text[begin].isalpha() else _RULES
        if not any(rule(self, begin, end, depth, indent) for rule in rules):
            self._add(begin, end, depth, indent)

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
        """The first line of what a short line above it, less indented, names."""
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
        match = lines.FENCE.match(self._text, begin, end)
        if match is None:
            return False
        self._close()
        fence, info = match["fence"], match["info"]
        if fence[0] == ":":
            return True
        if self._prose_fences and fence == self._prose_fences[-1] and not info:
            self._prose_fences.pop()
        elif info in lines.PROSE_DIRECTIVES and "{" in match[0]:
            self._prose_fences.append(fence)
        else:
            self._skip_until(lambda line: _closes(line, fence))
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
        match = lines.HEADING.match(self._text, begin, end)
        if match is None:
            return False
        return self.heading(len(match["marks"]), match.start("title"), match.end("title"))

    def table(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A row or a border of a table; without outer bars, the line above was its header."""
        rule = lines.TABLE_RULE.match(self._text, begin, end)
        if rule is None and lines.TABLE.match(self._text, begin, end) is None:
            return False
        if rule is not None and self._open is not None:
            shortened = self._open._replace(end=self._open.last_line)
            self._open = shortened if shortened.end > shortened.start else None
        self._close()
        if rule is not None or self._text[begin] == "=":
            self._skip_until(lambda line: not line.strip())
        return True

    def item(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The first line of a list item; only a list that begins with 1 interrupts a paragraph."""
        match = lines.ITEM.match(self._text, begin, end)
        if match is None:
            return False
        number = match["number"]
        if self._open and not self._places and number is not None and int(number) != 1:
            return False
        self._close()
        is_ordered = number is not None or match[0].startswith("#")
        self._begin_item(match.end(), end, depth, indent, is_ordered=is_ordered)
        return True

    def definition(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """What a term is said to mean, behind a colon."""
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


def _closes(line: str, fence: str) -> bool:
    match = _CLOSING_FENCE.match(line)
    return match is not None and match["fence"].startswith(fence)
