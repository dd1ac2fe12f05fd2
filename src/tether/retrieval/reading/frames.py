"""Messages on a pipe: eight bytes that say how long it is, then the message."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from tether.retrieval.reading.requests import ReadRequest

PREFIX = 8


def framed(message: bytes) -> bytes:
    """Return a message as it goes onto the pipe."""
    return len(message).to_bytes(PREFIX, "big") + message


def unframed(buffer: bytearray) -> bytes | None:
    """Return the message that a buffer begins with, or None while it is not complete."""
    if len(buffer) < PREFIX or len(buffer) < PREFIX + announced(buffer):
        return None
    return bytes(memoryview(buffer)[PREFIX : PREFIX + announced(buffer)])


def announced(buffer: bytearray) -> int:
    """Return how long the message of a buffer will be; 0 while that is not known."""
    return int.from_bytes(buffer[:PREFIX], "big") if len(buffer) >= PREFIX else 0


def read_frame(stream: BinaryIO) -> bytes | None:
    """Wait for the next message of a stream; None where the stream ends."""
    prefix = stream.read(PREFIX)
    if len(prefix) < PREFIX:
        return None
    length = int.from_bytes(prefix, "big")
    message = stream.read(length)
    return message if len(message) == length else None


def request_message(request: ReadRequest) -> bytes:
    """Return a request as a message: what is known about the document, then its bytes."""
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
    """Return the request that a message holds."""
    length = int.from_bytes(message[:PREFIX], "big")
    facts: dict[str, Any] = json.loads(message[PREFIX : PREFIX + length])
    return ReadRequest(data=message[PREFIX + length :], **facts)
