"""Many who decide and run at once: one decision stands, and nothing runs twice."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from support.gates import GateStore, gate_row, told
from support.stores import unmeasured_environment
from tether.batteries.storage.errors import GateSettled
from tether.batteries.storage.postgres import PostgresDatabase
from tether.batteries.storage.records import GateRow

pytestmark = pytest.mark.unmeasured

DEEP = os.environ.get("EXPLORE") == "deep"
RACES = {"memory": 30, "file": 20, "postgres": 20}
"""And a thousand each with EXPLORE=deep."""

AT_ONCE = 10
TESTS = Path(__file__).resolve().parents[2]


@pytest.fixture(params=list(RACES))
async def stores(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[Sequence[GateStore]]:
    """Two stores on one database, as two processes have them; in memory, there is only one."""
    if request.param == "memory":
        opened = [await GateStore.open()]
    elif request.param == "file":
        opened = [await GateStore.open(tmp_path / "store.sqlite") for _ in range(2)]
    else:
        url = request.getfixturevalue("emptied_url")
        opened = [GateStore(await PostgresDatabase.open(url)) for _ in range(2)]
    yield opened
    for store in opened:
        await store.aclose()


class Race:
    """Three who decide and two who run, about one gate, in an order that chance chooses."""

    def __init__(self, stores: Sequence[GateStore], row: GateRow, chance: random.Random) -> None:
        self.stores = stores
        self.row = row
        self.chance = chance
        self.decisions: list[str] = []
        self.runs = 0

    async def run(self) -> GateRow:
        await self.stores[0].open_gate(self.row)
        acts = [self.decide(), self.decide(), self.decide(), self.claim(), self.claim()]
        self.chance.shuffle(acts)
        await asyncio.gather(*acts)
        await self.claim()
        return await self.stores[-1].gate(self.row.id)

    async def decide(self) -> None:
        await self.pause()
        kind = self.chance.choice(["approve", "approve", "deny", "expire"])
        try:
            settled = await self.chance.choice(self.stores).settle_gate(
                self.row.id,
                approved=kind == "approve",
                by=kind,
                checksum=self.row.checksum,
                now=self.row.expires_at if kind == "expire" else None,
            )
            self.decisions.append(settled.state)
        except GateSettled:
            pass

    async def claim(self) -> None:
        await self.pause()
        store = self.chance.choice(self.stores)
        if await store.claim_gate(self.row.id, checksum=self.row.checksum) is not None:
            self.runs += 1
            await store.finish_gate(self.row.id, result="1")

    async def pause(self) -> None:
        for _ in range(self.chance.randrange(4)):
            await asyncio.sleep(0)


async def test_one_decision_stands_and_is_carried_out_once(
    request: pytest.FixtureRequest, stores: Sequence[GateStore]
) -> None:
    chance = random.Random(46)
    count = 1_000 if DEEP else RACES[request.node.callspec.params["stores"]]
    races = [Race(stores, gate_row(run=f"run {n}"), chance) for n in range(count)]
    ends: set[str] = set()
    for start in range(0, count, AT_ONCE):
        batch = races[start : start + AT_ONCE]
        rows = await asyncio.gather(*(race.run() for race in batch))
        for race, row in zip(batch, rows, strict=True):
            expected = {"done": ["approved"], "denied": ["denied"], "expired": []}
            assert race.decisions == expected[row.state]
            assert race.runs == (row.state == "done")
            ends.add(row.state)
    assert ends == {"done", "denied", "expired"}


async def test_processes_race_for_the_same_gates(tmp_path: Path) -> None:
    store, effects = tmp_path / "store.sqlite", tmp_path / "effects"
    gates = await GateStore.open(store)
    rows = [await gates.open_gate(gate_row(run=f"run {n}")) for n in range(1_000 if DEEP else 20)]
    words = [sys.executable, "-m", "support.gate_racer", str(store), str(effects)]
    racers = [
        await asyncio.create_subprocess_exec(
            *words, str(seed), cwd=TESTS, env=unmeasured_environment()
        )
        for seed in range(3)
    ]
    codes = [await racer.wait() for racer in racers]
    assert codes == [0, 0, 0]
    happened = told(effects)
    ran = [id for what, id, _ in happened if what == "ran"]
    decided = {id: state for what, id, state in happened if what == "settled"}
    assert len(ran) == len(set(ran))
    assert len(decided) == sum(what == "settled" for what, _, _ in happened)
    assert set(ran) == {id for id, state in decided.items() if state == "approved"}
    for row in rows:
        ended = {"approved": "done", "denied": "denied", None: "expired"}
        assert (await gates.gate(row.id)).state == ended[decided.get(row.id)]
    await gates.aclose()
