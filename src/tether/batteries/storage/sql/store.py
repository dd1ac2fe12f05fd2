"""The store as a whole, over any database that speaks its SQL."""

from __future__ import annotations

from collections.abc import Iterable

from tether.batteries.storage.sql.conversations import SqlConversations
from tether.batteries.storage.sql.database import Database
from tether.batteries.storage.sql.gates import SqlGates
from tether.batteries.storage.sql.memories import SqlMemories
from tether.batteries.storage.sql.records_store import SqlRecords
from tether.runtime.clock import Clock, SystemClock
from tether.runtime.tool import Tool


class SqlStore(SqlRecords, SqlConversations, SqlMemories, SqlGates):
    """Records of turns, conversations, memories, instructions and gates in one database.

    `key` are the 32 bytes that rows are signed with. `tools` are what `fetch_tools` returns. The
    store belongs to one event loop; other processes may use the same database.
    """

    def __init__(
        self,
        database: Database,
        *,
        key: bytes,
        clock: Clock | None = None,
        tools: Iterable[Tool] = (),
    ) -> None:
        self._database = database
        self._key = key
        self._clock = SystemClock() if clock is None else clock
        self._tools = tuple(tools)

    @property
    def database(self) -> Database:
        """What everything is kept in, for those who look after it."""
        return self._database

    async def aclose(self) -> None:
        """Close the database; what was committed stays."""
        await self._database.aclose()
