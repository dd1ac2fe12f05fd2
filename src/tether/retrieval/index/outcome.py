"""What became of a document when it was last looked at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tether.core.canonical import canonical_json
from tether.retrieval.index.records import opened, seal

SELECTED = """
    SELECT key, source, state, reason, notes, chunks, content, reading, evidence, checksum
    FROM outcomes"""
INSERTED = "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The state of a document with its reason, and by what it is known again.

    `content` is the hash of its bytes, "" where they were never seen or where another try may end
    otherwise; `evidence` is the source's word for that content and lets it go unread the next time.
    """

    key: str
    source: str
    state: str
    reason: str = ""
    notes: tuple[str, ...] = ()
    chunks: int = 0
    content: str = ""
    reading: str = ""
    evidence: str = ""


def outcome_row(outcome: Outcome) -> tuple[object, ...]:
    """Return an outcome as a row, sealed."""
    facts = (
        outcome.key,
        outcome.source,
        outcome.state,
        outcome.reason,
        canonical_json(list(outcome.notes)),
        outcome.chunks,
        outcome.content,
        outcome.reading,
        outcome.evidence,
    )
    return (*facts, seal(b"", "outcome", *facts))


def outcome_from(row: tuple[Any, ...]) -> Outcome:
    """Return the outcome in a row; raises `IndexDamaged` where its seal does not hold."""
    opened(b"", row[-1], "outcome", *row[:-1])
    key, source, state, reason, notes, chunks, content, reading, evidence, _ = row
    return Outcome(
        key=key,
        source=source,
        state=state,
        reason=reason,
        notes=tuple(json.loads(notes)),
        chunks=chunks,
        content=content,
        reading=reading,
        evidence=evidence,
    )
