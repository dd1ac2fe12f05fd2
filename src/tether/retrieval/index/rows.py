"""The rows of the database, each checked against its seal when it is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from tether.retrieval.errors import IndexDamaged, IndexMissing
from tether.retrieval.index.connection import Database, Row, connect_for_reading
from tether.retrieval.index.generation import Entry, Generation, generation_from
from tether.retrieval.index.links import Links
from tether.retrieval.index.records import (
    SELECTED,
    IndexedDocument,
    Outcome,
    opened,
    outcome_from,
    unpack_chunk,
    unpack_document,
)
from tether.retrieval.index.tables import CHUNK_BITS, NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tether.retrieval.chunk import Chunk

_ENTRY = """
    SELECT e.position, e.version, e.key, e.source, v.content, v.reading, v.chunks, e.checksum
    FROM entries AS e JOIN versions AS v ON v.id = e.version WHERE e.generation = ?"""
_CURRENT = """
    SELECT h.current, h.previous, h.checksum, g.record, g.checksum
    FROM heads AS h LEFT JOIN generations AS g ON g.number = h.current"""
_UNEMBEDDED = """
    SELECT count(DISTINCT c.digest) FROM chunks AS c WHERE c.id > ? AND c.id < ? AND NOT EXISTS (
        SELECT 1 FROM embeddings AS m WHERE m.embedder = ? AND m.digest = c.digest)"""

_GIVEN = {
    "versions": "SELECT max(id) FROM versions",
    "generations": "SELECT max(number) FROM generations",
}


class Heads(NamedTuple):
    """The current generation, and the previous one for a rollback."""

    current: int
    previous: int | None


class Rows(Database):
    """Reads the rows of an index and checks their seals."""

    def heads(self) -> Heads | None:
        """Return the heads; None before the first generation."""
        found = self.query("SELECT current, previous, checksum FROM heads")
        if not found and self.numbers():
            raise IndexDamaged("the heads do not name a current generation", file=NAME)
        return _heads(*found[0]) if found else None

    def current(self) -> Generation:
        """Return the current generation; raises `IndexMissing` before the first.

        One statement, because between two a writer might remove the generation.
        """
        found = self.query(_CURRENT)
        if not found:
            raise IndexMissing(f"the index at {str(self.path.parent)!r} has no generation yet")
        current, previous, checksum, *facts = found[0]
        return _generation(_heads(current, previous, checksum).current, *facts)

    def generation(self, number: int) -> Generation:
        """Return a generation by its number."""
        found = self.query("SELECT record, checksum FROM generations WHERE number = ?", (number,))
        return _generation(number, *(found[0] if found else (None, None)))

    def has_generation(self, number: int) -> bool:
        """Return whether a generation exists."""
        return bool(self.query("SELECT 1 FROM generations WHERE number = ?", (number,)))

    def numbers(self) -> list[int]:
        """Return the numbers of all generations."""
        return [row[0] for row in self.query("SELECT number FROM generations ORDER BY number")]

    def entries_of(self, generation: Generation) -> list[Entry]:
        """Return the documents of a generation by position, after checking their number."""
        found = self.entries(generation.number)
        counts = (len(found), sum(entry.chunks for entry in found))
        if counts != (generation.documents, generation.size):
            raise IndexDamaged(f"generation {generation.number} has lost documents", file=NAME)
        return found

    def entries(self, generation: int) -> list[Entry]:
        """Return the documents of a generation by position, without checking their number."""
        rows = self.query(f"{_ENTRY} ORDER BY e.position", (generation,))
        return [_entry(generation, at, row) for at, row in enumerate(rows)]

    def entries_at(self, generation: int, positions: Sequence[int]) -> dict[int, Entry]:
        """Return the documents at some positions."""
        found = self.query_for(f"{_ENTRY} AND e.position IN", (generation,), positions)
        return {row[0]: _entry(generation, row[0], row) for row in found}

    def find(self, generation: int, key: str) -> tuple[int, Entry] | None:
        """Return the position and entry of a document; None if the generation lacks it."""
        found = self.query(f"{_ENTRY} AND e.key = ?", (generation, key))
        return (found[0][0], _entry(generation, found[0][0], found[0])) if found else None

    def document(self, version: int) -> IndexedDocument:
        """Return a document in one version."""
        statement = "SELECT key, content, reading, chunks, links, record, checksum"
        found = self.query(f"{statement} FROM versions WHERE id = ?", (version,))
        if not found:
            raise IndexDamaged(f"version {version} is missing", file=NAME)
        *place, record, checksum = found[0]
        return unpack_document(opened(record, checksum, "version", version, *place))

    def chunks_at(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Return the chunks in some rows of their table."""
        statement = "SELECT id, digest, record, checksum FROM chunks WHERE id IN"
        return {row[0]: chunk_in(row) for row in self.query_for(statement, (), numbers)}

    def chunks_of(self, entry: Entry) -> list[Chunk]:
        """Return all chunks of a document in order."""
        statement = "SELECT id, digest, record, checksum FROM chunks WHERE id > ? AND id < ?"
        rows = self.query(f"{statement} ORDER BY id", chunk_limits(entry.version))
        if len(rows) != entry.chunks:
            raise IndexDamaged(f"{entry.key!r} has lost chunks", file=NAME)
        return [chunk_in(row) for row in rows]

    def links_of(self, version: int) -> Links:
        """Return the URL, the link targets and the labels of a document."""
        found = self.query("SELECT links FROM versions WHERE id = ?", (version,))
        try:
            url, targets, labels = json.loads(found[0][0])
        except (ValueError, TypeError, IndexError) as error:
            raise IndexDamaged(f"the links of version {version} are damaged", file=NAME) from error
        return Links(url=url, targets=targets, labels=labels)

    def outcomes(self) -> dict[str, Outcome]:
        """Return the outcomes of all documents that were seen and not removed."""
        return {row[0]: outcome_from(row) for row in self.query(f"{SELECTED} ORDER BY key")}

    def outcome(self, key: str) -> Outcome | None:
        """Return the outcome of one document; None if it was never seen."""
        found = self.query(f"{SELECTED} WHERE key = ?", (key,))
        return outcome_from(found[0]) if found else None

    def count_missing(self, embedder: int, entries: Iterable[Entry]) -> int:
        """Return the number of texts without a vector of an embedder."""
        return sum(
            self.query(_UNEMBEDDED, (*chunk_limits(entry.version), embedder))[0][0]
            for entry in entries
        )

    def sources(self) -> list[str]:
        """Return the names of the sources of the index."""
        found = self.query("SELECT name, checksum FROM sources ORDER BY name")
        for name, checksum in found:
            opened(b"", checksum, "source", name)
        return [name for name, _ in found]


