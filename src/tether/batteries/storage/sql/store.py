"""The whole store, over any database that implements the port."""

from __future__ import annotations

from collections.abc import Iterable

from tether.batteries.storage.sql.conversations import SqlConversations
from tether.batteries.storage.sql.database import Database
from tether.batteries.storage.sql.gates import SqlGates
from tether.batteries.storage.sql.ids import SqlIds
from tether.batteries.storage.sql.memories import SqlMemories
from tether.batteries.storage.sql.turn_records import SqlRecords
from tether.runtime.clock import Clock, SystemClock
from tether.runtime.tool import Tool


class SqlStore(SqlRecords, SqlConversations, SqlMemories, SqlGates, SqlIds):
    """Records of turns, conversations, memories, instructions and gates in one database.

    `key` is the 32 bytes that rows are signed with; `tools` is returned by `fetch_tools`. The store
    belongs to one event loop; other processes may use the same database.
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
        """The database, for maintenance."""
        return self._database

    async def aclose(self) -> None:
        """Close the database; everything committed stays."""
        await self._database.aclose()
