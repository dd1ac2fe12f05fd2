"""Gates for tests: rows about ordinary calls, in a store that is nothing but gates."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tether import new_id
from tether.batteries.storage.records import GateRow
from tether.batteries.storage.sql.database import Database
from tether.batteries.storage.sql.gates import SqlGates
from tether.batteries.storage.sqlite import SqliteDatabase
from tether.core.plain_data import canonical_json, tool_checksum
from tether.runtime.clock import Clock, SystemClock

HOUR = timedelta(hours=1)


class GateStore(SqlGates):
    """The gates of a database."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self._database = database
        self._clock = SystemClock() if clock is None else clock

    @classmethod
    async def open(cls, path: Path | None = None, clock: Clock | None = None) -> GateStore:
        return cls(await SqliteDatabase.open(path), clock)

    @property
    def database(self) -> Database:
        return self._database

    async def aclose(self) -> None:
        await self._database.aclose()


def gate_row(
    run: str = "job",
    step: int = 0,
    *,
    tool: str = "pay",
    args: dict[str, Any] | None = None,
    now: datetime | None = None,
    lasts: timedelta = HOUR,
    **fields: Any,
) -> GateRow:
    """Return an open gate about `pay(euros=5)`, or another call."""
    given = {"euros": 5} if args is None else args
    created = datetime.now(UTC) if now is None else now
    row = GateRow(
        id=new_id(),
        owner="",
        run=run,
        step=step,
        tool=tool,
        arguments=canonical_json(given),
        checksum=tool_checksum(tool, given),
        reason="tool_approval",
        state="open",
        created_at=created,
        expires_at=created + lasts,
    )
    return replace(row, **fields)


def told(effects: Path) -> list[Any]:
    """Return what a tool did so far: one JSON value per line of its file."""
    return [json.loads(line) for line in effects.read_text().splitlines()]
