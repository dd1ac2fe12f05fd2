"""PostgreSQL behind the port of a database."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tether.batteries.storage.sql.border import checked_arguments
from tether.batteries.storage.sql.database import Arguments, Dialect, Row, Transaction
from tether.batteries.storage.sql.file_lock import WriterLock
from tether.batteries.storage.sql.migrating import migrate
from tether.batteries.storage.sql.postgres_errors import translated
from tether.batteries.storage.sql.postgres_pool import new_pool, require_driver
from tether.core.errors import InputRefused, StoreFailed

if TYPE_CHECKING:
    from psycopg import AsyncConnection, AsyncCursor

    from tether.batteries.storage.sql.postgres_pool import Pool

LOCK_LIMIT_S = 30.0
CONNECT_LIMIT_S = 10.0

_LITERAL_OR_SIGN = re.compile(r"('(?:[^']|'')*')|([?%])")


class PostgresDatabase:
    """One schema of a PostgreSQL database, with all its tables.

    Writers of all processes take turns by an advisory lock of the schema, held until the commit is
    visible: so the order of what is written is the order in which everybody sees it, and nothing
    is ever tried twice behind the caller's back. Reads wait for nobody.
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

        Raises `StoreFailed` where the server cannot be reached or refuses, `InputRefused` for what
        is no address or where the driver is missing, and `StoreFormatUnsupported` for the tables of
        a newer version.
        """
        require_driver()
        place = _place(address)
        with translated(place):
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
        """Read what is committed; raises as `writing` does."""
        checked = checked_arguments(arguments)
        with translated(self._place):
            async with self._pool.connection() as connection:
                return await _rows(await connection.execute(_translated_sql(sql), checked))

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[Transaction, None]:
        """Open a transaction for writing; see `Database`.

        `StoreFailed` at the very end, where the connection breaks while the commit is under way,
        leaves open whether it was made: what the store writes may be written again.
        """
        async with self._lock.held():
            # The driver's own errors are turned into ours where they leave the block.
            with translated(self._place):
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
        """Close all connections; a second time does nothing."""
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
        with translated(self._place):
            return (await self._cursor(sql, arguments)).rowcount

    async def execute_all(self, statements: Sequence[str]) -> None:
        """Run statements without arguments one after the other."""
        with translated(self._place):
            await self._live().execute(";\n".join(statements).encode())

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Run a statement that returns rows."""
        with translated(self._place):
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
    """Return a statement with the driver's placeholders; `?` inside of literals stays."""
    return _LITERAL_OR_SIGN.sub(_sign, sql).encode()


def _sign(found: re.Match[str]) -> str:
    literal, sign = found.groups()
    if literal is not None:
        return literal.replace("%", "%%")
    return "%s" if sign == "?" else "%%"


def _connection_options(connect_limit_s: float) -> dict[str, Any]:
    from psycopg.rows import dict_row  # noqa: PLC0415

    # Statements are not prepared: that breaks behind a pooler which shares connections.
    return {
        "row_factory": dict_row,
        "prepare_threshold": None,
        "connect_timeout": max(1, round(connect_limit_s)),
        "application_name": "tether",
    }


async def _try_once(address: str, connect_limit_s: float) -> None:
    """Connect once by hand: a pool would only say that it took too long, and not why."""
    from psycopg import AsyncConnection  # noqa: PLC0415

    timeout = max(1, round(connect_limit_s))
    connection = await AsyncConnection.connect(address, connect_timeout=timeout)
    await connection.close()


def _place(address: str) -> str:
    """Return what to call the database in messages, without the secrets in its address.

    Raises `InputRefused` for what is no address, without what the driver says: it would repeat it.
    """
    from psycopg import ProgrammingError  # noqa: PLC0415
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415

    try:
        parts = conninfo_to_dict(address)
    except ProgrammingError:
        raise InputRefused(
            "this is no address of a PostgreSQL database: write postgresql://user@host/database"
        ) from None
    return f"PostgreSQL database {parts.get('dbname', '')!r} at {parts.get('host', 'localhost')}"
