"""How a document, a chunk and a vector lie in a row: packed, and sealed against silent damage.

SQLite keeps no checksums of its content. A seal covers the bytes of a row and the place where the
row belongs, so no quote is ever taken from a row that changed or stands in another's place.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tether.core.canonical import canonical_json
from tether.core.errors import IndexDamaged
from tether.retrieval.chunk import Chunk
from tether.retrieval.document import Document, DocumentKind, Link
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FAST = 1
DIGEST_BYTES = 16
SEAL_BYTES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedDocument:
    """A document as the index keeps it: everything but the blocks that it was cut along.

    `content` is the SHA-256 of the bytes that were read, `reading` what else its chunks depend on.
    """

    key: str
    content: str
    reading: str
    title: str
    url: str
    kind: DocumentKind
    language: str
    text: str
    links: tuple[Link, ...]
    notes: tuple[str, ...]
    metadata: tuple[tuple[str, str], ...]


def seal(payload: bytes, *place: object) -> bytes:
    """Return the checksum of a payload at its place."""
    hasher = blake2b(repr(place).encode(), digest_size=SEAL_BYTES)
    hasher.update(payload)
    return hasher.digest()


def opened(payload: object, given: object, *place: object) -> bytes:
    """Return the payload if its seal holds; raise `IndexDamaged` otherwise."""
    if isinstance(payload, str):
        payload = payload.encode()
    if not isinstance(payload, bytes) or seal(payload, *place) != given:
        raise IndexDamaged(f"the row of {place!r} is not what was written", file=NAME)
    return payload


def content_hash(data: bytes) -> str:
    """Return what tells two contents of a document apart."""
    return sha256(data).hexdigest()


def digest_of(chunk: Chunk) -> bytes:
    """Return what tells two embedded texts apart."""
    return blake2b(chunk.indexed.encode(), digest_size=DIGEST_BYTES).digest()


def pack_chunk(chunk: Chunk) -> bytes:
    """Return a chunk as bytes; raises `ValueError` for text that has no form in UTF-8."""
    plain = None if chunk.plain == chunk.text else chunk.plain
    fields = (
        [chunk.id, chunk.document, chunk.number, chunk.title, list(chunk.heading_path)],
        [chunk.anchor, chunk.url, chunk.start, chunk.end, chunk.tokens],
        [chunk.header, chunk.language, plain, chunk.text],
    )
    return _packed([value for part in fields for value in part])


def unpack_chunk(payload: bytes) -> Chunk:
    """Return the chunk that was packed; the seal has been checked."""
    (id_, document, number, title, path, anchor, url, start, end, *rest) = _unpacked(payload)
    tokens, header, language, plain, text = rest
    return Chunk(
        id=id_,
        document=document,
        number=number,
        title=title,
        heading_path=tuple(path),
        anchor=anchor,
        url=url,
        start=start,
        end=end,
        text=text,
        plain=text if plain is None else plain,
        tokens=tokens,
        header=header,
        language=language,
    )


def pack_document(document: Document, *, content: str, reading: str) -> bytes:
    """Return a document as bytes; raises `ValueError` for text that has no form in UTF-8."""
    links = [[link.target, link.text, link.start] for link in document.links]
    metadata = [list(pair) for pair in document.metadata]
    head = [document.key, content, reading, document.title, document.url, document.kind]
    lists = [links, list(document.notes), metadata]
    return _packed([*head, document.language, document.text, *lists])


def unpack_document(payload: bytes) -> IndexedDocument:
    """Return the document that was packed; the seal has been checked."""
    key, content, reading, title, url, kind, language, text, *lists = _unpacked(payload)
    links, notes, metadata = lists
    return IndexedDocument(
        key=key,
        content=content,
        reading=reading,
        title=title,
        url=url,
        kind=kind,
        language=language,
        text=text,
        links=tuple(Link(target=to, text=words, start=start) for to, words, start in links),
        notes=tuple(notes),
        metadata=tuple((name, value) for name, value in metadata),
    )


def pack_vector(vector: NDArray[np.float32]) -> bytes:
    """Return a vector as bytes, the same on every machine."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def unpack_vector(payload: bytes) -> NDArray[np.float32]:
    """Return the vector that was packed; the seal has been checked."""
    return np.frombuffer(payload, dtype="<f4")


_dumps = cast("Callable[[list[Any]], str]", canonical_json)


def _packed(fields: list[Any]) -> bytes:
    return zlib.compress(_dumps(fields).encode(), FAST)


def _unpacked(payload: bytes) -> list[Any]:
    return cast("list[Any]", json.loads(zlib.decompress(payload)))
