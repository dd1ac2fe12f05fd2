"""The tables, and the only ways to a connection.

The journal is a rollback journal, not a write-ahead log. A reader's statements are short, because
the rows of a generation never change while somebody reads it; so writers wait for nobody long, and
in return the database is one file: readable from a folder that cannot be written, complete when
it is copied, and out of reach of the faults that SQLite's log had until 3.51.3.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from tether.core.errors import (
    IndexDamaged,
    IndexFormatUnsupported,
    IndexLocked,
    IndexMissing,
    IndexWriteFailed,
)

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

NAME = "index.sqlite"
APPLICATION = 0x54455448
FORMAT = 1
WAIT_SECONDS = 30.0
CHUNK_BITS = 20
"""A chunk's row is its version's number, shifted by so many bits, plus its number in there."""

TABLES = (
    "CREATE TABLE sources (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
    """CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    reading TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    links TEXT NOT NULL,
    record BLOB NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (key, content, reading)
) STRICT""",
    """CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL,
    record BLOB NOT NULL,
    checksum BLOB NOT NULL
) STRICT""",
    """CREATE TABLE embedders (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    retired INTEGER NOT NULL DEFAULT 0
) STRICT""",
    """CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL REFERENCES embedders (id),
    digest BLOB NOT NULL,
    vector BLOB NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (embedder, digest)
) STRICT""",
    """CREATE TABLE generations (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    record TEXT NOT NULL,
    checksum BLOB NOT NULL
) STRICT""",
    """CREATE TABLE entries (
    generation INTEGER NOT NULL REFERENCES generations (number),
    position INTEGER NOT NULL,
    version INTEGER NOT NULL REFERENCES versions (id),
    key TEXT NOT NULL,
    source TEXT NOT NULL,
    checksum BLOB NOT NULL,
    PRIMARY KEY (generation, position)
) STRICT, WITHOUT ROWID""",
    "CREATE INDEX entries_by_key ON entries (generation, key)",
    "CREATE INDEX entries_by_version ON entries (version)",
    """CREATE TABLE outcomes (
    key TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    notes TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    content TEXT NOT NULL,
    reading TEXT NOT NULL,
    evidence TEXT NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE heads (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    current INTEGER NOT NULL REFERENCES generations (number),
    previous INTEGER REFERENCES generations (number)
) STRICT""",
)

CAREFUL = (
    f"PRAGMA busy_timeout = {int(WAIT_SECONDS * 1000)}",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
)
# Spilling a large transaction would lock the readers out until it ends.
WRITING = (
    "PRAGMA journal_mode = DELETE",
    "PRAGMA synchronous = EXTRA",
    "PRAGMA cache_spill = OFF",
    "PRAGMA cache_size = -32768",
)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WAITED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CUT_SHORT = (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_CANTINIT)


def create(path: Path, *, after: int = 0) -> None:
    """Make the tables in a new or empty database, all or none.

    Its generations are numbered from `after` on, so that they meet no folder of another database.
    """
    with translated(path, writing=True), closing(connected(path, "rwc")) as connection:
        for line in ("PRAGMA page_size = 8192", "PRAGMA auto_vacuum = INCREMENTAL", *WRITING):
            connection.execute(line)
        connection.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            connection.execute(table)
        connection.execute("INSERT INTO sqlite_sequence VALUES ('generations', ?)", (after,))
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")


def connect_for_writing(path: Path) -> sqlite3.Connection:
    """Return the connection of the one writer; its process holds the writer lock."""
    return _checked(path, "rw", WRITING)


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Return a connection that reads only.

    What a killed writer left half done is rolled back first, the one thing for which a reader
    needs the right to write. Raises `IndexMissing`, `IndexDamaged`, `IndexFormatUnsupported`.
    """
    try:
        return _checked(path, "ro", ("PRAGMA query_only = ON",))
    except sqlite3.OperationalError as error:
        if not was_cut_short(error):
            raise damage(path, error) from error
    roll_back(path)
    with translated(path):
        return _checked(path, "ro", ("PRAGMA query_only = ON",))


def was_cut_short(error: sqlite3.Error) -> bool:
    """Return whether the database waits for a killed writer's work to be rolled back."""
    return getattr(error, "sqlite_errorcode", 0) in _CUT_SHORT


def roll_back(path: Path) -> None:
    """Let SQLite roll back what a killed writer left; needs the right to write."""
    try:
        _checked(path, "rw", ()).close()
    except sqlite3.OperationalError as error:
        raise IndexDamaged(
            f"a writer of {str(path)!r} was killed, and its unfinished work cannot be rolled back "
            f"without the right to write there ({error})",
            file=NAME,
            help="Open the index once from where its folder can be written.",
        ) from error


def _checked(path: Path, mode: str, settings: tuple[str, ...]) -> sqlite3.Connection:
    """Connect and refuse what is no index of this format; lets `OperationalError` through."""
    _refuse_odd_file(path)
    connection = connected(path, mode)
    try:
        for line in settings:
            connection.execute(line)
        _check_format(path, connection)
    except sqlite3.OperationalError:
        connection.close()
        raise
    except sqlite3.Error as error:
        connection.close()
        raise damage(path, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_odd_file(path: Path) -> None:
    if path.is_dir():
        raise IndexDamaged(f"{str(path)!r} is a folder, not a database", file=NAME)
    if not path.exists():
        raise IndexMissing(f"there is no index at {str(path.parent)!r}")


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection as careful as it can be, to whatever is there."""
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, timeout=WAIT_SECONDS
    )
    for line in CAREFUL:
        connection.execute(line)
    return connection


def _check_format(path: Path, connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = [row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql != ''")]
    if not application and not tables:
        raise IndexMissing(f"the index at {str(path.parent)!r} was never finished")
    if application != APPLICATION:
        raise IndexFormatUnsupported(
            f"{str(path)!r} is a database of another program",
            help="Name another folder for the index.",
        )
    if version != FORMAT:
        raise unsupported(path, version)
    if [sql for sql in tables if "sqlite_sequence" not in sql] != list(TABLES):
        raise IndexDamaged(f"the tables of {str(path)!r} are not those of an index", file=NAME)


def unsupported(path: Path, version: object) -> IndexFormatUnsupported:
    """Return the refusal of a format, with what to do about it."""
    newer = isinstance(version, int) and version > FORMAT
    way = "Update tether" if newer else "Run `tether index apply --rebuild`"
    return IndexFormatUnsupported(
        f"{str(path)!r} has format {version!r}, and this version reads {FORMAT}",
        help=f"{way}.",
    )


def damage(path: Path, error: Exception) -> IndexDamaged | IndexLocked:
    """Return what a failed read of the database means."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _WAITED:
        return IndexLocked(f"{str(path)!r} was locked for {WAIT_SECONDS:.0f} s by a writer")
    return IndexDamaged(f"{str(path)!r} cannot be read: {error}", file=NAME)


@contextmanager
def translated(path: Path, *, writing: bool = False) -> Generator[None]:
    """Let no error of SQLite or of the system out that is not one of ours."""
    try:
        yield
    except sqlite3.Error as error:
        harmed = getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
        if writing and not harmed and not isinstance(error, sqlite3.IntegrityError):
            raise IndexWriteFailed(f"{str(path)!r} could not be written: {error}") from error
        raise damage(path, error) from error
    except OSError as error:
        if writing:
            raise IndexWriteFailed(f"the index could not be written: {error}") from error
        raise IndexDamaged(f"the index cannot be read: {error}", file=_name(error)) from error


def _name(error: OSError) -> str:
    return str(error.filename or "").rpartition("/")[2]
