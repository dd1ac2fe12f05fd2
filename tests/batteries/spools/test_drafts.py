"""Blocking work off the loop, and what cancelling it means."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tether.batteries.storage.spools import DiskSpools, ObjectSpools
from tether.batteries.storage.spools.disk_folder import SpoolFolder
from tether.batteries.storage.spools.objects import ObjectPlace
from tether.batteries.storage.threads import off_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path


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


class Reading:
    """A store whose blocking work has begun and does not end before it is told to."""

    def __init__(self) -> None:
        self.started, self.go_on = threading.Event(), threading.Event()

    def wait(self, *_: object) -> None:
        self.started.set()
        self.go_on.wait(30)


@pytest.mark.parametrize("operation", ["read", "ids", "size"])
@pytest.mark.parametrize("kind", ["disk", "objects"])
async def test_reading_is_cancelled_at_once(
    kind: str, operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = DiskSpools(tmp_path) if kind == "disk" else ObjectSpools(f"file://{tmp_path}")
    acting: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "read": lambda: store.read("a"),
        "ids": store.ids,
        "size": store.size,
    }
    reading = Reading()
    for home in (SpoolFolder, ObjectPlace):
        for name in ("read", "ids", "size"):
            monkeypatch.setattr(home, name, reading.wait, raising=False)
    running = asyncio.create_task(acting[operation]())
    await asyncio.to_thread(reading.started.wait, 30)
    running.cancel()
    await asyncio.wait((running,), timeout=10)
    was_cancelled = running.cancelled()
    reading.go_on.set()
    assert was_cancelled
