"""The settings of a search: its depth, fusion and mix."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from tether.core.checks import Checks
from tether.retrieval.errors import InvalidRetrievalSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class MixWeights:
    """The weights of the votes, after each was standardised among the candidates.

    `ranks` is the fusion of ranks with its boost; `words`, `grams` and `cosine` are the scores of
    the lanes. Only the proportions of these four count, and one of them is above 0. `judge`, from 0
    to 1, is the share of the judge in ranking the passages that it read. Raises
    `InvalidRetrievalSettings`.
    """

    ranks: float = 0.30
    words: float = 0.25
    grams: float = 0.20
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

    `per_lane` rows of each lane are fused with the constant `fusion_constant`; `boost` is the
    highest gain of a page with many hits; passages that only the dense lane found are cut below the
    cosine `weak_cosine`; `candidates` of the fused rows are mixed, and the judge reads at most
    `judged` of them: as many as it can read in `judge_milliseconds` of processor time, if it knows
    its pace, and none if those are fewer than four. In standard deviations of the mix, a page gains
    `title` if the question asks for nothing but its title, and loses `news` if it has release notes
    that nobody asks for.
    """

    per_lane: int = 100
    fusion_constant: int = 60
    boost: float = 0.25
    weak_cosine: float = 0.2
    candidates: int = 30
    judged: int = 12
    judge_milliseconds: float = math.inf
    title: float = 2.0
    news: float = 2.0
    weights: MixWeights = field(default_factory=MixWeights)

    def __post_init__(self) -> None:
        check = Checks()
        for name in ("per_lane", "fusion_constant", "candidates"):
            check.whole_number(name, getattr(self, name))
        check.whole_number("judged", self.judged, least=0)
        if not self.judge_milliseconds >= 0:
            check.refuse("judge_milliseconds", self.judge_milliseconds, "a number of at least 0")
        _from_zero(check, "title", self.title)
        _from_zero(check, "news", self.news)
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
