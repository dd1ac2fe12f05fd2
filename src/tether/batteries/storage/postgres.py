"""The store in PostgreSQL: for several machines, or an existing server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tether.batteries.storage.errors import StoreDamaged, StoreFailed
from tether.batteries.storage.sql.database import (
    Arguments,
    Dialect,
    Row,
    Transaction,
    checked_arguments,
)
from tether.batteries.storage.sql.keys import database_key, file_key
from tether.batteries.storage.sql.lock import LOCK_LIMIT_S, WriterLock
from tether.batteries.storage.sql.schema import migrate
from tether.batteries.storage.sql.sqlite_connection import store_errors
from tether.batteries.storage.sql.store import SqlStore
from tether.core.errors import InputRefused, TetherError, error_text
from tether.runtime.clock import Clock
from tether.runtime.tool import Tool

if TYPE_CHECKING:
    from psycopg import AsyncConnection, AsyncCursor, Error
    from psycopg_pool import AsyncConnectionPool

    Pool = AsyncConnectionPool[AsyncConnection[dict[str, Any]]]

CONNECT_LIMIT_S = 10.0
_LITERAL_OR_SIGN = re.compile(r"('(?:[^']|'')*')|([?%])")
MOST_CONNECTIONS = 4
_LOST = "the connection was refused or lost: check that the server runs, and try again"
_ADVICE = {
    "25006": "the server is read-only now: use the primary",
    "28P01": "the password was refused: check the address of the store",
    "42501": "the user lacks a permission: grant it, or use another user",
    "42P07": "a table of another program has the same name: give the store its own schema, "
    "by `?options=-csearch_path%3Dtether` in its address",
    "53100": "the server's disk is full: make room and try again; no write was partial",
    "53300": "the server has no free connection: try again, or allow more",
    "55P03": "others locked the store for too long: try again, or end the process that locks it",
}
"""By SQLSTATE."""

_DAMAGED = ("XX001", "XX002")
_LASTING = ("25006", "28P01", "42501")
_PASSING_CLASSES = ("08", "40", "53", "55", "57")
"""Connections, conflicts, resources, states and operators: a retry may succeed."""


class PostgresStore(SqlStore):
    """A store in one schema of a PostgreSQL database."""

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
        """Open a store at an address (`postgresql://…`), creating missing tables.

        The key that rows are signed with is in `key_file`, which is created if missing, or else in
        the database: there it detects accidents, but not changes by somebody who may write to all
        tables. Raises `StoreFailed` if the server cannot be reached or refuses, `InputRefused` for
        a malformed address or a missing driver, `StoreFormatUnsupported` for the tables of a newer
        version, and `StoreDamaged`.
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
    with store_errors(str(key_file)):
        return await asyncio.to_thread(file_key, key_file)


class PostgresDatabase:
    """One schema of a PostgreSQL database, with all its tables.

    Writers of all processes take turns by an advisory lock of the schema, held until the commit is
    visible: everybody sees the writes in the order they were made, and nothing is retried without
    the caller's knowledge. Reads never wait.
    """

    def __init__(self, pool: Pool, place: str, *, lock_limit_s: float) -> None:
        self._pool = pool
        self._place = place
        self._lock_limit_s = lock_limit_s
        self._lock = WriterLock(None, limit_s=lock_limit_s)

    @classmethod
    async def open(
        cls,
        address: str,
        *,
        lock_limit_s: float = LOCK_LIMIT_S,
        connect_limit_s: float = CONNECT_LIMIT_S,
    ) -> PostgresDatabase:
        """Connect and bring the tables of the first schema in the search path up to date.

        Raises the errors of `PostgresStore.open`.
        """
        require_driver()
        place = _place(address)
        with server_errors(place):
            await _try_once(address, connect_limit_s)
            pool = new_pool(address, _connection_options(connect_limit_s), connect_limit_s)
            await pool.open()
        database = cls(pool, place, lock_limit_s=lock_limit_s)
        try:
            await migrate(database)
        except BaseException:
            await database.aclose()
            raise
        return database

    @property
    def dialect(self) -> Dialect:
        """PostgreSQL's."""
        return "postgres"

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Read committed rows; raises the errors of `writing`."""
        checked = checked_arguments(arguments)
        with server_errors(self._place):
            async with self._pool.connection() as connection:
                return await _rows(await connection.execute(_translated_sql(sql), checked))

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[Transaction, None]:
        """Open a transaction for writing; see `Database`.

        If the connection breaks during the commit, `StoreFailed` does not say whether the commit
        was made. Every write of the store can be repeated.
        """
        async with self._lock.held():
            # Errors of the driver are translated where they leave the block.
            with server_errors(self._place):
                async with self._pool.connection() as connection:
                    transaction = _PostgresTransaction(connection, self._place)
                    await connection.execute(
                        "SELECT set_config('lock_timeout', %s, true)",
                        (f"{self._lock_limit_s * 1000:.0f}ms",),
                    )
                    await connection.execute(
                        "SELECT pg_advisory_xact_lock(hashtext('tether:' || current_schema()))"
                    )
                    try:
                        yield transaction
                    finally:
                        transaction.is_over = True

    async def aclose(self) -> None:
        """Close all connections; a second call does nothing."""
        await self._pool.close()
        self._lock.close()


class _PostgresTransaction:
    """Statements between the begin and the end of a block."""

    def __init__(self, connection: AsyncConnection[dict[str, Any]], place: str) -> None:
        self._connection = connection
        self._place = place
        self.is_over = False

    async def execute(self, sql: str, arguments: Arguments = ()) -> int:
        """Run a statement; return how many rows it changed."""
        with server_errors(self._place):
            return (await self._cursor(sql, arguments)).rowcount

    async def execute_all(self, statements: Sequence[str]) -> None:
        """Run statements without arguments one after the other."""
        with server_errors(self._place):
            await self._live().execute(";\n".join(statements).encode())

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Run a statement that returns rows."""
        with server_errors(self._place):
            return await _rows(await self._cursor(sql, arguments))

    async def _cursor(self, sql: str, arguments: Arguments) -> AsyncCursor[dict[str, Any]]:
        checked = checked_arguments(arguments)
        return await self._live().execute(_translated_sql(sql), checked)

    def _live(self) -> AsyncConnection[dict[str, Any]]:
        if self.is_over:
            raise StoreFailed("a transaction was used after its end: open another")
        return self._connection


