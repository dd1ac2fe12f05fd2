"""A turn's events as an async iterator."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tether.runtime.bus import FanOut

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

    from tether.runtime.bus import Event, EventSink, FunctionalEvent, ObservabilityEvent


class _Tap:
    """A sink that keeps what passes, for one reader."""

    __slots__ = ("_queue",)

    def __init__(self, queue: asyncio.Queue[Event | None]) -> None:
        self._queue = queue

    def deliver(self, event: FunctionalEvent) -> None:
        self._queue.put_nowait(event)

    def record(self, event: ObservabilityEvent) -> None:
        self._queue.put_nowait(event)


async def stream_events(
    run: Callable[[EventSink], Coroutine[None, None, None]], listeners: EventSink
) -> AsyncGenerator[Event, None]:
    """Run a turn beside its reader and yield its events; `listeners` see each event first.

    The turn runs in a task of its own that never outlives the iteration: leaving early cancels it
    and waits for its end. What the turn raises is raised here, after its last event.
    """
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    task = asyncio.create_task(run(FanOut(listeners, _Tap(queue))))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await _ended(task)
        if not task.cancelled():
            task.exception()  # marks it as seen, for a reader who left before it failed


async def _ended(task: asyncio.Task[None]) -> None:
    """Wait for the end of a task through any number of cancellations, then pass the last one on."""
    interrupted: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as cancellation:
            interrupted = cancellation
    if interrupted is not None:
        raise interrupted
