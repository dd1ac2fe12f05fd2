"""The values that a store keeps besides the records of a turn, for every backend."""

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
"""`running`: claimed and not finished; `unknown`: running when its process died."""


IdKind = Literal["conversation", "turn", "gate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A thread of exchanges that belongs to one owner ("" if there is only one person)."""

    id: str
    owner: str
    title: str
    created_at: datetime
    updated_at: datetime
    exchanges: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An accepted question and its answer, stored together.

    `turn` is the id of the turn. `details` is JSON: the whole answer with its citations and copies
    of the quotes, so that it can be shown after the documents are gone; `prompt` is the exact
    prompt of the accepted attempt, "" if it was not kept.
    """

    turn: str
    conversation: str
    question: Message
    answer: Message
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """A memory with its provenance. `tier` is the lowest of its sources and never rises.

    `source` is a document's key, a URL or a tool call, "" for the person's own words. `intact` is
    False if the row was changed outside the store; such a memory is shown and never recalled.
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
    """A pending or made decision, as the database stores it.

    `checksum` binds it to the tool and its canonical arguments. `run` is the key of the durable run
    it belongs to and `step` its number there, so that a restarted run finds the row of each step.
    `result` is the JSON of the step's result, when it is done. Times are UTC.
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
