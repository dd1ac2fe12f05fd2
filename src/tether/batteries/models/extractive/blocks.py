"""The paragraphs and list items of a passage, with the headings they stand under.

Everything else (code, tables, comments, front matter, markers) is passed over.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from tether.batteries.models.extractive import lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST_FRONT_MATTER = 8_000

_FRONT_MATTER = re.compile(
    r"\s*(?P<fence>---|\+\+\+)[ \t]*\n"
    rf"(?P<body>.{{0,{LONGEST_FRONT_MATTER}}}?)\n(?P=fence)[ \t]*(?:\n|$)",
    re.DOTALL,
)
_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(?P<title>[^\"'\n]*[^\"'\n\s])", re.MULTILINE)
_CODE_INDENT = 4
_CLOSING_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*$")


class Block(NamedTuple):
    """A heading, a paragraph or a list item: where it is and what it belongs to.

    `path` holds the headings above it, outermost first. Items of one list share its number.
    """

    kind: Literal["heading", "paragraph", "item"]
    start: int
    end: int
    path: tuple[str, ...]
    list: int = 0
    is_ordered: bool = False


class _Open(NamedTuple):
    """A paragraph or an item that is being read."""

    start: int
    end: int
    last_line: int
    depth: int
    indent: int
    list: int = 0
    is_ordered: bool = False


class _Place(NamedTuple):
    """What indented text belongs to: a list item, or (number 0) an admonition."""

    content: int
    marker: int
    list: int = 0
    is_ordered: bool = False


def blocks_of(text: str, most_lines: int) -> Iterator[Block]:
    """Yield the headings, paragraphs and items of so many lines, in their order."""
    front = _FRONT_MATTER.match(text)
    reader = _Reader(text, 0 if front is None else front.end())
    if front is not None and (title := _TITLE.search(front["body"])) is not None:
        offset = front.start("body")
        reader.heading(0, offset + title.start("title"), offset + title.end("title"))
    yield from reader.read(most_lines)


class _Reader:
    """Reads line by line; a rule per kind of line, tried in order."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start
        self._path: list[tuple[int, str]] = []
        self._underlines: list[str] = []
        self._open: _Open | None = None
        self._ready: list[Block] = []
        self._skips: Callable[[int, int], bool] | None = None
        self._prose_fences: list[str] = []
        self._places: list[_Place] = []
        self._left: _Place | None = None
        self._list_count = 0

    def read(self, most_lines: int) -> Iterator[Block]:
        """Yield each block as soon as it is complete."""
        for start, end in islice(lines.lines_of(self._text), most_lines):
            if start >= self._start and not (self._skips and self._skips(start, end)):
                self._take(start, end)
            yield from self._ready
            self._ready.clear()
        self._close()
        yield from self._ready

    def heading(self, level: int, start: int, end: int) -> bool:
        """Note a heading: it ends what was open and replaces its equals and inferiors."""
        self._close()
        self._places.clear()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, self._text[start:end]))
        self._ready.append(Block("heading", start, end, self._titles()))
        return True

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._path)

    def _take(self, start: int, end: int) -> None:
        depth = 0
        if quoted := lines.QUOTE_PREFIX.match(self._text, start, end):
            start, depth = quoted.end(), quoted[0].count(">")
        line = self._text[start:end]
        begin = start + len(line) - len(line.lstrip())
        if begin == end:
            self._close()
            return
        if self._open is not None and self._open.depth != depth:
            self._close()
        self._classify(begin, start + len(line.rstrip()), depth, _width(line))

    def _classify(self, begin: int, end: int, depth: int, indent: int) -> None:
        """Let the first rule that knows the line take it; what is left is text."""
        self._left = self._leave(indent) if self._open is None else None
        if self._open is None:
            base = self._places[-1].content if self._places else 0
            if indent >= base + _CODE_INDENT:
                return
        if self._text[begin].isalpha() or not any(
            rule(self, begin, end, depth, indent) for rule in _RULES
        ):
            self._add(begin, end, depth, indent)

    def _leave(self, indent: int) -> _Place | None:
        """Leave the places that text with this indent does not belong to; return the last."""
        left = None
        while self._places and indent < self._places[-1].content:
            left = self._places.pop()
        return left

    def _add(self, begin: int, end: int, depth: int, indent: int) -> None:
        if self._open is None:
            self._open = _Open(begin, end, begin, depth, indent)
        else:
            self._open = self._open._replace(end=end, last_line=begin)

    def _close(self) -> None:
        """End what is open; a paragraph that ends in two colons announces code."""
        if self._open is None:
            return
        block, self._open = self._open, None
        kind: Literal["paragraph", "item"] = "item" if block.list else "paragraph"
        start, end = block.start, block.end
        self._ready.append(Block(kind, start, end, self._titles(), block.list, block.is_ordered))
        if self._text.endswith("::", start, end):
            self._skip_deeper(block.indent)

    def _skip_deeper(self, indent: int) -> None:
        def skips(start: int, end: int) -> bool:
            line = self._text[start:end]
            if not line.strip() or _width(line) > indent:
                return True
            self._skips = None
            return False

        self._skips = skips

    def _skip_until(self, is_last: Callable[[str], bool]) -> None:
        def skips(start: int, end: int) -> bool:
            if is_last(self._text[start:end]):
                self._skips = None
            return True

        self._skips = skips

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

    def comment(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A comment that fills its lines."""
        if not self._text.startswith("<!--", begin, end):
            return False
        closing = self._text.find("-->", begin, end)
        if closing < 0:
            self._close()
            self._skip_until(lambda line: "-->" in line)
        return closing < 0 or closing + 3 == end

    def tag(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A tag that begins or ends a block of HTML."""
        match = lines.TAG.match(self._text, begin, end)
        if match is None:
            return False
        self._close()
        name, is_closing = match["name"].lower(), bool(match["close"])
        start = match.end() + _width(self._text[match.end() : end])
        if name in lines.SKIPPED_TAGS and not is_closing:
            self._skip_until(lambda line: line.lower().startswith(f"</{name}"))
        elif start < end and not is_closing and name[0] == "h" and name[1:].isdigit():
            self.heading(int(name[1]), start, end)
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
        self._places.append(_Place(indent + 2, indent))
        if match["name"] in lines.INLINE_DIRECTIVES and match.end() < end:
            self._add(match.end(), end, depth, indent)
        return True

    def admonition(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """The title line of an admonition whose prose is indented."""
        if lines.ADMONITION.match(self._text, begin, end) is None:
            return False
        self._close()
        self._places.append(_Place(indent + _CODE_INDENT, indent))
        return True

    def marker(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """A line for the machine: a template, a label, an option, a reference, a prompt."""
        if not any(kind.match(self._text, begin, end) for kind in (lines.MARKER, lines.PROMPT)):
            return False
        self._close()
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

    def _begin_item(
        self, begin: int, end: int, depth: int, indent: int, *, is_ordered: bool
    ) -> None:
        left = self._leave(indent + 1) or self._left
        number = left.list if left is not None and left.is_ordered == is_ordered else 0
        if not number or left is None or abs(left.marker - indent) > 1:
            self._list_count += 1
            number = self._list_count
        self._places.append(_Place(indent + 2, indent, number, is_ordered))
        self._open = _Open(begin, end, begin, depth, indent, number, is_ordered)

    def definition(self, begin: int, end: int, depth: int, indent: int) -> bool:
        """What a term is said to mean, behind a colon."""
        match = lines.DEFINITION.match(self._text, begin, end)
        if match is None:
            return False
        self._close()
        self._add(match.end(), end, depth, indent)
        return True


_RULES = (
    _Reader.underline,
    _Reader.fence,
    _Reader.comment,
    _Reader.tag,
    _Reader.directive,
    _Reader.admonition,
    _Reader.marker,
    _Reader.titled,
    _Reader.table,
    _Reader.item,
    _Reader.definition,
)


def _width(line: str) -> int:
    """Return how far a line is indented, in columns."""
    spaces = line[: len(line) - len(line.lstrip())]
    return len(spaces.expandtabs(_CODE_INDENT))


def _closes(line: str, fence: str) -> bool:
    match = _CLOSING_FENCE.match(line)
    return match is not None and match["fence"].startswith(fence)
