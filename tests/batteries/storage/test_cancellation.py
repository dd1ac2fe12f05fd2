"""Cases 142 and 143: cancelled at every point where it waits, a write is in or out, never half."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest

from support.stores import open_sqlite
from support.turns import WHEN, message
from tether import BytesReader, Media, Message
from tether.batteries.storage.errors import StoreFailed
from tether.batteries.storage.postgres import PostgresStore
from tether.batteries.storage.records import Exchange
from tether.batteries.storage.sql.store import SqlStore
from tether.batteries.storage.sqlite import SqliteDatabase, SqliteStore
from tether.batteries.storage.threads import Worker


class Cancelled:
    """Awaits a coroutine and has its task cancelled when it waits for the `at`th time."""

    def __init__(self, work: Coroutine[Any, Any, object], at: int, times: int) -> None:
        self._work, self._at, self._times = work, at, times
        self.reached = False

    def __await__(self) -> Generator[Any, None, object]:
        steps = self._work.__await__()
        task = asyncio.current_task()
        assert task is not None
        for number in range(1, 100_000):
            try:
                waited_for = next(steps)
            except StopIteration as end:
                return end.value
            if number == self._at:
                self.reached = True
                self._cancel_soon(task)
            try:
                yield waited_for
            except asyncio.CancelledError as error:
                yield from self._after(steps, error)
        raise AssertionError("it never ended")

    def _cancel_soon(self, task: asyncio.Task[Any]) -> None:
        loop = asyncio.get_running_loop()
        for number in range(self._times):
            loop.call_later(number * 0.0005, task.cancel)

    def _after(self, steps: Generator[Any, None, Any], error: BaseException) -> Any:
        """Go on as a task would: an error thrown in goes to the coroutine."""
        try:
            waited_for = steps.throw(error)
        except StopIteration as end:
            raise AssertionError("the cancellation was swallowed") from end
        while True:
            try:
                yield waited_for
            except asyncio.CancelledError as again:
                waited_for = steps.throw(again)
            else:
                waited_for = next(steps)


async def cancelled_at(work: Coroutine[Any, Any, object], at: int, times: int = 1) -> bool:
    """Run it, cancelled at a point; return whether it got that far."""
    awaited = Cancelled(work, at, times)

    async def run() -> None:
        await awaited

    try:
        await asyncio.create_task(run())
    except asyncio.CancelledError:
        assert awaited.reached
    return awaited.reached


def exchange(turn: str) -> Exchange:
    media = Media.user_attachment(
        kind="image", mime_type="image/png", filename="x", reader=BytesReader(turn.encode())
    )
    question = Message(id=f"q-{turn}", role="user", attachments=[media], created_at=WHEN)
    return Exchange(turn=turn, conversation="c", question=question, answer=message("a"))


async def check_whole(store: SqlStore, turns: list[str]) -> None:
    """All is in or out, and the store can be written to at once."""
    kept = await store.exchanges("c")
    contents = [await found.question.attachments[0].as_bytes() for found in kept]
    assert contents == [found.turn.encode() for found in kept]
    assert {found.turn for found in kept} <= set(turns)
    [blobs] = await store.database.query("SELECT count(*) AS n FROM blobs")
    [uses] = await store.database.query("SELECT count(*) AS n FROM blob_uses")
    assert blobs["n"] == uses["n"] == len(kept)
    async with asyncio.timeout(5):
        await store.begin(id="c")


@pytest.mark.parametrize(
    ("store", "times"),
    [("memory", 1), ("file", 1), ("file", 3), ("postgres", 1), ("postgres", 3)],
    indirect=["store"],
)
async def test_a_write_that_is_cancelled_is_in_or_out(store: SqlStore, times: int) -> None:
    await store.begin(id="c")
    turns: list[str] = []
    reached = True
    while reached:
        turns.append(f"{times}.{len(turns) + 1}")
        write = store.store_exchange(exchange(turns[-1]))
        reached = await cancelled_at(write, len(turns), times)
        await check_whole(store, turns)
    assert len(turns) > 5
    assert (await store.exchange("")).turn == turns[-1]


async def test_a_read_that_is_cancelled_does_no_harm(store: SqlStore) -> None:
    await store.begin(id="c")
    at = 1
    while await cancelled_at(store.exchanges("c"), at):
        assert await store.exchanges("c") == []
        at += 1


async def open_into(opened: list[SqliteStore], folder: Path) -> None:
    opened.append(await open_sqlite(folder))


async def test_an_opening_that_is_cancelled_leaves_the_file_usable(tmp_path: Path) -> None:
    at, reached = 1, True
    while reached:
        opened: list[SqliteStore] = []

        reached = await cancelled_at(open_into(opened, tmp_path / str(at)), at)
        store = opened[0] if opened else await open_sqlite(tmp_path / str(at))
        async with asyncio.timeout(5):
            await store.begin()
        assert await store.problems() == []
        await store.aclose()
        at += 1 if at < 12 else 9


async def test_a_close_that_is_cancelled_still_closes(tmp_path: Path) -> None:
    at, reached = 1, True
    while reached:
        database = await SqliteDatabase.open(tmp_path / "store.db")
        reached = await cancelled_at(database.aclose(), at)
        with pytest.raises(StoreFailed, match="closed"):
            await database.query("SELECT 1")
        at += 1
    assert not (tmp_path / "store.db-wal").exists()


async def test_who_waits_for_the_lock_stops_waiting_at_once(tmp_path: Path) -> None:
    one = await SqliteDatabase.open(tmp_path / "store.db")
    two = await SqliteDatabase.open(tmp_path / "store.db")

    async def write(database: SqliteDatabase) -> None:
        async with database.writing():
            pytest.fail("two writers at once")

    async with one.writing():
        waiting = [asyncio.create_task(write(database)) for database in (one, two, two)]
        await asyncio.sleep(0.02)
        for task in waiting:
            task.cancel()
        done, _ = await asyncio.wait(waiting, timeout=5)
        assert all(task.cancelled() for task in done)
        assert len(done) == 3
    for database in (one, two):
        async with database.writing():
            pass
        await database.aclose()


async def test_a_timeout_around_a_write_is_a_timeout(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path)

    async def write() -> None:
        async with store.database.writing() as transaction:
            await transaction.execute("INSERT INTO blobs (id, bytes) VALUES ('x', x'00')")
            await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(write(), 0.05)
    assert await store.database.query("SELECT id FROM blobs") == []
    await store.aclose()


async def test_an_error_in_a_block_undoes_the_block(store: SqlStore) -> None:
    async def fail() -> None:
        async with store.database.writing() as transaction:
            await transaction.execute("INSERT INTO blobs (id, bytes) VALUES ('x', ?)", (b"1",))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await store.database.query("SELECT id FROM blobs") == []


async def test_work_that_fails_while_its_caller_is_cancelled_is_not_lost_in_silence() -> None:
    worker = Worker("test")
    started, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(started.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        raise ValueError("too late for anybody")

    task = asyncio.create_task(worker.run(work))
    await started.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    worker.stop()


async def test_a_postgres_store_closed_and_cancelled(postgres_url: str) -> None:
    store = await PostgresStore.open(postgres_url)
    await cancelled_at(store.aclose(), 1)
    again = await PostgresStore.open(postgres_url)
    await again.begin()
    await again.aclose()
