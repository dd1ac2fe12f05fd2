"""How a search is done: how deep, how fused, how mixed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from tether.core.checks import Checks
from tether.core.errors import InvalidRetrievalSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class MixWeights:
    """How much each vote counts, after each was put on one scale among the candidates.

    `ranks` is the fusion of ranks with its boost; `words`, `grams` and `cosine` are the lanes' own
    scores. These four are compared with each other only, and one of them is above 0. `judge`, from
    0 to 1, is the judge's share in ordering what it has read; the other votes keep the rest. Raises
    `InvalidRetrievalSettings`.
    """

    ranks: float = 0.50
    words: float = 0.22
    grams: float = 0.03
    cosine: float = 0.25
    judge: float = 0.30

    def __post_init__(self) -> None:
        check = Checks()
        for item in fields(self):
            _from_zero(check, item.name, getattr(self, item.name))
        check.done(InvalidRetrievalSettings)
        if self.judge > 1:
            check.refuse("judge", self.judge, "from 0 to 1")
        if not self.ranks + self.words + self.grams + self.cosine:
            check.fail("ranks", "must be above 0, or one of words, grams and cosine must")
        check.done(InvalidRetrievalSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Depths and constants of a search. Raises `InvalidRetrievalSettings`.

    `per_lane` rows of each lane are fused with constant `fusion_constant`; `boost` is the largest
    gain of a page that many passages speak for; `weak_cosine` cuts passages that only the dense
    lane found, below that similarity; `candidates` of the fused rows are mixed, and the judge reads
    at most `judged` of them.
    """

    per_lane: int = 100
    fusion_constant: int = 60
    boost: float = 0.5
    weak_cosine: float = 0.2
    candidates: int = 30
    judged: int = 12
    weights: MixWeights = field(default_factory=MixWeights)

    def __post_init__(self) -> None:
        check = Checks()
        for name, least in (("per_lane", 1), ("fusion_constant", 1), ("candidates", 1)):
            _count(check, name, getattr(self, name), least)
        _count(check, "judged", self.judged, 0)
        if not 0 <= self.boost <= 1:
            check.refuse("boost", self.boost, "from 0 to 1")
        if not -1 <= self.weak_cosine <= 1:
            check.refuse("weak_cosine", self.weak_cosine, "from -1 to 1")
        check.instance("weights", self.weights, MixWeights, "MixWeights")
        check.done(InvalidRetrievalSettings)


def _from_zero(check: Checks, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        check.refuse(name, value, "a number")
    elif not (math.isfinite(value) and value >= 0):
        check.refuse(name, value, "a finite number from 0")


def _count(check: Checks, name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        check.refuse(name, value, f"a whole number from {least}")
