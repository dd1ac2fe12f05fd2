"""Messages between a process and its readers: length-prefixed frames with JSON.

JSON is data that cannot run code where it is read, unlike a pickle.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from tether.retrieval.document import Block, Document, Link, Piece
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.reading.requests import ReadRequest

PREFIX = 8


def framed(message: bytes) -> bytes:
    """Return a message with its length of eight bytes in front."""
    return len(message).to_bytes(PREFIX, "big") + message


def unframed(buffer: bytearray) -> bytes | None:
    """Return the message at the start of a buffer, or None if it is not complete yet."""
    if len(buffer) < PREFIX or len(buffer) < PREFIX + announced(buffer):
        return None
    return bytes(memoryview(buffer)[PREFIX : PREFIX + announced(buffer)])


def announced(buffer: bytearray) -> int:
    """Return the length of the message in a buffer; 0 if it is not known yet."""
    return int.from_bytes(buffer[:PREFIX], "big") if len(buffer) >= PREFIX else 0


def read_frame(stream: BinaryIO) -> bytes | None:
    """Wait for the next message of a stream; None at its end."""
    prefix = stream.read(PREFIX)
    if len(prefix) < PREFIX:
        return None
    length = int.from_bytes(prefix, "big")
    message = stream.read(length)
    return message if len(message) == length else None


def request_message(request: ReadRequest) -> bytes:
    """Return a request as a message: the facts about the document, then its bytes."""
    facts = {
        "key": request.key,
        "name": request.name,
        "url": request.url,
        "content_type": request.content_type,
        "title": request.title,
        "anchors": request.anchors,
    }
    return framed(json.dumps(facts).encode("ascii")) + request.data


def request_from(message: bytes) -> ReadRequest:
    """Return the request in a message."""
    length = int.from_bytes(message[:PREFIX], "big")
    facts: dict[str, Any] = json.loads(message[PREFIX : PREFIX + length])
    return ReadRequest(data=message[PREFIX + length :], **facts)


def answer_message(outcome: Document | DocumentUnreadable) -> bytes:
    """Return an outcome as a message."""
    if isinstance(outcome, DocumentUnreadable):
        return _json({"unreadable": outcome.message})
    return _json({"document": _document_facts(outcome)})


def answer_from(message: bytes) -> Document | DocumentUnreadable:
    """Return the outcome in a message; a malformed message is unreadable too."""
    try:
        facts: dict[str, Any] = json.loads(message)
        if "unreadable" in facts:
            return DocumentUnreadable(str(facts["unreadable"]))
        return _document(facts["document"])
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        return DocumentUnreadable("its reader gave a malformed answer", cause=error)


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
    """Return a piece, without its plain text if that equals the text, as it usually does."""
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
