"""Markdown and MDX, with the habits of the common site builders."""

from __future__ import annotations

from typing import Literal

from tether.retrieval.document import Block, Document
from tether.retrieval.readers.anchors import Anchors, AnchorStyle
from tether.retrieval.readers.decoding import decode
from tether.retrieval.readers.front_matter import FrontMatter, read_front_matter
from tether.retrieval.readers.hiding import hide
from tether.retrieval.readers.inline_marks import Dialect
from tether.retrieval.readers.markdown_blocks import Parsed, block_parser, parse_blocks
from tether.retrieval.readers.markdown_text import PageText
from tether.retrieval.readers.naming import title_from
from tether.retrieval.readers.paragraphs import paragraphs
from tether.retrieval.readers.surface import surface
from tether.retrieval.readers.tags import closed_names

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
    never read. Raises `DocumentUnreadable` for what is no text.
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
