"""One thread that serves any event loop: in order, one at a time, and nothing is left behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable

import pytest

from tether.batteries.models.errors import LocalModelFailed
from tether.batteries.models.local.worker import Line, Worker

SECONDS = 20.0
Work = Callable[[Line[str]], object]


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    worker = Worker("the worker")
    yield worker
    await worker.close(lambda: None)


class Held:
    """Work that begins, says so, and goes on until it is let go or nobody listens."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.let_go = threading.Event()
        self.saw_dead_line = False

    def __call__(self, line: Line[str]) -> None:
        self.begun.set()
        while not self.let_go.wait(0.005):
            if line.is_dead:
                self.saw_dead_line = True
                return

    async def has_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, SECONDS)


async def run(worker: Worker, work: Work) -> list[str]:
    said: list[str] = []
    await worker.run(work, said.append)
    return said


async def test_what_work_says_arrives_in_order_and_on_the_askers_thread(worker: Worker) -> None:
    threads: list[int] = []

    def work(line: Line[str]) -> None:
        threads.append(threading.get_ident())
        for word in ["one", "two", "three"]:
            assert line.say(word) is False

    said: list[tuple[str, int]] = []
    await worker.run(work, lambda word: said.append((word, threading.get_ident())))
    assert said == [(word, threading.get_ident()) for word in ("one", "two", "three")]
    assert threads != [threading.get_ident()]


async def test_words_arrive_while_the_work_goes_on(worker: Worker) -> None:
    answered = threading.Event()

    def work(line: Line[str]) -> None:
        line.say("first")
        assert answered.wait(SECONDS)

    await worker.run(work, lambda _: answered.set())


async def test_work_is_done_in_the_order_of_asking_and_never_two_at_once(worker: Worker) -> None:
    order: list[int] = []
    at_once = 0

    def job(number: int) -> Work:
        def work(_: Line[str]) -> None:
            nonlocal at_once
            at_once += 1
            assert at_once == 1
            order.append(number)
            threading.Event().wait(0.002)
            at_once -= 1

        return work

    await asyncio.gather(*(run(worker, job(number)) for number in range(20)))
    assert order == list(range(20))


async def test_who_is_cancelled_while_waiting_gives_the_place_to_the_next(worker: Worker) -> None:
    held, order = Held(), list[str]()
    first = asyncio.create_task(run(worker, held))
    await held.has_begun()
    waiting = asyncio.create_task(run(worker, lambda _: order.append("cancelled")))
    last = asyncio.create_task(run(worker, lambda _: order.append("last")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    held.let_go.set()
    await asyncio.gather(first, last)
    assert order == ["last"]


async def test_who_is_cancelled_while_served_goes_at_once_and_the_work_sees_it(
    worker: Worker,
) -> None:
    held = Held()
    task = asyncio.create_task(run(worker, held))
    await held.has_begun()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await run(worker, lambda line: line.say("next")) == ["next"]
    assert held.saw_dead_line


async def test_what_work_raises_reaches_the_asker_and_the_worker_goes_on(worker: Worker) -> None:
    def work(line: Line[str]) -> None:
        line.say("before")
        raise KeyError("lost")

    said: list[str] = []
    with pytest.raises(KeyError, match="lost"):
        await worker.run(work, said.append)
    assert said == ["before"]
    assert await run(worker, lambda line: line.say("next")) == ["next"]


async def test_what_the_asker_raises_stops_the_work(worker: Worker) -> None:
    held = Held()

    def work(line: Line[str]) -> None:
        line.say("word")
        held(line)

    def receive(_: str) -> None:
        raise KeyError("not wanted")

    with pytest.raises(KeyError, match="not wanted"):
        await worker.run(work, receive)
    await run(worker, lambda _: None)
    assert held.saw_dead_line


async def test_closing_stops_what_runs_and_refuses_what_waits_and_what_comes() -> None:
    worker, held, closed = Worker("the worker"), Held(), list[str]()
    running = asyncio.create_task(run(worker, held))
    await held.has_begun()
    waiting = asyncio.create_task(run(worker, lambda line: line.say("never")))
    await asyncio.sleep(0)
    both = (worker.close(lambda: closed.append("once")) for _ in range(2))
    await asyncio.gather(*both)
    assert closed == ["once"]
    assert held.saw_dead_line
    assert await running == []
    for refused in (waiting, run(worker, lambda _: None)):
        with pytest.raises(LocalModelFailed, match="the worker was closed"):
            await refused
    await worker.close(lambda: closed.append("again"))
    assert closed == ["once"]


async def test_closing_is_carried_out_even_if_its_task_is_cancelled() -> None:
    worker, held, closed = Worker("the worker"), Held(), threading.Event()
    running = asyncio.create_task(run(worker, held))
    await held.has_begun()

    def last() -> None:
        closed.set()

    closing = asyncio.create_task(worker.close(last))
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert await asyncio.to_thread(closed.wait, SECONDS)
    await running


def test_one_worker_serves_event_loops_one_after_the_other() -> None:
    worker = Worker("the worker")
    for _ in range(3):
        assert asyncio.run(run(worker, lambda line: line.say("here"))) == ["here"]
    asyncio.run(worker.close(lambda: None))


def test_a_line_to_a_loop_that_was_closed_is_dead() -> None:
    async def line() -> Line[str]:
        return Line(threading.Event())

    told, ended = asyncio.run(line()), asyncio.run(line())
    assert not told.is_dead
    assert told.say("to nobody") is True
    ended.end()
    assert ended.is_dead


def test_a_worker_can_be_stopped_from_any_thread_and_needs_it_only_if_it_worked() -> None:
    worker, closed = Worker("the worker"), list[str]()
    worker.stop(lambda: closed.append("never began"))
    asyncio.run(run(worker, lambda _: worker.stop(lambda: closed.append("from inside"))))
    worker.stop(lambda: closed.append("again"))
    assert closed == ["from inside"]


LEFT_ALONE = """
import asyncio, atexit, contextlib, threading
from tether.batteries.models.local.worker import Worker

begun = threading.Event()

def work(line):
    begun.set()
    while not line.is_dead:
        threading.Event().wait(0.005)
    print("stopped", flush=True)

worker = Worker("the worker")
atexit.register(worker.stop, lambda: print("closed"))

async def ask():
    with contextlib.suppress(Exception):
        waiting = worker.run(lambda line: print("never"), print)
        await asyncio.gather(worker.run(work, print), waiting)

threading.Thread(target=asyncio.run, args=(ask(),), daemon=True).start()
begun.wait()
"""


def test_a_process_ends_although_somebody_still_listens() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEFT_ALONE], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\nclosed\n", "")
