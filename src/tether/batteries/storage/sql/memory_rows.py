"""A memory as a row, with a tag that tells whether somebody changed it outside of the store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Any, cast, get_args

from tether.batteries.storage.records import MemoryOrigin, MemoryRecord, RecordState
from tether.batteries.storage.sql.database import Row
from tether.batteries.storage.sql.stored_forms import object_in, text_in, texts_in, tier_in
from tether.core.canonical import canonical_json
from tether.core.errors import InvalidInitialMemoryValue
from tether.core.memory import Memory

COLUMNS = ("owner", "id", "body", "tier", "origin", "source", "conversation", "turn", "state")
"""What the tag is over, in order."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMemory:
    """A memory with everything that its row says: all of its sources, and who confirmed it."""

    record: MemoryRecord
    sources: tuple[str, ...] = ()
    confirmed_by: str = ""

    @property
    def content(self) -> str:
        """What is remembered."""
        return str(self.record.memory.content)

    def to_json(self) -> dict[str, Any]:
        """Return the form of an export."""
        record = self.record
        return record.memory.to_json() | {
            "tier": record.tier,
            "origin": record.origin,
            "source": record.source,
            "sources": list(self.sources),
            "conversation": record.conversation,
            "turn": record.turn,
            "state": record.state,
            "confirmed_by": self.confirmed_by,
            "intact": record.intact,
        }


def row_of(kept: KeptMemory, key: bytes) -> tuple[str, ...]:
    """Return the columns of a memory, and its tag as the last one."""
    record = kept.record
    body = {
        "memory": record.memory.to_json(),
        "sources": list(kept.sources),
        "confirmed_by": kept.confirmed_by,
    }
    columns = (
        record.owner,
        record.memory.id,
        canonical_json(body),
        record.tier,
        record.origin,
        record.source,
        record.conversation,
        record.turn,
        record.state,
    )
    return (*columns, tag(key, "memory", columns))


def kept_of(row: Row, key: bytes) -> KeptMemory:
    """Return the memory of a row, whatever has become of the row."""
    columns = [text_in(row[name]) for name in COLUMNS]
    intact = is_tagged(key, "memory", columns, row["tag"])
    body = object_in(row["body"])
    record = MemoryRecord(
        memory=_memory(row, body.get("memory")),
        owner=row["owner"],
        tier=tier_in(row["tier"]),
        origin=row["origin"] if row["origin"] in get_args(MemoryOrigin) else "model",
        source=row["source"],
        conversation=row["conversation"],
        turn=row["turn"],
        state=row["state"] if row["state"] in get_args(RecordState) else "proposed",
        intact=intact,
    )
    return KeptMemory(
        record=record,
        sources=texts_in(body.get("sources")),
        confirmed_by=text_in(body.get("confirmed_by")),
    )


def tag(key: bytes, kind: str, columns: tuple[str, ...] | list[str]) -> str:
    """Return the keyed hash of a row's texts; whoever has no key cannot make one."""
    text = canonical_json([kind, *columns])
    return blake2b(text.encode(), digest_size=32, key=key, person=b"tether.row").hexdigest()


def is_tagged(key: bytes, kind: str, columns: list[str], given: object) -> bool:
    """Say whether a tag belongs to these texts."""
    return compare_digest(tag(key, kind, columns).encode(), text_in(given).encode())


def _memory(row: Row, form: object) -> Memory:
    """Return the memory in a body, or one that shows what stands there instead."""
    id = _CONTROL.sub("?", row["id"])
    if isinstance(form, dict):
        fields: dict[str, Any] = {**cast("dict[str, Any]", form), "id": id}
        try:
            return Memory(**fields)
        except InvalidInitialMemoryValue:
            pass  # somebody wrote the row by hand; it is shown as it stands
    return Memory(
        id=id or "?",
        content=text_in(row["body"]) or "(empty)",
        confidence=0,
        importance=0,
        created_at=0,
    )
