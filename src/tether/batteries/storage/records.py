"""What a store keeps beside the records of a turn: the values, the same for every backend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from tether.core.memory import Memory
from tether.core.message import Message
from tether.core.tiers import TrustTier

MemoryOrigin = Literal["person", "document", "tool", "model", "import"]
RecordState = Literal["active", "proposed"]
GateState = Literal["open", "approved", "denied", "expired", "running", "done", "failed", "unknown"]
"""`running` was claimed and is not finished; `unknown` was running when its process died."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A thread of exchanges that belongs to one owner ("" where there is only one person)."""

    id: str
    owner: str
    title: str
    created_at: datetime
    updated_at: datetime
    exchanges: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An accepted question and answer, stored together or not at all.

    `turn` is the id of the turn. `details` is JSON: the whole answer with its citations, quotes
    copied in, so that it renders after the documents are gone; `prompt` is the exact prompt of the
    accepted attempt, "" where none was kept.
    """

    turn: str
    conversation: str
    question: Message
    answer: Message
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """A memory with where it came from. `tier` is the least of its sources and never rises.

    `source` names what it was taken from (a document's key, a URL, a tool call), "" for the
    person's own words. `intact` is False where the row was changed outside of the store; such a
    memory is shown and never recalled.
    """

    memory: Memory
    owner: str
    tier: TrustTier
    origin: MemoryOrigin
    source: str = ""
    conversation: str = ""
    turn: str = ""
    state: RecordState = "active"
    intact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """A standing instruction; only a person makes it `active`."""

    id: str
    owner: str
    text: str
    state: RecordState
    created_at: datetime
    confirmed_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """A decision that is waited for, as the database knows it.

    `checksum` binds it to the tool and its canonical arguments. `run` is the key of the durable
    run it belongs to and `step` its place there: the same step of a run that is started again finds
    its row. `result` is the JSON of what the step returned, once it is done. Times are UTC.
    """

    id: str
    owner: str
    run: str
    step: int
    tool: str
    arguments: str
    checksum: str
    reason: str
    state: GateState
    created_at: datetime
    expires_at: datetime
    decided_by: str = ""
    decided_at: datetime | None = None
    note: str = ""
    result: str | None = None
