"""Reading the database: every row that reaches a caller has been checked against its seal."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.core.errors import IndexDamaged, IndexMissing
from tether.retrieval.index.generation import Entry, Generation, generation_from
from tether.retrieval.index.records import (
    IndexedDocument,
    opened,
    unpack_chunk,
    unpack_document,
)
from tether.retrieval.index.schema import (
    CHUNK_BITS,
    NAME,
    connect_for_reading,
    damage,
    roll_back,
    translated,
    was_cut_short,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from tether.retrieval.chunk import Chunk

Row = tuple[Any, ...]

_ENTRY = """
    SELECT e.position, e.version, e.key, e.source, v.content, v.reading, v.chunks, e.checksum
    FROM entries AS e JOIN versions AS v ON v.id = e.version WHERE e.generation = ?"""
_OUTCOME = """
    SELECT key, source, state, reason, notes, chunks, content, reading, evidence FROM outcomes"""
_CURRENT = """
    SELECT h.current, g.record, g.checksum
    FROM heads AS h LEFT JOIN generations AS g ON g.number = h.current"""
_BLOCK = 2_000
_AT_ONCE = 500


class Heads(NamedTuple):
    """The generation that is searched, and the one to go back to."""

    current: int
    previous: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a document when it was last looked at.

    `content` is the hash of its bytes, "" where they were never seen; `evidence` is the source's
    word for that content and lets it go unread the next time.
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


class Rows:
    """The rows of an index, read through one connection that several threads may share.

    Each question is a short statement of its own, so that a writer never waits for long. Raises
    `IndexDamaged`, and `IndexLocked` where a writer blocks for very long.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._lock = Lock()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def ask(self, statement: str, values: tuple[object, ...] = ()) -> list[Row]:
        """Return all rows of a statement."""
        with self._lock:
            try:
                return self._asked(statement, values)
            except sqlite3.OperationalError as error:
                if not was_cut_short(error):
                    raise damage(self.path, error) from error
            roll_back(self.path)
            with translated(self.path):
                return self._asked(statement, values)

    def _asked(self, statement: str, values: tuple[object, ...]) -> list[Row]:
        try:
            return self.connection.execute(statement, values).fetchall()
        except sqlite3.OperationalError:
            raise
        except sqlite3.Error as error:
            raise damage(self.path, error) from error

    def heads(self) -> Heads | None:
        """Return which generation is searched; None before the first."""
        found = self.ask("SELECT current, previous FROM heads")
        return Heads(*found[0]) if found else None

    @contextmanager
    def together(self) -> Generator[None]:
        """Answer all questions inside from the same state, whatever a writer does meanwhile.

        The writer's next commit waits for the end: keep it short.
        """
        self.ask("BEGIN")
        try:
            yield
        finally:
            self.connection.rollback()

    def current(self) -> Generation:
        """Return the generation that is searched; raises `IndexMissing` before the first.

        One statement: between two, a writer might have removed the generation.
        """
        found = self.ask(_CURRENT)
        if not found:
            raise IndexMissing(f"the index at {str(self.path.parent)!r} holds no generation yet")
        return _generation(*found[0])

    def generation(self, number: int) -> Generation:
        """Return a generation by its number."""
        found = self.ask("SELECT record, checksum FROM generations WHERE number = ?", (number,))
        return _generation(number, *(found[0] if found else (None, None)))

    def has_generation(self, number: int) -> bool:
        """Return whether a generation is there."""
        return bool(self.ask("SELECT 1 FROM generations WHERE number = ?", (number,)))

    def numbers(self) -> list[int]:
        """Return the numbers of all generations."""
        return [row[0] for row in self.ask("SELECT number FROM generations ORDER BY number")]

    def entries_of(self, generation: Generation) -> list[Entry]:
        """Return the documents of a generation by position, none of them lost."""
        found = self.entries(generation.number)
        counts = (len(found), sum(entry.chunks for entry in found))
        if counts != (generation.documents, generation.size):
            raise IndexDamaged(f"generation {generation.number} has lost documents", file=NAME)
        return found

    def entries(self, generation: int) -> list[Entry]:
        """Return the documents of a generation by position, as many as there are."""
        rows = self.ask(f"{_ENTRY} ORDER BY e.position", (generation,))
        return [_entry(generation, at, row) for at, row in enumerate(rows)]

    def entries_at(self, generation: int, positions: Sequence[int]) -> dict[int, Entry]:
        """Return the documents at some positions."""
        found = self._ask_for(f"{_ENTRY} AND e.position IN", (generation,), positions)
        return {row[0]: _entry(generation, row[0], row) for row in found}

    def find(self, generation: int, key: str) -> tuple[int, Entry] | None:
        """Return the position and entry of a document; None where the generation lacks it."""
        found = self.ask(f"{_ENTRY} AND e.key = ?", (generation, key))
        return (found[0][0], _entry(generation, found[0][0], found[0])) if found else None

    def document(self, version: int) -> IndexedDocument:
        """Return a document in one version."""
        statement = "SELECT key, content, reading, chunks, links, record, checksum"
        found = self.ask(f"{statement} FROM versions WHERE id = ?", (version,))
        if not found:
            raise IndexDamaged(f"version {version} is missing", file=NAME)
        *place, record, checksum = found[0]
        return unpack_document(opened(record, checksum, "version", version, *place))

    def chunks_at(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Return the chunks in some rows of their table."""
        statement = "SELECT id, digest, record, checksum FROM chunks WHERE id IN"
        return {row[0]: chunk_in(row) for row in self._ask_for(statement, (), numbers)}

    def _ask_for(
        self, statement: str, values: tuple[object, ...], numbers: Sequence[int]
    ) -> Iterator[Row]:
        """Yield one row for each number; raises `IndexDamaged` where one has none."""
        wanted = sorted(set(numbers))
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            rows = self.ask(f"{statement} ({','.join('?' * len(part))})", (*values, *part))
            if len(rows) != len(part):
                raise IndexDamaged(f"{len(part) - len(rows)} rows are missing", file=NAME)
            yield from rows

    def chunks_of(self, entry: Entry) -> list[Chunk]:
        """Return all chunks of a document in order."""
        statement = "SELECT id, digest, record, checksum FROM chunks WHERE id > ? AND id < ?"
        rows = self.ask(f"{statement} ORDER BY id", chunk_limits(entry.version))
        if len(rows) != entry.chunks:
            raise IndexDamaged(f"{entry.key!r} has lost chunks", file=NAME)
        return [chunk_in(row) for row in rows]

    def links_of(self, version: int) -> tuple[str, list[str]]:
        """Return the address of a document and what it links to, as it writes it."""
        found = self.ask("SELECT links FROM versions WHERE id = ?", (version,))
        try:
            url, targets = json.loads(found[0][0])
        except (ValueError, TypeError, IndexError) as error:
            raise IndexDamaged(f"the links of version {version} are damaged", file=NAME) from error
        return url, targets

    def outcomes(self) -> dict[str, Outcome]:
        """Return what became of every document that was ever seen and not removed."""
        return {row[0]: _outcome(row) for row in self.ask(f"{_OUTCOME} ORDER BY key")}

    def outcome(self, key: str) -> Outcome | None:
        """Return what became of one document; None where it was never seen."""
        found = self.ask(f"{_OUTCOME} WHERE key = ?", (key,))
        return _outcome(found[0]) if found else None

    def sources(self) -> list[str]:
        """Return the names of the sources that the index was made from."""
        return [row[0] for row in self.ask("SELECT name FROM sources ORDER BY name")]

    def walk(self, statement: str, values: tuple[object, ...]) -> Iterator[Row]:
        """Yield the rows of a statement that orders by, and starts after, its first column."""
        after = -1
        while rows := self.ask(f"{statement} LIMIT {_BLOCK}", (*values, after)):
            yield from rows
            after = rows[-1][0]


def read_rows(path: Path) -> Rows:
    """Return rows over a connection that reads only."""
    return Rows(path, connect_for_reading(path))


def chunk_row(version: int, number: int) -> int:
    """Return the row of a chunk by its number in its document."""
    return (version << CHUNK_BITS) + number


def chunk_limits(version: int) -> tuple[int, int]:
    """Return the numbers between which the rows of a version's chunks lie."""
    return version << CHUNK_BITS, (version + 1) << CHUNK_BITS


def chunk_in(row: Row) -> Chunk:
    """Return the chunk in a row, checked."""
    number, digest, record, checksum = row
    return unpack_chunk(opened(record, checksum, "chunk", number, digest))


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
    """Return what the seal of an entry covers: version, key, source, content, reading, chunks."""
    return ("entry", generation, position, *facts)


def _outcome(row: Row) -> Outcome:
    key, source, state, reason, notes, chunks, content, reading, evidence = row
    try:
        told = tuple(json.loads(notes))
    except ValueError as error:
        raise IndexDamaged(f"the notes of {key!r} are not what was written", file=NAME) from error
    return Outcome(
        key=key,
        source=source,
        state=state,
        reason=reason,
        notes=told,
        chunks=chunks,
        content=content,
        reading=reading,
        evidence=evidence,
    )