async def _rows(cursor: AsyncCursor[dict[str, Any]]) -> list[Row]:
    rows: list[Row] = []
    rows.extend(await cursor.fetchall())
    return rows


def _translated_sql(sql: str) -> bytes:
    """Return a statement with the driver's placeholders; `?` inside a literal stays."""
    return _LITERAL_OR_SIGN.sub(_sign, sql).encode()


def _sign(found: re.Match[str]) -> str:
    literal, sign = found.groups()
    if literal is not None:
        return literal.replace("%", "%%")
    return "%s" if sign == "?" else "%%"


def _connection_options(connect_limit_s: float) -> dict[str, Any]:
    from psycopg.rows import dict_row  # noqa: PLC0415

    # Prepared statements fail with a pooler that shares connections.
    return {
        "row_factory": dict_row,
        "prepare_threshold": None,
        "connect_timeout": max(1, round(connect_limit_s)),
        "application_name": "tether",
    }


async def _try_once(address: str, connect_limit_s: float) -> None:
    """Connect once directly: a pool would only report a timeout, not the reason."""
    from psycopg import AsyncConnection  # noqa: PLC0415

    timeout = max(1, round(connect_limit_s))
    connection = await AsyncConnection.connect(address, connect_timeout=timeout)
    await connection.close()


def _place(address: str) -> str:
    """Return a name for the database in messages, without the secrets in its address.

    Raises `InputRefused` for a malformed address, without the driver's message, which repeats it.
    """
    from psycopg import ProgrammingError  # noqa: PLC0415
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415

    try:
        parts = conninfo_to_dict(address)
    except ProgrammingError:
        raise InputRefused(
            "this is not the address of a PostgreSQL database: write postgresql://user@host/database"
        ) from None
    return f"PostgreSQL database {parts.get('dbname', '')!r} at {parts.get('host', 'localhost')}"


def require_driver() -> None:
    """Raise `InputRefused` if the driver is not installed."""
    try:
        import psycopg_pool  # noqa: PLC0415
    except ImportError as error:
        raise InputRefused(
            "a store in PostgreSQL needs its driver: pip install 'tether[postgres]'"
        ) from error
    del psycopg_pool


def new_pool(address: str, options: dict[str, Any], timeout_s: float) -> Pool:
    """Return a pool that is not open yet."""
    from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415

    pool = AsyncConnectionPool(
        address,
        kwargs=options,
        min_size=1,
        max_size=MOST_CONNECTIONS,
        open=False,
        timeout=timeout_s,
        reconnect_timeout=timeout_s,
        check=AsyncConnectionPool.check_connection,
    )
    return cast("Pool", pool)  # the options set the type of its rows


@contextmanager
def server_errors(place: str) -> Generator[None, None, None]:
    """Translate errors of the driver into errors of this package, without passwords."""
    import psycopg  # noqa: PLC0415

    try:
        yield
    except psycopg.Error as error:
        raise _translation(error, place) from error


def _translation(error: Error, place: str) -> TetherError:
    from psycopg import OperationalError  # noqa: PLC0415

    state = error.sqlstate
    reason = error_text(error).splitlines()[0]
    if state in _DAMAGED:
        return StoreDamaged(f"{place}: it is damaged ({reason}): restore a backup")
    if state is None:
        lost = isinstance(error, OperationalError)
        advice = f"{_LOST} ({reason})" if lost else f"the driver refused: {reason}"
        return StoreFailed(f"{place}: {advice}", retryable=lost)
    passing = state[:2] in _PASSING_CLASSES and state not in _LASTING
    advice = _ADVICE.get(state, f"PostgreSQL refused ({state}): {reason}")
    return StoreFailed(f"{place}: {advice}", retryable=passing)
