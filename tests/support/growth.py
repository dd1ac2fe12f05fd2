"""How the time that something takes grows with its input."""

from __future__ import annotations

import time
from collections.abc import Callable


def assert_grows_linearly(work: Callable[[str], object], unit: str, length: int = 80_000) -> None:
    """Work on a text and on one of four times its length: four times the time, not sixteen.

    Processor time is taken, the best of three: a busy machine disturbs it little.
    """
    short, long = (unit * (size // len(unit)) for size in (length, 4 * length))
    work(short)  # whatever is made once is made now
    once, fourfold = _least_time(work, short), _least_time(work, long)
    assert fourfold < 8 * once + 0.005


def _least_time(work: Callable[[str], object], text: str) -> float:
    def measured() -> float:
        start = time.process_time()
        work(text)
        return time.process_time() - start

    return min(measured() for _ in range(3))
