"""A process that decides about gates and runs them, beside others that do the same.

python -m support.gate_racer STORE EFFECTS SEED
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from pathlib import Path

from support.gates import GateStore
from tether.batteries.storage.errors import GateSettled


async def main(store: Path, effects: Path, seed: int) -> None:
    """Decide about every gate in an order of its own, and run whatever is approved."""
    chance = random.Random(seed)
    gates = await GateStore.open(store)
    rows = list(await gates.gates(limit=1_000))
    for row in chance.sample(rows, len(rows)):
        late = row.expires_at if chance.random() < 0.2 else None
        try:
            settled = await gates.settle_gate(
                row.id,
                approved=chance.random() < 0.7,
                by=f"racer {seed}",
                checksum=row.checksum,
                now=late,
            )
            _write(effects, ["settled", row.id, settled.state])
        except GateSettled:
            pass
        if await gates.claim_gate(row.id, checksum=row.checksum) is not None:
            _write(effects, ["ran", row.id, str(seed)])
            await gates.finish_gate(row.id, result="1")
    await gates.aclose()


def _write(effects: Path, what: list[str]) -> None:
    with effects.open("a") as file:
        file.write(json.dumps(what) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
