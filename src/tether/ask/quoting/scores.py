"""The score of each unit: how well it answers a question, compared with all units of the turn."""

# No `from __future__ import annotations` here: see units.py.
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tether.ask.quoting.question import Question
from tether.ask.quoting.units import Passage, Unit
from tether.text.terms import Vocabulary

SATURATION, LENGTH_SHARE = 0.9, 0.35
IN_HEADING, IN_LEAD, IN_NEIGHBOUR = 0.4, 0.5, 0.15
"""The share that a term of the question counts where it is not in the sentence but around it."""

BESIDE, EVENLY = 0.5, 0.6
UNSEEN, FAINT, NAMED = 0.7, 0.4, 1.5
"""Factors for the weight of a term: one that no unit has, one that asks more than it names, and one
that is a name, a number or an identifier.
"""

# These weights were not fitted one by one. As a set they were checked on 800 questions of SQuAD 2.0
# (89 % of the answers contain a gold string) and by reading 156 answers over three documentation
# trees. That reading changed DEFINING and the styles, at no loss on SQuAD 2.0.
RANK_DECAY = 0.06
SUITED, DEFINING = 1.25, 1.0
LEANING, LEANING_ON_NOTHING, ASKING, POINTING, LOGGED, OPENED = 0.8, 0.6, 0.35, 0.7, 0.5, 0.9
SUBJECT = 3
"""How many terms after "this" name the subject of a sentence."""


class Scored(NamedTuple):
    """A unit with its score, and the share of the question that it or its place names.

    `hits` are the terms that it shares with the question, `terms` its other ones. `leans` says that
    it needs the unit before it, `defines` how surely it defines the subject of the question.
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
        faint = self._vocabulary.faint
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
        """Return the share of each term in the question: all words count alike, faint ones less."""
        faint = self._vocabulary.faint
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
        """Return the shares of the terms around a unit: the closer, the higher."""
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
        """Return the factor for the rank, kind and style of a unit."""
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


_LEANS = re.compile(
    r"""[\W_]*(?:(?P<pointing>this|that|these|those|such)|it|its|they|their|them|he|his|she|her
    |however|but|and|so|also|then|therefore|thus|hence|instead|otherwise|additionally|moreover
    |furthermore|for\ example|for\ instance|similarly|likewise|consequently|as\ a\ result|here
    |in\ this\ case|dies|diese|dieser|dieses|es|er|sie|aber|jedoch|dabei|il|elle|ils|cela|ceci
    |mais|cette|это|он|она|они|но
    |(?:add|call|change|check|close|copy|create|delete|do|give|install|keep|make|open|put|reach
    |remove|restore|run|send|set|start|stop|use)\ (?:it|them))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_POINTS = re.compile(
    r"""\b(?:see|refer\ to|check\ out|visit|read)\b.{0,60}
        \b(?:for|to\ learn|section|documentation|details|guide|page|more)\b
    |^For\b.{1,80}\b(?:see|refer\ to|read|check)\b|\bread\ more\ about\b
    |\bfor\ (?:more|further|additional)\ (?:information|details)\b|\blearn\ more\b
    |\b(?:in|on)\ the\ (?:next|following|previous)\ (?:page|section|chapter|example)\b
    |\bthis\ (?:page|section|chapter|guide|document|tutorial|example)\b
    |\b(?:we['\u2019]ll|let['\u2019]s\ (?-i:[a-z])|you['\u2019]ll\ learn)
    |^Learn\ (?:how|about|more)\b
    |\bwill\ (?:learn|discuss|cover|see)\b|\bTODO\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SPEAKS_OF_OTHERS = re.compile(
    r"""^Here\ (?:are|is)\b|(?<!as\ )\b(?:shown|described|mentioned|listed)\ (?:above|below)\b
    |\b(?:above|below|following)\ (?:example|code|command|snippet|figure|table|diagram|output)\b
    |\b(?:sections?|pages?)\ below\b|\bin\ the\ example\b
    |^(?:In\ )?(?:Listing|Figure|Table)\ [\dA-Z]""",
    re.IGNORECASE | re.VERBOSE,
)
_LOGGED = re.compile(r"\bPR \W?#?\d|\(#\d+\)|\bby \[?@\w")


def leans(text: str) -> bool:
    """Say whether a sentence leans on the one before it."""
    return _LEANS.match(text) is not None


def names_its_subject(text: str) -> bool:
    """Say whether a sentence that leans names its subject ("This default type")."""
    match = _LEANS.match(text)
    return match is not None and match["pointing"] is not None


def points(text: str) -> bool:
    """Say whether a text sends the reader elsewhere, or only announces what comes next."""
    return _POINTS.search(text) is not None


def speaks_of_others(text: str) -> bool:
    """Say whether a sentence refers to something next to it that is not quoted."""
    return _SPEAKS_OF_OTHERS.search(text) is not None


def is_logged(text: str) -> bool:
    """Say whether a line is an entry of a change log."""
    return _LOGGED.search(text) is not None
