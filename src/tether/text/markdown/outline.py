"""The structure of a Markdown document, collected from its lines as they stream by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tether.text.markdown.inlines import Inlines, read_inlines
from tether.text.markdown.marks import find_front_matter
from tether.text.markdown.targets import Definition, read_definition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tether.text.markdown.lines import Fence, Kind, Line
    from tether.text.markdown.targets import Target

FRONTMATTER_LINES = 200
MOST_ENTRIES = 100_000
LONGEST_RUN = 1 << 18
LONGEST_HEADING = 1_000

_PARAGRAPHS = ("paragraph", "list", "quote")


class Block(NamedTuple):
    """An outermost block, with its first and its last line."""

    kind: Kind
    start: int
    end: int
    depth: int = 0
    text: str = ""
    fence: Fence | None = None


class Heading(NamedTuple):
    """A heading, with its line and the last one before the next of the same or a smaller depth."""

    depth: int
    text: str
    start: int
    end: int


class CodeBlock(NamedTuple):
    """Fenced code, with the lines of its fences."""

    lang: str | None
    start: int
    end: int


class Run(NamedTuple):
    """Text that belongs together: a paragraph, a heading, a row of a table, a line of code.

    `numbers` are those of its lines; `is_first` says that a block starts with it.
    """

    text: str
    numbers: Sequence[int]
    is_first: bool
    is_code: bool
    is_paragraph: bool


def frontmatter_end(lines: Sequence[str]) -> int | None:
    """Return the line that closes the front matter, given the first lines of a document."""
    top = "\n".join(lines[:FRONTMATTER_LINES]).removeprefix("\ufeff")
    found = find_front_matter(top)
    return top.count("\n", 0, found.close) if found and found.format == "yaml" else None


class Blocks:
    """Groups lines into blocks; a block is known when the next one starts."""

    __slots__ = ("_block",)

    def __init__(self) -> None:
        self._block: Block | None = None

    def feed(self, line: Line) -> Iterator[Block]:
        """Take the next line and yield the block that it ends."""
        if line.kind == "blank":
            return
        if self._block is not None and not line.opens and line.kind == self._block.kind:
            self._block = self._block._replace(end=line.number)
            return
        yield from self.finish()
        text = (line.text or "") if line.depth else ""
        self._block = Block(line.kind, line.number, line.number, line.depth, text, line.fence)

    def finish(self) -> Iterator[Block]:
        """Yield the last block."""
        if self._block is not None:
            yield self._block
            self._block = None


class Runs:
    """Groups lines into runs of text; one that grows without end is cut."""

    __slots__ = ("_first", "_is_first", "_numbers", "_size", "_texts")

    def __init__(self) -> None:
        self._first: Line | None = None
        self._is_first = False
        self._texts: list[str] = []
        self._numbers: list[int] = []
        self._size = 0

    def feed(self, line: Line) -> Iterator[Run]:
        """Take the next line and yield the run that it ends."""
        if self._first is None or line.begins or line.text is None or self._size > LONGEST_RUN:
            yield from self.finish()
            self._is_first = self._is_first or line.opens
        if line.text is not None:
            self._first = self._first or line
            self._texts.append(line.text)
            self._numbers.append(line.number)
            self._size += len(line.text)

    def finish(self) -> Iterator[Run]:
        """Yield the last run."""
        if self._first is not None:
            text, first = "\n".join(self._texts), self._first
            is_paragraph = first.kind in _PARAGRAPHS and not first.is_code
            yield Run(text, self._numbers, self._is_first, first.is_code, is_paragraph)
            self._first, self._is_first, self._size = None, False, 0
            self._texts, self._numbers = [], []


class Outline:
    """The headings, code blocks and link definitions of a whole document.

    When it `is_full` there are too many to list, and the rest of the document need not be fed.
    """

    __slots__ = ("_fence", "_last", "_runs", "code_blocks", "definitions", "headings")

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.code_blocks: list[CodeBlock] = []
        self.definitions: dict[str, Target] = {}
        self._runs = Runs()
        self._fence: Fence | None = None
        self._last = -1

    def feed(self, line: Line) -> None:
        """Take the next line."""
        self._last = line.number
        if line.depth:
            text = (line.text or "")[:LONGEST_HEADING]
            self.headings.append(Heading(line.depth, text, line.number, line.number))
        if line.fence is not None:
            if line.fence is not self._fence:
                self.code_blocks.append(CodeBlock(line.fence.lang, line.number, line.number))
            self.code_blocks[-1] = self.code_blocks[-1]._replace(end=line.number)
        self._fence = line.fence
        self._define(self._runs.feed(line))

    @property
    def is_full(self) -> bool:
        """Whether there are too many entries to list."""
        return len(self.headings) + len(self.code_blocks) + len(self.definitions) > MOST_ENTRIES

    def finish(self) -> None:
        """End the document, and with it the last headings."""
        self._define(self._runs.finish())
        ends: list[int] = []
        starts_by_depth = [self._last + 1] * 7
        for heading in reversed(self.headings):
            ends.append(min(starts_by_depth[1 : heading.depth + 1]) - 1)
            starts_by_depth[heading.depth] = heading.start
        pairs = zip(self.headings, reversed(ends), strict=True)
        self.headings = [heading._replace(end=end) for heading, end in pairs]

    def _define(self, runs: Iterator[Run]) -> None:
        for run in runs:
            for definition in _definitions(run):
                self.definitions.setdefault(definition.name, definition.target)


def read_run(run: Run, definitions: Mapping[str, Target]) -> Inlines:
    """Read the text of a run, without the definitions it starts with; code stays as it is."""
    if run.is_code:
        return Inlines(run.text, [], [])
    start = max((definition.end for definition in _definitions(run)), default=0)
    return read_inlines(run.text, definitions, start)


def _definitions(run: Run) -> Iterator[Definition]:
    position = 0
    while run.is_paragraph and run.text.startswith("[", position):
        definition = read_definition(run.text, position)
        if definition is None:
            return
        yield definition
        position = definition.end
