"""How time is taken: CPU time of this process, in turns, the best of several rounds.

Wall time says more about the machine's other work than about the code. CPU time varies too, because
caches and clock speeds are shared, but upwards only: so the best of several samples is the figure.
All cases take one sample per round, one after the other, so that a slow minute hits all of them and
no ratio compares a slow minute with a fast one.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Mapping

Sample = Callable[[], float]
"""Takes one sample and returns the CPU seconds of one unit."""


def best(samples: Mapping[str, Sample], rounds: int) -> dict[str, float]:
    """Take each sample once per round and return the best of each."""
    found: dict[str, float] = dict.fromkeys(samples, float("inf"))
    for _ in range(rounds):
        for name, sample in samples.items():
            found[name] = min(found[name], sample())
    return found


def repeated(
    runner: asyncio.Runner, work: Callable[[], Awaitable[None]], units: int, seconds: float
) -> Sample:
    """Return a sample that repeats `work` for about so many CPU seconds, on one event loop."""
    count = _calibrate(runner, work, seconds)
    return lambda: runner.run(_cpu_seconds(work, count)) / (count * units)


def _calibrate(runner: asyncio.Runner, work: Callable[[], Awaitable[None]], seconds: float) -> int:
    """Find the number of repetitions, and warm everything up on the way."""
    count = 1
    while (taken := runner.run(_cpu_seconds(work, count))) < seconds / 4:
        count *= 2
    return max(1, round(count * seconds / taken))


async def _cpu_seconds(work: Callable[[], Awaitable[None]], count: int) -> float:
    """Repeat `work`; the garbage collector runs as it does in production, but starts clean."""
    gc.collect()
    started = time.process_time()
    for _ in range(count):
        await work()
    return time.process_time() - started
