"""The address check: whether the units of an answer answer the question, or only come near.

The floor looks at passages and cannot see that the one right page is missing while its neighbours
are there. This check looks at the few units that an answer rests on: the judge reads each of them,
with the headings above it, beside the question. `tools/selector` trained it on questions that
people wrote over manuals, half of them ones that the manual does not answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tether.ask.citations.passage import Window
from tether.retrieval.errors import JudgeFailed
from tether.retrieval.ports import Judge

FITTED_FOR = "judge.int8:5db222eac15cdea745c00a5cab8ff97e"
"""The fingerprint of the judge whose scale the threshold is for."""

LEAST_ANSWER = -2.75
"""The logit below which a unit does not answer; `docs/measurements.md` has its error rates."""

MOST_READ = 8
MILLISECONDS = 400.0
"""How many units are read at most, and in how much processor time: a small machine needs about half
of it for all."""


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

    Without a judge, or if it fails, nobody says anything. Several threads may share it.
    """

    __slots__ = ("_judge",)

    def __init__(self, judge: Judge | None = None) -> None:
        self._judge = judge

    def read(self, question: str, units: Sequence[str], /) -> list[float]:
        """Return a logit for each of the first `MOST_READ` units; never raises."""
        judge = self._judge
        if not isinstance(judge, AnsweringJudge):
            return []
        try:
            if judge.fingerprint != FITTED_FOR:
                return []
            return judge.answers(question, units[:MOST_READ], MILLISECONDS)
        except JudgeFailed:
            return []


def addresses(check: AddressCheck | None, question: str, windows: Sequence[Window]) -> bool:
    """Say whether a unit of some quotes answers the question, as far as anybody can say."""
    each = (Window(one.passage, (unit,)).premise for one in windows for unit in one.units)
    units = list(dict.fromkeys(each))
    read = check.read(question, units) if check is not None and units else []
    return not read or max(read) >= LEAST_ANSWER
