"""What an agent hears of its runner: text as it comes, gates, failures and the ledger."""

from __future__ import annotations

from typing import Any

from tether.ask.failing import Failures
from tether.ask.turn import AskTurn
from tether.core.events import BudgetLedger, ErrorRaised, MessageChunk
from tether.runtime.gate import TurnGate
from tether.runtime.turn import TurnRunner

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


def listened(runner: TurnRunner, turn: AskTurn) -> Failures:
    """Let a turn hear its runner; return where its failures are noted."""

    def write(chunk: MessageChunk) -> None:
        if turn.model.style != "claims":  # which are no text for people before they are read back
            turn.provisional(chunk.a_delta)

    def wait(gate: TurnGate[Any]) -> None:
        label = f"waiting for a decision: {gate.reason}"
        turn.tell("gate", "done", label, id=gate.id, shown=gate.payload)

    def weigh(ledger: BudgetLedger) -> None:
        turn.ledger = {share: getattr(ledger, share) for share in _SHARES}

    failures = Failures()
    runner.on(MessageChunk, write)
    runner.observe(TurnGate, wait)
    runner.observe(ErrorRaised, failures.note)
    runner.observe(BudgetLedger, weigh)
    return failures
