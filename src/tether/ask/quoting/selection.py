"""The units that answer a question by quotation: few, from few pages, the surest first.

Each unit has a probability of being what a person would want to be shown. `tools/selector` fitted
the weights on questions that people wrote over manuals, with the units that answer them. Features
are cheap and rank hundreds of units; the judge then reads the few best ones, and has the last word
on whether one of them answers at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from tether.ask.citations.address import LEAST_ANSWER, MOST_READ, AddressCheck
from tether.ask.citations.passage import MOST_LISTED, Passage, Window
from tether.ask.quoting.features import Features
from tether.ask.quoting.options import other_options
from tether.ask.quoting.signs import leans
from tether.ask.quoting.windows import step_of, windows_of
from tether.text.words import count_words

MOST_PAGES = 3
MOST_PASSAGES, MOST_UNITS = 20, 800
"""How many passages are read, the best ranked ones, and how many units of them are compared: each
passage has an equal share."""

LEAST_COVERAGE, LEAST_COVERAGE_OF_FEW, FEW = 0.34, 0.5, 3
"""The share of the question that the first unit and its place must name: more where the question
has few words, since each of them then matters."""

MOST_OF_A_PASSAGE = 4
"""How many units of one passage the judge reads, so that it sees several passages."""

MOST_LIKELIER = 2
LEAST_SHARE = 0.2
"""The share of the best probability that a further unit needs."""


class Room(NamedTuple):
    """How many units and words of one page are shown; one unit always is."""

    units: int
    words: int


FIRST_PAGE, FURTHER_PAGE = Room(units=7, words=130), Room(units=3, words=70)
LONGEST_COUNTED = 60
"""Words of one unit that count: code is long, and read at a glance."""

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "constant": -5.207,
        "match": 1.269,
        "covered": -0.233,
        "in_lead": 0.953,
        "in_heading": -0.571,
        "in_path": -0.105,
        "nearby": 0.357,
        "union": 2.917,
        "union_squared": -1.134,
        "in_passage": -0.231,
        "rank": 2.025,
        "code_in_path": 1.299,
        "row_covered": 0.481,
        "item": -0.314,
        "row": -0.294,
        "code": 0.280,
        "definition": -0.029,
        "opens": -0.017,
        "long": 0.210,
        "short": -0.131,
        "words": -0.094,
        "leans": -0.123,
        "points": -0.227,
        "speaks_of_others": -0.481,
        "logged": -3.960,
        "number": 0.259,
        "name": 0.585,
        "suits": 0.592,
        "defines": 4.500,
        "does_code": 0.110,
        "does_name": 0.105,
        "default": 0.325,
        "limit_number": 0.421,
        "polar_code": -1.151,
        "what_code": -1.259,
        "what_opens": -0.326,
    }
)


OTHER_CASE = 8.0
"""How much less likely a unit is that names an option of the question in another case, as `-bp`
for `-bP`: letter case counts nowhere else."""

JUDGE_WEIGHT, FEATURE_WEIGHT, CONSTANT = 0.40, 0.45, -0.5
"""How the logit of the judge and that of the features make one, for units that the judge read."""


class Selected(NamedTuple):
    """A quote, and the probability that its best unit is what a person wants to be shown."""

    window: Window
    probability: float


Sure = dict[int, float]
"""The probabilities of units by their places, the best first."""


class Selection:
    """The units of a turn with their probabilities, and the choice among them."""

    def __init__(
        self,
        question: str,
        passages: Sequence[Passage],
        weights: Mapping[str, float] = WEIGHTS,
    ) -> None:
        self._passages = passages[:MOST_PASSAGES]
        share = MOST_UNITS // max(1, len(self._passages))
        self._features = Features(question, self._passages, most=share)
        self._question = question
        self._candidates = self._features.candidates
        self.logits = [
            _logit(self._features.of(at), weights) for at in range(len(self._candidates))
        ]
        for at in other_options(question, self._candidates):
            self.logits[at] -= OTHER_CASE

    def chosen(self, *, code: bool = True, check: AddressCheck | None = None) -> list[Selected]:
        """Return the quotes, those of the best page first; [] where nothing answers.

        Without `code`, no code is among them. With a `check`, they are among the units that it
        reads, and one of those must answer by its word; without, the words of the best one must be
        those of the question. Blocks while a judge reads.
        """
        ranked = [at for at in self._ranked() if self._may_be_chosen(at, code=code)]
        sure = self._read(ranked, check) if check is not None and ranked else None
        sure = self._unread(ranked) if sure is None else sure
        by_passage: dict[int, list[int]] = {}
        for at in self._best(sure, code=code):
            by_passage.setdefault(self._candidates[at].passage, []).append(at)
        return [one for each in by_passage.values() for one in self._quotes(each, sure)]

    def _read(self, ranked: Sequence[int], check: AddressCheck) -> Sure | None:
        """Return the probabilities of the units that the check reads; none if none answers."""
        few = list(islice(self._spread(ranked), MOST_READ))
        read = check.read(self._question, [self._premise(at) for at in few])
        if not read:
            return None
        if max(read) < LEAST_ANSWER:
            return {}
        both = [
            (at, JUDGE_WEIGHT * logit + FEATURE_WEIGHT * self.logits[at] + CONSTANT)
            for at, logit in zip(few, read, strict=False)
        ]
        both.sort(key=lambda pair: -pair[1])
        return {at: _probability(logit) for at, logit in both}

    def _distinct(self, ranked: Iterable[int]) -> Iterator[int]:
        """Yield units without those that read like an earlier one, as of a page and its copy."""
        seen = set[str]()
        for at in ranked:
            premise = self._premise(at)
            if premise not in seen:
                seen.add(premise)
                yield at

    def _premise(self, at: int) -> str:
        one = self._candidates[at]
        return Window(self._passages[one.passage], (one.unit,)).premise

    def _spread(self, ranked: Sequence[int]) -> Iterator[int]:
        """Yield units in order, `MOST_OF_A_PASSAGE` of one passage at most."""
        seen = Counter[int]()
        for at in self._distinct(ranked):
            passage = self._candidates[at].passage
            seen[passage] += 1
            if seen[passage] <= MOST_OF_A_PASSAGE:
                yield at

    def _unread(self, ranked: Sequence[int]) -> Sure:
        """Return the probabilities of units by their features, from the first that answers on."""
        first = next((place for place, at in enumerate(ranked) if self._answers(at)), len(ranked))
        return {at: _probability(self.logits[at]) for at in self._distinct(ranked[first:])}

    def likelier(self, passage: Passage, places: Collection[int], *, code: bool) -> list[int]:
        """Return the units of a passage that are likelier to answer than some chosen ones.

        A small model that points finds the passage, and often misses the line. The likeliest come
        first, `MOST_LIKELIER` at most.
        """
        sure = {
            one.at: logit
            for one, logit in zip(self._candidates, self.logits, strict=True)
            if self._passages[one.passage] is passage and (code or one.unit.kind != "code")
        }
        chosen = max((sure.get(at, -math.inf) for at in places), default=math.inf)
        found = [at for at, logit in sure.items() if logit > chosen]
        return sorted(found, key=lambda at: -sure[at])[:MOST_LIKELIER]

    def _quotes(self, chosen: Sequence[int], known: Sure) -> list[Selected]:
        """Return the chosen units of one passage as quotes."""
        sure = {
            self._candidates[at].unit: known.get(at, _probability(self.logits[at])) for at in chosen
        }
        passage = self._passages[self._candidates[chosen[0]].passage]
        windows = windows_of(passage, (self._candidates[at].at for at in chosen))
        return [
            Selected(window, max(sure.get(unit, 0.0) for unit in window.units))
            for window in windows
        ]

    def _ranked(self) -> list[int]:
        return sorted(range(len(self._candidates)), key=lambda at: (-self.logits[at], at))

    def _may_be_chosen(self, at: int, *, code: bool) -> bool:
        """Say whether a unit names anything of the question, and is not code that is not wanted."""
        is_wanted = code or self._candidates[at].unit.kind != "code"
        return is_wanted and self._features.coverage(at) > 0

    def _answers(self, at: int) -> bool:
        """Say whether a unit names enough of the question to be the first."""
        least = LEAST_COVERAGE_OF_FEW if self._features.question.words <= FEW else LEAST_COVERAGE
        return self._features.coverage(at) >= least

    def _best(self, sure: Sure, *, code: bool) -> list[int]:
        """Return the places of the chosen units, those of the best page first."""
        if not sure:
            return []
        best, probability = next(iter(sure.items()))
        pages: dict[str, list[int]] = {self._page(best): []}
        for at in sure:
            page = self._page(at)
            if sure[at] < LEAST_SHARE * probability:
                break
            if page not in pages and len(pages) == MOST_PAGES:
                continue
            has = pages.setdefault(page, [])
            group = [one for one in self._with_its_own(at, code=code) if one not in has]
            if self._fits(has, group, FIRST_PAGE if page == self._page(best) else FURTHER_PAGE):
                has += group
        return [at for has in pages.values() for at in has]

    def _fits(self, has: Sequence[int], group: Sequence[int], room: Room) -> bool:
        units = [self._candidates[at].unit for at in (*has, *group)]
        words = sum(min(count_words(unit.text), LONGEST_COUNTED) for unit in units)
        return bool(group) and (not has or (len(units) <= room.units and words <= room.words))

    def _page(self, at: int) -> str:
        return self._passages[self._candidates[at].passage].evidence.chunk.document

    def _with_its_own(self, at: int, *, code: bool) -> list[int]:
        """Return a unit with what belongs to it: the code below it, or the steps around it."""
        one = self._candidates[at]
        passage = self._passages[one.passage]
        if step_of(passage, one.unit) is not None:
            return self._steps(at)
        below = at + 1 if at + 1 < len(self._candidates) else at
        after = self._candidates[below]
        is_below = after.passage == one.passage and after.unit.path == one.unit.path
        brings = one.unit.kind != "row" and not leans(one.unit.text)
        if code and brings and is_below and after.unit.kind == "code":
            return [at, below] if below != at else [at]
        return [at]

    def _steps(self, at: int) -> list[int]:
        """Return all steps of a numbered list if they are few, else the one."""
        one = self._candidates[at]
        steps = [
            place
            for place, other in enumerate(self._candidates)
            if other.passage == one.passage and other.unit.block == one.unit.block
        ]
        first = self._candidates[steps[0]]
        is_whole = step_of(self._passages[first.passage], first.unit) == 1
        return steps if is_whole and len(steps) <= MOST_LISTED else [at]


def _logit(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    known = sum(weights.get(name, 0.0) * value for name, value in features.items())
    return weights["constant"] + known


def _probability(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
