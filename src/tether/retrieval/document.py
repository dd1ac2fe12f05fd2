"""A document as a reader leaves it: its text, and where in the text its parts lie.

Spans are half-open ranges of characters of `Document.text`. For formats that are text already
(Markdown, RST, plain text, source code) that is the decoded file, so a span is a place in the file.
For the others (HTML, notebooks, PDF) it is the text that the reader extracted, which the index
stores, so that a quote can be shown in place in every case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "quote"]

DocumentKind = Literal["markdown", "mdx", "rst", "html", "notebook", "text", "source", "pdf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The smallest part that a block may be cut into: a sentence, an item, a row, a line.

    `plain` is the piece's text with the markup taken off: what is searched and read, not quoted.
    """

    start: int
    end: int
    plain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a document that belongs together. Blocks are in order and do not overlap.

    `pieces` are in order and lie inside the block; cutting between them keeps each readable.
    A heading has a `level` from 1 and an `anchor` that links to it, without the `#`. A table has a
    `header`: its header rows as they stand in the text, for repeating above rows that were split
    off; these rows are pieces too.
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
        """The whole block without markup, its pieces on lines of their own unless it is prose."""
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
    """One document. `key` names it for good: a path relative to its folder, or its URL.

    `url` is where a person opens it, "" where only the key is known. `title` is never empty.
    `language` is an ISO 639-1 code that the document declares, "" where it declares none. `draft`
    documents ask not to be published. `notes` say what the reader left out and why, for `status`.
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
