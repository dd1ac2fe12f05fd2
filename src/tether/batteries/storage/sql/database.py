"""The port of a database: reads, and writes in transactions; and the base of a SQL store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused
from tether.runtime.clock import Clock

Dialect = Literal["sqlite", "postgres"]
Row = Mapping[str, Any]
Arguments = Sequence[str | int | float | bytes | None]

LARGEST_INTEGER = (1 << 63) - 1


class Transaction(Protocol):
    """Statements that are committed together when the block ends, or rolled back on an error.

    Placeholders are `?` in both dialects. Times are ISO 8601 text in UTC (fixed width, so that they
    sort), JSON is text, truth is 0 or 1: the same bytes in both databases.
    """

    async def execute(self, sql: str, arguments: Arguments = ()) -> int:
        """Run a statement; return how many rows it changed."""
        ...

    async def execute_all(self, statements: Sequence[str]) -> None:
        """Run statements without arguments, in order, in one round trip."""
        ...

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Run a statement that returns rows (`SELECT`, or `… RETURNING`)."""
        ...


class Database(Protocol):
    """One database, used by one event loop; other processes may use it at the same time."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of its SQL."""
        ...

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Read one consistent state, outside of a transaction."""
        ...

    def writing(self) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction for writing; one at a time, in all processes.

        A cancelled block is rolled back, or committed if the commit had begun. Raises `StoreFailed`
        if the database cannot be reached, is full or stays locked.
        """
        ...

    async def aclose(self) -> None:
        """Close it; everything committed stays."""
        ...


def checked_arguments(arguments: Arguments) -> tuple[str | int | float | bytes | None, ...]:
    """Return the arguments of a statement with lone surrogates replaced.

    Raises `InputRefused` for NUL, at which one database cuts and which the other refuses, and for
    integers of more than 64 bits. NUL is not dropped, because two ids could become one.
    """
    return tuple(_checked_argument(argument) for argument in arguments)


def _checked_argument(
    argument: str | int | float | bytes | None,
) -> str | int | float | bytes | None:
    if isinstance(argument, str):
        if "\0" in argument:
            raise InputRefused("a text for the store contains the character NUL: remove it")
        return clean_text(argument)
    if isinstance(argument, int) and not -LARGEST_INTEGER <= argument <= LARGEST_INTEGER:
        raise InputRefused(f"a number for the store has more than 64 bits: {argument:.3e}")
    return argument


class SqlPart:
    """Base of the parts of a store; `SqlStore` sets the attributes.

    `_key` is 32 random bytes of the store. Rows are signed with it, so that changes made outside
    the store are detected.
    """

    _database: Database
    _clock: Clock
    _key: bytes

    async def _scrub(self) -> None:
        """Remove deleted data from the files too, after the transaction that deleted it.

        Does nothing unless a database needs it.
        """


async def next_seq(transaction: Transaction) -> int:
    """Return the next number in the order of all writes; call it inside the transaction.

    Writers take turns, so the numbers are in the order of the commits: a reader that has read up to
    a number has read everything before it. Rolled back with the transaction.
    """
    rows = await transaction.query(
        "UPDATE tether_order SET seq = seq + 1 WHERE one = 1 RETURNING seq"
    )
    return int(rows[0]["seq"])


def time_text(moment: datetime) -> str:
    """Return a time as the tables store it: ISO 8601 in UTC, of fixed width."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def text_time(text: str) -> datetime:
    """Return the time of a text from `time_text`."""
    return datetime.fromisoformat(text)
