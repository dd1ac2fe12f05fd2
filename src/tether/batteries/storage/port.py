"""The port of a store: the 25 operations of a turn, and those of an application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from tether.batteries.storage.records import (
    Conversation,
    Exchange,
    GateRow,
    GateState,
    IdKind,
    Instruction,
    MemoryRecord,
    RecordState,
)
from tether.core.tiers import TrustTier
from tether.runtime.storage import Storage

CONVERSATION = "tether.conversation"
OWNER = "tether.owner"
"""The stash keys of a turn that say which records the 25 operations are about."""


class Conversations(Protocol):
    """Threads of accepted exchanges. The ids of other owners do not exist for a caller."""

    async def begin(self, *, owner: str = "", title: str = "", id: str = "") -> Conversation:
        """Start a conversation, or return the owner's conversation of that id."""
        ...

    async def conversations(
        self, *, owner: str = "", limit: int = 50, before: str = ""
    ) -> Sequence[Conversation]:
        """Return conversations, the most recent first; with `before`, those older than that id."""
        ...

    async def conversation(self, id: str, *, owner: str = "") -> Conversation:
        """Return one; raises `RecordMissing`."""
        ...

    async def rename_conversation(self, id: str, title: str, *, owner: str = "") -> Conversation:
        """Give it another title and return it; raises `RecordMissing`."""
        ...

    async def delete_conversation(self, id: str, *, owner: str = "") -> None:
        """Delete it with everything in it; raises `RecordMissing`."""
        ...

    async def store_exchange(
        self, exchange: Exchange, *, owner: str = "", begins: str | None = None
    ) -> None:
        """Store question and answer in one transaction; a second call for a turn does nothing.

        With `begins`, the conversation is created with that title in the same transaction.
        """
        ...

    async def exchanges(
        self, conversation: str, *, owner: str = "", last: int = 0
    ) -> Sequence[Exchange]:
        """Return the exchanges in order, or only the `last` ones; raises `RecordMissing`."""
        ...

    async def exchange(self, turn: str, *, owner: str = "") -> Exchange:
        """Return the exchange of a turn ("": the latest of all); raises `RecordMissing`."""
        ...

    async def turns(
        self, *, owner: str = "", limit: int = 50, before: str = ""
    ) -> Sequence[Exchange]:
        """Return the exchanges of all conversations, the most recent first.

        With `before`, those older than that turn; raises `RecordMissing` for an unknown one.
        """
        ...


class Memories(Protocol):
    """Memories with provenance, and standing instructions that need a person."""

    async def remember(self, record: MemoryRecord, *, confirmed_by: str = "") -> MemoryRecord:
        """Keep a memory; return it as it is stored.

        Unless somebody confirms it, a memory is kept as `proposed` if it does not come from the
        person's own words, or has a tier below first-party. Raises `MemoryRefused` if its source
        has reached its limit, or was forgotten.
        """
        ...

    async def memories(
        self, *, owner: str = "", state: RecordState | None = "active"
    ) -> Sequence[MemoryRecord]:
        """Return memories, newest last; rows changed outside the store have `intact=False`."""
        ...

    async def confirm_memory(self, id: str, *, owner: str = "", by: str) -> MemoryRecord:
        """Make a proposed memory active; its tier does not change. Raises `RecordMissing`."""
        ...

    async def forget(self, id: str, *, owner: str = "") -> None:
        """Delete a memory; raises `RecordMissing`."""
        ...

    async def forget_source(self, source: str, *, owner: str = "") -> int:
        """Delete every memory from a source and refuse new ones; return how many were deleted."""
        ...

    async def export_memories(self, *, owner: str = "") -> list[dict[str, Any]]:
        """Return all memories as JSON."""
        ...

    async def import_memories(
        self, forms: Sequence[Mapping[str, Any]], *, owner: str = "", tier: TrustTier
    ) -> int:
        """Keep memories of another store as `proposed`, at most at the tier of the import."""
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
    """Decisions as rows. The database decides which decision was first; times are UTC."""

    async def open_gate(self, row: GateRow) -> GateRow:
        """Store a gate before anybody sees it; return the existing row if the step has one.

        Raises `GateSettled` if that row is bound to other arguments.
        """
        ...

    async def gate(self, id: str, *, owner: str | None = None) -> GateRow:
        """Return a gate, as `expired` if it is past its time; raises `RecordMissing`."""
        ...

    async def gates(
        self, *, owner: str | None = None, states: Sequence[GateState] = ("open",), limit: int = 100
    ) -> Sequence[GateRow]:
        """Return gates, oldest first; those past their time are `expired`."""
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
        """Approve or deny once. Raises `GateSettled` for a second, late or altered decision."""
        ...

    async def claim_gate(self, id: str, *, checksum: str) -> GateRow | None:
        """Claim an approved gate to run its step (`running`); None if it is already claimed."""
        ...

    async def finish_gate(self, id: str, *, result: str | None, failed: bool = False) -> GateRow:
        """Store the result of the step; the gate is `done` or `failed`."""
        ...

    async def abandon_gates(self, run: str) -> int:
        """Mark steps that were `running` when the process of the run died as `unknown`."""
        ...


class Store(Storage, Conversations, Memories, Gates, Protocol):
    """The whole store, as `SqliteStore` and `PostgresStore` implement it."""

    async def matching_ids(
        self, kind: IdKind, beginning: str, *, owner: str | None = "", limit: int = 10
    ) -> Sequence[str]:
        """Return the ids of an owner that begin with a text, in order; None is every owner."""
        ...

    async def aclose(self) -> None:
        """Close it."""
        ...
