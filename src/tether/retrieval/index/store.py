"""The writer of the database: it adds versions and switches generations."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from tether.retrieval.errors import IndexDamaged
from tether.retrieval.index.connection import connect_for_writing, translated
from tether.retrieval.index.files import writer_lock
from tether.retrieval.index.generation import Entry, Generation
from tether.retrieval.index.links import links_text
from tether.retrieval.index.records import (
    INSERTED,
    Outcome,
    digest_of,
    outcome_row,
    pack_chunk,
    pack_document,
    seal,
)
from tether.retrieval.index.rows import Rows, entry_place, last_number
from tether.retrieval.index.tables import CHUNK_BITS, NAME

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.document import Document

_CHUNKS = "INSERT INTO chunks (id, digest, record, checksum) VALUES (?, ?, ?, ?)"
_ENTRIES = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)"
_VERSION = """
    INSERT INTO versions (id, key, content, reading, chunks, links, record, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


@contextmanager
def writing(folder: Path) -> Generator[Store]:
    """Take the writer lock and open the connection that writes.

    After a writer was killed, the database is checked before it is changed again. Raises
    `IndexLocked`, `IndexMissing`, `IndexDamaged`, `IndexWriteFailed`, `IndexFormatUnsupported`.
    """
    path = folder / NAME
    with (
        translated(path, writing=True),
        writer_lock(folder) as unclean,
        closing(connect_for_writing(path)) as connection,
    ):
        store = Store(path, connection)
        if unclean:
            store.check_quickly()
        yield store


class Store(Rows):
    """Writes the rows of an index; there is one writer at a time."""

    def check_quickly(self) -> None:
        """Raise `IndexDamaged` if the database is not sound."""
        found = self.query("PRAGMA quick_check(1)")
        if found != [("ok",)]:
            raise IndexDamaged(f"{str(self.path)!r} is damaged: {found}", file=NAME)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Commit all changes of the block, or none."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def find_version(self, key: str, content: str, reading: str) -> tuple[int, int] | None:
        """Return the number of a version and of its chunks; None if it was not read yet."""
        statement = "SELECT id, chunks FROM versions WHERE key = ? AND content = ? AND reading = ?"
        found = self.query(statement, (key, content, reading))
        return (found[0][0], found[0][1]) if found else None

    def add_version(
        self, document: Document, chunks: Sequence[Chunk], *, content: str, reading: str
    ) -> int:
        """Add a document with its chunks; raises `ValueError` for text that is not Unicode."""
        record = pack_document(document, content=content, reading=reading)
        links = links_text(document)
        packed = [(digest_of(chunk), pack_chunk(chunk)) for chunk in chunks]
        version = last_number(self, "versions") + 1
        place = (document.key, content, reading, len(chunks), links)
        checksum = seal(record, "version", version, *place)
        self.connection.execute(_VERSION, (version, *place, record, checksum))
        numbered = enumerate(packed, start=(version << CHUNK_BITS) + 1)
        self.connection.executemany(
            _CHUNKS,
            ((row, key, data, seal(data, "chunk", row, key)) for row, (key, data) in numbered),
        )
        return version

    def next_generation(self) -> int:
        """Return a number that no generation ever had before."""
        return last_number(self, "generations") + 1

    def add_generation(self, generation: Generation, entries: Iterable[Entry]) -> None:
        """Add a generation with its documents and make it current."""
        heads = self.heads()
        self.put_generation(generation)
        self.connection.executemany(
            _ENTRIES, (_entry_row(generation.number, at, entry) for at, entry in enumerate(entries))
        )
        self.set_heads(generation.number, heads.current if heads else None)

    def put_generation(self, generation: Generation) -> None:
        """Write the facts of a generation, not its documents."""
        text = generation.to_text()
        checksum = seal(text.encode(), "generation", generation.number)
        self.connection.execute(
            """INSERT INTO generations VALUES (?, ?, ?)
            ON CONFLICT (number) DO UPDATE SET record = excluded.record,
            checksum = excluded.checksum""",
            (generation.number, text, checksum),
        )

    def set_heads(self, current: int, previous: int | None) -> None:
        """Set the current and the previous generation."""
        self.connection.execute(
            "INSERT OR REPLACE INTO heads VALUES (1, ?, ?, ?)",
            (current, previous, seal(b"", "heads", current, previous)),
        )

    def put_outcomes(self, outcomes: Iterable[Outcome]) -> None:
        """Write the outcomes of documents."""
        self.connection.executemany(INSERTED, (outcome_row(outcome) for outcome in outcomes))

    def drop_outcomes(self, keys: Iterable[str]) -> None:
        """Forget documents that are gone."""
        self.connection.executemany("DELETE FROM outcomes WHERE key = ?", ((key,) for key in keys))

    def put_sources(self, names: Iterable[str], forget: Iterable[str] = ()) -> None:
        """Add sources of the index, and forget others."""
        self.connection.executemany(
            "INSERT OR IGNORE INTO sources VALUES (?, ?)",
            ((name, seal(b"", "source", name)) for name in names),
        )
        self.connection.executemany(
            "DELETE FROM sources WHERE name = ?", ((name,) for name in forget)
        )

    def drop_generation(self, number: int) -> None:
        """Remove a generation; its versions stay while another one contains them."""
        with self.transaction():
            self.connection.execute("DELETE FROM entries WHERE generation = ?", (number,))
            self.connection.execute("DELETE FROM generations WHERE number = ?", (number,))

    def embedder(self, fingerprint: str) -> tuple[int, int] | None:
        """Return the number and the dimensions of an embedder; None if it is unknown."""
        statement = "SELECT id, dimensions FROM embedders WHERE fingerprint = ?"
        found = self.query(statement, (fingerprint,))
        if found and not isinstance(found[0][1], int):
            raise IndexDamaged(f"the size of {fingerprint!r}'s vectors is damaged", file=NAME)
        return (found[0][0], found[0][1]) if found else None

    def add_embedder(self, fingerprint: str, dimensions: int) -> int:
        """Add an embedder, or reuse a retired one, and return its number."""
        self.connection.execute(
            """INSERT INTO embedders (fingerprint, dimensions) VALUES (?, ?)
            ON CONFLICT (fingerprint) DO UPDATE SET retired = 0""",
            (fingerprint, dimensions),
        )
        found = self.query("SELECT id FROM embedders WHERE fingerprint = ?", (fingerprint,))
        return int(found[0][0])

    def retire_embedder(self, fingerprint: str) -> None:
        """Mark an embedder, so that its vectors are removed when no generation uses them."""
        self.connection.execute(
            "UPDATE embedders SET retired = 1 WHERE fingerprint = ?", (fingerprint,)
        )


def _entry_row(generation: int, position: int, entry: Entry) -> tuple[object, ...]:
    facts = (entry.version, entry.key, entry.source, entry.content, entry.reading, entry.chunks)
    checksum = seal(b"", *entry_place(generation, position, facts))
    return (generation, position, entry.version, entry.key, entry.source, checksum)
