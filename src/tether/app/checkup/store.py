"""The store: does it open, is it whole, who can read it?"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tether.app.building import opened_store
from tether.app.checkup.finding import Finding
from tether.app.settings.hiding import hidden
from tether.app.settings.values import Settings
from tether.batteries.storage.sql.schema import MIGRATIONS
from tether.batteries.storage.sql.sqlite_connection import open_reader
from tether.core.errors import TetherError

NEWEST = max(migration.version for migration in MIGRATIONS)


async def server(settings: Settings) -> Finding:
    """Open a store on a server and close it again."""
    place = hidden(settings.store)
    try:
        async with opened_store(settings):
            return Finding("store", "fine", f"{place} answers")
    except TetherError as error:
        advice = error.help or "Look at the address, and whether the server runs."
        return Finding("store", "problem", error.message, advice)


def file(path: Path) -> Iterator[Finding]:
    """Look at every page of a store's file, without writing to it."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        yield Finding("store", "fine", f"none at {path} yet; the first answer makes it")
        return
    except OSError as error:
        yield _unreadable(path, error.strerror or type(error).__name__)
        return
    try:
        with closing(open_reader(path)) as connection:
            yield _checked(connection, path)
    except sqlite3.Error as error:
        yield _unreadable(path, str(error))
    if stat.S_IMODE(mode) & 0o077:
        said = f"others can read {path} (mode {stat.S_IMODE(mode):o})"
        yield Finding("store", "note", said, f"Run: chmod 600 {path}")


def _checked(connection: sqlite3.Connection, path: Path) -> Finding:
    damages = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
    if damages != ["ok"]:
        advice = "Put a backup in its place, or move it away; `sqlite3 FILE .recover` saves most."
        return Finding("store", "problem", f"{path} is damaged: {'; '.join(damages)}", advice)
    (version,) = connection.execute("SELECT max(version) FROM tether_schema").fetchone()
    if version > NEWEST:
        said = f"{path} was made by a newer version (schema {version}, known: {NEWEST})"
        return Finding("store", "problem", said, "Update tether, or name another --store.")
    return Finding("store", "fine", f"{path}, schema {version}, every page is sound")


def _unreadable(path: Path, why: str) -> Finding:
    advice = "Look at its permissions; put a backup in its place; or name another --store."
    return Finding("store", "problem", f"{path} is no store that can be read: {why}", advice)
