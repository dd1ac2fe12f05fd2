"""Short ways to read a page in a test, and what must hold of every document."""

from __future__ import annotations

from tether.retrieval.document import Block, Document
from tether.retrieval.readers.dispatch import read_document


def read(text: str | bytes, name: str = "page.md") -> Document:
    """Read a page and check its places."""
    data = text.encode() if isinstance(text, str) else text
    document = read_document(key=name, name=name, data=data)
    check_places(document)
    return document


def shape(document: Document) -> list[tuple[str, str]]:
    """Return each block's kind and plain text."""
    return [(block.kind, block.plain) for block in document.blocks]


def pieces(block: Block) -> list[str]:
    return [piece.plain for piece in block.pieces]


def quoted(document: Document) -> list[str]:
    """Return each block as it stands in the text."""
    return [document.text[block.start : block.end] for block in document.blocks]


def check_places(document: Document) -> None:
    """Blocks and pieces are in order, apart from each other, inside the text, and not empty."""
    at = 0
    for block in document.blocks:
        assert at <= block.start < block.end <= len(document.text)
        assert block.pieces
        inner = block.start
        for piece in block.pieces:
            assert inner <= piece.start < piece.end <= block.end
            assert not document.text[piece.start].isspace() or block.kind == "code"
            assert not document.text[piece.end - 1].isspace()
            inner = piece.end
        at = block.end
    for link in document.links:
        assert 0 <= link.start < len(document.text)
        assert link.target
    assert document.title.strip()
