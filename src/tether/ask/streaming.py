"""The events of an ask turn as an async iterator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from tether.ask.answer import Answer
from tether.ask.ending import ended
from tether.ask.events import AskEvent
from tether.ask.turn import Listener


async def streamed(
    ask: Callable[[Listener], Coroutine[Any, Any, Answer]],
) -> AsyncGenerator[AskEvent, None]:
    """Run a turn beside its reader and yield what it tells.

    The turn runs in a task of its own that never outlives the iteration: leaving early cancels it
    and waits for its end. What it raises is raised here, after its last event.
    """
    queue: asyncio.Queue[AskEvent | None] = asyncio.Queue()
    task = asyncio.create_task(ask(queue.put_nowait))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await ended(task)
        if not task.cancelled():
            task.exception()  # marks it as seen, for a reader who left before it failed
