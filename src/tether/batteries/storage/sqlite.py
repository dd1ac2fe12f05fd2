"""The store in one SQLite file: what is used where nothing else is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from secrets import token_bytes

from tether.batteries.storage.sql.keys import KEY_BYTES, file_key, key_beside, write_key
from tether.batteries.storage.sql.sqlite_database import LOCK_LIMIT_S, SqliteDatabase
from tether.batteries.storage.sql.sqlite_errors import translated
from tether.batteries.storage.sql.store import SqlStore
from tether.core.errors import InputRefused
from tether.runtime.clock import Clock
from tether.runtime.tool import Tool

__all__ = ["SqliteDatabase", "SqliteStore"]


class SqliteStore(SqlStore):
    """Everything that is kept, in one file that several processes may use at once.

    Beside the file lie its write-ahead log while it is open, a lock file (`…-lock`) and the key
    that rows are signed with (`…-key`). All are made for their owner only.
    """

    _database: SqliteDatabase

    @classmethod
    async def open(
        cls,
        path: Path | None = None,
        *,
        clock: Clock | None = None,
        tools: Iterable[Tool] = (),
        lock_limit_s: float = LOCK_LIMIT_S,
    ) -> SqliteStore:
        """Open a store, made where there is none; without a path it is in memory and dies with it.

        Raises `StoreFailed` for what cannot be opened or written to, `StoreFormatUnsupported` for
        what is no store or one of a newer version, and `StoreDamaged`.
        """
        database = await SqliteDatabase.open(path, lock_limit_s=lock_limit_s)
        try:
            key = await _key(database.path)
        except BaseException:
            await database.aclose()
            raise
        return cls(database, key=key, clock=clock, tools=tools)

    async def problems(self) -> list[str]:
        """Return what is wrong inside of the file, for people; nothing, where all is well."""
        return await self._database.problems()

    async def backup(self, path: Path) -> None:
        """Write a copy of the whole store, as it is now, while others go on writing.

        The key goes with it. Raises `InputRefused` where there is a file or a key already, or
        `StoreFailed`.
        """
        if key_beside(path).exists():
            raise InputRefused(f"{key_beside(path)} is there already: it is the key of another")
        await self._database.backup(path)
        with translated(str(path)):
            await asyncio.to_thread(write_key, key_beside(path), self._key)

    async def _scrub(self) -> None:
        """Empty the log: pages of what was deleted are zero in the file and still text there."""
        await self._database.checkpoint()


async def _key(path: Path | None) -> bytes:
    if path is None:
        return token_bytes(KEY_BYTES)
    with translated(str(path)):
        return await asyncio.to_thread(file_key, key_beside(path))
