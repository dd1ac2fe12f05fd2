"""A document as a reader returns it: its text, and the positions of its parts.

Spans are half-open ranges of characters of `Document.text`. For text formats (Markdown, RST, plain
text, source code) that is the decoded file, so a span is a position in the file. For the others
(HTML, manual pages, notebooks, PDF) it is the extracted text, which the index stores, so that a
quote can always be shown in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote"]

DocumentKind = Literal["markdown", "mdx", "rst", "html", "man", "notebook", "text", "source", "pdf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The smallest part of a block: a sentence, an item, a row, a line.

    `plain` is its text without markup, which is searched and read but not quoted.
    """

    start: int
    end: int
    plain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a document that belongs together. Blocks are in order and do not overlap.

    `pieces` are in order and inside the block; cutting between them keeps each readable. A heading
    has a `level` from 1 and an `anchor` without the `#`; a list may have the `anchor` of the
    definition that it begins with. A table has a `header`: its header rows as
    they are in the text, to be repeated above rows that were split off; these rows are pieces too.
    """

    kind: BlockKind
    start: int
    end: int
    pieces: tuple[Piece, ...]
    level: int = 0
    anchor: str = ""
    header: str = ""

    @property
    def plain(self) -> str:
        """The whole block without markup; its pieces are on separate lines unless it is prose."""
        joint = " " if self.kind in ("heading", "paragraph", "quote") else "\n"
        return joint.join(piece.plain for piece in self.pieces if piece.plain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link as the document writes it: `target` may be relative, or an anchor of this page."""

    target: str
    text: str
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document. Its `key` never changes: a path relative to its folder, or its URL.

    `url` is the address for people, "" if only the key is known. `title` is never empty. `language`
    is the declared ISO 639-1 code, or "". `draft` documents are not meant to be published. `notes`
    list the parts that the reader left out, with the reason, for `status`.
    """

    key: str
    title: str
    text: str
    blocks: tuple[Block, ...]
    kind: DocumentKind
    url: str = ""
    language: str = ""
    draft: bool = False
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str], ...] = field(default=())
