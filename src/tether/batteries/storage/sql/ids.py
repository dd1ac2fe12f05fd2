"""Ids by their beginnings: people do not type whole ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tether.batteries.storage.records import IdKind
from tether.batteries.storage.sql.database import SqlPart
from tether.core.clean_text import clean_text

_COLUMNS: Mapping[IdKind, tuple[str, str]] = {
    "conversation": ("conversations", "id"),
    "turn": ("exchanges", "turn"),
    "gate": ("gates", "id"),
}


class SqlIds(SqlPart):
    """The ids of the conversations, turns and gates of a store."""

    async def matching_ids(
        self, kind: IdKind, beginning: str, *, owner: str | None = "", limit: int = 10
    ) -> Sequence[str]:
        """Return the ids of an owner that begin with a text, in order; None is every owner."""
        table, column = _COLUMNS[kind]
        text = clean_text(beginning)
        rows = await self._database.query(
            f"SELECT {column} AS id FROM {table} WHERE substr({column}, 1, ?) = ? "  # noqa: S608
            f"AND (? = 1 OR owner = ?) ORDER BY {column} LIMIT ?",
            (len(text), text, int(owner is None), owner or "", max(0, limit)),
        )
        return [row["id"] for row in rows]
