"""The reporter of a turn: it hears the runner and reports to the listener, at once and in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tether.ask.events import AskEvent, Provisional, Retracted, Step, StepKind, StepState, Working
from tether.batteries.models.progress import PROGRESS, WorkProgress
from tether.core.errors import TetherError
from tether.core.events import BudgetLedger, ErrorRaised, LogEntry, MessageChunk
from tether.runtime.clock import Clock
from tether.runtime.gate import TurnGate
from tether.runtime.turn import TurnRunner

Listener = Callable[[AskEvent], None]
"""Receives every event of a turn, at once and in order."""

_SHARES = (
    "window",
    "system",
    "tools",
    "history",
    "memories",
    "evidence",
    "question",
    "reserved_output",
    "free",
)


class Reporter:
    """Reports steps with their times, the progress of a model, unchecked text and retractions.

    It also keeps the facts that every answer states, a failed one too: how many attempts there
    were, where the tokens went, what has to be noted, and the first failure.
    """

    __slots__ = ("_clock", "_last", "_listener", "_work", "attempts", "failure", "ledger", "notes")

    def __init__(self, clock: Clock, listener: Listener | None = None) -> None:
        self._clock = clock
        self._listener = listener
        self._last = clock.monotonic()
        self._work: dict[str, Working] = {}
        self.attempts = 0
        self.ledger: Mapping[str, int] | None = None
        self.failure: TetherError | None = None
        self.notes: tuple[str, ...] = ()

    def step(self, kind: StepKind, state: StepState, label: str, **detail: Any) -> None:
        """Report that something was done, and how long it took since the last step."""
        now = self._clock.monotonic()
        elapsed, self._last = (now - self._last) * 1000, now
        self.emit(Step(kind, state, label, detail, elapsed))

    def attempt(self) -> int:
        """Count and report an attempt that is complete, with its speed; return its number."""
        self.attempts += 1
        work = {
            phase: {"tokens": it.done, "per_second": it.per_second}
            for phase, it in self._work.items()
            if phase != "loading"
        }
        self._work.clear()
        self.step("generate", "done", f"attempt {self.attempts}", attempt=self.attempts, **work)
        return self.attempts

    def note(self, text: str) -> None:
        """Keep a note for the answer."""
        self.notes += (text,)

    def work(self, progress: WorkProgress) -> None:
        """Report what a local model is doing, and how far it is."""
        phase, done = progress.phase, progress.done
        self._work[phase] = Working(phase, done, progress.total, progress.per_second)
        self.emit(self._work[phase])

    def provisional(self, delta: str) -> None:
        """Report unchecked text of the attempt under way."""
        if delta:
            self.emit(Provisional(self.attempts + 1, delta))

    def retract(self, reason: str) -> None:
        """Report that the text of the last attempt is void."""
        self.emit(Retracted(self.attempts, reason))

    def retract_next(self, reason: str) -> None:
        """Report that the text so far of the attempt under way is void."""
        self.emit(Retracted(self.attempts + 1, reason))

    def emit(self, event: AskEvent) -> None:
        """Give an event to the listener, if there is one."""
        if self._listener is not None:
            self._listener(event)

    def hear(self, runner: TurnRunner, *, text: bool) -> None:
        """Subscribe to a runner; `text` says whether its messages are readable as they come."""
        if text:
            runner.on(MessageChunk, lambda chunk: self.provisional(chunk.a_delta))
        runner.observe(LogEntry, self._progress)
        runner.observe(TurnGate, self._gate)
        runner.observe(ErrorRaised, self._failure)
        runner.observe(BudgetLedger, self._ledger)

    def _progress(self, entry: LogEntry) -> None:
        if entry.kind == PROGRESS and entry.payload is not None:
            self.work(WorkProgress(**entry.payload))

    def _gate(self, gate: TurnGate[Any]) -> None:
        label = f"waiting for a decision: {gate.reason}"
        self.step("gate", "done", label, id=gate.id, shown=gate.payload)

    def _failure(self, event: ErrorRaised) -> None:
        self.failure = self.failure or event.error

    def _ledger(self, ledger: BudgetLedger) -> None:
        self.ledger = {share: getattr(ledger, share) for share in _SHARES}
