"""Gates as rows: written once, decided once, claimed once, whoever asks."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from support.gates import HOUR, GateStore, gate_row
from support.stores import POSTGRES
from tether.batteries.storage.errors import GateSettled, RecordMissing
from tether.batteries.storage.postgres import PostgresDatabase
from tether.batteries.storage.records import GateRow
from tether.batteries.storage.sql.gates import GATES_PER_MINUTE, MOST_DENIALS
from tether.batteries.testing import FakeClock
from tether.core.errors import InputRefused, LimitExceeded

DEEP = os.environ.get("EXPLORE") == "deep"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "file", POSTGRES] if DEEP else ["memory", POSTGRES])
async def gates(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock
) -> AsyncIterator[GateStore]:
    if request.param == "postgres":
        database = await PostgresDatabase.open(request.getfixturevalue("emptied_url"))
        store = GateStore(database, clock)
    else:
        path = tmp_path / "store.sqlite" if request.param == "file" else None
        store = await GateStore.open(path, clock)
    yield store
    await store.aclose()


async def opened(gates: GateStore, clock: FakeClock, **fields: Any) -> GateRow:
    return await gates.open_gate(gate_row(now=clock.now(), **fields))


async def approve(gates: GateStore, row: GateRow, **changed: Any) -> GateRow:
    given: dict[str, Any] = {"approved": True, "by": "ada", "checksum": row.checksum, **changed}
    return await gates.settle_gate(row.id, **given)


async def test_a_gate_comes_back_as_it_was_written(gates: GateStore, clock: FakeClock) -> None:
    row = gate_row(now=clock.now(), args={"to": "bob", "ü": [1, None]}, owner="eve")
    assert await gates.open_gate(row) == row
    assert await gates.gate(row.id) == row
    assert list(await gates.gates()) == [row]


async def test_the_same_step_finds_its_row(gates: GateStore, clock: FakeClock) -> None:
    row = await opened(gates, clock)
    clock.advance(60)
    assert await opened(gates, clock) == row
    await approve(gates, row)
    assert (await opened(gates, clock)).state == "approved"
    assert len(await gates.gates(states=["open", "approved"])) == 1


async def test_of_many_who_open_one_step_one_writes_it(gates: GateStore, clock: FakeClock) -> None:
    opening = [gates.open_gate(gate_row(now=clock.now())) for _ in range(5)]
    assert len({row.id for row in await asyncio.gather(*opening)}) == 1
    assert len(await gates.gates()) == 1


@pytest.mark.parametrize("other", [{"args": {"euros": 500}}, {"tool": "burn"}, {"owner": "eve"}])
async def test_a_step_never_lends_its_row_to_another_call(
    gates: GateStore, clock: FakeClock, other: dict[str, Any]
) -> None:
    await approve(gates, await opened(gates, clock))
    with pytest.raises(GateSettled, match="another call"):
        await opened(gates, clock, **other)


async def test_a_gate_is_opened_open_and_with_its_own_checksum(
    gates: GateStore, clock: FakeClock
) -> None:
    row = gate_row(now=clock.now())
    for forged in (
        replace(row, state="approved"),
        replace(row, checksum="0" * 64),
        replace(row, arguments='{"euros":5,"euros":500}'),
    ):
        with pytest.raises(InputRefused, match="own tool and arguments"):
            await gates.open_gate(forged)
    assert not await gates.gates()


async def test_the_first_decision_stands(gates: GateStore, clock: FakeClock) -> None:
    row = await opened(gates, clock)
    settled = await approve(gates, row, note="fine")
    assert (settled.state, settled.decided_by, settled.note) == ("approved", "ada", "fine")
    assert settled.decided_at == clock.now()
    for again in (True, False):
        with pytest.raises(GateSettled, match=r"it is approved \(by 'ada'\)"):
            await approve(gates, row, approved=again, by="eve")
    assert await gates.gate(row.id) == settled


async def test_a_decision_is_bound_to_gate_call_owner_and_person(
    gates: GateStore, clock: FakeClock
) -> None:
    row = await opened(gates, clock, owner="ada")
    other = await opened(gates, clock, step=1, args={"euros": 6})
    with pytest.raises(GateSettled, match="another call"):
        await approve(gates, row, checksum=other.checksum)
    with pytest.raises(RecordMissing, match="no gate"):
        await approve(gates, row, owner="eve")
    with pytest.raises(RecordMissing, match="no gate"):
        await gates.gate(row.id, owner="eve")
    for nobody in ("", "  ", "\x00"):
        with pytest.raises(InputRefused, match="by="):
            await approve(gates, row, by=nobody)
    with pytest.raises(RecordMissing):
        await approve(gates, replace(row, id="gone"))
    assert (await gates.gate(row.id)).state == "open"
    assert (await approve(gates, row, owner="ada")).state == "approved"


async def test_what_is_late_is_denied_even_by_a_microsecond(
    gates: GateStore, clock: FakeClock
) -> None:
    early, late = await opened(gates, clock), await opened(gates, clock, step=1)
    clock.advance(3599.999999)
    assert (await approve(gates, early)).state == "approved"
    clock.advance(0.000001)
    with pytest.raises(GateSettled, match="expired"):
        await approve(gates, late)
    row = await gates.gate(late.id)
    assert (row.state, row.decided_by, row.decided_at) == ("expired", "", late.expires_at)
    assert await gates.claim_gate(late.id, checksum=late.checksum) is None


async def test_nobody_decides_in_the_past_but_may_in_the_future(
    gates: GateStore, clock: FakeClock
) -> None:
    row, waiting = await opened(gates, clock), await opened(gates, clock, step=1)
    with pytest.raises(GateSettled, match="expired"):
        await approve(gates, row, now=row.expires_at)
    assert (await gates.gate(waiting.id)).state == "open"  # the other one's time is not over
    clock.advance(7200)
    with pytest.raises(GateSettled, match="expired"):
        await approve(gates, waiting, now=waiting.created_at)


async def test_all_past_deadlines_are_over_after_a_restart(
    tmp_path: Path, clock: FakeClock
) -> None:
    path = tmp_path / "store.sqlite"
    first = await GateStore.open(path, clock)
    for number in range(100):
        await opened(first, clock, run=f"run {number}", lasts=HOUR * (1 + number % 2))
    await first.aclose()
    clock.advance(3600)
    again = await GateStore.open(path, clock)
    assert len(await again.gates(states=["open", "expired"])) == 100
    assert len(await again.gates(states=["expired"])) == 50
    assert len(await again.gates()) == 50
    await again.aclose()


async def test_a_clock_that_jumps_back_opens_nothing_again(
    gates: GateStore, clock: FakeClock
) -> None:
    row = await opened(gates, clock)
    clock.advance(86_400)
    assert (await gates.gate(row.id)).state == "expired"
    earlier = GateStore(gates.database, FakeClock(row.created_at - timedelta(hours=2)))
    assert (await earlier.gate(row.id)).state == "expired"
    with pytest.raises(GateSettled, match="expired"):
        await approve(earlier, row)


async def test_an_approval_is_claimed_once(gates: GateStore, clock: FakeClock) -> None:
    row = await opened(gates, clock)
    assert await gates.claim_gate(row.id, checksum=row.checksum) is None
    await approve(gates, row)
    with pytest.raises(GateSettled, match="other arguments"):
        await gates.claim_gate(row.id, checksum="0" * 64)
    claimed = await gates.claim_gate(row.id, checksum=row.checksum)
    assert claimed is not None
    assert claimed.state == "running"
    assert await gates.claim_gate(row.id, checksum=row.checksum) is None
    with pytest.raises(RecordMissing):
        await gates.claim_gate("gone", checksum=row.checksum)


@pytest.mark.parametrize("column", ["arguments", "tool"])
async def test_a_row_that_was_changed_is_neither_settled_nor_run(
    gates: GateStore, clock: FakeClock, column: str
) -> None:
    row, ready = await opened(gates, clock), await opened(gates, clock, step=1)
    await approve(gates, ready)
    async with gates.database.writing() as transaction:
        await transaction.execute(f"UPDATE gates SET {column} = ?", ('{"euros":500}',))
    with pytest.raises(GateSettled, match="altered"):
        await approve(gates, row)
    with pytest.raises(GateSettled, match="altered"):
        await gates.claim_gate(ready.id, checksum=ready.checksum)
    assert (await gates.gate(row.id)).state == "open"
    assert (await gates.gate(ready.id)).state == "approved"


@pytest.mark.parametrize(("failed", "state"), [(False, "done"), (True, "failed")])
async def test_a_step_ends_once(
    gates: GateStore, clock: FakeClock, failed: bool, state: str
) -> None:
    row = await opened(gates, clock)
    with pytest.raises(GateSettled, match="is open"):
        await gates.finish_gate(row.id, result="1")
    await approve(gates, row)
    await gates.claim_gate(row.id, checksum=row.checksum)
    finished = await gates.finish_gate(row.id, result="1", failed=failed)
    assert (finished.state, finished.result) == (state, "1")
    with pytest.raises(GateSettled, match=f"is {state}"):
        await gates.finish_gate(row.id, result="2")
    with pytest.raises(RecordMissing):
        await gates.finish_gate("gone", result=None)


async def test_what_ran_when_its_process_died_is_unknown_until_it_ends(
    gates: GateStore, clock: FakeClock
) -> None:
    rows = [await opened(gates, clock, run=run) for run in ("one", "two")]
    for row in rows:
        await approve(gates, row)
        await gates.claim_gate(row.id, checksum=row.checksum)
    assert await gates.abandon_gates("one") == 1
    assert await gates.abandon_gates("one") == 0
    assert [(await gates.gate(row.id)).state for row in rows] == ["unknown", "running"]
    assert await gates.claim_gate(rows[0].id, checksum=rows[0].checksum) is None
    assert (await gates.finish_gate(rows[0].id, result="1")).state == "done"


async def test_gates_are_listed_by_owner_and_state_oldest_first(
    gates: GateStore, clock: FakeClock
) -> None:
    rows = [
        await opened(gates, clock, run=f"run {n}", owner="ada" if n % 2 else "") for n in range(6)
    ]
    await approve(gates, rows[1])
    assert list(await gates.gates()) == [rows[0], *rows[2:]]
    assert list(await gates.gates(limit=2)) == [rows[0], rows[2]]
    assert list(await gates.gates(owner="ada")) == [rows[3], rows[5]]
    assert list(await gates.gates(owner="")) == [rows[0], rows[2], rows[4]]
    assert [row.id for row in await gates.gates(states=["approved"])] == [rows[1].id]
    assert list(await gates.gates(states=[])) == []


async def test_fewer_than_none_are_none(gates: GateStore, clock: FakeClock) -> None:
    await gates.open_gate(gate_row(now=clock.now()))
    assert await gates.gates(limit=-1) == []


async def test_a_run_that_asks_too_often_is_stopped(gates: GateStore, clock: FakeClock) -> None:
    for step in range(GATES_PER_MINUTE):
        await opened(gates, clock, step=step)
    with pytest.raises(LimitExceeded, match="within a minute"):
        await opened(gates, clock, step=GATES_PER_MINUTE)
    assert (await opened(gates, clock, step=0)).step == 0  # an existing gate is not a new one
    await opened(gates, clock, run="another run")
    backwards = gate_row(step=GATES_PER_MINUTE, now=clock.now() - timedelta(hours=2))
    with pytest.raises(LimitExceeded):  # setting the clock back does not help
        await gates.open_gate(backwards)
    clock.advance(60)
    await opened(gates, clock, step=GATES_PER_MINUTE)


async def test_a_run_has_an_end(
    gates: GateStore, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tether.batteries.storage.sql.gates.GATES_PER_RUN", 3)
    for step in range(3):
        await opened(gates, clock, step=step)
        clock.advance(600)
    with pytest.raises(LimitExceeded, match="3 times in all"):
        await opened(gates, clock, step=3)


async def test_a_reworded_call_is_refused_after_two_denials(
    gates: GateStore, clock: FakeClock
) -> None:
    for step in range(MOST_DENIALS):
        row = await opened(gates, clock, step=step, args={"euros": step})
        await approve(gates, row, approved=False)
    with pytest.raises(InputRefused, match="denied 2 times"):
        await opened(gates, clock, step=MOST_DENIALS, args={"euros": 0.5})
    await opened(gates, clock, step=MOST_DENIALS, tool="look")
    await opened(gates, clock, run="another run")


async def test_a_gate_that_nobody_decided_counts_as_a_denial(
    gates: GateStore, clock: FakeClock
) -> None:
    for step in range(MOST_DENIALS):
        await opened(gates, clock, step=step)
    clock.advance(3600)
    with pytest.raises(InputRefused, match="denied 2 times"):
        await opened(gates, clock, step=MOST_DENIALS)


async def test_who_and_why_are_kept_without_what_a_database_refuses(
    gates: GateStore, clock: FakeClock
) -> None:
    row = await opened(gates, clock)
    settled = await approve(gates, row, by="a\x00da ", note="\ud800 no'; DROP TABLE gates;--")
    assert (settled.decided_by, settled.note) == ("ada", "\ufffd no'; DROP TABLE gates;--")


async def test_two_stores_on_one_file_see_each_other(tmp_path: Path, clock: FakeClock) -> None:
    one, two = [await GateStore.open(tmp_path / "store.sqlite", clock) for _ in range(2)]
    row = await opened(one, clock)
    await approve(two, row)
    assert (await one.gate(row.id)).state == "approved"
    with pytest.raises(GateSettled):
        await approve(one, row, approved=False)
    await one.aclose()
    await two.aclose()
