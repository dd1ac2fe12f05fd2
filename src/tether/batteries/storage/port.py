"""The port of a store: the 25 operations of a turn, and what an application needs beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from tether.batteries.storage.records import (
    Conversation,
    Exchange,
    GateRow,
    GateState,
    Instruction,
    MemoryRecord,
    RecordState,
)
from tether.core.tiers import TrustTier
from tether.runtime.storage import Storage

CONVERSATION = "tether.conversation"
OWNER = "tether.owner"
"""Where the stash of a turn says whose records the 25 operations are about."""


class Conversations(Protocol):
    """Threads of accepted exchanges. An id of another owner is as missing as one that never was."""

    async def begin(self, *, owner: str = "", title: str = "", id: str = "") -> Conversation:
        """Start a conversation; with an id that the owner has already, return that one."""
        ...

    async def conversations(
        self, *, owner: str = "", limit: int = 50, before: str = ""
    ) -> Sequence[Conversation]:
        """Return conversations, the last used first; `before` is the id to go on from."""
        ...

    async def conversation(self, id: str, *, owner: str = "") -> Conversation:
        """Return one; raises `RecordMissing`."""
        ...

    async def delete_conversation(self, id: str, *, owner: str = "") -> None:
        """Delete it with everything in it; raises `RecordMissing`."""
        ...

    async def store_exchange(
        self, exchange: Exchange, *, owner: str = "", begins: str | None = None
    ) -> None:
        """Store question and answer in one transaction; again with the same turn is no change.

        With `begins`, the conversation starts with it under that title, in the same transaction.
        """
        ...

    async def exchanges(
        self, conversation: str, *, owner: str = "", last: int = 0
    ) -> Sequence[Exchange]:
        """Return the exchanges in order, or the `last` ones; raises `RecordMissing`."""
        ...

    async def exchange(self, turn: str, *, owner: str = "") -> Exchange:
        """Return the exchange of a turn ("" is the latest of all); raises `RecordMissing`."""
        ...


class Memories(Protocol):
    """Memories with provenance, and standing instructions that need a person."""

    async def remember(self, record: MemoryRecord, *, confirmed_by: str = "") -> MemoryRecord:
        """Keep a memory; return it as it was kept.

        A memory that comes from anything but the person's own words, or with a tier below
        first-party, is kept as `proposed` unless somebody confirms it. Raises `MemoryRefused` where
        its source has had its share, or was deleted.
        """
        ...

    async def memories(
        self, *, owner: str = "", state: RecordState | None = "active"
    ) -> Sequence[MemoryRecord]:
        """Return memories, newest last; changed rows with `intact=False`."""
        ...

    async def confirm_memory(self, id: str, *, owner: str = "", by: str) -> MemoryRecord:
        """Make a proposed memory active; its tier stays. Raises `RecordMissing`."""
        ...

    async def forget(self, id: str, *, owner: str = "") -> None:
        """Delete a memory; raises `RecordMissing`."""
        ...

    async def forget_source(self, source: str, *, owner: str = "") -> int:
        """Delete every memory derived from a source, keep it out from now on; return how many."""
        ...

    async def export_memories(self, *, owner: str = "") -> list[dict[str, Any]]:
        """Return all memories as JSON."""
        ...

    async def import_memories(
        self, forms: Sequence[Mapping[str, Any]], *, owner: str = "", tier: TrustTier
    ) -> int:
        """Keep memories of another store as `proposed`, at the import's tier, whatever they say."""
        ...

    async def propose_instruction(
        self, text: str, *, owner: str = "", tier: TrustTier = "first-party"
    ) -> Instruction:
        """Keep an instruction as `proposed`; raises `MemoryRefused` for text below first-party."""
        ...

    async def instructions(
        self, *, owner: str = "", state: RecordState | None = "active"
    ) -> Sequence[Instruction]:
        """Return instructions in order."""
        ...

    async def confirm_instruction(self, id: str, *, owner: str = "", by: str) -> Instruction:
        """Make an instruction active; raises `RecordMissing`."""
        ...

    async def drop_instruction(self, id: str, *, owner: str = "") -> None:
        """Delete an instruction; raises `RecordMissing`."""
        ...


class Gates(Protocol):
    """Decisions as rows. The database decides who was first, and its clock of record is UTC."""

    async def open_gate(self, row: GateRow) -> GateRow:
        """Write a gate before anybody is shown it; the row that the same step has already, if any.

        Raises `GateSettled` where that row is bound to other arguments.
        """
        ...

    async def gate(self, id: str, *, owner: str | None = None) -> GateRow:
        """Return a gate, expired now if its time is over; raises `RecordMissing`."""
        ...

    async def gates(
        self, *, owner: str | None = None, states: Sequence[GateState] = ("open",), limit: int = 100
    ) -> Sequence[GateRow]:
        """Return gates, oldest first; those whose time is over are `expired`."""
        ...

    async def settle_gate(
        self,
        id: str,
        *,
        approved: bool,
        by: str,
        checksum: str,
        note: str = "",
        owner: str | None = None,
        now: datetime | None = None,
    ) -> GateRow:
        """Approve or deny, once. Raises `GateSettled` for the second, the late and the altered."""
        ...

    async def claim_gate(self, id: str, *, checksum: str) -> GateRow | None:
        """Take an approved gate to run its step (`running`); None where somebody else has."""
        ...

    async def finish_gate(self, id: str, *, result: str | None, failed: bool = False) -> GateRow:
        """Write what the step returned; the gate is `done` or `failed`."""
        ...

    async def abandon_gates(self, run: str) -> int:
        """Mark steps of a run that were `running` when its process died as `unknown`."""
        ...


class Store(Storage, Conversations, Memories, Gates, Protocol):
    """Everything that is kept: what `SqliteStore` and `PostgresStore` are."""

    async def aclose(self) -> None:
        """Close it."""
        ...
