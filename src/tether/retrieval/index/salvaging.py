"""Taking vectors over from a database that is otherwise given up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from tether.core.errors import IndexDamaged
from tether.retrieval.index.records import opened
from tether.retrieval.index.schema import address_of, connect_for_writing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Embedder = tuple[int, str, int]
Vector = tuple[int, bytes, bytes, bytes]

AT_ONCE = 2_000
VECTOR_BYTES = 4
_EMBEDDERS = "SELECT id, fingerprint, dimensions FROM embedders"
_VECTORS = "SELECT embedder, digest, vector, checksum FROM embeddings"
_KEEP_EMBEDDER = "INSERT INTO embedders (id, fingerprint, dimensions) VALUES (?, ?, ?)"
_KEEP_VECTOR = (
    "INSERT OR IGNORE INTO embeddings (embedder, digest, vector, checksum) VALUES (?,?,?,?)"
)


def save_vectors(old: Path, new: Path) -> None:
    """Copy the vectors that can be read and whose seals hold, a part of them at a time.

    Reading ends where the old database cannot be read any further.
    """
    address = address_of(old, "mode=ro&immutable=1")
    with closing(connect_for_writing(new)) as target:
        try:
            source = sqlite3.connect(address, uri=True)
        except sqlite3.Error:  # there is nothing, or a folder
            return
        with closing(source):
            embedders = _embedders(source)
            _insert(target, _KEEP_EMBEDDER, embedders)
            vectors = _vectors(source, {number: size for number, _, size in embedders})
            while part := list(islice(vectors, AT_ONCE)):
                _insert(target, _KEEP_VECTOR, part)


def _insert(
    target: sqlite3.Connection, statement: str, rows: list[Embedder] | list[Vector]
) -> None:
    target.execute("BEGIN IMMEDIATE")
    target.executemany(statement, rows)
    target.execute("COMMIT")


def _embedders(source: sqlite3.Connection) -> list[Embedder]:
    try:
        found = source.execute(_EMBEDDERS).fetchall()
    except sqlite3.Error:  # it is damaged: that is why it is given up
        return []
    plain = [row for row in found if [type(value) for value in row] == [int, str, int]]
    by_name = {fingerprint: (number, fingerprint, size) for number, fingerprint, size in plain}
    return list(by_name.values())


def _vectors(source: sqlite3.Connection, sizes: dict[int, int]) -> Iterator[Vector]:
    try:
        for embedder, digest, vector, checksum in source.execute(_VECTORS):
            if _is_sound(vector, checksum, embedder, digest, sizes):
                yield embedder, digest, vector, checksum
    except sqlite3.Error:  # so far, and no further
        return


def _is_sound(
    vector: object, checksum: object, embedder: int, digest: object, sizes: dict[int, int]
) -> bool:
    try:
        payload = opened(vector, checksum, "vector", embedder, digest)
    except IndexDamaged:
        return False
    return len(payload) == sizes.get(embedder, 0) * VECTOR_BYTES
