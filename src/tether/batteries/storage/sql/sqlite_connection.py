"""Connections to a SQLite file, and the translation of their errors."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from tether.batteries.storage.errors import StoreDamaged, StoreFailed, StoreFormatUnsupported
from tether.core.errors import InputRefused, TetherError, error_text

APPLICATION_ID = 0x74746872  # "tthr"
BUSY_TIMEOUT_MS = 5_000

# No memory mapping: if another process truncated the file, it would kill this one.
_EVERYWHERE = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA mmap_size = 0",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA foreign_keys = ON",
)

_PRIMARY = 0xFF  # the other bits of an error code are details
_ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full: make room and try again; no write was partial",
    sqlite3.SQLITE_READONLY: "it cannot be written to: check its permissions and its disk",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: check the path and the permissions",
    sqlite3.SQLITE_PERM: "access was refused: check the permissions of the file",
    sqlite3.SQLITE_BUSY: "another program has locked it: close that program and try again",
    sqlite3.SQLITE_LOCKED: "another program has locked it: close that program and try again",
    sqlite3.SQLITE_IOERR: "the disk failed or is full: check it and try again",
    sqlite3.SQLITE_TOOBIG: "the record is too large: store less",
    sqlite3.SQLITE_NOMEM: "out of memory: close other programs and try again",
}
_DAMAGED = "it is damaged: run `tether doctor`, or restore a backup"
_FOREIGN = "it is not a store: name another file"
_PASSING = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
}


def open_writer(path: Path | None) -> sqlite3.Connection:
    """Open a connection that writes, in memory without a path.

    Call it while the writer lock is held. Raises `StoreFormatUnsupported` for the database of
    another program, `StoreFailed` if the disk does not support a write-ahead log, and the errors of
    `sqlite3` and the file system.
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
    """Open a read-only connection, which never checkpoints."""
    return _connected(_uri(path, "ro"))


def checkpoint(connection: sqlite3.Connection) -> None:
    """Move the log into the file and empty it; call it while the lock is held."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def found_problems(connection: sqlite3.Connection) -> list[str]:
    """Return the damage that SQLite finds in pages, indexes and references."""
    pages = connection.execute("PRAGMA integrity_check(20)").fetchall()
    lost = connection.execute("PRAGMA foreign_key_check").fetchall()
    found = [str(row[0]) for row in pages if row[0] != "ok"]
    return found + [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in lost]


def copy_database(path: Path | None, writer: sqlite3.Connection, target: Path) -> None:
    """Write a copy; a file is read through a read-only connection.

    Raises `InputRefused` if the target exists.
    """
    if target.exists():
        raise InputRefused(f"{target} exists: name a new file")
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
    """Create an empty file that only its owner may open, and its folder, if missing.

    Returns the resolved path, so that one file has one lock. Raises `OSError`, also for a read-only
    file: SQLite would open it and leave other read-only files next to it.
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
        os.fchmod(descriptor, 0o600)  # whatever the umask
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
    """Refuse the database of another program; write our number into an empty one."""
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
        raise StoreFailed(f"{path}: this disk does not support a write-ahead log: use a local disk")


@contextmanager
def store_errors(place: str) -> Generator[None, None, None]:
    """Translate errors of SQLite and of the file system into errors of this package."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translation(error, place) from error
    except OSError as error:
        reason = error.strerror or error_text(error)
        what = error.filename if isinstance(error.filename, str) else place
        raise StoreFailed(f"{what}: {reason}; check the path and its permissions") from error


def _translation(error: sqlite3.Error, place: str) -> TetherError:
    code = getattr(error, "sqlite_errorcode", None)
    primary = 0 if code is None else code & _PRIMARY
    if primary == sqlite3.SQLITE_CORRUPT:
        return StoreDamaged(f"{place}: {_DAMAGED}")
    if primary == sqlite3.SQLITE_NOTADB:
        return StoreFormatUnsupported(f"{place}: {_FOREIGN}")
    advice = _ADVICE.get(primary, f"SQLite refused: {error_text(error)}")
    return StoreFailed(f"{place}: {advice}", retryable=primary in _PASSING)
