"""How much is remembered at most: nobody fills the store, and no source drowns the others."""

from __future__ import annotations

from dataclasses import dataclass

from tether.batteries.storage.sql.database import Transaction
from tether.batteries.storage.sql.memory_rows import KeptMemory
from tether.batteries.storage.sql.provenance import is_from, page_of
from tether.core.errors import MemoryRefused

LONGEST_MEMORY = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLimits:
    """Of one owner: what the person said, what came from elsewhere, and what of one source.

    The first two are counted apart, so that proposals of others never take the person's places.
    What is there stays; what is new is refused.
    """

    own: int = 2_000
    derived: int = 1_000
    per_source: int = 50

    async def check(self, transaction: Transaction, kept: KeptMemory) -> None:
        """Raise `MemoryRefused` where a memory would be one too many."""
        owner, source = kept.record.owner, kept.record.source
        if source:
            page = page_of(source)
            found = await _count(transaction, _OF_PAGE, (owner, page, len(page) + 1, f"{page}#"))
            if found >= self.per_source:
                raise MemoryRefused(
                    f"{found} memories of the source {page!r} are kept, which is its share; "
                    "forget some, or the source, with `tether memory`"
                )
        own = kept.record.origin == "person"
        found = await _count(transaction, _OWN if own else _DERIVED, (owner,))
        if found >= (self.own if own else self.derived):
            raise MemoryRefused(f"{found} memories are kept; forget some with `tether memory`")


async def refuse_forgotten(transaction: Transaction, kept: KeptMemory) -> None:
    """Raise `MemoryRefused` where a source of a memory was forgotten for good."""
    rows = await transaction.query(
        "SELECT source FROM forgotten_sources WHERE owner = ?", (kept.record.owner,)
    )
    for source in kept.sources:
        if any(is_from(source, row["source"]) for row in rows):
            raise MemoryRefused(f"the source {source!r} was forgotten and is kept out")


async def _count(transaction: Transaction, sql: str, arguments: tuple[str | int, ...]) -> int:
    rows = await transaction.query(sql, arguments)
    return int(rows[0]["found"])


_OF_PAGE = (
    "SELECT COUNT(*) AS found FROM memories "
    "WHERE owner = ? AND (source = ? OR substr(source, 1, ?) = ?)"
)
_OWN = "SELECT COUNT(*) AS found FROM memories WHERE owner = ? AND origin = 'person'"
_DERIVED = "SELECT COUNT(*) AS found FROM memories WHERE owner = ? AND origin <> 'person'"
