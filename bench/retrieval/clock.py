"""How time and memory are taken here: wall and CPU, child processes included."""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

Result = TypeVar("Result")

MEGABYTE = 1_000_000


class Taken(NamedTuple):
    """Seconds that something took. `cpu` counts every thread, and processes that have ended."""

    wall: float
    cpu: float


def timed(work: Callable[[], Result]) -> tuple[Result, Taken]:
    """Do something once and say what it took."""
    gc.collect()
    cpu, wall = _cpu(), time.perf_counter()
    done = work()
    return done, Taken(time.perf_counter() - wall, _cpu() - cpu)


def best(takes: list[Taken]) -> Taken:
    """Return the least wall and the least CPU: noise only ever adds."""
    return Taken(min(one.wall for one in takes), min(one.cpu for one in takes))


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """Return the most memory this process had, pages of mapped files included.

    Linux's own figure is asked for first: that of `getrusage` is inherited from the process that
    started this one.
    """
    return _status("VmHWM") or _peak_of_getrusage()


def own_megabytes() -> float:
    """Return the memory that this process has now without mapped files; 0 where nobody says."""
    return _status("RssAnon")


def _status(name: str) -> float:
    file = Path("/proc/self/status")
    lines = file.read_text().splitlines() if file.exists() else []
    sizes = [int(line.split()[1]) for line in lines if line.startswith(f"{name}:")]
    return sizes[0] * 1024 / MEGABYTE if sizes else 0.0


def _peak_of_getrusage() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE
