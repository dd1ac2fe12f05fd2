"""The events of a turn: one immutable class each. Read the fields by name.

Functional events carry the product (remove the listener and the user sees nothing). Observability
events describe it (remove the observer and nothing changes). They are named tuples rather than
dataclasses because a turn makes a dozen of them and they cost half as much.
"""

# No `from __future__ import annotations` here: NamedTuple compiles every annotation that is a
# string, which would make this the slowest module to import.
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple

from tether.core.errors import TetherError
from tether.core.tool_call import ToolResults

DispatchStatus = Literal["ack", "nack", "aborted"]
GateResult = Literal["resolved", "rejected", "aborted", "timeout"]
LogLevel = Literal["trace", "debug", "info", "warn", "error"]


class MessageChunk(NamedTuple):
    """`message`: text the model says. `a_delta` is the new piece; `full` is all of it so far."""

    turn_id: str
    id: str
    a_delta: str
    full: str
    is_complete: bool
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None


class ThoughtChunk(NamedTuple):
    """`thought`: reasoning, in the same shape as `message`."""

    turn_id: str
    id: str
    a_delta: str
    full: str
    is_complete: bool
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None


class ToolCallProgress(NamedTuple):
    """`tool_call`: a call, with the parts known so far; `results` come with `is_complete`."""

    turn_id: str
    id: str
    tool: str | None
    args: Mapping[str, Any] | None
    checksum: str | None
    results: ToolResults | None
    is_complete: bool
    is_error: bool
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None


class TurnStart(NamedTuple):
    """`turn_start`: a valid turn begins."""

    turn_id: str
    started_at: datetime


class TurnEnd(NamedTuple):
    """`turn_end`: the turn is over. Fires once for every `turn_start`, whatever happened."""

    turn_id: str
    started_at: datetime
    ended_at: datetime
    duration_ms: float


class DispatchStart(NamedTuple):
    """`dispatch_start`: the loop around the model begins."""

    turn_id: str
    dispatch_id: str
    started_at: datetime


class DispatchEnd(NamedTuple):
    """`dispatch_end`: the loop is over. `iterations` counts those that reached their end."""

    turn_id: str
    dispatch_id: str
    status: DispatchStatus
    iterations: int
    error: BaseException | None
    started_at: datetime
    ended_at: datetime
    duration_ms: float


class IterationStart(NamedTuple):
    """`iteration_start`: one trip through the executor begins, counted from 0."""

    turn_id: str
    dispatch_id: str
    iteration: int
    started_at: datetime


class IterationEnd(NamedTuple):
    """`iteration_end`: an iteration went through its output pipeline."""

    turn_id: str
    dispatch_id: str
    iteration: int
    started_at: datetime
    ended_at: datetime
    duration_ms: float


class ToolExecutionStart(NamedTuple):
    """`tool_execution_start`: valid arguments reach a handler. `call_id` is the call's checksum."""

    turn_id: str
    dispatch_id: str
    iteration: int
    call_id: str
    tool: str
    args: Mapping[str, Any]
    started_at: datetime


class ToolExecutionEnd(NamedTuple):
    """`tool_execution_end`: the handler returned, or raised (`is_error`)."""

    turn_id: str
    dispatch_id: str
    iteration: int
    call_id: str
    tool: str
    is_error: bool
    started_at: datetime
    ended_at: datetime
    duration_ms: float


class TurnGateClosed(NamedTuple):
    """`turn_gate_closed`: a gate settled. `turn_gate_open` carries the gate itself."""

    turn_id: str
    gate_id: str
    result: GateResult
    settled_at: datetime


class ErrorRaised(NamedTuple):
    """`error`: something failed. `dispatch_id` and `iteration` are None outside a dispatch."""

    turn_id: str
    dispatch_id: str | None
    iteration: int | None
    error: TetherError
    emitted_at: datetime


class LogEntry(NamedTuple):
    """`log`: a structured line from the executor."""

    turn_id: str
    dispatch_id: str
    iteration: int
    level: LogLevel
    kind: str
    message: str
    payload: Mapping[str, Any] | None
    emitted_at: datetime

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; `payload` is absent, not null, if it was not given."""
        form = self._asdict() | {"emitted_at": self.emitted_at.isoformat()}
        if self.payload is None:
            del form["payload"]
        return form


class BudgetLedger(NamedTuple):
    """`budget`: where the tokens of a window go. The eight shares sum to `window`.

    `free` is the rest, and negative if the prompt was `refused` because it cannot fit. `shed`
    counts the records that were left out, by kind. `estimated` says that the tokens were not
    counted with the model's own vocabulary, and `known_model` is False where the window is a guess.
    """

    turn_id: str
    dispatch_id: str | None
    iteration: int | None
    model: str | None
    known_model: bool
    encoding: str
    estimated: bool
    window: int
    system: int
    tools: int
    history: int
    memories: int
    evidence: int
    question: int
    reserved_output: int
    free: int
    shed: Mapping[str, int]
    refused: bool
    emitted_at: datetime
