"""A process that runs a job with a gated tool, and kills itself at the point it is told to.

    python -m support.gate_process STORE EFFECTS POINT

Whoever is asked says yes at once, unless POINT is `waiting`.
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


async def main(store: Path, effects: Path, point: str) -> None:
    """Run the job."""
    gates = await Mortal.open(store)
    gates.point = point  # type: ignore[attr-defined]

    def decide(gate: TurnGate[Any]) -> None:
        if point == "waiting":
            die()
        gate.resolve(True)

    print(await run_tool(paying(gates, effects), {"euros": 5}, on_gate=decide))
    await gates.aclose()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
