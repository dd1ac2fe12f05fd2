"""How well each unit answers a question, measured against all units of the turn."""

# No `from __future__ import annotations` here: see units.py.
import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tether.batteries.models.extractive.question import Question
from tether.batteries.models.extractive.stop_words import FAINT_WORDS
from tether.batteries.models.extractive.styles import (
    is_logged,
    leans,
    names_its_subject,
    points,
    speaks_of_others,
)
from tether.batteries.models.extractive.terms import Vocabulary
from tether.batteries.models.extractive.units import Passage, Unit

SATURATION, LENGTH_SHARE = 0.9, 0.35
IN_HEADING, IN_LEAD, IN_NEIGHBOUR = 0.4, 0.5, 0.15
"""What a term of the question counts that stands not in the sentence, but around it."""

BESIDE, EVENLY = 0.5, 0.6
UNSEEN, FAINT, NAMED = 0.7, 0.4, 1.5
"""How much less a term of the question weighs that no unit has, or that asks more than it names;
and how much more one that is a name, a number or an identifier.
"""

# The weights here were not fitted one by one. As a set they were checked on 800 questions of SQuAD
# 2.0 (89 % of the answers hold a gold string) and by reading 156 answers over three documentation
# trees; DEFINING and the styles were changed by that reading, where SQuAD 2.0 did not lose.
RANK_DECAY = 0.06
SUITED, DEFINING = 1.25, 1.0
LEANING, LEANING_ON_NOTHING, ASKING, POINTING, LOGGED, OPENED = 0.8, 0.6, 0.35, 0.7, 0.5, 0.9
SUBJECT = 3
"""By how many terms behind "this" a sentence names what it is about."""


class Scored(NamedTuple):
    """A unit with its score, and how much of the question it or its place names.

    `hits` are the terms that it shares with the question, `terms` its others. `leans` says that it
    needs the unit before it, `defines` how surely it defines what is asked about.
    """

    unit: Unit
    score: float
    coverage: float
    hits: frozenset[str]
    terms: frozenset[str]
    leans: bool
    defines: float


def score_units(
    question: Question, passages: Sequence[Passage], vocabulary: Vocabulary
) -> list[Scored]:
    """Return every unit with its score, in the order of the passages."""
    units = [unit for passage in passages for unit in passage.units]
    counts = [Counter(vocabulary.terms_of(unit.text)) for unit in units]
    scorer = _Scorer(question, units, counts, vocabulary)
    return [scorer.scored(index) for index in range(len(units))]


