"""Documents, chunks, vectors and outcomes as rows: packed, and sealed against silent damage.

SQLite stores no checksums of its content. A seal covers the bytes of a row and its place, so that
no quote is taken from a row that changed or that is in the wrong place.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tether.core.plain_data import canonical_json
from tether.retrieval.chunk import Chunk
from tether.retrieval.document import Document, DocumentKind, Link
from tether.retrieval.errors import IndexDamaged
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FAST = 1
DIGEST_BYTES = 16
SEAL_BYTES = 12
VECTOR_BYTES = 4
INSERTED_VECTOR = (
    "INSERT OR IGNORE INTO embeddings (embedder, digest, vector, checksum) VALUES (?,?,?,?)"
)

SELECTED = """
    SELECT key, source, state, reason, notes, chunks, content, reading, evidence, checksum
    FROM outcomes"""
INSERTED = "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedDocument:
    """A document as the index stores it: everything except its blocks.

    `content` is the SHA-256 of the bytes, `reading` the fingerprint of everything else that the
    chunks depend on.
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
    """Return the checksum of a payload and its place."""
    hasher = blake2b(repr(place).encode(), digest_size=SEAL_BYTES)
    hasher.update(payload)
    return hasher.digest()


def opened(payload: object, given: object, *place: object) -> bytes:
    """Return the payload if its seal is valid; raises `IndexDamaged`."""
    if isinstance(payload, str):
        payload = payload.encode()
    if not isinstance(payload, bytes) or seal(payload, *place) != given:
        raise IndexDamaged(f"the row of {place!r} was changed after it was written", file=NAME)
    return payload


def content_hash(data: bytes) -> str:
    """Return the hash by which two contents of a document are compared."""
    return sha256(data).hexdigest()


def digest_of(chunk: Chunk) -> bytes:
    """Return the hash by which two embedded texts are compared."""
    return blake2b(chunk.indexed.encode(), digest_size=DIGEST_BYTES).digest()


def pack_chunk(chunk: Chunk) -> bytes:
    """Return a chunk as bytes; raises `ValueError` for text that UTF-8 cannot encode."""
    plain = None if chunk.plain == chunk.text else chunk.plain
    fields = (
        [chunk.id, chunk.document, chunk.number, chunk.title, list(chunk.heading_path)],
        [chunk.anchor, chunk.url, chunk.start, chunk.end, chunk.tokens],
        [chunk.header, chunk.language, plain, chunk.text],
    )
    return _packed([value for part in fields for value in part])


def unpack_chunk(payload: bytes) -> Chunk:
    """Return the chunk of a payload whose seal was checked."""
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
    """Return a document as bytes; raises `ValueError` for text that UTF-8 cannot encode."""
    links = [[link.target, link.text, link.start] for link in document.links]
    metadata = [list(pair) for pair in document.metadata]
    head = [document.key, content, reading, document.title, document.url, document.kind]
    lists = [links, list(document.notes), metadata]
    return _packed([*head, document.language, document.text, *lists])


def unpack_document(payload: bytes) -> IndexedDocument:
    """Return the document of a payload whose seal was checked."""
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
    """Return the vector of a payload whose seal was checked."""
    return np.frombuffer(payload, dtype="<f4")


def is_sound_vector(row: tuple[Any, ...], dimensions: int | None) -> bool:
    """Return whether a row (embedder, digest, vector, seal) has a valid seal and the right size."""
    embedder, digest, vector, checksum = row
    try:
        payload = opened(vector, checksum, "vector", embedder, digest)
    except IndexDamaged:
        return False
    return dimensions is not None and len(payload) == dimensions * VECTOR_BYTES


_dumps = cast("Callable[[list[Any]], str]", canonical_json)


def _packed(fields: list[Any]) -> bytes:
    return zlib.compress(_dumps(fields).encode(), FAST)


def _unpacked(payload: bytes) -> list[Any]:
    return cast("list[Any]", json.loads(zlib.decompress(payload)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The state of a document when it was last seen, with its reason.

    `content` is the hash of its bytes, "" if they were never loaded or if another attempt may end
    differently. `evidence` identifies that content at the source, so that an unchanged document is
    not loaded the next time.
    """

    key: str
    source: str
    state: str
    reason: str = ""
    notes: tuple[str, ...] = ()
    chunks: int = 0
    content: str = ""
    reading: str = ""
    evidence: str = ""


def outcome_row(outcome: Outcome) -> tuple[object, ...]:
    """Return an outcome as a sealed row."""
    facts = (
        outcome.key,
        outcome.source,
        outcome.state,
        outcome.reason,
        canonical_json(list(outcome.notes)),
        outcome.chunks,
        outcome.content,
        outcome.reading,
        outcome.evidence,
    )
    return (*facts, seal(b"", "outcome", *facts))


def outcome_from(row: tuple[Any, ...]) -> Outcome:
    """Return the outcome in a row; raises `IndexDamaged` if its seal is not valid."""
    opened(b"", row[-1], "outcome", *row[:-1])
    key, source, state, reason, notes, chunks, content, reading, evidence, _ = row
    return Outcome(
        key=key,
        source=source,
        state=state,
        reason=reason,
        notes=tuple(json.loads(notes)),
        chunks=chunks,
        content=content,
        reading=reading,
        evidence=evidence,
    )
