"""Who says whether a unit answers: a check and a judge whose logits are written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tether.ask.citations.address import FITTED_FOR, LEAST_ANSWER
from tether.retrieval.errors import JudgeFailed

YES, NO = LEAST_ANSWER + 2.0, LEAST_ANSWER - 2.0
"""Logits of a unit that answers, and of one that does not."""


def logits_of(units: Sequence[str], known: Mapping[str, float], otherwise: float) -> list[float]:
    """Return for each unit the logit of the first known words that it has."""
    return [
        next((logit for words, logit in known.items() if words in unit), otherwise)
        for unit in units
    ]


@dataclass
class Said:
    """A check with a logit for each unit, by words in it; it keeps what it was asked.

    It reads `most` units, all by default.
    """

    known: Mapping[str, float] = field(default_factory=dict[str, float])
    otherwise: float = NO
    most: int | None = None
    asked: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])

    def read(self, question: str, units: Sequence[str], /) -> list[float]:
        self.asked.append((question, list(units)))
        return logits_of(units[: self.most], self.known, self.otherwise)

    @property
    def units(self) -> list[str]:
        """The units that it was given to read."""
        return [unit for _, units in self.asked for unit in units]


@dataclass
class Answering:
    """A judge that says the same of every unit; it keeps what it was given to read.

    It reads `most` units at a time, all by default.
    """

    logit: float = NO
    name: str = FITTED_FOR
    is_broken: bool = False
    is_unnamed: bool = False
    most: int | None = None
    given: list[tuple[str, list[str], float]] = field(
        default_factory=list[tuple[str, list[str], float]]
    )

    @property
    def fingerprint(self) -> str:
        if self.is_unnamed:
            raise JudgeFailed("the file is gone")
        return self.name

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        return [0.0] * len(passages)

    def answers(self, question: str, units: Sequence[str], milliseconds: float) -> list[float]:
        if self.is_broken:
            raise JudgeFailed("out of memory")
        self.given.append((question, list(units), milliseconds))
        return [self.logit] * len(units[: self.most])
