"""The address check: whether the units of an answer answer the question, or only come near.

The floor looks at passages and cannot see that the one right page is missing while its neighbours
are there. This check looks at the few units that an answer rests on: the judge reads each of them,
with the headings above it, beside the question. `tools/selector` trained it on questions that
people wrote over manuals, half of them ones that the manual does not answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tether.ask.citations.passage import Window
from tether.retrieval.errors import JudgeFailed
from tether.retrieval.ports import Judge

FITTED_FOR = "judge.int8:5db222eac15cdea745c00a5cab8ff97e"
"""The fingerprint of the judge whose scale the threshold is for."""

LEAST_ANSWER = -3.0
"""The logit below which a unit does not answer; `docs/measurements.md` has its error rates."""

MOST_READ, STEP = 16, 8
MILLISECONDS = 200.0
"""How many units are read at most, how many at a time, and in how much processor time each time."""

LEAST_IN_DOUBT = -2.0
"""The logit that a unit needs where the floor alone would have refused the question."""

LEAST_CONTRADICTING = 0.0
"""The logit that a unit needs where a model has found no answer."""

SURE = 2.0
"""The logit from which on a unit answers so surely that no further ones are read."""


class AddressCheck(Protocol):
    """Says how surely units answer a question. Blocks while a judge reads."""

    def read(self, question: str, units: Sequence[str], /) -> list[float]:
        """Return a logit for each of the first units, [] where nobody can say."""
        ...


@runtime_checkable
class AnsweringJudge(Protocol):
    """A judge that says of a unit whether it answers, not only whether it is about the question."""

    def answers(self, question: str, units: Sequence[str], milliseconds: float) -> list[float]:
        """Return a logit for each unit that can be read in time; raises `JudgeFailed`."""
        ...


class JudgedAddress:
    """Lets the shipped judge read the units; another one is not used, as its scale is another.

    It reads on only while no unit answers surely. Without a judge, or if it fails, nobody says
    anything. Several threads may share it.
    """

    __slots__ = ("_judge",)

    def __init__(self, judge: Judge | None = None) -> None:
        self._judge = judge

    @property
    def can_read(self) -> bool:
        """Whether the judge is the one that the threshold is for; never raises."""
        return self._reading() is not None

    def read(self, question: str, units: Sequence[str], /) -> list[float]:
        """Return a logit for each of the first units, `MOST_READ` at most; never raises."""
        judge = self._reading()
        try:
            return [] if judge is None else _read_in_steps(judge, question, units[:MOST_READ])
        except JudgeFailed:
            return []

    def _reading(self) -> AnsweringJudge | None:
        judge = self._judge
        try:
            is_fitting = isinstance(judge, AnsweringJudge) and judge.fingerprint == FITTED_FOR
        except JudgeFailed:
            return None
        return judge if is_fitting and isinstance(judge, AnsweringJudge) else None


class InsistentAddress:
    """A check by which a unit must answer with a higher logit than usual.

    Where nobody can say whether one does, none does.
    """

    __slots__ = ("_check", "_least")

    def __init__(self, check: AddressCheck | None, least: float) -> None:
        self._check = check
        self._least = least

    def read(self, question: str, units: Sequence[str], /) -> list[float]:
        """Return a logit for each of the first units; one that refuses, if none is high enough."""
        read = [] if self._check is None else self._check.read(question, units)
        return read if read and max(read) >= self._least else [-math.inf]


def _read_in_steps(judge: AnsweringJudge, question: str, units: Sequence[str]) -> list[float]:
    """Return the logits of units, until one is sure or the time of a step does not suffice."""
    read: list[float] = []
    for start in range(0, len(units), STEP):
        step = units[start : start + STEP]
        read += judge.answers(question, step, MILLISECONDS)
        if len(read) < start + len(step) or max(read) >= SURE:
            break
    return read


def addresses(check: AddressCheck | None, question: str, windows: Sequence[Window]) -> bool:
    """Say whether a unit of some quotes answers the question, as far as anybody can say."""
    each = (Window(one.passage, (unit,)).premise for one in windows for unit in one.units)
    units = list(dict.fromkeys(each))
    read = check.read(question, units) if check is not None and units else []
    return not read or max(read) >= LEAST_ANSWER
