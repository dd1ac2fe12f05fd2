"""A reader's answer as JSON: data that cannot run anything where it is read, unlike a pickle."""

from __future__ import annotations

import json
from typing import Any

from tether.core.errors import DocumentUnreadable
from tether.retrieval.document import Block, Document, Link, Piece


def answer_message(outcome: Document | DocumentUnreadable) -> bytes:
    """Return an outcome as a message."""
    if isinstance(outcome, DocumentUnreadable):
        return _json({"unreadable": outcome.message})
    return _json({"document": _document_facts(outcome)})


def answer_from(message: bytes) -> Document | DocumentUnreadable:
    """Return the outcome that a message holds; one that holds none is unreadable too."""
    try:
        facts: dict[str, Any] = json.loads(message)
        if "unreadable" in facts:
            return DocumentUnreadable(str(facts["unreadable"]))
        return _document(facts["document"])
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        return DocumentUnreadable("its reader gave an answer that makes no sense", cause=error)


def _json(facts: dict[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode("ascii")


def _document_facts(document: Document) -> dict[str, Any]:
    return {
        "key": document.key,
        "title": document.title,
        "text": document.text,
        "kind": document.kind,
        "url": document.url,
        "language": document.language,
        "draft": document.draft,
        "notes": document.notes,
        "metadata": document.metadata,
        "links": [(link.target, link.text, link.start) for link in document.links],
        "blocks": [_block_facts(block, document.text) for block in document.blocks],
    }


def _block_facts(block: Block, text: str) -> list[Any]:
    pieces = [_piece_facts(piece, text) for piece in block.pieces]
    return [block.kind, block.start, block.end, block.level, block.anchor, block.header, pieces]


def _piece_facts(piece: Piece, text: str) -> tuple[int, int] | tuple[int, int, str]:
    """Leave out the plain text where it is the text itself: most often it is."""
    if piece.plain == text[piece.start : piece.end]:
        return piece.start, piece.end
    return piece.start, piece.end, piece.plain


def _document(facts: dict[str, Any]) -> Document:
    text = facts["text"]
    return Document(
        key=facts["key"],
        title=facts["title"],
        text=text,
        kind=facts["kind"],
        url=facts["url"],
        language=facts["language"],
        draft=facts["draft"],
        notes=tuple(facts["notes"]),
        metadata=tuple((name, value) for name, value in facts["metadata"]),
        links=tuple(
            Link(target=target, text=label, start=start) for target, label, start in facts["links"]
        ),
        blocks=tuple(_block(text, block) for block in facts["blocks"]),
    )


def _block(text: str, facts: list[Any]) -> Block:
    kind, start, end, level, anchor, header, pieces = facts
    return Block(
        kind=kind,
        start=start,
        end=end,
        level=level,
        anchor=anchor,
        header=header,
        pieces=tuple(_piece(text, *piece) for piece in pieces),
    )


def _piece(text: str, start: int, end: int, plain: str | None = None) -> Piece:
    return Piece(start=start, end=end, plain=text[start:end] if plain is None else plain)
