"""Memories, and the texts that a turn has read, for tests."""

from __future__ import annotations

from typing import Any

from tether import Memory, Retrievable
from tether.batteries.storage.records import MemoryRecord
from tether.batteries.storage.sql.database import Arguments, Database
from tether.batteries.storage.sql.store import SqlStore
from tether.core.ids import new_id
from tether.core.tiers import TrustTier

WHEN = "2026-01-01T12:00:00Z"


def fact(text: str, *, id: str = "", importance: float = 0.5, at: Any = WHEN) -> Memory:
    return Memory(
        id=id or new_id(), content=text, confidence=0.5, importance=importance, created_at=at
    )


def said(text: str, *, owner: str = "", id: str = "") -> MemoryRecord:
    """Something in the person's own words."""
    memory = fact(text, id=id)
    return MemoryRecord(memory=memory, owner=owner, tier="first-party", origin="person")


def read(
    text: str,
    source: str,
    *,
    owner: str = "",
    id: str = "",
    tier: TrustTier = "third-party-public",
) -> MemoryRecord:
    """Something taken from a document."""
    return MemoryRecord(
        memory=fact(text, id=id), owner=owner, tier=tier, origin="document", source=source
    )


def page(source: str | None, tier: TrustTier = "third-party-public", text: str = "x") -> Any:
    """A page that a turn has read."""
    return Retrievable(id=new_id(), content=text, trust_tier=tier, source=source, created_at=WHEN)


async def by_hand(store: SqlStore, sql: str, arguments: Arguments = ()) -> None:
    """Change the rows of a store as somebody would who has its file and not its key."""
    database: Database = vars(store)["_database"]
    async with database.writing() as transaction:
        await transaction.execute(sql, arguments)


async def count_rows(store: SqlStore, table: str) -> int:
    database: Database = vars(store)["_database"]
    rows = await database.query(f"SELECT COUNT(*) AS found FROM {table}")
    return int(rows[0]["found"])
