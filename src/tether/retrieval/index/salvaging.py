"""Taking vectors over from a database that is otherwise given up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from tether.core.errors import IndexDamaged
from tether.retrieval.index.records import opened
from tether.retrieval.index.schema import connect_for_writing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Vector = tuple[int, bytes, bytes, bytes]

_EMBEDDERS = "SELECT id, fingerprint, dimensions FROM embedders"
_VECTORS = "SELECT embedder, digest, vector, checksum FROM embeddings"


def save_vectors(old: Path, new: Path) -> int:
    """Copy the vectors that can be read and whose seals hold; return how many.

    Reading ends where the old database cannot be read any further.
    """
    embedders: list[tuple[int, str, int]] = []
    vectors: list[Vector] = []
    address = f"file:{quote(str(old.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            embedders += connection.execute(_EMBEDDERS).fetchall()
            known = {number for number, _, _ in embedders}
            vectors.extend(vector for vector in _sound(connection) if vector[0] in known)
    except sqlite3.Error:  # it is damaged: that is why it is given up
        pass
    with closing(connect_for_writing(new)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO embedders (id, fingerprint, dimensions) VALUES (?, ?, ?)", embedders
        )
        connection.executemany(
            "INSERT INTO embeddings (embedder, digest, vector, checksum) VALUES (?, ?, ?, ?)",
            vectors,
        )
        connection.execute("COMMIT")
    return len(vectors)


def _sound(connection: sqlite3.Connection) -> Iterator[Vector]:
    for embedder, digest, vector, checksum in connection.execute(_VECTORS):
        try:
            opened(vector, checksum, "vector", embedder, digest)
        except IndexDamaged:
            continue
        yield embedder, digest, vector, checksum
