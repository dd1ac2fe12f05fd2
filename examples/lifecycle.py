"""Prints what a runner emits: one line per event, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tether import (
    DispatchEnd,
    DispatchStart,
    ErrorRaised,
    IterationEnd,
    IterationStart,
    MessageChunk,
    ToolCallProgress,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
    event_name,
)

if TYPE_CHECKING:
    from tether import Event, TurnRunner

FUNCTIONAL = ("message", "tool_call")
OBSERVABILITY = (
    *("turn_start", "turn_end", "dispatch_start", "dispatch_end"),
    *("iteration_start", "iteration_end", "tool_execution_start", "tool_execution_end", "error"),
)


class Trace:
    """Listens on both buses of a runner and keeps what it hears."""

    def __init__(self, runner: TurnRunner) -> None:
        self._lines: list[str] = []
        for name in FUNCTIONAL:
            runner.on(name, self._keep)
        for name in OBSERVABILITY:
            runner.observe(name, self._keep)

    def show(self) -> None:
        """Print the events so far and start anew."""
        print("Trace:")
        print("\n".join(self._lines), end="\n\n")
        self._lines.clear()

    def _keep(self, event: Event) -> None:
        self._lines.append(f"  {event_name(event):<20}  {_detail(event)}")


def _detail(event: Event) -> str:
    """Say the one thing about an event that a reader needs; ids are cut to six characters."""
    match event:
        case TurnStart() | TurnEnd():
            detail = f"turn …{event.turn_id[-6:]}"
        case DispatchStart():
            detail = f"dispatch …{event.dispatch_id[-6:]}"
        case DispatchEnd():
            detail = f"dispatch …{event.dispatch_id[-6:]}: {event.status}"
        case IterationStart() | IterationEnd():
            detail = f"iteration {event.iteration}"
        case MessageChunk():
            detail = repr(event.a_delta)
        case ToolCallProgress(is_complete=False):
            detail = f"{event.tool} {event.args}"
        case ToolCallProgress():
            detail = f"{event.tool} {'failed' if event.is_error else 'done'}"
        case ToolExecutionStart() | ToolExecutionEnd():
            detail = f"{event.tool} …{event.call_id[-6:]}"
        case ErrorRaised():
            detail = str(event.error)
        case _:
            detail = ""
    return detail
