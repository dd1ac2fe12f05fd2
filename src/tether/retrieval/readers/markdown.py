"""Markdown and MDX, with the habits of the common site builders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tether.retrieval.document import Block, BlockKind, Document, Link, Piece
from tether.retrieval.readers.anchors import Anchors, AnchorStyle
from tether.retrieval.readers.decoding import decode
from tether.retrieval.readers.front_matter import FrontMatter, read_front_matter
from tether.retrieval.readers.hidden_parts import NOTHING, hide
from tether.retrieval.readers.lines import Excerpt
from tether.retrieval.readers.markdown_text import DEEPEST, PageText, leaves_of, lines_of_token
from tether.retrieval.readers.names import title_from
from tether.retrieval.readers.surface import surface
from tether.retrieval.readers.text import paragraphs
from tether.text.markdown.site_inlines import Dialect
from tether.text.markdown.site_marks import closed_names

LONGEST_ITEM = 800
_EXPLICIT = re.compile(r"\{:?[ \t]*+(?:/\*)?+[ \t]*+#([\w:.-]++)[^{}]*+\}\Z")
_HTML_HEADING = re.compile(r"<h([1-6])\b([^<>]*+)>(.*)</h\1\s*>\s*", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"\bid\s*=\s*[\"']?([^\s\"'<>]+)")
MOST_CHARACTERS = 12_000_000
MOST_LINES = 150_000
Flavour = Literal["markdown", "mdx"]
_KEPT = ("description", "slug", "url", "permalink", "tags", "keywords", "aliases", "date", "weight")


def read_markdown(
    *,
    key: str,
    name: str,
    data: bytes,
    url: str = "",
    title: str = "",
    flavour: Flavour = "markdown",
    anchors: AnchorStyle = "github",
) -> Document:
    """Return a Markdown page: `text` is the decoded file, all spans are places in it.

    The title is the front matter's, else the first heading of level 1, else the heading at the top,
    else `title`, else made of the key. Files that the page names (`--8<--`, imports, includes) are
    never read. Raises `DocumentUnreadable` for binary data.
    """
    decoded = decode(data)
    text = decoded.text
    front = read_front_matter(text)
    parsed = MarkdownParser(flavour, Anchors(anchors)).parse(text, front.end)
    own = front.first("title") or _first_title(parsed.blocks)
    return Document(
        key=key,
        title=own or title or title_from(key or name),
        text=text,
        blocks=tuple(parsed.blocks),
        kind=flavour,
        url=url,
        language=_language(front),
        draft=front.is_draft,
        links=tuple(parsed.links),
        notes=(*decoded.notes, *front.notes, *parsed.notes),
        metadata=_metadata(front),
    )


class MarkdownParser:
    """Reads stretches of Markdown that belong to one page, so that their anchors differ."""

    __slots__ = ("_anchors", "_mdx", "_parser")

    def __init__(self, flavour: Flavour, anchors: Anchors) -> None:
        self._mdx = flavour == "mdx"
        self._anchors = anchors
        self._parser = block_parser(indented_code=not self._mdx)

    def parse(self, text: str, start: int = 0) -> Parsed:
        """Return the blocks and links of Markdown from `start` on.

        A text that is too large for the parser is read as plain paragraphs, with a note.
        """
        if len(text) > MOST_CHARACTERS or text.count("\n", start) > MOST_LINES:
            note = "too large to be parsed as Markdown: read as plain text"
            return Parsed(blocks=paragraphs(text, start), notes=[note])
        shown = hide(text, start)
        closed = closed_names(shown)
        lines = surface(shown, start, closed=closed, mdx=self._mdx)
        dialect = Dialect(references=lines.references, closed=closed, expressions=self._mdx)
        page = PageText(shown=shown, lines=lines.lines, dialect=dialect)
        return parse_blocks(page, source=text, parser=self._parser, anchors=self._anchors)


@dataclass(slots=True, kw_only=True)
class Parsed:
    """The blocks, links and notes of a stretch of Markdown, in order."""

    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@cache
def block_parser(*, indented_code: bool = True) -> MarkdownIt:
    """Return a parser of which only the block rules are used.

    Link definitions and HTML are taken care of before it and after it: its own rule for the first
    takes quadratic time, and that for the second would swallow the text inside. It is made once:
    that takes longer than reading a small page.
    """
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable("table")
    parser.disable(["reference", "html_block"])
    return parser if indented_code else parser.disable("code")


def parse_blocks(page: PageText, *, source: str, parser: MarkdownIt, anchors: Anchors) -> Parsed:
    """Return the blocks of a page whose text is `source`, and the links in them."""
    tokens: list[Token] = []
    parser.block.parse("\n".join(line.text for line in page.lines), parser, {}, tokens)
    blocks = _Blocks(page, source, anchors)
    found = [block for group in _groups(tokens) if (block := blocks.read(group)) is not None]
    links = sorted(page.links, key=lambda link: link.start)
    return Parsed(blocks=found, links=links, notes=[*blocks.notes, *page.notes])


class _Blocks:
    """Turns the tokens of outermost elements into blocks."""

    __slots__ = ("_anchors", "_page", "_source", "notes")

    def __init__(self, page: PageText, source: str, anchors: Anchors) -> None:
        self.notes: list[str] = []
        self._page = page
        self._source = source
        self._anchors = anchors

    def read(self, group: Sequence[Token]) -> Block | None:
        """Return the block of one element; None for a rule, and where nothing is left to read."""
        first = group[0]
        block: Block | None = None
        match first.type:
            case "heading_open":
                block = self._heading(group[1], int(first.tag[1:]), lines_of_token(first))
            case "paragraph_open":
                block = self._paragraph(group[1])
            case "fence" | "code_block":
                block = self._block("code", first, self._page.code(first))
            case "table_open":
                block = self._table(first)
            case "bullet_list_open" | "ordered_list_open":
                block = self._block("list", first, tuple(self._items(group)))
            case "blockquote_open":
                block = self._block("quote", first, self._quoted(group))
            case _:
                pass
        return block

    def _block(self, kind: BlockKind, token: Token, pieces: tuple[Piece, ...]) -> Block | None:
        start, end = self._page.extent(*lines_of_token(token))
        return Block(kind=kind, start=start, end=end, pieces=pieces) if pieces else None

    def _heading(self, inline: Token, level: int, lines: tuple[int, int]) -> Block | None:
        prose = self._page.excerpt(inline)
        explicit = ""
        if match := _EXPLICIT.search(prose.text.rstrip(f"{NOTHING} ")):
            explicit = match[1]
            prose = replace(prose, text=prose.text[: match.start()].rstrip())
        span = self._page.extent(*lines)
        return self._titled(prose, level=level, explicit=explicit, span=span)

    def _titled(
        self, prose: Excerpt, *, level: int, explicit: str, span: tuple[int, int]
    ) -> Block | None:
        words = " ".join(piece.plain for piece in self._page.prose(prose))
        if not words:
            return None
        start, end = span
        return Block(
            kind="heading",
            start=start,
            end=end,
            pieces=(Piece(start=start, end=end, plain=words),),
            level=level,
            anchor=self._anchors.give(words, explicit),
        )

    def _paragraph(self, inline: Token) -> Block | None:
        """Return a paragraph; one that is an HTML heading as a heading."""
        prose = self._page.excerpt(inline)
        start, end = prose.origin(0), prose.origin(len(prose.text))
        if match := _HTML_HEADING.fullmatch(prose.text):
            found = _ID.search(match[2])
            explicit = found[1] if found else ""
            level = int(match[1])
            return self._titled(prose, level=level, explicit=explicit, span=(start, end))
        pieces = self._page.prose(prose)
        return Block(kind="paragraph", start=start, end=end, pieces=pieces) if pieces else None

    def _table(self, token: Token) -> Block | None:
        pieces = self._page.rows(token)
        block = self._block("table", token, pieces)
        return block and replace(block, header=self._source[pieces[0].start : pieces[1].end])

    def _quoted(self, group: Sequence[Token]) -> tuple[Piece, ...]:
        leaves = leaves_of(self._page, group[1:-1], lines_of_token(group[0]), self.notes)
        return tuple(piece for leaf in leaves for piece in leaf.pieces)

    def _items(self, group: Sequence[Token]) -> Iterator[Piece]:
        """Yield the items of a list with their nested blocks; the parts of long items."""
        for item in _groups(group[1:-1]):
            lines = lines_of_token(item[0])
            leaves = leaves_of(self._page, item[1:-1], lines, self.notes)
            plain = "\n".join(words for leaf in leaves if (words := leaf.plain))
            pieces = [piece for leaf in leaves for piece in leaf.pieces]
            start, end = self._page.extent(*lines)
            if len(plain) > LONGEST_ITEM:
                yield replace(pieces[0], start=start)
                yield from pieces[1:]
            elif plain:
                yield Piece(start=start, end=end, plain=plain)


def _groups(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each outermost element together."""
    depth = begin = 0
    for number, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[begin : number + 1]
            begin = number + 1


def _first_title(blocks: list[Block]) -> str:
    """Return the first heading of level 1, else the heading that the page begins with."""
    opening = blocks[0].plain if blocks and blocks[0].kind == "heading" else ""
    return next((block.plain for block in blocks if block.level == 1), opening)


def _language(front: FrontMatter) -> str:
    """Return the declared language as two letters: `en-US` is `en`."""
    declared = front.first("lang", "language", "locale").lower().replace("_", "-")
    code = declared.partition("-")[0]
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""


def _metadata(front: FrontMatter) -> tuple[tuple[str, str], ...]:
    fields = front.fields
    return tuple((name, ", ".join(fields[name])) for name in _KEPT if fields.get(name))
