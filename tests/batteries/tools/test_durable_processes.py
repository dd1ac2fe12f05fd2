"""A run whose process is killed is started again: decisions hold, and nothing runs twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.gate_process import paying
from support.gates import GateStore, told
from tether import ToolDownstreamError
from tether.batteries.storage.records import GateState
from tether.batteries.testing import run_tool
from tether.runtime.gate import TurnGate

TESTS = Path(__file__).resolve().parents[2]
STATES: tuple[GateState, ...] = ("open", "approved", "denied", "running", "done", "unknown")


class Job:
    """A job in a folder: run in a process that dies, then here."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "store.sqlite"
        self.effects = folder / "effects"
        self.effects.touch()
        self.asked: list[dict[str, Any]] = []

    def dies(self, point: str) -> None:
        words = [sys.executable, "-m", "support.gate_process", self.store, self.effects, point]
        done = subprocess.run(
            [str(word) for word in words], cwd=TESTS, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()

    async def states(self) -> list[str]:
        gates = await GateStore.open(self.store)
        found: list[str] = [row.state for row in await gates.gates(states=STATES)]
        await gates.aclose()
        return found

    async def again(self, decision: bool = True) -> Any:
        """Start the run again, in this process."""
        gates = await GateStore.open(self.store)

        def decide(gate: TurnGate[Any]) -> None:
            self.asked.append(gate.payload)
            gate.resolve(decision)

        try:
            return await run_tool(paying(gates, self.effects), {"euros": 5}, on_gate=decide)
        finally:
            await gates.aclose()


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


async def test_killed_before_the_gate_is_stored_it_is_asked_again(job: Job) -> None:
    job.dies("before it is stored")
    assert (await job.states(), told(job.effects)) == ([], [])
    assert await job.again() == "paid 5"
    assert (len(job.asked), len(told(job.effects))) == (1, 1)


async def test_killed_while_it_waits_the_gate_still_waits_and_can_be_decided(job: Job) -> None:
    job.dies("waiting")
    assert (await job.states(), told(job.effects)) == (["open"], [])
    gates = await GateStore.open(job.store)
    (row,) = await gates.gates()
    await gates.settle_gate(row.id, approved=True, by="ada", checksum=row.checksum)
    await gates.aclose()
    assert await job.again() == "paid 5"
    assert (job.asked, told(job.effects)) == ([], [[5, row.id]])


async def test_killed_after_the_yes_it_runs_once_without_asking(job: Job) -> None:
    job.dies("approved")
    assert (await job.states(), told(job.effects)) == (["approved"], [])
    assert await job.again() == "paid 5"
    assert await job.again() == "paid 5"
    assert (job.asked, len(told(job.effects))) == ([], 1)


async def test_killed_after_it_ran_it_is_not_run_again_without_a_person(job: Job) -> None:
    job.dies("done")
    assert (await job.states(), len(told(job.effects))) == (["running"], 1)
    with pytest.raises(ToolDownstreamError):
        await job.again(decision=False)
    assert len(told(job.effects)) == 1
    assert "may have run already" in job.asked[0]["warning"]
    assert await job.states() == ["unknown", "denied"]


async def test_killed_after_it_ran_a_person_may_say_so_again_under_the_same_key(job: Job) -> None:
    job.dies("done")
    assert await job.again() == "paid 5"
    (first, second) = told(job.effects)
    assert first == second
    assert await job.states() == ["unknown", "done"]
