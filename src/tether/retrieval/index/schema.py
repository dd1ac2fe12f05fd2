"""The only ways to a connection.

The journal is a rollback journal, not a write-ahead log. A reader's statements are short, because
the rows of a generation never change while somebody reads it; so writers wait for nobody long, and
in return the database is one file: readable from a folder that cannot be written, complete when
it is copied, and out of reach of the faults that SQLite's log had until 3.51.3.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from tether.core.errors import IndexDamaged, IndexFormatUnsupported, IndexMissing
from tether.retrieval.index.failures import (
    WAIT_SECONDS,
    damage,
    translated,
    unsupported,
    was_cut_short,
)
from tether.retrieval.index.tables import APPLICATION, FORMAT, NAME, TABLES

if TYPE_CHECKING:
    from pathlib import Path


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
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter in telling of the former
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
    """Return what SQLite opens a file by, whatever bytes are in its name."""
    return f"file:{quote(os.fsencode(path.absolute()))}?{options}"


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection as careful as it can be, to whatever is there."""
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
        raise unsupported(path, version)
    if [sql for sql in tables if "sqlite_sequence" not in sql] != list(TABLES):
        raise IndexDamaged(f"the tables of {str(path)!r} are not those of an index", file=NAME)
