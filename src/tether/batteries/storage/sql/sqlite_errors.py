"""What SQLite says went wrong, in the words of this package."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from tether.core.errors import (
    StoreDamaged,
    StoreFailed,
    StoreFormatUnsupported,
    TetherError,
    error_text,
)

_PRIMARY = 0xFF  # the rest of an error code says more about the same

_ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full: make room and try again; nothing was half written",
    sqlite3.SQLITE_READONLY: "it cannot be written to: look at its permissions and its disk",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look at the path and the permissions",
    sqlite3.SQLITE_PERM: "access was refused: look at the permissions of the file",
    sqlite3.SQLITE_BUSY: "another program keeps it locked: close that program and try again",
    sqlite3.SQLITE_LOCKED: "another program keeps it locked: close that program and try again",
    sqlite3.SQLITE_IOERR: "the disk failed or is full: look at it and try again",
    sqlite3.SQLITE_TOOBIG: "what should be kept is too large: keep less of it",
    sqlite3.SQLITE_NOMEM: "there is no memory left: close something and try again",
}
_DAMAGED = "it is damaged: run `tether doctor`, or put a backup in its place"
_FOREIGN = "it is no store: name another file"
_PASSING = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
}


@contextmanager
def translated(place: str) -> Generator[None, None, None]:
    """Turn errors of SQLite and of the file system in a block into those of this package."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translation(error, place) from error
    except OSError as error:
        reason = error.strerror or error_text(error)
        what = error.filename if isinstance(error.filename, str) else place
        raise StoreFailed(f"{what}: {reason}; look at the path and its permissions") from error


def _translation(error: sqlite3.Error, place: str) -> TetherError:
    code = getattr(error, "sqlite_errorcode", None)
    primary = 0 if code is None else code & _PRIMARY
    if primary == sqlite3.SQLITE_CORRUPT:
        return StoreDamaged(f"{place}: {_DAMAGED}")
    if primary == sqlite3.SQLITE_NOTADB:
        return StoreFormatUnsupported(f"{place}: {_FOREIGN}")
    advice = _ADVICE.get(primary, f"SQLite refused: {error_text(error)}")
    return StoreFailed(f"{place}: {advice}", retryable=primary in _PASSING)
