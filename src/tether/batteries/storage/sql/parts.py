"""What every part of a SQL store has in common: the database, the clock, the key, the order."""

from __future__ import annotations

from datetime import UTC, datetime

from tether.batteries.storage.sql.database import Database, Transaction
from tether.runtime.clock import Clock


class SqlPart:
    """A share of the operations of a store; the store that is put together sets the attributes.

    `_key` are 32 random bytes that belong to the store: rows are signed with them, so that one
    that was changed from outside is noticed.
    """

    _database: Database
    _clock: Clock
    _key: bytes

    async def _scrub(self) -> None:
        """Take what was deleted out of the files too, after the transaction that deleted it.

        Where the database does that in its own time, nothing is to be done.
        """


async def next_seq(transaction: Transaction) -> int:
    """Return the next place in the order of all that is written; call it inside the transaction.

    Writers take turns, so the places are in the order of the commits: whoever reads up to a place
    has read everything before it. Rolled back with the transaction.
    """
    rows = await transaction.query(
        "UPDATE tether_order SET seq = seq + 1 WHERE one = 1 RETURNING seq"
    )
    return int(rows[0]["seq"])


def time_text(moment: datetime) -> str:
    """Return a time as the tables hold it: ISO 8601 in UTC, always as wide, so that it sorts."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def text_time(text: str) -> datetime:
    """Return the time of such a text."""
    return datetime.fromisoformat(text)
