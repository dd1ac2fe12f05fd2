"""The store in one SQLite file: the default."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from secrets import token_bytes
from typing import TypeVar

from tether.batteries.storage.errors import StoreFailed
from tether.batteries.storage.sql.database import (
    Arguments,
    Dialect,
    Row,
    Transaction,
    checked_arguments,
)
from tether.batteries.storage.sql.keys import KEY_BYTES, file_key, key_beside, write_key
from tether.batteries.storage.sql.lock import LOCK_LIMIT_S, WriterLock
from tether.batteries.storage.sql.schema import migrate
from tether.batteries.storage.sql.sqlite_connection import (
    checkpoint,
    copy_database,
    found_problems,
    make_private,
    open_reader,
    open_writer,
    store_errors,
)
from tether.batteries.storage.sql.store import SqlStore
from tether.batteries.storage.threads import Worker
from tether.core.errors import InputRefused
from tether.runtime.clock import Clock
from tether.runtime.tool import Tool

T = TypeVar("T")


class SqliteStore(SqlStore):
    """A store in one file that several processes may use at once.

    Next to the file are its write-ahead log while it is open, a lock file (`…-lock`) and the key
    that rows are signed with (`…-key`). Only their owner can read them.
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
        """Open a store, creating the file if it is missing; without a path it is in memory.

        Raises `StoreFailed` if the file cannot be opened or written to, `StoreFormatUnsupported` if
        it is not a store or one of a newer version, and `StoreDamaged`.
        """
        database = await SqliteDatabase.open(path, lock_limit_s=lock_limit_s)
        try:
            key = await _key(database.path)
        except BaseException:
            await database.aclose()
            raise
        return cls(database, key=key, clock=clock, tools=tools)

    async def problems(self) -> list[str]:
        """Return the problems found inside the file, for people; an empty list for a sound file."""
        return await self._database.problems()

    async def backup(self, path: Path) -> None:
        """Write a copy of the whole store and its key, while others go on writing.

        Raises `InputRefused` if the file or its key exists, and `StoreFailed`.
        """
        if key_beside(path).exists():
            raise InputRefused(f"{key_beside(path)} exists: it is the key of another store")
        await self._database.backup(path)
        with store_errors(str(path)):
            await asyncio.to_thread(write_key, key_beside(path), self._key)

    async def _scrub(self) -> None:
        """Empty the log: deleted pages are zeroed in the file, but the log still has their text."""
        await self._database.checkpoint()


async def _key(path: Path | None) -> bytes:
    if path is None:
        return token_bytes(KEY_BYTES)
    with store_errors(str(path)):
        return await asyncio.to_thread(file_key, key_beside(path))


