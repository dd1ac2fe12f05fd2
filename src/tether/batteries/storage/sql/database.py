"""What a store needs of a database: reads, and writes that happen whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, Protocol

Dialect = Literal["sqlite", "postgres"]
Row = Mapping[str, Any]
Arguments = Sequence[str | int | float | bytes | None]


class Transaction(Protocol):
    """Statements that are committed together when the block ends, or rolled back when it raises.

    Placeholders are `?` in both dialects. Times are ISO 8601 text in UTC (fixed width, so that they
    sort), JSON is text, truth is 0 or 1: the same bytes in both databases.
    """

    async def execute(self, sql: str, arguments: Arguments = ()) -> int:
        """Run a statement; return how many rows it changed."""
        ...

    async def execute_all(self, statements: Sequence[str]) -> None:
        """Run statements without arguments one after the other, on one trip to the database."""
        ...

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Run a statement that returns rows (`SELECT`, or `… RETURNING`)."""
        ...


class Database(Protocol):
    """One database, used by one event loop; safe beside other processes that use it."""

    @property
    def dialect(self) -> Dialect:
        """Which SQL it speaks where the two differ."""
        ...

    async def query(self, sql: str, arguments: Arguments = ()) -> list[Row]:
        """Read, outside of a transaction: one consistent state."""
        ...

    def writing(self) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction for writing; one at a time, in this process and beside others.

        A block that is cancelled is rolled back, or committed if the commit had begun. Raises
        `StoreFailed` where the database cannot be reached, is full or stays locked.
        """
        ...

    async def aclose(self) -> None:
        """Let go of it; what was committed stays."""
        ...
