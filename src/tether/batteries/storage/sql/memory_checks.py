"""What may become a memory: records of our own code, and forms of somebody's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from tether.batteries.storage.records import MemoryRecord
from tether.batteries.storage.sql.memory_limits import LONGEST_MEMORY
from tether.batteries.storage.sql.memory_rows import KeptMemory
from tether.batteries.storage.sql.provenance import checked_owner, source_name
from tether.batteries.storage.sql.stored_forms import text_in, texts_in
from tether.core.canonical import canonical_json
from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused, InvalidInitialMemoryValue, MemoryRefused
from tether.core.memory import Memory
from tether.core.tiers import TRUST_TIERS, TrustTier, lower_tier

MOST_SOURCES = 100
"""Of one form of an import."""


def checked(record: MemoryRecord) -> MemoryRecord:
    """Return a record as it can be kept; raises `MemoryRefused` for an empty or very long one."""
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
    """Return a form of an import as a proposal.

    Its id is made from its text and sources, so that a file can be read twice, and so that no file
    names a memory that is there. Raises `InputRefused`, naming the place of the form.
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
        raise InputRefused(f"number {place} of the import is no memory: {error}") from error


def _sources(form: Mapping[str, Any]) -> tuple[str, ...]:
    named = (text_in(form.get("source")), *texts_in(form.get("sources")))
    names = dict.fromkeys(source_name(source) for source in named if source)
    return tuple(name for name in names if name)[:MOST_SOURCES]


def _id(text: str, sources: tuple[str, ...]) -> str:
    told = canonical_json([clean_text(text), *sources])
    return f"import-{blake2b(told.encode(), digest_size=16).hexdigest()}"


def _tier(form: Mapping[str, Any], tier: TrustTier) -> TrustTier:
    """Return the tier of the import, or the lower one that a form admits to."""
    named = form.get("tier")
    return lower_tier(tier, named) if isinstance(named, str) and named in TRUST_TIERS else tier
