"""The store in PostgreSQL: for several machines, or where a server is there already."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from tether.batteries.storage.sql.keys import database_key, file_key
from tether.batteries.storage.sql.postgres_database import LOCK_LIMIT_S, PostgresDatabase
from tether.batteries.storage.sql.sqlite_errors import translated
from tether.batteries.storage.sql.store import SqlStore
from tether.runtime.clock import Clock
from tether.runtime.tool import Tool

__all__ = ["PostgresDatabase", "PostgresStore"]


class PostgresStore(SqlStore):
    """Everything that is kept, in one schema of a PostgreSQL database."""

    @classmethod
    async def open(
        cls,
        address: str,
        *,
        key_file: Path | None = None,
        clock: Clock | None = None,
        tools: Iterable[Tool] = (),
        lock_limit_s: float = LOCK_LIMIT_S,
    ) -> PostgresStore:
        """Open a store at an address (`postgresql://…`), its tables made where there are none.

        The key that rows are signed with is read from a file, made where there is none, or without
        one kept in the database: there it tells accidents, and not whoever may write to all tables.
        Raises `StoreFailed` where the server cannot be reached or refuses, `InputRefused` for what
        is no address or where the driver is missing, `StoreFormatUnsupported` for the tables of a
        newer version, and `StoreDamaged`.
        """
        database = await PostgresDatabase.open(address, lock_limit_s=lock_limit_s)
        try:
            key = await _key(database, key_file)
        except BaseException:
            await database.aclose()
            raise
        return cls(database, key=key, clock=clock, tools=tools)


async def _key(database: PostgresDatabase, key_file: Path | None) -> bytes:
    if key_file is None:
        return await database_key(database)
    with translated(str(key_file)):
        return await asyncio.to_thread(file_key, key_file)