class _Scorer:
    def __init__(
        self,
        question: Question,
        units: list[Unit],
        counts: list[Counter[str]],
        vocabulary: Vocabulary,
    ) -> None:
        self._question = question
        self._units = units
        self._counts = counts
        self._vocabulary = vocabulary
        self._paths: dict[tuple[str, ...], frozenset[str]] = {}
        self._weights = self._weigh()
        self._total = sum(self._weights.values()) or 1.0
        self._shares = self._share()
        self._length = sum(count.total() for count in counts) / max(1, len(counts)) or 1.0
        self._leads = {
            (unit.passage, unit.list): index
            for index, unit in enumerate(units)
            if unit.kind == "lead"
        }

    def _weigh(self) -> dict[str, float]:
        """Weigh the terms of the question by how rare they are among the units."""
        wanted = set(self._question.terms)
        faint = frozenset(self._vocabulary.terms_of(FAINT_WORDS))
        found = Counter(term for count in self._counts for term in count.keys() & wanted)
        total = len(self._counts)
        weights: dict[str, float] = {}
        for term in self._question.terms:
            seen = max(1, found[term])
            weight = math.log(1 + (total - seen + 0.5) / (seen + 0.5))
            weight *= FAINT if term in faint else 1.0
            is_name = term in self._question.names
            weights[term] = weight * (NAMED if is_name else 1.0 if found[term] else UNSEEN)
        return weights

    def _share(self) -> dict[str, float]:
        """Return what part of the question each term is: words count alike, faint ones less."""
        faint = frozenset(self._vocabulary.terms_of(FAINT_WORDS))
        shares = {term: FAINT if term in faint else 1.0 for term in self._weights}
        total = sum(shares.values()) or 1.0
        return {
            term: EVENLY * shares[term] / total + (1 - EVENLY) * weight / self._total
            for term, weight in self._weights.items()
        }

    def scored(self, index: int) -> Scored:
        unit, count = self._units[index], self._counts[index]
        nearby = self._nearby(index)
        gained = covered = 0.0
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * count.total() / self._length)
        for term, weight in self._weights.items():
            if times := count[term]:
                gained += weight * times * (1 + SATURATION) / (times + norm)
                covered += self._shares[term]
            elif share := nearby.get(term):
                gained += weight * share
                covered += self._shares[term] * (1 if share >= IN_HEADING else BESIDE)
        defines = self._question.is_defined_in(unit.text, self._vocabulary)
        score = gained / self._total * self._factor(index) * (1 + DEFINING * defines)
        hits = frozenset(count.keys() & self._weights.keys())
        others = frozenset(count) - hits
        return Scored(unit, score, covered, hits, others, self._leans(index), defines)

    def _nearby(self, index: int) -> dict[str, float]:
        """Return what terms count that stand around a unit: the closer the more."""
        unit = self._units[index]
        shares: dict[str, float] = {}
        for other in (index - 1, index + 1):
            if self._are_neighbours(index, other):
                shares.update(dict.fromkeys(self._counts[other], IN_NEIGHBOUR))
        shares.update(dict.fromkeys(self._path_terms(unit.path), IN_HEADING))
        lead = self._leads.get((unit.passage, unit.list)) if unit.kind == "item" else None
        if lead is not None:
            shares.update(dict.fromkeys(self._counts[lead], IN_LEAD))
        return shares

    def _lead_of(self, unit: Unit) -> str:
        """Return the line that leads into the list of an item, or nothing."""
        lead = self._leads.get((unit.passage, unit.list)) if unit.kind == "item" else None
        return "" if lead is None else f"{self._units[lead].text} "

    def _are_neighbours(self, index: int, other: int) -> bool:
        if not 0 <= other < len(self._units):
            return False
        one, two = self._units[index], self._units[other]
        return one.passage == two.passage and one.path == two.path and one.list == two.list

    def _path_terms(self, path: tuple[str, ...]) -> frozenset[str]:
        terms = self._paths.get(path)
        if terms is None:
            terms = frozenset(self._vocabulary.terms_of(" ".join(path)))
            self._paths[path] = terms
        return terms

    def _factor(self, index: int) -> float:
        """Return what rank, kind and style of a unit make of its score."""
        unit = self._units[index]
        text = unit.text
        factor = 1 / (1 + RANK_DECAY * unit.passage)
        if self._question.suits(text):
            factor *= SUITED
        if text.endswith(("?", "\uff1f")):
            factor *= ASKING
        if points(self._lead_of(unit) + text) or (unit.kind != "lead" and speaks_of_others(text)):
            factor *= POINTING
        if is_logged(text):
            factor *= LOGGED
        if self._leans(index):
            factor *= LEANING if unit.follows else LEANING_ON_NOTHING
        is_open = not unit.is_ended and unit.kind != "lead"
        return factor * OPENED if is_open or _is_cut(text) else factor

    def _leans(self, index: int) -> bool:
        """Say whether a unit leans on another: not with "this" and words of the question."""
        text = self._units[index].text
        if not leans(text):
            return False
        first = self._vocabulary.terms_of(text)[:SUBJECT]
        return not names_its_subject(text) or not self._weights.keys() >= set(first)


def _is_cut(text: str) -> bool:
    """Say whether a sentence begins with a small letter, and not with a name of that form."""
    word = text.split(" ", 1)[0]
    return word[0].islower() and word.isalpha()
