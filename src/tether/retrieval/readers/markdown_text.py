"""The text of Markdown's elements, in lists and quotes too, as pieces with exact places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import takewhile

from markdown_it.token import Token

from tether.retrieval.document import Link, Piece
from tether.retrieval.readers.lines import Excerpt, Line, excerpt, sentence_pieces, unmarked
from tether.retrieval.readers.surface import SurfaceLine
from tether.text.markdown.site_inlines import Dialect, read_inline
from tether.text.markdown.site_marks import CODE_OPTION, DIRECTIVE, INCLUDE, TAG

LONGEST_PROSE = 500_000
_COLOR = re.compile(r"</?(?:font|span)(?:[ \t][^<>]*+)?>")
_CELL = re.compile(r"(?:[^|\\]|\\.|\\\Z)*+")
DEEPEST = 40
TOO_DEEP = f"lists or quotes nested more than {DEEPEST // 2} deep were read as plain lines"
_MARKERS = re.compile(r"[\s>*+\-_=\d.)]*")


def lines_of_token(token: Token) -> tuple[int, int]:
    """Return the first line of a token and the one after its last; closing tokens have none."""
    first, last = token.map or (0, 0)
    return first, last


@dataclass(slots=True, kw_only=True)
class PageText:
    """Finds the text of tokens on the lines of one page, and collects the links in it.

    `shown` is the page with its hidden parts blanked; `lines` are the parser's input.
    """

    shown: str
    lines: Sequence[SurfaceLine]
    dialect: Dialect
    links: list[Link] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def extent(self, first: int, last: int) -> tuple[int, int]:
        """Return the places of the first and after the last character on these lines.

        One of them at least is not blank, as those of every element.
        """
        shown = [line for line in self.lines[first:last] if line.text.strip()]
        front = len(shown[0].text) - len(shown[0].text.lstrip())
        return shown[0].start + front, shown[-1].start + len(shown[-1].text.rstrip())

    def excerpt(self, token: Token) -> Excerpt:
        """Return the prose of a token without the marks before its lines."""
        first, last = lines_of_token(token)
        parts: list[Line] = []
        for line, content in zip(self.lines[first:last], token.content.split("\n"), strict=False):
            words = content.strip()
            at = line.text.rstrip().rfind(words) if words else 0
            parts.append(Line(line.start + at, line.start + at + len(words)))
        return excerpt(self.shown, parts)

    def prose(self, prose: Excerpt) -> tuple[Piece, ...]:
        """Return the sentences of an excerpt; its links are remembered.

        One that is too long for a paragraph of prose keeps its markup, which is noted.
        """
        if len(prose.text) > LONGEST_PROSE:
            self.notes.append("a paragraph too long to be prose was read with its markup")
            return sentence_pieces(prose, unmarked(prose))
        plain, links = read_inline(prose.text, self.dialect)
        self.links.extend(
            Link(target=link.url, text=link.text, start=prose.origin(link.position))
            for link in links
            if link.url
        )
        return sentence_pieces(prose, plain)

    def code(self, token: Token) -> tuple[Piece, ...]:
        """Return the lines of code; the fences go with the first and the last."""
        first, last = lines_of_token(token)
        start, end = self.extent(first, last)
        below = first + (token.type == "fence")
        contents = _shown_code(token, is_html=self.shown[start] == "<")
        pieces = [
            _code_line(line, content)
            for line, content in zip(self.lines[below:last], contents, strict=False)
            if content.strip()
        ]
        if not pieces:
            return (Piece(start=start, end=end, plain=""),)
        pieces[0] = replace(pieces[0], start=start)
        pieces[-1] = replace(pieces[-1], end=end)
        return tuple(pieces)

    def rows(self, token: Token) -> tuple[Piece, ...]:
        """Return the rows of a table; the second one only parts the header from the rest."""
        first, last = lines_of_token(token)
        pieces: list[Piece] = []
        for number in range(first, last):
            start, end = self.extent(number, number + 1)
            plain = "" if number == first + 1 else self._row(start, end)
            pieces.append(Piece(start=start, end=end, plain=plain))
        return tuple(pieces)

    def _row(self, start: int, end: int) -> str:
        """Return the cells of one row, plain, with bars between them."""
        row = self.shown[start:end].lstrip("> \t")
        offset = end - len(row)
        cells: list[str] = []
        for begin, finish in _cells(row):
            prose = excerpt(self.shown, [Line(offset + begin, offset + finish)])
            cells.append(" ".join(piece.plain for piece in self.prose(prose)))
        return " | ".join(cells).strip(" |")


def _shown_code(token: Token, *, is_html: bool) -> list[str]:
    """Return the lines of code as they are shown: without tags, colors, includes and options."""
    lines = token.content.split("\n")
    if is_html:
        return [unescape(TAG.sub("", line)) for line in lines]
    if token.info.startswith("console"):
        return [_COLOR.sub("", line) for line in lines]
    if "{{#" in token.content:
        return ["" if INCLUDE.fullmatch(line.strip()) else line for line in lines]
    if DIRECTIVE.match(token.info):
        options = list(takewhile(CODE_OPTION.fullmatch, lines))
        return [*("" for _ in options), *lines[len(options) :]]
    return lines


def _code_line(line: SurfaceLine, content: str) -> Piece:
    front = len(line.text) - len(line.text.lstrip())
    end = line.start + len(line.text.rstrip())
    return Piece(start=line.start + front, end=end, plain=content.rstrip())


def _cells(row: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the cells of a table's row, without the bars."""
    position = 1 if row.startswith("|") else 0
    while position < len(row):
        match = _CELL.match(row, position)
        end = match.end() if match else len(row)
        yield position, end
        position = end + 1


