"""The features of the units of a turn: what is known of each of them before one is chosen."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from tether.ask.citations.passage import Passage
from tether.ask.quoting.question import Question, question_of, readable
from tether.ask.quoting.signs import is_logged, leans, points, speaks_of_others
from tether.text.terms import Vocabulary
from tether.text.units import Unit
from tether.text.words import count_words

FAINT, NAMED, UNSEEN = 0.4, 1.5, 0.7
"""Factors for the weight of a term: one that asks more than it names, one that is a name, a number
or an identifier, and one that no unit has."""

SATURATION, LENGTH_SHARE = 0.9, 0.35
LONG, SHORT = 45, 6
"""In words: longer units say too much, shorter ones too little."""

_DOES = re.compile(
    r"\b(?:how|way to|steps?|command|run|set|change|make|create|get|enable|disable|use|add|remove"
    r"|delete|install|configure|force|stop|start|list|show|pass|turn|copy|move|build|without)\b",
    re.IGNORECASE,
)
_DEFAULT = re.compile(r"\bdefault|\bnormally\b", re.IGNORECASE)
_LIMIT = re.compile(
    r"\b(?:max|maximum|min|minimum|limit|smallest|largest|size|timeout"
    r"|how (?:many|much|long|big|large|often))\b",
    re.IGNORECASE,
)
_POLAR = re.compile(
    r"\W*(?:can|does|do|is|are|will|would|should|must|has|have|did|could|may|am)\b", re.IGNORECASE
)
_WHAT = re.compile(r"\W*what(?:['\u2019]?s| is| are| does)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"`[^`]+`")


class Candidate(NamedTuple):
    """A unit with its place: the number of its passage, best first from 0, and its own in it."""

    passage: int
    at: int
    unit: Unit


class Features:
    """The features of all units of a turn, for one question.

    `coverage` is the share of the question that a unit names together with the text that it belongs
    to: its lead-in or term, and the headings above it. The first `most` units of each passage are
    read.
    """

    def __init__(self, question: str, passages: Sequence[Passage], *, most: int) -> None:
        text = readable(question)
        self.vocabulary = Vocabulary(text)
        self.question: Question = question_of(text, self.vocabulary)
        self.candidates = [
            Candidate(number, at, unit)
            for number, passage in enumerate(passages)
            for at, unit in enumerate(passage.units[:most])
        ]
        self._text = text
        self._headings = [passage.evidence.chunk.heading_path for passage in passages]
        self._counts = [Counter(self.vocabulary.terms_of(one.unit.text)) for one in self.candidates]
        self._terms: dict[str, frozenset[str]] = {}

    def coverage(self, index: int) -> float:
        """Return the share of the question that a unit and its place name, from 0 to 1."""
        one = self.candidates[index]
        around = self._known(one.unit.lead_text) | self._known(self._path(one))
        return self._share(self._counts[index].keys() | around)

    def of(self, index: int) -> dict[str, float]:
        """Return the features of one unit, by name."""
        return {**self._words(index), **self._form(index), **self._fit(index)}

    def _words(self, index: int) -> dict[str, float]:
        """Return how much of the question is in the unit, and how much is around it."""
        one, count = self.candidates[index], self._counts[index]
        path = self._path(one)
        heading = path.rpartition(" > ")[2]
        covered, union = self._share(count.keys()), self.coverage(index)
        return {
            "match": self._match(count),
            "covered": covered,
            "in_lead": self._share(self._known(one.unit.lead_text)),
            "in_heading": self._share(self._known(heading)),
            "in_path": self._share(self._known(path)),
            "nearby": self._share(self._nearby(index) - count.keys()),
            "union": union,
            "union_squared": union * union,
            "in_passage": self._share(self._of_passage(one.passage)),
            "rank": 1 / (1 + one.passage),
            "code_in_path": float(one.unit.kind == "code") * self._share(self._known(path)),
            "row_covered": float(one.unit.kind == "row") * covered,
        }

    def _form(self, index: int) -> dict[str, float]:
        """Return what the unit looks like, whatever the question."""
        unit = self.candidates[index].unit
        words = count_words(unit.text)
        return {
            **{kind: float(unit.kind == kind) for kind in ("item", "row", "code", "definition")},
            "opens": float(self._opens(index)),
            "long": float(words > LONG),
            "short": float(words < SHORT),
            "words": math.log1p(words),
            "leans": float(leans(unit.text)),
            "points": float(points(unit.text)),
            "speaks_of_others": float(speaks_of_others(unit.text)),
            "logged": float(is_logged(unit.text)),
            "number": float(_DIGIT.search(unit.text) is not None),
            "name": float(_NAME.search(unit.text) is not None),
        }

    def _fit(self, index: int) -> dict[str, float]:
        """Return whether the unit looks like an answer to this kind of question."""
        unit, asks = self.candidates[index].unit, self._asks
        is_code, has_name = unit.kind == "code", _NAME.search(unit.text) is not None
        return {
            "suits": float(self.question.suits(unit.text)),
            "defines": self._defines(index),
            "does_code": float(asks["does"] and is_code),
            "does_name": float(asks["does"] and has_name and not is_code),
            "default": float(asks["default"] and _DEFAULT.search(unit.text) is not None),
            "limit_number": float(asks["limit"] and _DIGIT.search(unit.text) is not None),
            "polar_code": float(asks["polar"] and is_code),
            "what_code": float(asks["what"] and is_code),
            "what_opens": float(asks["what"] and self._opens(index)),
        }

    def _defines(self, index: int) -> float:
        """Return how surely a sentence defines what the question asks for, from 0 to 1.

        The first one below a heading of just that name does, as in a glossary.
        """
        one = self.candidates[index]
        if one.unit.kind != "sentence":
            return 0.0
        heading = self._known(self._path(one).rpartition(" > ")[2])
        is_named = bool(heading) and heading == frozenset(self.question.terms)
        if is_named and self.question.kind == "definition" and self._opens(index):
            return 1.0
        return self.question.is_defined_in(one.unit.text, self.vocabulary)

    @cached_property
    def _asks(self) -> dict[str, bool]:
        polar = _POLAR.match(self._text) is not None
        return {
            "polar": polar,
            "does": not polar and _DOES.search(self._text) is not None,
            "default": _DEFAULT.search(self._text) is not None,
            "limit": _LIMIT.search(self._text) is not None,
            "what": _WHAT.match(self._text) is not None,
        }

    def _opens(self, index: int) -> bool:
        """Say whether a unit is the first below its heading."""
        before = self.candidates[index - 1] if index else None
        one = self.candidates[index]
        return before is None or before.passage != one.passage or before.unit.path != one.unit.path

    def _match(self, count: Mapping[str, int]) -> float:
        """Return the share of the question's weight that the unit has: often, in few words."""
        norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * sum(count.values()) / self._length)
        found = (
            weight * times * (1 + SATURATION) / (times + norm)
            for term, weight in self._weights.items()
            if (times := count.get(term, 0))
        )
        return sum(found) / (sum(self._weights.values()) or 1.0)

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The terms of the question, weighted by how rare they are among the units."""
        asked = self.question
        found = Counter(term for count in self._counts for term in count.keys() & set(asked.terms))
        total, weights = len(self._counts), dict[str, float]()
        for term in asked.terms:
            seen = max(1, found[term])
            weight = math.log(1 + (total - seen + 0.5) / (seen + 0.5))
            weight *= FAINT if term in self.vocabulary.faint else 1.0
            weights[term] = weight * self._name_factor(term, found[term])
        return weights

    def _name_factor(self, term: str, found: int) -> float:
        if term in self.question.names:
            return NAMED
        return 1.0 if found else UNSEEN

    @cached_property
    def _length(self) -> float:
        return sum(count.total() for count in self._counts) / max(1, len(self._counts)) or 1.0

    @cached_property
    def _shares(self) -> dict[str, float]:
        faint = self.vocabulary.faint
        shares = {term: FAINT if term in faint else 1.0 for term in self.question.terms}
        total = sum(shares.values()) or 1.0
        return {term: share / total for term, share in shares.items()}

    def _share(self, terms: Collection[str]) -> float:
        return sum(share for term, share in self._shares.items() if term in terms)

    def _nearby(self, index: int) -> set[str]:
        here = self.candidates[index].passage
        beside = [at for at in (index - 1, index + 1) if 0 <= at < len(self.candidates)]
        near = [at for at in beside if self.candidates[at].passage == here]
        return {term for at in near for term in self._counts[at]}

    def _of_passage(self, number: int) -> frozenset[str]:
        return self._by_passage.get(number, frozenset())

    @cached_property
    def _by_passage(self) -> dict[int, frozenset[str]]:
        found: dict[int, set[str]] = {}
        for one, count in zip(self.candidates, self._counts, strict=True):
            found.setdefault(one.passage, set()).update(count)
        return {number: frozenset(terms) for number, terms in found.items()}

    def _path(self, one: Candidate) -> str:
        return " > ".join((*self._headings[one.passage], *one.unit.path))

    def _known(self, text: str) -> frozenset[str]:
        if text not in self._terms:
            self._terms[text] = frozenset(self.vocabulary.terms_of(text))
        return self._terms[text]
