"""What SQLite and the system raise, in words of the index."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tether.core.errors import (
    IndexDamaged,
    IndexFormatUnsupported,
    IndexLocked,
    IndexWriteFailed,
)
from tether.retrieval.index.tables import FORMAT, NAME

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

WAIT_SECONDS = 30.0
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WAITED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CUT_SHORT = (sqlite3.SQLITE_READONLY_ROLLBACK, sqlite3.SQLITE_READONLY_CANTINIT)


def was_cut_short(error: sqlite3.Error) -> bool:
    """Return whether the database waits for a killed writer's work to be rolled back."""
    return getattr(error, "sqlite_errorcode", 0) in _CUT_SHORT


def unsupported(path: Path, version: object) -> IndexFormatUnsupported:
    """Return the refusal of a format, with what to do about it."""
    newer = isinstance(version, int) and version > FORMAT
    way = "Update tether" if newer else "Run `tether index apply --recreate`"
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
