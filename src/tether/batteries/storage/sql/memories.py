"""Memories in SQL, with owner, provenance and a tag that shows changes made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tether.batteries.storage.confirmation import take_confirmation
from tether.batteries.storage.errors import MemoryRefused, RecordMissing
from tether.batteries.storage.records import MemoryRecord, RecordState
from tether.batteries.storage.sql.database import Transaction, next_seq, time_text
from tether.batteries.storage.sql.instructions import SqlInstructions, checked_person
from tether.batteries.storage.sql.memory_rows import (
    COLUMNS,
    KeptMemory,
    MemoryLimits,
    checked,
    imported,
    kept_of,
    refuse_forgotten,
    remade,
    row_of,
)
from tether.batteries.storage.sql.provenance import (
    checked_owner,
    conversation_of,
    is_from,
    owner_of,
    provenance_of,
    source_name,
)
from tether.core.errors import InputRefused
from tether.core.ids import new_id
from tether.core.memory import Memory
from tether.core.plain_data import canonical_json
from tether.core.tiers import TrustTier, lower_tier
from tether.runtime.context import Context

_MISSING = "there is no such memory; `tether memory list` shows yours"
_NAMES = ", ".join((*COLUMNS, "tag", "seq"))

_DELETE = "DELETE FROM memories WHERE owner = ? AND id = ?"


class SqlMemories(SqlInstructions):
    """The `Memories` of a store, and the operations of a turn on memories.

    A memory stored by a turn counts as written by the model, with the lowest tier of everything its
    conversation has read, and is `proposed` unless a person confirmed exactly that text
    (`tether.batteries.storage.confirmation`). A tier never rises: not when a memory is confirmed,
    changed, exported or imported.
    """

    memory_limits: MemoryLimits = MemoryLimits()

    async def remember(self, record: MemoryRecord, *, confirmed_by: str = "") -> MemoryRecord:
        """Keep a memory; return it as it is stored, or the equal one that exists.

        It is active if it is the person's own first-party words, or somebody confirms it. Raises
        `MemoryRefused` if a limit is reached, the source was forgotten, or the id is taken.
        """
        own = record.origin == "person" and record.tier == "first-party"
        active = bool(confirmed_by) or (own and record.state == "active")
        kept = KeptMemory(
            record=checked(replace(record, state="active" if active else "proposed", intact=True)),
            sources=(source_name(record.source),) if record.source else (),
            confirmed_by=confirmed_by,
        )
        async with self._database.writing() as transaction:
            return await self._keep(transaction, kept)

    async def memories(
        self, *, owner: str = "", state: RecordState | None = "active"
    ) -> Sequence[MemoryRecord]:
        """Return memories, newest last; rows changed outside the store have `intact=False`."""
        kept = [one.record for one in await self._kept(owner)]
        return [record for record in kept if state in (None, record.state)]

    async def confirm_memory(self, id: str, *, owner: str = "", by: str) -> MemoryRecord:
        """Make a proposed memory active; its tier does not change.

        Raises `RecordMissing`, and `MemoryRefused` if it was changed outside the store.
        """
        owner, by = checked_owner(owner), checked_person(by)
        async with self._database.writing() as transaction:
            held = await self._find(transaction, owner, id)
            if held is None:
                raise RecordMissing(_MISSING)
            if not held.record.intact:
                raise MemoryRefused("this memory was changed outside the store; forget it")
            return await self._activate(transaction, held, by)

    async def forget(self, id: str, *, owner: str = "") -> None:
        """Delete a memory; raises `RecordMissing`."""
        if not await self._delete(id, checked_owner(owner)):
            raise RecordMissing(_MISSING)

    async def forget_source(self, source: str, *, owner: str = "") -> int:
        """Delete every memory from a source and refuse new ones; return how many were deleted.

        A source is a page with all its anchors (`page#anchor`). Memories made from it and other
        sources are deleted, too.
        """
        owner, page = checked_owner(owner), source_name(source)
        if not page:
            raise InputRefused("name the source to forget, as `tether memory list` shows it")
        async with self._database.writing() as transaction:
            await transaction.execute(
                "INSERT INTO forgotten_sources (owner, source, at) VALUES (?, ?, ?) "
                "ON CONFLICT (owner, source) DO NOTHING",
                (owner, page, time_text(self._clock.now())),
            )
            rows = await transaction.query("SELECT * FROM memories WHERE owner = ?", (owner,))
            derived = [row["id"] for row in rows if _is_derived(kept_of(row, self._key), page)]
            for id in derived:
                await transaction.execute(_DELETE, (owner, id))
        await self._scrub()
        return len(derived)

    async def export_memories(self, *, owner: str = "") -> list[dict[str, Any]]:
        """Return all memories as JSON."""
        return [one.to_json() for one in await self._kept(owner)]

    async def import_memories(
        self, forms: Sequence[Mapping[str, Any]], *, owner: str = "", tier: TrustTier
    ) -> int:
        """Keep memories of another store as `proposed`, all or none; return how many were new.

        Each has the tier of the import, or its own if that is lower. Raises `InputRefused` for a
        form that is not a memory, and `MemoryRefused` for too many.
        """
        owner = checked_owner(owner)
        made = [imported(form, place, owner, tier) for place, form in enumerate(forms, start=1)]
        new = 0
        async with self._database.writing() as transaction:
            for kept in made:
                if await self._find(transaction, owner, kept.record.memory.id) is None:
                    await self._insert(transaction, kept)
                    new += 1
        return new

    async def fetch_memories(self, ctx: Context) -> Sequence[Memory]:
        """Return the owner's memories that are active, intact and first-party."""
        records = await self.memories(owner=owner_of(ctx))
        return [one.memory for one in records if one.intact and one.tier == "first-party"]

    async def store_memory(self, ctx: Context, memory: Memory) -> None:
        """Keep a memory of the model, at the lowest tier of everything its conversation has read.

        Without a person's consent, an active memory of the same id is not overwritten: the new text
        becomes a separate proposal. Raises `MemoryRefused` as `remember` does.
        """
        provenance = await provenance_of(self._database, ctx)
        by = take_confirmation(ctx, str(memory.content))
        record = MemoryRecord(
            memory=memory,
            owner=owner_of(ctx),
            tier=provenance.tier,
            origin="model",
            source=provenance.sources[0] if provenance.sources else "",
            conversation=conversation_of(ctx),
            turn=ctx.turn_id,
            state="active" if by else "proposed",
        )
        kept = KeptMemory(record=checked(record), sources=provenance.sources, confirmed_by=by)
        async with self._database.writing() as transaction:
            await self._write(transaction, kept)

    async def mutate_memory(self, ctx: Context, memory: Memory) -> None:
        """Replace the memory of that id, by the rules of `store_memory`; its tier never rises."""
        await self.store_memory(ctx, memory)

    async def delete_memory(self, ctx: Context, id: str) -> None:
        """Delete the memory of that id, if there is one."""
        await self._delete(id, owner_of(ctx))

    async def _write(self, transaction: Transaction, kept: KeptMemory) -> None:
        held = await self._find(transaction, kept.record.owner, kept.record.memory.id)
        if held is None:
            await self._keep(transaction, kept)
        elif held.record.intact and (kept.confirmed_by or held.record.state == "proposed"):
            await refuse_forgotten(transaction, kept)
            await self._update(transaction, _changed(held, kept))
        else:
            beside = replace(kept.record, memory=remade(kept.record.memory, id=new_id()))
            await self._keep(transaction, replace(kept, record=beside))

    async def _keep(self, transaction: Transaction, kept: KeptMemory) -> MemoryRecord:
        same = await self._same(transaction, kept)
        if same is not None and (kept.record.state == "proposed" or same.record.state == "active"):
            return same.record
        if same is not None:
            return await self._activate(transaction, same, kept.confirmed_by)
        record = kept.record
        if await self._find(transaction, record.owner, record.memory.id) is not None:
            raise MemoryRefused("another memory has this id; give the new one a different id")
        return await self._insert(transaction, kept)

    async def _insert(self, transaction: Transaction, kept: KeptMemory) -> MemoryRecord:
        await refuse_forgotten(transaction, kept)
        await self.memory_limits.check(transaction, kept)
        await transaction.execute(
            f"INSERT INTO memories ({_NAMES}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  # only our own names
            (*row_of(kept, self._key), await next_seq(transaction)),
        )
        return kept.record

    async def _activate(self, transaction: Transaction, held: KeptMemory, by: str) -> MemoryRecord:
        if held.record.state == "active":
            return held.record
        record = replace(held.record, state="active")
        await self._update(transaction, replace(held, record=record, confirmed_by=by))
        return record

    async def _update(self, transaction: Transaction, kept: KeptMemory) -> None:
        owner, id, *columns = row_of(kept, self._key)
        await transaction.execute(
            "UPDATE memories SET body = ?, tier = ?, origin = ?, source = ?, conversation = ?, "
            "turn = ?, state = ?, tag = ? WHERE owner = ? AND id = ?",
            (*columns, owner, id),
        )

    async def _find(self, transaction: Transaction, owner: str, id: str) -> KeptMemory | None:
        rows = await transaction.query(
            "SELECT * FROM memories WHERE owner = ? AND id = ?", (owner, id)
        )
        return kept_of(rows[0], self._key) if rows else None

    async def _same(self, transaction: Transaction, kept: KeptMemory) -> KeptMemory | None:
        """Return the memory with the same text, tier, origin and source."""
        record = kept.record
        rows = await transaction.query(
            "SELECT * FROM memories WHERE owner = ? AND source = ? AND origin = ? AND tier = ? "
            "AND replace(body, ?, '') <> body ORDER BY seq",  # contains the text, in both dialects
            (record.owner, record.source, record.origin, record.tier, canonical_json(kept.content)),
        )
        near = (kept_of(row, self._key) for row in rows)
        return next(
            (one for one in near if one.record.intact and one.content == kept.content), None
        )

    async def _kept(self, owner: str) -> list[KeptMemory]:
        rows = await self._database.query(
            "SELECT * FROM memories WHERE owner = ? ORDER BY seq", (checked_owner(owner),)
        )
        return [kept_of(row, self._key) for row in rows]

    async def _delete(self, id: str, owner: str) -> int:
        async with self._database.writing() as transaction:
            deleted = await transaction.execute(_DELETE, (owner, id))
        if deleted:
            await self._scrub()
        return deleted


def _changed(held: KeptMemory, kept: KeptMemory) -> KeptMemory:
    """Return a memory with a new text, the lower tier and all sources of both."""
    old, new = held.record, kept.record
    record = replace(
        new,
        tier=lower_tier(old.tier, new.tier),
        origin=old.origin if held.content == kept.content else "model",
        source=old.source or new.source,
    )
    sources = tuple(dict.fromkeys((*held.sources, *kept.sources)))
    return replace(kept, record=record, sources=sources)


def _is_derived(kept: KeptMemory, page: str) -> bool:
    return any(is_from(source, page) for source in (kept.record.source, *kept.sources))
