"""Connections to a SQLite file: how they are opened, and what is looked at before."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from tether.core.errors import InputRefused, StoreFailed, StoreFormatUnsupported

APPLICATION_ID = 0x74746872  # "tthr"
BUSY_TIMEOUT_MS = 5_000

# Nothing is mapped into memory: a file that another process cuts short would kill this one.
_EVERYWHERE = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA mmap_size = 0",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA foreign_keys = ON",
)


def open_writer(path: Path | None) -> sqlite3.Connection:
    """Open a connection that writes, making the file where there is none; None is in memory.

    To be called while the lock of the writers is held. Raises `StoreFormatUnsupported` for the
    database of another program, `StoreFailed` where no write-ahead log can be kept, and what
    `sqlite3` and the file system raise.
    """
    connection = _connected(":memory:" if path is None else _uri(path, "rw"))
    try:
        _adopt(connection, path)
        if path is not None:
            _use_log(connection, path)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """Open a connection that only reads and, because it cannot write, never checkpoints."""
    return _connected(_uri(path, "ro"))


def checkpoint(connection: sqlite3.Connection) -> None:
    """Move the log into the file and empty it; to be called while the lock is held."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def found_problems(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with pages, indexes and references."""
    pages = connection.execute("PRAGMA integrity_check(20)").fetchall()
    lost = connection.execute("PRAGMA foreign_key_check").fetchall()
    found = [str(row[0]) for row in pages if row[0] != "ok"]
    return found + [f"a row of {row[0]} belongs to a row of {row[2]} that is gone" for row in lost]


def copy_database(path: Path | None, writer: sqlite3.Connection, target: Path) -> None:
    """Write a whole copy; of a file through a connection that only reads.

    Raises `InputRefused` where there is something already.
    """
    if target.exists():
        raise InputRefused(f"{target} is there already: name a file that is not")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    make_private(part)
    try:
        with closing(_connected(_uri(part, "rw"))) as copy:
            if path is None:
                writer.backup(copy)
            else:
                with closing(open_reader(path)) as source:
                    source.backup(copy)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def make_private(path: Path) -> Path:
    """Make an empty file that only its owner may open, and the folder for it, if missing.

    Returns its one true path, by whatever name it was called: there is one lock for one file.
    Raises `OSError`, also for a file that cannot be written to: SQLite would open that, and leave
    files beside it that cannot be written to either.
    """
    path = path.resolve()
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.parent.chmod(0o700)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path)) from None
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "it cannot be written to", str(path)) from None
        return path
    try:
        os.fchmod(descriptor, 0o600)  # whatever the umask took away
    finally:
        os.close(descriptor)
    return path


def _connected(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        place, uri=True, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    connection.row_factory = sqlite3.Row
    for statement in _EVERYWHERE:
        connection.execute(statement)
    return connection


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(str(path.absolute()))}?mode={mode}"


def _adopt(connection: sqlite3.Connection, path: Path | None) -> None:
    """Refuse what belongs to another program; write our number into what is empty."""
    found = connection.execute("PRAGMA application_id").fetchone()[0]
    if found == APPLICATION_ID:
        return
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if found or tables:
        raise StoreFormatUnsupported(
            f"{path}: this is the database of another program: name another file"
        )
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _use_log(connection: sqlite3.Connection, path: Path) -> None:
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StoreFailed(
            f"{path}: this disk cannot keep a write-ahead log: put the store on a local disk"
        )
