"""Connections to the database, queries through them, and their errors as errors of the index.

The journal is a rollback journal, not a write-ahead log. The statements of a reader are short,
because the rows of a generation never change while it is read; so no writer waits long. In return
the database is one file: readable from a folder without write permission, complete when it is
copied, and not affected by the faults that SQLite's log had until 3.51.3.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tether.core.errors import InputRefused
from tether.retrieval.errors import (
    IndexDamaged,
    IndexFormatUnsupported,
    IndexLocked,
    IndexMissing,
    IndexWriteFailed,
)
from tether.retrieval.index.tables import APPLICATION, FORMAT, NAME, TABLES

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

Row = tuple[Any, ...]

WAIT_SECONDS = 30.0
_BLOCK = 2_000
_AT_ONCE = 500
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WAITED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CUT_SHORT = (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_CANTINIT)

CAREFUL = (
    f"PRAGMA busy_timeout = {int(WAIT_SECONDS * 1000)}",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
)
# Spilling a large transaction to disk would lock out readers until it ends.
WRITING = (
    "PRAGMA journal_mode = DELETE",
    "PRAGMA synchronous = EXTRA",
    "PRAGMA cache_spill = OFF",
    "PRAGMA cache_size = -32768",
)


class Database:
    """Queries over one connection, which several threads may share.

    Each query is one short statement, so that a writer never waits long. Raises `IndexDamaged`,
    `InputRefused` after it was closed, and `IndexLocked` if a writer blocks for very long.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._lock = Lock()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def query(self, statement: str, values: tuple[object, ...] = ()) -> list[Row]:
        """Return all rows of a statement."""
        with self._lock:
            try:
                return self._queried(statement, values)
            except sqlite3.OperationalError as error:
                if not was_cut_short(error):
                    raise damage(self.path, error) from error
            roll_back(self.path)
            with translated(self.path):
                return self._queried(statement, values)

    def _queried(self, statement: str, values: tuple[object, ...]) -> list[Row]:
        try:
            return self.connection.execute(statement, values).fetchall()
        except sqlite3.OperationalError:
            raise
        except sqlite3.ProgrammingError as error:
            raise InputRefused("the index was closed; open it again") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter from SQLite's message
            raise damage(self.path, error) from error

    @contextmanager
    def together(self) -> Generator[None]:
        """Answer all queries of the block from the same state, whatever a writer does.

        The next commit of a writer waits for the end of the block: keep it short.
        """
        self.query("BEGIN")
        try:
            yield
        finally:
            self.connection.rollback()

    def query_for(
        self, statement: str, values: tuple[object, ...], numbers: Sequence[int]
    ) -> Iterator[Row]:
        """Yield one row for each number; raises `IndexDamaged` if a row is missing."""
        wanted = sorted(set(numbers))
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            rows = self.query(f"{statement} ({','.join('?' * len(part))})", (*values, *part))
            if len(rows) != len(part):
                raise IndexDamaged(f"{len(part) - len(rows)} rows are missing", file=NAME)
            yield from rows

    def walk(self, statement: str, values: tuple[object, ...]) -> Iterator[Row]:
        """Yield the rows of a statement that orders by, and starts after, its first column."""
        after = -1
        while rows := self.query(f"{statement} LIMIT {_BLOCK}", (*values, after)):
            yield from rows
            after = rows[-1][0]


def create(path: Path, *, after: int = 0) -> None:
    """Make the tables in a new or empty database, all or none.

    Generations are numbered after `after`, so that no folder of an older database is reused.
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
    """Return a read-only connection.

    The unfinished work of a killed writer is rolled back first; only then does a reader need write
    permission. Raises `IndexMissing`, `IndexDamaged`, `IndexFormatUnsupported`.
    """
    try:
        return _checked(path, "ro", ("PRAGMA query_only = ON",))
    except sqlite3.OperationalError as error:
        if not was_cut_short(error):
            raise damage(path, error) from error
    roll_back(path)
    with translated(path):
        return _checked(path, "ro", ("PRAGMA query_only = ON",))


def roll_back(path: Path) -> None:
    """Let SQLite roll back the work of a killed writer; needs write permission."""
    try:
        _checked(path, "rw", ()).close()
    except sqlite3.OperationalError as error:
        raise IndexDamaged(
            f"a writer of {str(path)!r} was killed, and its unfinished work cannot be rolled back "
            f"without write permission there ({error})",
            file=NAME,
            help="Open the index once with write permission for its folder.",
        ) from error


def _checked(path: Path, mode: str, settings: tuple[str, ...]) -> sqlite3.Connection:
    """Connect, and refuse a file that is not an index of this format.

    Raises `sqlite3.OperationalError` as it is.
    """
    _refuse_odd_file(path)
    connection = connected(path, mode)
    try:
        for line in settings:
            connection.execute(line)
        _check_format(path, connection)
    except sqlite3.OperationalError:
        connection.close()
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter from SQLite's message
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


def address_of(path: Path, options: str) -> str:
    """Return the URI of a file for SQLite, whatever bytes are in its name."""
    return f"file:{quote(os.fsencode(path.absolute()))}?{options}"


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection with all checks of SQLite turned on."""
    connection = sqlite3.connect(
        address_of(path, f"mode={mode}"),
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=WAIT_SECONDS,
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
        newer = isinstance(version, int) and version > FORMAT
        raise IndexFormatUnsupported(
            f"{str(path)!r} has format {version!r}, and this version reads {FORMAT}",
            help="Update tether." if newer else "Run `tether index apply --recreate`.",
        )
    if [sql for sql in tables if "sqlite_sequence" not in sql] != list(TABLES):
        raise IndexDamaged(f"the tables of {str(path)!r} are not those of an index", file=NAME)


def damage(path: Path, error: Exception) -> IndexDamaged | IndexLocked:
    """Return the error for a failed read of the database."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _WAITED:
        return IndexLocked(f"{str(path)!r} was locked for {WAIT_SECONDS:.0f} s by a writer")
    return IndexDamaged(f"{str(path)!r} cannot be read: {error}", file=NAME)


@contextmanager
def translated(path: Path, *, writing: bool = False) -> Generator[None]:
    """Raise the errors of SQLite and of the system as errors of the index."""
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


def was_cut_short(error: sqlite3.Error) -> bool:
    """Return whether the work of a killed writer has to be rolled back first."""
    return getattr(error, "sqlite_errorcode", 0) in _CUT_SHORT
