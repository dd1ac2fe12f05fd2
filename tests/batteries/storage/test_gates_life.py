"""The life of gates against a model of it: a dictionary and a clock."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from support.gates import GateStore, gate_row
from tether.batteries.storage.errors import GateSettled
from tether.batteries.storage.records import GateRow, GateState
from tether.batteries.storage.sql.gates import GATES_PER_MINUTE, MOST_DENIALS
from tether.batteries.testing import FakeClock
from tether.core.errors import InputRefused, LimitExceeded

pytestmark = pytest.mark.unmeasured

DEEP = os.environ.get("EXPLORE") == "deep"

STATES: tuple[GateState, ...] = (
    "open",
    "approved",
    "denied",
    "expired",
    "running",
    "done",
    "failed",
    "unknown",
)


class Life(RuleBasedStateMachine):
    """Opens, decides, claims, ends and gives up; every answer is compared with the model's."""

    gates = Bundle("gates")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.clock = FakeClock()
        self.store = self.loop.run(GateStore.open(None, self.clock))
        self.known: dict[str, GateRow] = {}

    def teardown(self) -> None:
        self.loop.run(self.store.aclose())
        self.loop.close()

    def now(self, id: str) -> GateRow:
        """Return the state of a gate in the model of this test."""
        row = self.known[id]
        if row.state == "open" and row.expires_at <= self.clock.now():
            row = replace(row, state="expired", decided_at=row.expires_at)
            self.known[id] = row
        return row

    def allowance(self, row: GateRow) -> type[Exception] | None:
        """Return the error with which a new gate of a run has to be refused."""
        run = [self.now(id) for id, known in self.known.items() if known.run == row.run]
        denials = [it for it in run if it.tool == row.tool and it.state in ("denied", "expired")]
        if len(denials) >= MOST_DENIALS:
            return InputRefused
        recent = [it for it in run if (row.created_at - it.created_at).total_seconds() < 60]
        return LimitExceeded if len(recent) >= GATES_PER_MINUTE else None

    @rule(
        target=gates,
        run=st.sampled_from(["a", "b", "c"]),
        step=st.integers(0, 4),
        tool=st.sampled_from(["pay", "send"]),
        euros=st.integers(0, 1),
    )
    def open(self, run: str, step: int, tool: str, euros: int) -> Any:
        row = gate_row(run, step, tool=tool, args={"euros": euros}, now=self.clock.now())
        there = [it for it in self.known.values() if (it.run, it.step) == (run, step)]
        refusal: type[Exception] | None
        refusal = GateSettled if there and there[0].checksum != row.checksum else None
        refusal = refusal or (None if there else self.allowance(row))
        if refusal is not None:
            with pytest.raises(refusal):
                self.loop.run(self.store.open_gate(row))
            return multiple()
        opened = self.loop.run(self.store.open_gate(row))
        self.known.setdefault(opened.id, row)
        assert opened == self.now(opened.id if there else row.id)
        return opened.id

    @rule(id=gates, approved=st.booleans(), altered=st.booleans())
    def settle(self, id: str, approved: bool, altered: bool) -> None:
        row = self.now(id)
        checksum = "0" * 64 if altered else row.checksum
        work = self.store.settle_gate(id, approved=approved, by="ada", checksum=checksum)
        if altered or row.state != "open":
            with pytest.raises(GateSettled):
                self.loop.run(work)
            return
        state: GateState = "approved" if approved else "denied"
        decided = replace(row, state=state, decided_by="ada", decided_at=self.clock.now())
        self.known[id] = decided
        assert self.loop.run(work) == decided

    @rule(id=gates)
    def claim(self, id: str) -> None:
        row = self.now(id)
        claimed = self.loop.run(self.store.claim_gate(id, checksum=row.checksum))
        if row.state == "approved":
            self.known[id] = replace(row, state="running")
            assert claimed == self.known[id]
        else:
            assert claimed is None

    @rule(id=gates, failed=st.booleans())
    def finish(self, id: str, failed: bool) -> None:
        row = self.now(id)
        work = self.store.finish_gate(id, result="1", failed=failed)
        if row.state not in ("running", "unknown"):
            with pytest.raises(GateSettled):
                self.loop.run(work)
            return
        self.known[id] = replace(row, state="failed" if failed else "done", result="1")
        assert self.loop.run(work) == self.known[id]

    @rule(run=st.sampled_from(["a", "b", "c"]))
    def give_up(self, run: str) -> None:
        left = [it for it in self.known.values() if it.run == run and it.state == "running"]
        assert self.loop.run(self.store.abandon_gates(run)) == len(left)
        self.known |= {row.id: replace(row, state="unknown") for row in left}

    @rule(minutes=st.sampled_from([1, 30, 59, 60]))
    def wait(self, minutes: int) -> None:
        self.clock.advance(minutes * 60)

    @invariant()
    def the_store_knows_what_the_model_knows(self) -> None:
        stored = self.loop.run(self.store.gates(states=STATES, limit=1_000))
        assert {row.id: row for row in stored} == {id: self.now(id) for id in self.known}


TestLife = Life.TestCase
TestLife.settings = settings(
    TestLife.settings, max_examples=200 if DEEP else 6, stateful_step_count=30, deadline=None
)
