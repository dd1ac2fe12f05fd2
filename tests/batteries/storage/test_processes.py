"""Many processes at one store, and processes that are killed: each test in processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.stores import unmeasured_environment

DEEP = os.environ.get("EXPLORE") == "deep"
ROUNDS = 250 if DEEP else 9
KILLS = 200 if DEEP else 6

BEGINNING = """
import asyncio, json, os, random, signal, sys, time
from pathlib import Path
from tether import Message
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.records import Exchange
from tether.batteries.storage.sqlite import SqliteStore

place = sys.argv[1]
number = int(sys.argv[2])
if not place.endswith(".db"):
    import psycopg, psycopg_pool  # once, and not in every child

async def opened():
    if place.endswith(".db"):
        return await SqliteStore.open(Path(place))
    return await PostgresStore.open(place)

def exchange(turn):
    return Exchange(turn=turn, conversation="c", question=Message.user("q" * 300),
                    answer=Message.assistant("a" * 300), details={"turn": turn})

async def turns(store):
    return [found.turn for found in await store.exchanges("c")]

def forked(work, *arguments):
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        asyncio.run(work(*arguments))
        code = 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)
"""

MANY = (
    BEGINNING
    + """
WRITERS, READERS = 8, 4

async def write(writer):
    store = await opened()
    await store.begin(id="c")
    for round in range(number):
        await store.store_exchange(exchange(f"{writer}.{round}"))
        if round % 4 == 0 and place.endswith(".db"):
            await store.database.checkpoint()
    await store.aclose()

async def read(told):
    store = await opened()
    await store.begin(id="c")
    seen = []
    while len(seen) < WRITERS * number:
        now = await turns(store)
        assert now[: len(seen)] == seen, "the past was changed"
        seen = now
        await asyncio.sleep(0.03)
    await store.aclose()
    os.write(told, json.dumps(seen).encode() + b"\\n")

read_end, write_end = os.pipe()
children = [forked(write, writer) for writer in range(WRITERS)]
children += [forked(read, write_end) for _ in range(READERS)]
os.close(write_end)
told = b""
while piece := os.read(read_end, 65536):
    told += piece
codes = [os.waitpid(child, 0)[1] for child in children]
print(json.dumps({"codes": codes, "orders": [json.loads(line) for line in told.splitlines()]}))
"""
)

KILLED = (
    BEGINNING
    + """
async def write_for_ever(told, start):
    store = await opened()
    await store.begin(id="c")
    for turn in range(start, start + 1_000_000):
        await store.store_exchange(exchange(f"{turn:08}"))
        os.write(told, b"%08d" % turn)

async def found():
    store = await opened()
    await store.begin(id="c")
    kept = await turns(store)
    problems = await store.problems() if place.endswith(".db") else []
    await store.aclose()
    return kept, problems

results, random, start = [], random.Random(7), 0
for _ in range(number):
    read_end, write_end = os.pipe()
    child = forked(write_for_ever, write_end, start)
    os.close(write_end)
    told = os.read(read_end, 8)
    time.sleep(random.uniform(0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while piece := os.read(read_end, 65536):
        told += piece
    os.close(read_end)
    acknowledged = int(told[-8:])
    kept, problems = asyncio.run(found())
    results.append([acknowledged, kept == [f"{turn:08}" for turn in range(len(kept))], len(kept),
                    problems])
    start = len(kept)
print(json.dumps(results))
"""
)


def result_of(script: str, place: str, number: int) -> Any:
    run = subprocess.run(
        [sys.executable, "-c", script, place, str(number)],
        capture_output=True,
        text=True,
        check=False,
        env=unmeasured_environment(),
        timeout=280,
    )
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    return json.loads(run.stdout)


@pytest.fixture(params=["file", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return str(tmp_path / "store" / "tether.db")
    return str(request.getfixturevalue("postgres_url"))


def test_cases_118_and_147_many_writers_lose_nothing_and_all_readers_see_one_order(
    place: str,
) -> None:
    rounds = ROUNDS if place.endswith(".db") else ROUNDS // 3
    found = result_of(MANY, place, rounds)
    assert found["codes"] == [0] * 12
    orders = found["orders"]
    assert len(orders) == 4
    assert all(order == orders[0] for order in orders)
    assert sorted(orders[0]) == sorted(f"{w}.{n}" for w in range(8) for n in range(rounds))
    for writer in range(8):
        own = [turn for turn in orders[0] if turn.startswith(f"{writer}.")]
        assert own == [f"{writer}.{number}" for number in range(rounds)]


def test_a_writer_that_is_killed_loses_nothing_it_was_told_is_kept(place: str) -> None:
    kills = KILLS if place.endswith(".db") else max(2, KILLS // 3)
    for acknowledged, in_order, kept, problems in result_of(KILLED, place, kills):
        assert in_order
        assert acknowledged < kept <= acknowledged + 2
        assert problems == []
