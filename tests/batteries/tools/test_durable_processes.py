"""A run whose process is killed is started again: decisions hold, and nothing runs twice."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.gate_process import paying
from support.gates import GateStore, told
from support.stores import unmeasured_environment
from tether import ToolDownstreamError
from tether.batteries.storage.records import GateState
from tether.batteries.testing import run_tool
from tether.runtime.gate import TurnGate

POINTS = ("before it is stored", "waiting", "approved", "done")
TESTS = Path(__file__).resolve().parents[2]
STATES: tuple[GateState, ...] = ("open", "approved", "denied", "running", "done", "unknown")


class Job:
    """A job in a folder: it ran in a process that died, and goes on here."""

    def __init__(self, folder: Path, ended: Path) -> None:
        self.folder = folder
        self.store = folder / "store.sqlite"
        self.effects = folder / "effects"
        self.asked: list[dict[str, Any]] = []
        self._ended = ended

    def died(self, point: str) -> None:
        """Take what a process left behind that was killed at a point."""
        shutil.copytree(self._ended / point, self.folder, dirs_exist_ok=True)

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


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ended")
    done = subprocess.run(
        [sys.executable, "-m", "support.gate_process", str(folder), *POINTS],
        cwd=TESTS,
        capture_output=True,
        timeout=60,
        check=False,
        env=unmeasured_environment(),
    )
    assert json.loads(done.stdout) == [-signal.SIGKILL] * len(POINTS), done.stderr.decode()
    return folder


@pytest.fixture
def job(tmp_path: Path, ended: Path) -> Job:
    return Job(tmp_path, ended)


async def test_killed_before_the_gate_is_stored_it_is_asked_again(job: Job) -> None:
    job.died("before it is stored")
    assert (await job.states(), told(job.effects)) == ([], [])
    assert await job.again() == "paid 5"
    assert (len(job.asked), len(told(job.effects))) == (1, 1)


async def test_killed_while_it_waits_the_gate_still_waits_and_can_be_decided(job: Job) -> None:
    job.died("waiting")
    assert (await job.states(), told(job.effects)) == (["open"], [])
    gates = await GateStore.open(job.store)
    (row,) = await gates.gates()
    await gates.settle_gate(row.id, approved=True, by="ada", checksum=row.checksum)
    await gates.aclose()
    assert await job.again() == "paid 5"
    assert (job.asked, told(job.effects)) == ([], [[5, row.id]])


async def test_killed_after_the_yes_it_runs_once_without_asking(job: Job) -> None:
    job.died("approved")
    assert (await job.states(), told(job.effects)) == (["approved"], [])
    assert await job.again() == "paid 5"
    assert await job.again() == "paid 5"
    assert (job.asked, len(told(job.effects))) == ([], 1)


async def test_killed_after_it_ran_it_is_not_run_again_without_a_person(job: Job) -> None:
    job.died("done")
    assert (await job.states(), len(told(job.effects))) == (["running"], 1)
    with pytest.raises(ToolDownstreamError):
        await job.again(decision=False)
    assert len(told(job.effects)) == 1
    assert "may have run already" in job.asked[0]["warning"]
    assert await job.states() == ["unknown", "denied"]


async def test_killed_after_it_ran_a_person_may_say_so_again_under_the_same_key(job: Job) -> None:
    job.died("done")
    assert await job.again() == "paid 5"
    (first, second) = told(job.effects)
    assert first == second
    assert await job.states() == ["unknown", "done"]
