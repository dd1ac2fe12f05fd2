"""Timing several engines on the same questions, in turns."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles
from typing import NamedTuple

Ask = Callable[[str], object]


class Times(NamedTuple):
    """What one engine took for each question, in milliseconds: the best of its rounds."""

    walls: list[float]
    cpus: list[float]

    @property
    def p50(self) -> float:
        """The wall time of a usual question."""
        return median(self.walls)

    @property
    def p95(self) -> float:
        """The wall time that one of twenty questions exceeds."""
        if len(self.walls) < 2:
            return self.walls[0]
        return quantiles(self.walls, n=20, method="inclusive")[-1]

    @property
    def cpu(self) -> float:
        """The CPU of a usual question, all threads together."""
        return median(self.cpus)


def in_turns(engines: Mapping[str, Ask], questions: Sequence[str], rounds: int) -> dict[str, Times]:
    """Ask every engine every question, one question after the other, in several rounds.

    All engines answer a question before the next comes, so that a slow minute hits all of them, and
    each time another one begins, so that nobody always finds the caches as the same one left them.
    """
    names = list(engines)
    found = {name: Times([], []) for name in names}
    gc.collect()
    for turn in range(rounds):
        for number, question in enumerate(questions):
            shift = (turn + number) % len(names)
            for name in names[shift:] + names[:shift]:
                _note(found[name], number, *_asked(engines[name], question))
    return found


def _asked(ask: Ask, question: str) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    ask(question)
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


def _note(times: Times, number: int, wall: float, cpu: float) -> None:
    if number == len(times.walls):
        times.walls.append(wall)
        times.cpus.append(cpu)
    else:
        times.walls[number] = min(times.walls[number], wall)
        times.cpus[number] = min(times.cpus[number], cpu)
