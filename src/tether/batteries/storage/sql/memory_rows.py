"""A memory as a signed row; the limits and checks before a memory is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, cast, get_args

from tether.batteries.storage.errors import MemoryRefused
from tether.batteries.storage.records import MemoryOrigin, MemoryRecord, RecordState
from tether.batteries.storage.sql.database import Row, Transaction
from tether.batteries.storage.sql.forms import object_in, text_in, texts_in, tier_in
from tether.batteries.storage.sql.keys import is_tagged, tag
from tether.batteries.storage.sql.provenance import checked_owner, is_from, page_of, source_name
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, InvalidInitialMemoryValue
from tether.core.memory import Memory
from tether.core.plain_data import canonical_json
from tether.core.tiers import TRUST_TIERS, TrustTier, lower_tier

COLUMNS = ("owner", "id", "body", "tier", "origin", "source", "conversation", "turn", "state")
"""The columns that the tag covers, in order."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")

LONGEST_MEMORY = 10_000
_OF_PAGE = (
    "SELECT COUNT(*) AS found FROM memories "
    "WHERE owner = ? AND (source = ? OR substr(source, 1, ?) = ?)"
)
_OWN = "SELECT COUNT(*) AS found FROM memories WHERE owner = ? AND origin = 'person'"
_DERIVED = "SELECT COUNT(*) AS found FROM memories WHERE owner = ? AND origin <> 'person'"
MOST_SOURCES = 100
"""Per memory of an import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMemory:
    """A memory with the rest of its row: all of its sources, and who confirmed it."""

    record: MemoryRecord
    sources: tuple[str, ...] = ()
    confirmed_by: str = ""

    @property
    def content(self) -> str:
        """The text of the memory."""
        return str(self.record.memory.content)

    def to_json(self) -> dict[str, Any]:
        """Return the memory as `export` writes it."""
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
    """Return the columns of a memory, its tag last."""
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
    """Return the memory of a row, even if somebody changed the row."""
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


def _memory(row: Row, form: object) -> Memory:
    """Return the memory in a body, or one whose text is the body as it stands."""
    id = _CONTROL.sub("?", row["id"])
    if isinstance(form, dict):
        fields: dict[str, Any] = {**cast("dict[str, Any]", form), "id": id}
        try:
            return Memory(**fields)
        except InvalidInitialMemoryValue:
            pass  # somebody edited the row; it is shown as it stands
    return Memory(
        id=id or "?",
        content=text_in(row["body"]) or "(empty)",
        confidence=0,
        importance=0,
        created_at=0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLimits:
    """How many memories an owner may have: own ones, derived ones, and those of one source.

    The first two are counted separately, so that proposals from elsewhere never displace the
    person's own. At a limit new memories are refused and existing ones stay.
    """

    own: int = 2_000
    derived: int = 1_000
    per_source: int = 50

    async def check(self, transaction: Transaction, kept: KeptMemory) -> None:
        """Raise `MemoryRefused` if a memory would exceed a limit."""
        owner, source = kept.record.owner, kept.record.source
        if source:
            page = page_of(source)
            found = await _count(transaction, _OF_PAGE, (owner, page, len(page) + 1, f"{page}#"))
            if found >= self.per_source:
                raise MemoryRefused(
                    f"{found} memories of the source {page!r} are kept, which is the limit; "
                    "forget some, or the source, with `tether memory`"
                )
        own = kept.record.origin == "person"
        found = await _count(transaction, _OWN if own else _DERIVED, (owner,))
        if found >= (self.own if own else self.derived):
            raise MemoryRefused(f"{found} memories are kept; forget some with `tether memory`")


async def refuse_forgotten(transaction: Transaction, kept: KeptMemory) -> None:
    """Raise `MemoryRefused` if a source of a memory was forgotten."""
    rows = await transaction.query(
        "SELECT source FROM forgotten_sources WHERE owner = ?", (kept.record.owner,)
    )
    for source in kept.sources:
        if any(is_from(source, row["source"]) for row in rows):
            raise MemoryRefused(f"the source {source!r} was forgotten, so nothing of it is kept")


async def _count(transaction: Transaction, sql: str, arguments: tuple[str | int, ...]) -> int:
    rows = await transaction.query(sql, arguments)
    return int(rows[0]["found"])


def checked(record: MemoryRecord) -> MemoryRecord:
    """Return a record with clean fields; raises `MemoryRefused` if it is empty or too long."""
    content = str(record.memory.content)
    if not content.strip() or len(content) > LONGEST_MEMORY:
        raise MemoryRefused(f"a memory is a text of 1 to {LONGEST_MEMORY} characters")
    return replace(
        record,
        owner=checked_owner(record.owner),
        source=source_name(record.source),
        conversation=clean_text(record.conversation),
        turn=clean_text(record.turn),
    )


def remade(memory: Memory, *, id: str) -> Memory:
    """Return the same memory under another id."""
    form: dict[str, Any] = {**memory.to_json(), "id": id}
    return Memory(**form)


def imported(form: Mapping[str, Any], place: int, owner: str, tier: TrustTier) -> KeptMemory:
    """Return a memory of an import as a proposal.

    Its id is a hash of its text and sources, so that a file can be imported twice and cannot name
    an existing memory. Raises `InputRefused` with the number of the memory.
    """
    try:
        sources = _sources(form)
        text = text_in(form.get("content"))
        memory = Memory(
            id=_id(text, sources),
            content=text,
            confidence=form.get("confidence", 0.5),
            importance=form.get("importance", 0.5),
            created_at=form.get("created_at", 0),
        )
        record = MemoryRecord(
            memory=memory,
            owner=owner,
            tier=_tier(form, tier),
            origin="import",
            source=sources[0] if sources else "",
            state="proposed",
        )
        return KeptMemory(record=checked(record), sources=sources)
    except (AttributeError, InvalidInitialMemoryValue, MemoryRefused) as error:
        raise InputRefused(f"number {place} of the import is not a memory: {error}") from error


def _sources(form: Mapping[str, Any]) -> tuple[str, ...]:
    named = (text_in(form.get("source")), *texts_in(form.get("sources")))
    names = dict.fromkeys(source_name(source) for source in named if source)
    return tuple(name for name in names if name)[:MOST_SOURCES]


def _id(text: str, sources: tuple[str, ...]) -> str:
    named = canonical_json([clean_text(text), *sources])
    return f"import-{blake2b(named.encode(), digest_size=16).hexdigest()}"


def _tier(form: Mapping[str, Any], tier: TrustTier) -> TrustTier:
    """Return the tier of the import, or the lower one that the memory states."""
    named = form.get("tier")
    return lower_tier(tier, named) if isinstance(named, str) and named in TRUST_TIERS else tier