@dataclass(frozen=True, slots=True)
class Leaf:
    """A paragraph, some code or a table: its lines and its pieces."""

    first: int
    last: int
    pieces: tuple[Piece, ...]
    joint: str = " "

    @property
    def plain(self) -> str:
        """The text without markup, on lines where it is code or a table."""
        return self.joint.join(piece.plain for piece in self.pieces if piece.plain)


def leaves_of(
    page: PageText, tokens: Sequence[Token], lines: tuple[int, int], notes: list[str]
) -> list[Leaf]:
    """Return the leaves on these lines in order.

    Those that are nested too deep for the parser are read line by line, which is noted.
    """
    leaves = list(_parsed(page, tokens))
    taken = {number for leaf in leaves for number in range(leaf.first, leaf.last)}
    lost = [number for number in range(*lines) if number not in taken and _says(page, number)]
    if not lost:
        return leaves
    if TOO_DEEP not in notes:
        notes.append(TOO_DEEP)
    leaves.extend(_line(page, number) for number in lost)
    return sorted(leaves, key=lambda leaf: leaf.first)


def _parsed(page: PageText, tokens: Sequence[Token]) -> Iterator[Leaf]:
    for token in _outside_tables(tokens):
        lines = lines_of_token(token)
        if token.type == "inline":
            yield Leaf(*lines, page.prose(page.excerpt(token)))
        elif token.type in ("fence", "code_block"):
            yield Leaf(*lines, page.code(token), "\n")
        elif token.type == "table_open":
            yield Leaf(*lines, page.rows(token), "\n")
        elif token.type == "hr":
            yield Leaf(*lines, ())


def _outside_tables(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens without those inside a table; the one that opens it is outside."""
    inside = False
    for token in tokens:
        if not inside:
            yield token
        inside = token.type != "table_close" if inside else token.type == "table_open"


def _says(page: PageText, number: int) -> bool:
    """Return whether there is more on a line than the marks of lists and quotes."""
    return bool(_MARKERS.sub("", page.lines[number].text, count=1))


def _line(page: PageText, number: int) -> Leaf:
    start, end = page.extent(number, number + 1)
    return Leaf(number, number + 1, page.prose(excerpt(page.shown, [Line(start, end)])))
