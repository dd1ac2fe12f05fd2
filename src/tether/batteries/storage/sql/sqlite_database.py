"""SQLite behind the port of a database."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TypeVar

from tether.batteries.storage.sql.border import checked_arguments
from tether.batteries.storage.sql.database import Arguments, Dialect, Row, Transaction
from tether.batteries.storage.sql.file_lock import WriterLock
from tether.batteries.storage.sql.migrating import migrate
from tether.batteries.storage.sql.sqlite_connection import (
    checkpoint,
    copy_database,
    found_problems,
    make_private,
    open_reader,
    open_writer,
)
from tether.batteries.storage.sql.sqlite_errors import translated
from tether.batteries.storage.sql.worker import Worker
from tether.core.errors import StoreFailed

T = TypeVar("T")

LOCK_LIMIT_S = 30.0


class SqliteDatabase:
    """One SQLite file, or one database in memory, with all its tables.

    Every transaction that writes and every checkpoint happens while this process holds the lock
    file beside it: SQLite before 3.51.3 can damage a file where two connections write and
    checkpoint at once. Reads have a connection of their own and wait for nobody; in memory they
    take turns with the writers.
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
        """Open a store's file, made where there is none, and bring its tables up to date.

        Raises `StoreFailed` for what cannot be opened or written to, `StoreFormatUnsupported` for
        what is no store or one of a newer version, and `StoreDamaged`.
        """
        with translated(str(path)):
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
        """The one true path of the file, by whatever name it was opened; None in memory."""
        return self._path

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Read what is committed; raises as `writing` does."""
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
        """Do a piece of work of the open transaction, off the event loop."""
        return await self._run(self._writing, work)

    async def checkpoint(self) -> None:
        """Move the log into the file and empty it, unless somebody reads an older state now."""
        async with self._lock.held():
            connection = _still_open(self._writer, self._place)
            await self._run(self._writing, partial(checkpoint, connection))

    async def problems(self) -> list[str]:
        """Return what is wrong inside of the file; nothing, where all is well."""
        if self._path is None:
            async with self._lock.held():
                writer = _still_open(self._writer, self._place)
                return await self._run(self._writing, partial(found_problems, writer))
        reader = _still_open(self._reader, self._place)
        return await self._run(self._reading, partial(found_problems, reader))

    async def backup(self, target: Path) -> None:
        """Write a whole copy of what is committed now, while others go on writing.

        Raises `InputRefused` where there is a file already, and as `writing` does; then no file is
        left.
        """
        async with self._lock.held() if self._path is None else nullcontext():
            writer = _still_open(self._writer, self._place)
            worker = self._writing if self._path is None else Worker("tether-store-backup")
            await self._run(worker, partial(copy_database, self._path, writer, target))

    async def aclose(self) -> None:
        """Close all connections, the log moved into the file; a second time does nothing."""
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
        """Close what is still open, without the lock: then nothing may be checkpointed.

        SQLite checkpoints when the last connection to a file closes, which is the reader here,
        and that cannot write.
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

    # What a thread made is kept by the thread: a task that is cancelled meanwhile never sees it.
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
        with translated(self._place):
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
