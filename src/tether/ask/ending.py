"""Waiting for what must not be left half done."""

from __future__ import annotations

import asyncio
from typing import Any


async def ended(task: asyncio.Task[Any]) -> None:
    """Wait for the end of a task through any number of cancellations, then pass the last one on."""
    interrupted: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as cancellation:
            interrupted = cancellation
    if interrupted is not None:
        raise interrupted