def read_rows(path: Path) -> Rows:
    """Return rows over a read-only connection."""
    return Rows(path, connect_for_reading(path))


def last_number(rows: Database, table: str) -> int:
    """Return the highest number ever used in a table, even if the counter says less."""
    given = rows.query(_GIVEN[table])[0][0]
    counted = rows.query("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
    return max(given or 0, counted[0][0] if counted else 0)


def chunk_row(version: int, number: int) -> int:
    """Return the row number of a chunk from its number in its document."""
    return (version << CHUNK_BITS) + number


def chunk_limits(version: int) -> tuple[int, int]:
    """Return the bounds of the row numbers of the chunks of a version."""
    return version << CHUNK_BITS, (version + 1) << CHUNK_BITS


def chunk_in(row: Row) -> Chunk:
    """Return the chunk in a row after checking its seal."""
    number, digest, record, checksum = row
    return unpack_chunk(opened(record, checksum, "chunk", number, digest))


def _heads(current: int, previous: int | None, checksum: object) -> Heads:
    opened(b"", checksum, "heads", current, previous)
    return Heads(current, previous)


def _generation(number: int, record: object, checksum: object) -> Generation:
    if record is None:
        raise IndexDamaged(f"generation {number} is missing", file=NAME)
    return generation_from(opened(record, checksum, "generation", number))


def _entry(generation: int, position: int, row: Row) -> Entry:
    _, version, key, source, content, reading, chunks, checksum = row
    opened(b"", checksum, *entry_place(generation, position, row[1:7]))
    return Entry(
        version=version, key=key, source=source, content=content, reading=reading, chunks=chunks
    )


def entry_place(generation: int, position: int, facts: Row) -> tuple[object, ...]:
    """Return the place in the seal of an entry; `facts` run from its version to its chunks."""
    return ("entry", generation, position, *facts)
