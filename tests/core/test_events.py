"""Events: immutable, read by name, with the fields the contract promises."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tether.core import events
from tether.core.events import LogEntry, MessageChunk, ThoughtChunk

MIDNIGHT = datetime(2024, 2, 29, tzinfo=UTC)
CHUNK = {"turn_id", "id", "a_delta", "full", "is_complete", "created_at", "updated_at"} | {
    "completed_at"
}
SPAN = {"started_at", "ended_at", "duration_ms"}

# CONTRACT 2.1, 2.2, 2.4, 2, 3, 6, 7, 33: what each event must tell.
PROMISED: dict[str, set[str]] = {
    "MessageChunk": CHUNK,
    "ThoughtChunk": CHUNK,
    "ToolCallProgress": {"id", "tool", "args", "checksum", "results", "is_complete", "is_error"},
    "TurnStart": {"turn_id", "started_at"},
    "TurnEnd": {"turn_id"} | SPAN,
    "DispatchStart": {"turn_id", "dispatch_id"},
    "DispatchEnd": {"turn_id", "dispatch_id", "status", "iterations", "error"},
    "IterationStart": {"dispatch_id", "iteration"},
    "IterationEnd": {"dispatch_id", "iteration"},
    "ToolExecutionStart": {"call_id", "tool", "args"},
    "ToolExecutionEnd": {"call_id", "tool", "is_error"},
    "TurnGateClosed": {"gate_id", "turn_id", "result", "settled_at"},
    "ErrorRaised": {"error"},
    # The shares that the design's ledger names, and what they sum to.
    "BudgetLedger": {
        "window",
        "system",
        "tools",
        "history",
        "memories",
        "evidence",
        "question",
        "reserved_output",
    },
    "LogEntry": {"dispatch_id", "iteration", "emitted_at", "level", "kind", "message", "payload"},
}
CLASSES: dict[str, Any] = {
    name: member for name, member in vars(events).items() if hasattr(member, "_fields")
}


def entry(payload: dict[str, Any] | None) -> LogEntry:
    return LogEntry(
        turn_id="t1",
        dispatch_id="d1",
        iteration=0,
        level="info",
        kind="retry-attempt",
        message="again",
        payload=payload,
        emitted_at=MIDNIGHT,
    )


def test_there_is_one_class_for_every_promised_event() -> None:
    assert set(CLASSES) == set(PROMISED)


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_an_event_tells_what_the_contract_promises_and_its_turn(name: str) -> None:
    assert PROMISED[name] | {"turn_id"} <= set(CLASSES[name]._fields)


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_an_event_is_immutable_and_read_by_name(name: str) -> None:
    kind = CLASSES[name]
    event = kind(**{field: f"<{field}>" for field in kind._fields})
    for field in kind._fields:
        assert getattr(event, field) == f"<{field}>"
        with pytest.raises(AttributeError):
            setattr(event, field, None)


def test_thoughts_have_the_shape_of_messages() -> None:
    assert ThoughtChunk._fields == MessageChunk._fields
    assert ThoughtChunk.__annotations__ == MessageChunk.__annotations__


def test_the_payload_of_a_log_entry_is_absent_from_json_when_not_supplied() -> None:
    # CONTRACT 34
    form = json.loads(json.dumps(entry(None).to_json()))
    assert form == {
        "turn_id": "t1",
        "dispatch_id": "d1",
        "iteration": 0,
        "level": "info",
        "kind": "retry-attempt",
        "message": "again",
        "emitted_at": MIDNIGHT.isoformat(),
    }


@pytest.mark.parametrize("payload", [{}, {"attempt": 2}])
def test_the_payload_of_a_log_entry_is_in_json_when_supplied(payload: dict[str, Any]) -> None:
    assert json.loads(json.dumps(entry(payload).to_json()))["payload"] == payload
