"""The address check: whether the quotes of an answer address the question, or are a near miss.

The floor looks at passages and cannot see that the one right page is missing while its neighbours
are there. This check looks at the few sentences that an answer rests on: do they name the subject
of the question, and does the judge take them for an answer. The weights below are fixed;
`bench/addressing.py` fitted them on questions that are reported nowhere, and measures their effect.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tether.ask.quoting.features import FAINT, NAMED
from tether.ask.quoting.question import Question, question_of, readable
from tether.retrieval.errors import JudgeFailed
from tether.retrieval.judge import Opinion
from tether.retrieval.ports import Judge
from tether.text.terms import Vocabulary

MOST_QUOTES = 40
"""How many quotes are read, from the first on."""

MOST_JUDGED = 3
"""How many quotes the judge reads one by one, those that cover most; all together are one more."""

FITTED_FOR = "judge.int8:d68b86c1b605b22e87b314c1e66ff76e"
"""The fingerprint of the judge whose scale the weights are for."""

_HAVE_A_FORM = frozenset({"when", "number", "who", "where"})
"""The kinds of questions whose answers are known by a date, a number, a name or a place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressed:
    """Whether the quotes address the question: `score` is compared with `threshold`.

    `covered` is the share of the question that the best quote and its heading name, from 0 to 1.
    """

    ok: bool
    score: float
    threshold: float
    covered: float


class AddressCheck(Protocol):
    """Says whether quotes address a question. Blocks while a judge reads."""

    def addresses(
        self, question: str, quotes: Sequence[str], headings: Sequence[str], /
    ) -> Addressed:
        """Return the verdict; each heading belongs to the quote at the same index."""
        ...


@runtime_checkable
class Opinionated(Protocol):
    """A judge that distinguishes "is about it" from "answers it"."""

    def opinions(self, question: str, passages: Sequence[str]) -> list[Opinion]:
        """Return both logits of each passage; raises `JudgeFailed`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The input of the rule; the opinion is None where no judge has read the quotes."""

    covered: float
    name_missing: bool
    unsuited: bool
    opinion: Opinion | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A logistic rule: weights of the unscaled signs, and the threshold that goes with them."""

    intercept: float
    covered: float
    name_missing: float
    unsuited: float
    relevance: float = 0.0
    answers: float = 0.0
    threshold: float

    def score(self, signs: Signs) -> float:
        """Return how likely the quotes address the question, on the scale of this rule."""
        total = (
            self.intercept
            + self.covered * signs.covered
            + self.name_missing * signs.name_missing
            + self.unsuited * signs.unsuited
        )
        if signs.opinion is not None:
            total += self.relevance * signs.opinion.relevance
            total += self.answers * signs.opinion.answers
        return 1 / (1 + math.exp(-total))


WITH_JUDGE = Rule(
    intercept=-1.059,
    covered=1.091,
    name_missing=-0.379,
    unsuited=-1.338,
    relevance=0.247,
    answers=0.2,
    threshold=0.136,
)
WITHOUT_JUDGE = Rule(
    intercept=-2.087, covered=2.975, name_missing=-0.411, unsuited=-1.455, threshold=0.211
)
"""Fitted on SQuAD 2.0 (two articles), docfaq (five projects) and synthetic questions on the Ray
documentation, each set and both sides of it with the same weight. The thresholds are the least at
which 5 % of the right answers of any of seven sets would be refused: scores do not compare between
collections, and an answer lost is worse than a near miss shown with its quote."""


class QuoteAddress:
    """Checks that quotes name the subject of the question and, by the shipped judge, answer it.

    Another judge is not used: the weights do not fit its scale. Without a judge, or if it fails,
    the terms of the quotes decide. A question without content words is addressed by any quote, and
    no question by no quotes. Safe to share between threads.
    """

    __slots__ = ("_judge",)

    def __init__(self, judge: Judge | None = None) -> None:
        self._judge = judge

    def addresses(
        self, question: str, quotes: Sequence[str], headings: Sequence[str], /
    ) -> Addressed:
        """Return the verdict on the quotes of one answer; never raises."""
        signs = signs_of(question, quotes, headings, self._opinionated())
        if signs is None:
            return Addressed(ok=bool(quotes), score=0.5, threshold=0.5, covered=0.0)
        rule = WITHOUT_JUDGE if signs.opinion is None else WITH_JUDGE
        score = rule.score(signs)
        return Addressed(
            ok=score >= rule.threshold,
            score=score,
            threshold=rule.threshold,
            covered=signs.covered,
        )

    def _opinionated(self) -> Opinionated | None:
        judge = self._judge
        if judge is None or not isinstance(judge, Opinionated):
            return None
        try:
            fits = judge.fingerprint == FITTED_FOR
        except JudgeFailed:
            return None
        return judge if fits else None


def signs_of(
    question: str, quotes: Sequence[str], headings: Sequence[str], judge: Opinionated | None
) -> Signs | None:
    """Return the signs of the quotes for a question; None where there is nothing to compare."""
    asked = _Asked.of(question)
    quotes = quotes[:MOST_QUOTES]
    if not asked.weights or not quotes:
        return None
    places = [headings[at] if at < len(headings) else "" for at in range(len(quotes))]
    named = [asked.named(f"{place}\n{quote}") for quote, place in zip(quotes, places, strict=True)]
    shares = [asked.share(terms) for terms in named]
    seen = frozenset[str]().union(*named)
    suited = asked.question.kind not in _HAVE_A_FORM or any(map(asked.question.suits, quotes))
    order = sorted(range(len(quotes)), key=lambda at: (-shares[at], at))[:MOST_JUDGED]
    passages = [f"{places[at]}\n{quotes[at]}".strip() for at in order]
    whole = f"{places[order[0]]}\n{' '.join(quotes)}".strip()
    return Signs(
        covered=max(shares),
        name_missing=not asked.names <= seen,
        unsuited=not suited,
        opinion=None if judge is None else _opinion(judge, question, whole, passages),
    )


def _opinion(
    judge: Opinionated, question: str, whole: str, passages: Sequence[str]
) -> Opinion | None:
    """Return the mean of the judge's opinions on all quotes and the best; None if it failed."""
    try:
        first, *rest = judge.opinions(question, [whole, *passages])
    except JudgeFailed:
        return None
    relevance = max(one.relevance for one in rest)
    answers = max(one.answers for one in rest)
    return Opinion((first.relevance + relevance) / 2, (first.answers + answers) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The terms of a question with their weights."""

    question: Question
    vocabulary: Vocabulary
    weights: dict[str, float]

    @classmethod
    def of(cls, text: str) -> _Asked:
        vocabulary = Vocabulary(readable(text))
        question = question_of(text, vocabulary)
        weights = {
            term: NAMED if term in question.names else FAINT if term in vocabulary.faint else 1.0
            for term in question.terms
        }
        return cls(question=question, vocabulary=vocabulary, weights=weights)

    @property
    def names(self) -> frozenset[str]:
        return self.question.names & self.weights.keys()

    def named(self, text: str) -> frozenset[str]:
        return frozenset(self.vocabulary.terms_of(text)) & self.weights.keys()

    def share(self, terms: frozenset[str]) -> float:
        return math.fsum(self.weights[term] for term in terms) / math.fsum(self.weights.values())
