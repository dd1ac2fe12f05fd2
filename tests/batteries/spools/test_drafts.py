"""Blocking work off the loop, and what cancelling it means."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tether.batteries.storage.spools.drafts import off_loop


async def test_it_returns_and_raises_what_the_work_does() -> None:
    assert await off_loop(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await off_loop(divmod, 7, 0)


async def test_cancelling_waits_for_the_work_however_often_it_is_said() -> None:
    started, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        go_on.wait(30)
        ended.set()

    running = asyncio.create_task(off_loop(work))
    await asyncio.to_thread(started.wait, 30)
    for _ in range(3):
        running.cancel()
        await asyncio.sleep(0)
        assert not running.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended.is_set()


async def test_work_that_fails_after_it_was_cancelled_is_the_cause() -> None:
    started, go_on = threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        go_on.wait(30)
        raise OSError("too late")

    running = asyncio.create_task(off_loop(work))
    await asyncio.to_thread(started.wait, 30)
    running.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await running
    assert isinstance(cancelled.value.__cause__, OSError)
