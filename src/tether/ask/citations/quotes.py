"""The units of the passages that come nearest to a statement, by its words.

Words cannot tell whether a quote says a statement; they tell where to look. A statement that is a
whole sentence of a document, word by word, is found by that alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from math import log
from textwrap import dedent
from typing import NamedTuple

from tether.ask.citations.comparison import Said, Sayings
from tether.ask.citations.passage import Passage, Sentence, Window, key_of
from tether.ask.evidence import Evidence

MOST_READ = 2
"""How many windows of the cited passages, and how many of all, are read for a statement."""

LEAST_NEAR = 0.3
"""The share of a statement's words that a unit needs to stand in for it."""

_ASKED = 0.3
_WORTH_MORE = 0.1
_NUMBER_WEIGHT = 0.5


class Candidate(NamedTuple):
    """A window, and the share of the statement's words that it has."""

    window: Window
    covered: float
    rank: float


class _Held(NamedTuple):
    """A window, with the words and numbers that it says."""

    window: Window
    terms: frozenset[str]
    numbers: frozenset[str]


class Quotes:
    """Looks for statements in the passages of one turn, and keeps what it found."""

    def __init__(self, evidence: Sequence[Evidence], question: str) -> None:
        self._passages = {one.number: Passage(one) for one in evidence}
        self._sayings = Sayings()
        self._question = question
        self._rankings: dict[str, list[Candidate]] = {}
        self._weights: dict[str, float] = {}

    def said(self, text: str, language: str = "") -> Said:
        """Return the content of a text."""
        return self._sayings.said(text, language)

    def said_in(self, window: Window) -> Said:
        """Return the content of a window with its headings."""
        passage = window.passage
        return self.said(f"{passage.evidence.chunk.heading}\n{window.premise}", passage.language)

    def verbatim(self, statement: str, cited: Collection[int]) -> Sentence | None:
        """Return the sentence or unit that a statement is word by word, cited passages first."""
        key = key_of(statement)
        return next(
            (found for one in self._ordered(cited) if (found := one.sentences.get(key))), None
        )

    def code(self, code: str, cited: Collection[int]) -> Sentence | None:
        """Return the same lines of a passage's code, with all of that code as their quote."""
        wanted = _lines(code)
        for passage in self._ordered(cited):
            for unit in passage.units:
                same = _same(unit.text, wanted) if wanted and unit.kind == "code" else ""
                if same:
                    return Sentence(same, Window(passage, (unit,)))
        return None

    def candidates(self, statement: str, cited: Collection[int]) -> list[Candidate]:
        """Return the windows to read for a statement: the best cited ones, and the best of all."""
        ranked = self._ranked(statement)
        own = [one for one in ranked if one.window.number in cited]
        chosen = {_place(one.window): one for one in (*own[:MOST_READ], *ranked[:MOST_READ])}
        return sorted(chosen.values(), key=_order)

    def closest(self, statement: str, cited: Collection[int]) -> Window | None:
        """Return the single unit that comes nearest to a statement; None where none is near."""
        single = [one for one in self._ranked(statement) if len(one.window.units) == 1]
        near = [one.window for one in single if one.covered >= LEAST_NEAR]
        own = [window for window in near if window.number in cited]
        return next(iter(own or near), None)

    def _ordered(self, cited: Collection[int]) -> list[Passage]:
        return sorted(self._passages.values(), key=lambda one: one.evidence.number not in cited)

    def _ranked(self, statement: str) -> list[Candidate]:
        """Return the windows that have a word of a statement, the best first."""
        if statement not in self._rankings:
            found = [one for held in self._windows for one in self._fitting(statement, held)]
            self._rankings[statement] = sorted(found, key=_order)
        return self._rankings[statement]

    def _fitting(self, statement: str, windows: Sequence[_Held]) -> Iterator[Candidate]:
        """Yield the windows of a passage that have a word; more units must have more of them."""
        language = windows[0].window.passage.language
        wanted = self.said(statement, language)
        asked = self.said(self._question, language).terms - wanted.terms
        best = 0.0
        for held in windows:
            covered = self._covered(wanted, held)
            least = best + _WORTH_MORE if len(held.window.units) > 1 else 0.0
            if covered > least:
                best = max(best, covered)
                rank = covered + _ASKED * self._share(asked, held.terms)
                yield Candidate(held.window, covered, rank)

    def _covered(self, wanted: Said, held: _Held) -> float:
        """Return the share of a statement that a window says; its headings count as said."""
        passage = held.window.passage
        context = self.said(passage.evidence.chunk.heading, passage.language).terms
        counted = wanted.terms - (context - held.terms)
        weight = self._weight(counted) + _NUMBER_WEIGHT * len(wanted.numbers)
        said = self._weight(counted & held.terms)
        said += _NUMBER_WEIGHT * len(wanted.numbers & held.numbers)
        return said / weight if weight else 0.0

    def _share(self, terms: frozenset[str], of: frozenset[str]) -> float:
        weight = self._weight(terms)
        return self._weight(terms & of) / weight if weight else 0.0

    @cached_property
    def _windows(self) -> list[list[_Held]]:
        """The windows of each passage that has some."""
        found = (list(map(self._held, one.windows)) for one in self._passages.values())
        return [windows for windows in found if windows]

    def _held(self, window: Window) -> _Held:
        texts = [window.units[0].lead_text, *(unit.text for unit in window.units)]
        contents = [self.said(text, window.passage.language) for text in texts]
        return _Held(
            window,
            frozenset().union(*(one.terms | one.implied for one in contents)),
            frozenset().union(*(one.held for one in contents)),
        )

    def _weight(self, terms: Iterable[str]) -> float:
        """Return how much words tell: those of few passages more."""
        return sum(self._weights.get(term) or self._weighed(term) for term in terms)

    def _weighed(self, term: str) -> float:
        count = len(self._passages) + 1
        self._weights[term] = log(1 + count / (self._frequencies[term] + 0.5))
        return self._weights[term]

    @cached_property
    def _frequencies(self) -> Counter[str]:
        return Counter(
            term
            for passage in self._passages.values()
            for term in self.said(passage.text, passage.language).terms
        )


def _order(candidate: Candidate) -> tuple[float, int, int, int]:
    window = candidate.window
    return -round(candidate.rank, 6), len(window.units), window.number, window.start


def _place(window: Window) -> tuple[int, int, int]:
    return window.number, window.start, window.end


def _lines(code: str) -> list[str]:
    lines = [line.rstrip() for line in code.expandtabs(4).split("\n")]
    kept = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in kept), default=0)
    return [line[indent:] for line in kept]


def _same(code: str, wanted: list[str]) -> str:
    """Return the lines of code that are the wanted ones, at any common indent; "" if none are."""
    lines = [line.rstrip() for line in code.split("\n")]
    filled = [at for at, line in enumerate(lines) if line]
    for first, last in zip(filled, filled[len(wanted) - 1 :], strict=False):
        run = "\n".join(lines[first : last + 1])
        if _lines(run) == wanted:
            return dedent(run)
    return ""
