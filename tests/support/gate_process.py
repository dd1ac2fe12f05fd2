"""Processes that run a job with a gated tool, each of which kills itself at a point of its own.

    python -m support.gate_process FOLDER POINT...

The store and the effects of each are in FOLDER/POINT. Whoever is asked says yes at once, unless
POINT is `waiting`. Prints how each ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from support.gates import HOUR, GateStore
from tether import DispatchContext, Tool, tool
from tether.batteries.storage.records import GateRow
from tether.batteries.testing import run_tool
from tether.batteries.tools.durable import IDEMPOTENCY_KEY, durable
from tether.runtime.gate import TurnGate


def die() -> NoReturn:
    """End this process as nothing can be prepared for."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


class Mortal(GateStore):
    """Gates of a process that dies at a point."""

    point = ""

    async def open_gate(self, row: GateRow) -> GateRow:
        if self.point == "before it is stored":
            die()
        return await super().open_gate(row)

    async def claim_gate(self, id: str, *, checksum: str) -> GateRow | None:
        if self.point == "approved":
            die()
        return await super().claim_gate(id, checksum=checksum)

    async def finish_gate(self, id: str, **given: Any) -> GateRow:
        if self.point == "done":
            die()
        return await super().finish_gate(id, **given)


def paying(gates: GateStore, effects: Path) -> Tool:
    """Return the tool of the job: its effect is a line in a file."""

    @tool
    def pay(ctx: DispatchContext, euros: int) -> str:
        """Pay."""
        with effects.open("a") as file:
            file.write(json.dumps([euros, ctx.stash.get(IDEMPOTENCY_KEY)]) + "\n")
        return f"paid {euros}"

    return durable(pay, gates, run="job", owner="ada", expires_in=HOUR, poll_ms=5)


async def job(folder: Path, point: str) -> None:
    """Run the job in a folder."""
    effects = folder / "effects"
    gates = await Mortal.open(folder / "store.sqlite")
    gates.point = point  # type: ignore[attr-defined]

    def decide(gate: TurnGate[Any]) -> None:
        if point == "waiting":
            die()
        gate.resolve(True)

    await run_tool(paying(gates, effects), {"euros": 5}, on_gate=decide)
    await gates.aclose()


def ended(folder: Path, point: str) -> int:
    """Run the job in a process of its own and return its exit code."""
    (folder / point).mkdir()
    (folder / point / "effects").touch()
    child = os.fork()
    if child == 0:
        asyncio.run(job(folder / point, point))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    print(json.dumps([ended(Path(sys.argv[1]), point) for point in sys.argv[2:]]))
