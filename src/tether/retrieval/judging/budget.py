"""How many passages the judge may read in the time that a search has."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.core.errors import InvalidRetrievalSettings, Problem

if TYPE_CHECKING:
    from tether.retrieval.ports import Judge

Clock = Callable[[], float]
"""Tells the time in seconds, from any beginning."""

QUESTION = "How is the time that a search may take kept?"
PASSAGE = " ".join(["Search > Limits\nA passage of usual length is read, and the time noted."] * 14)
"""About 200 tokens, which is what a passage has."""

TIMED = 6
"""Passages that are timed at once: enough for every core of a small machine to have some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBudget:
    """What a search allows the judge: `passages` of them, or as many as `milliseconds` are for.

    With `passages` a search gives the same result on every machine. Without, the number depends on
    the machine's speed, and is never more than `most`.
    """

    milliseconds: float = 400.0
    passages: int | None = None
    most: int = 30

    def __post_init__(self) -> None:
        problems = [
            Problem(name, "is 0 or more")
            for name, value in (
                ("milliseconds", self.milliseconds),
                ("passages", self.passages or 0),
                ("most", self.most),
            )
            if not value >= 0
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)


class JudgePace:
    """Knows how long a judge takes for a passage: it is timed once, at the first question.

    Raises `JudgeFailed` where the judge fails; a judge without an opinion takes no time.
    """

    __slots__ = ("_clock", "_judge", "_seconds")

    def __init__(self, judge: Judge, *, clock: Clock = time.perf_counter) -> None:
        self._judge = judge
        self._clock = clock
        self._seconds: float | None = None

    def passages(self, budget: JudgeBudget) -> int:
        """Return how many passages the budget allows."""
        if budget.passages is not None:
            return budget.passages
        seconds = self.seconds_a_passage
        if budget.milliseconds >= budget.most * seconds * 1000:
            return budget.most
        return int(budget.milliseconds / 1000 / seconds)

    @property
    def seconds_a_passage(self) -> float:
        """The time for one passage among several, the first time measured."""
        if self._seconds is None:
            self._judge.score(QUESTION, [PASSAGE])  # loads the model
            started = self._clock()
            self._judge.score(QUESTION, [PASSAGE] * TIMED)
            self._seconds = (self._clock() - started) / TIMED
        return self._seconds