class SqliteDatabase:
    """One SQLite file, or one database in memory, with all its tables.

    Every transaction that writes and every checkpoint happens while this process holds the lock
    file next to it: SQLite before 3.51.3 can damage a file if two connections write and checkpoint
    at once. Reads have their own connection and never wait; in memory they take turns with the
    writers.
    """

    def __init__(self, path: Path | None, *, lock_limit_s: float) -> None:
        self._path = path
        self._place = "the store in memory" if path is None else str(path)
        self._lock = WriterLock(
            None if path is None else path.with_name(f"{path.name}-lock"), limit_s=lock_limit_s
        )
        self._writing = Worker("tether-store-writer")
        self._reading = Worker("tether-store-reader")
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._is_closed = False

    @classmethod
    async def open(cls, path: Path | None, *, lock_limit_s: float = LOCK_LIMIT_S) -> SqliteDatabase:
        """Open a store's file, creating it if missing, and bring its tables up to date.

        Raises the errors of `SqliteStore.open`.
        """
        with store_errors(str(path)):
            database = cls(path and make_private(path), lock_limit_s=lock_limit_s)
        try:
            await database._connect()
            await migrate(database)
        except BaseException:
            await database.aclose()
            raise
        return database

    @property
    def dialect(self) -> Dialect:
        """SQLite's."""
        return "sqlite"

    @property
    def path(self) -> Path | None:
        """The resolved path of the file; None in memory."""
        return self._path

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Read committed rows; raises the errors of `writing`."""
        if self._path is None:
            async with self._lock.held():
                return await self._rows(self._writing, self._writer, sql, arguments)
        return await self._rows(self._reading, self._reader, sql, arguments)

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[Transaction, None]:
        """Open a transaction for writing; see `Database`."""
        async with self._lock.held():
            connection = _still_open(self._writer, self._place)
            transaction = _SqliteTransaction(self, connection)
            try:
                await self._run(self._writing, partial(connection.execute, "BEGIN IMMEDIATE"))
                yield transaction
                await self._run(self._writing, connection.commit)
            finally:
                transaction.is_over = True
                if connection.in_transaction:
                    await self._run(self._writing, connection.rollback)

    async def within(self, work: Callable[[], T]) -> T:
        """Run work of the open transaction in the thread of the writer."""
        return await self._run(self._writing, work)

    async def checkpoint(self) -> None:
        """Move the log into the file and empty it, unless a reader still uses an older state."""
        async with self._lock.held():
            connection = _still_open(self._writer, self._place)
            await self._run(self._writing, partial(checkpoint, connection))

    async def problems(self) -> list[str]:
        """Return the problems found inside the file; an empty list for a sound one."""
        if self._path is None:
            async with self._lock.held():
                writer = _still_open(self._writer, self._place)
                return await self._run(self._writing, partial(found_problems, writer))
        reader = _still_open(self._reader, self._place)
        return await self._run(self._reading, partial(found_problems, reader))

    async def backup(self, target: Path) -> None:
        """Write a copy of the committed state, while others go on writing.

        Raises `InputRefused` if the file exists, and the errors of `writing`; then no file is left.
        """
        async with self._lock.held() if self._path is None else nullcontext():
            writer = _still_open(self._writer, self._place)
            worker = self._writing if self._path is None else Worker("tether-store-backup")
            await self._run(worker, partial(copy_database, self._path, writer, target))

    async def aclose(self) -> None:
        """Move the log into the file and close all connections; a second call does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            async with self._lock.held():
                await self._run(self._reading, self._close_reader)
                await self._run(self._writing, self._close_writer)
        finally:
            await self._let_go()

    async def _let_go(self) -> None:
        """Close the open connections without the lock, so nothing may be checkpointed.

        SQLite checkpoints when the last connection to a file closes. Here that is the reader, which
        cannot write.
        """
        try:
            await self._run(self._writing, self._close_writer)
        finally:
            await self._run(self._reading, self._close_reader)
            self._reading.stop()
            self._writing.stop()
            self._lock.close()

    async def _connect(self) -> None:
        async with self._lock.held():
            await self._run(self._writing, self._open_writer)
        if self._path is not None:
            await self._run(self._reading, partial(self._open_reader, self._path))

    # The thread stores the connection itself: a cancelled task would never receive it.
    def _open_writer(self) -> None:
        self._writer = open_writer(self._path)

    def _open_reader(self, path: Path) -> None:
        self._reader = open_reader(path)

    def _close_writer(self) -> None:
        connection, self._writer = self._writer, None
        if connection is not None:
            connection.close()

    def _close_reader(self) -> None:
        connection, self._reader = self._reader, None
        if connection is not None:
            connection.close()

    async def _rows(
        self, worker: Worker, connection: sqlite3.Connection | None, sql: str, arguments: Arguments
    ) -> list[Row]:
        opened = _still_open(connection, self._place)
        checked = checked_arguments(arguments)
        rows, _ = await self._run(worker, partial(_executed, opened, sql, checked))
        return rows

    async def _run(self, worker: Worker, work: Callable[[], T]) -> T:
        with store_errors(self._place):
            return await worker.run(work)


class _SqliteTransaction:
    """Statements between the begin and the end of a block."""

    def __init__(self, database: SqliteDatabase, connection: sqlite3.Connection) -> None:
        self._database = database
        self._connection = connection
        self.is_over = False

    async def execute(self, sql: str, arguments: Arguments = ()) -> int:
        """Run a statement; return how many rows it changed."""
        _, changed = await self._executed(sql, arguments)
        return changed

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Run a statement that returns rows."""
        rows, _ = await self._executed(sql, arguments)
        return rows

    async def execute_all(self, statements: Sequence[str]) -> None:
        """Run statements without arguments one after the other."""
        await self._within(partial(_executed_all, self._connection, statements))

    async def _executed(self, sql: str, arguments: Arguments) -> tuple[list[Row], int]:
        checked = checked_arguments(arguments)
        return await self._within(partial(_executed, self._connection, sql, checked))

    async def _within(self, work: Callable[[], T]) -> T:
        if self.is_over:
            raise StoreFailed("a transaction was used after its end: open another")
        return await self._database.within(work)


def _executed(
    connection: sqlite3.Connection, sql: str, arguments: Arguments
) -> tuple[list[Row], int]:
    cursor = connection.execute(sql, tuple(arguments))
    rows: list[Row] = [dict(row) for row in cursor]
    return rows, cursor.rowcount


def _executed_all(connection: sqlite3.Connection, statements: Sequence[str]) -> None:
    for statement in statements:
        _executed(connection, statement, ())


def _still_open(connection: sqlite3.Connection | None, place: str) -> sqlite3.Connection:
    if connection is None:
        raise StoreFailed(f"{place}: the store is closed: open it again")
    return connection
