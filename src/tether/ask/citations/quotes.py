"""The verbatim words of a passage that a statement rests on, with their place.

A statement rests on a passage in one of three ways: the passage has its words in quotation marks;
the passage has the statement itself; or one to three neighbouring sentences say its content words,
weighted by their rarity among the passages, with every number and every name of code, and with the
same negations. The sentences need not repeat words of the passage's headings.

`LEAST_COVERED` was set on paraphrases and on statements of other passages; `docs/citations.md` has
the numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from tether.ask.citations.comparison import Said, Sayings, Written, written
from tether.ask.citations.passage import Passage
from tether.ask.citations.phrases import without_preamble
from tether.ask.evidence import Evidence
from tether.text.markdown.marks import without_marks

LEAST_COVERED = 0.55
"""The share of a statement's weighted content words that a quote has to say."""

MOST_SENTENCES = 3

_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]{2,2000})[\"\u201d\u201c\u00bb]"
)
_LEFT_OUT = re.compile(r"\s*(?:\u2026|\.\.\.|\[\.\.\.\]|\[\u2026\])\s*")
_CLOSING = re.compile(
    r"(?:[*_`~)\"'\u201d\u2019]|</\w{1,20}>|\]\([^()\s]{0,400}\)|\[\^\w{1,20}\]){0,6}[.!?]+"
)
_VALUES = frozenset({"default", "limit", "maximum", "minimum", "valu"})
_FEWEST_QUOTED = 2
_NUMBER_WEIGHT = 0.5
_WORTH_A_SENTENCE = 0.15
_SLIGHTLY = 0.01
_MARGIN = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A quote: `evidence.chunk.text[start:end]`, and the share of the statement that it says."""

    evidence: Evidence
    start: int
    end: int
    covered: float

    @property
    def quote(self) -> str:
        """The words of the passage."""
        return self.evidence.chunk.text[self.start : self.end]


class Quotes:
    """Finds quotes in the passages of one turn."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._passages = {one.number: Passage(one) for one in evidence}
        self._sayings = Sayings()

    def find(self, statement: str, evidence: Evidence) -> Found | None:
        """Return the quote that a statement rests on in one passage, or None."""
        passage = self._passages[evidence.number]
        bare = _LEFT_OUT.sub(" ", statement).strip()
        whole = without_preamble(without_marks(bare) or bare)
        if found := self._verbatim(whole, passage):
            return found
        quoted = [one for one in _QUOTED.findall(statement) if len(one.split()) >= _FEWEST_QUOTED]
        places: list[tuple[int, int]] = []
        for one in quoted:
            place = _in_order(one, passage.written)
            if place is None:
                return None
            places.append(place)
        return self._said(whole, passage, places)

    def said(self, text: str, language: str = "") -> Said:
        """Return the content of a text."""
        return self._sayings.said(text, language)

    def _verbatim(self, statement: str, passage: Passage) -> Found | None:
        tokens = written(statement)
        place = passage.written.find(tokens) if len(tokens.tokens) > 1 else None
        wanted = self.said(statement, passage.language)
        if place is None or not wanted.terms:
            return None
        start, end = _with_edges(passage.text, *place)
        if self._is_denied(wanted, passage, start, end):
            return None
        return Found(evidence=passage.evidence, start=start, end=end, covered=1.0)

    def _is_denied(self, wanted: Said, passage: Passage, start: int, end: int) -> bool:
        """Say whether the sentence around a place denies the words at that place."""
        around = (span for span in passage.sentences if span[0] < end and start < span[1])
        said = (self.said(passage.text[a:b], passage.language) for a, b in around)
        return not wanted.negates and any(one.negated & wanted.terms for one in said)

    def _said(
        self, statement: str, passage: Passage, places: list[tuple[int, int]]
    ) -> Found | None:
        """Return the sentences that say a statement best and contain all quoted places.

        More sentences have to say clearly more, or belong together. Where other sentences cover the
        statement clearly better but disagree (another number, the opposite), nothing is found: the
        statement changes the meaning of the passage.
        """
        wanted = self.said(statement, passage.language)
        if not wanted.terms and not wanted.numbers:
            return None
        best: Found | None = None
        most = 0.0
        for size in range(1, MOST_SENTENCES + 1):
            fewer = best.covered if best else 0.0 if places else most
            least = max(LEAST_COVERED, fewer + _WORTH_A_SENTENCE)
            for window in passage.windows(size):
                start, end = window[0][0], window[-1][1]
                covered = self._covered(wanted, passage, start, end)
                most = max(most, covered)
                enough = LEAST_COVERED if not best and self._belong(window, passage) else least
                if covered < enough or not _holds(start, end, places):
                    continue
                if self._agrees(wanted, passage, start, end):
                    least = covered + _SLIGHTLY
                    best = Found(evidence=passage.evidence, start=start, end=end, covered=covered)
        return best if best is not None and best.covered >= most - _MARGIN else None

    def _belong(self, window: Sequence[tuple[int, int]], passage: Passage) -> bool:
        """Say whether several sentences have one subject: they name it, or only give its value.

        "After `limit` tries it stops. The default of `limit` is 5." says "after 5 tries".
        """
        first, *rest = [self.said(passage.text[a:b], passage.language) for a, b in window]
        return bool(rest) and all(first.codes & one.codes or one.terms <= _VALUES for one in rest)

    def _agrees(self, wanted: Said, passage: Passage, start: int, end: int) -> bool:
        """Say whether sentences have the numbers and names of a statement and do not deny it."""
        text = passage.text[start:end]
        said = self.said(text, passage.language)
        spelled = f"{text}\n{passage.evidence.chunk.heading}".lower().replace("\\", "")
        numbers = wanted.numbers <= said.held | self._context(passage).held
        return (
            numbers
            and all(code in spelled for code in wanted.codes | wanted.names)
            and not _contradicts(wanted, said)
        )

    def _covered(self, wanted: Said, passage: Passage, start: int, end: int) -> float:
        said = self.said(passage.text[start:end], passage.language)
        context = self._context(passage)
        terms = said.terms | said.implied
        counted = wanted.terms - (context.terms - terms)
        if not counted & terms:
            return 1.0 if wanted.numbers and not counted else 0.0
        weights = {term: self._weight(term) for term in counted}
        # Whether the numbers are there is another question: here they count as said.
        numbers = _NUMBER_WEIGHT * len(wanted.numbers)
        said_weight = sum(weights[term] for term in counted & terms)
        return (said_weight + numbers) / (sum(weights.values()) + numbers)

    def _context(self, passage: Passage) -> Said:
        """Return the content of the headings above a passage."""
        return self.said(" . ".join(passage.evidence.chunk.heading_path), passage.language)

    def _weight(self, term: str) -> float:
        return log(1 + (len(self._passages) + 1) / (self._frequencies[term] + 0.5))

    @cached_property
    def _frequencies(self) -> Counter[str]:
        return Counter(
            term
            for passage in self._passages.values()
            for term in self.said(passage.text, passage.language).terms
        )


def _contradicts(wanted: Said, said: Said) -> bool:
    """Say whether one text denies something that the other affirms."""
    if wanted.negates and not said.negates:
        return True
    denied = [one[0] for one in wanted.denials if said.near.isdisjoint(one)]
    denied_there = [one[0] for one in said.denials if wanted.near.isdisjoint(one)]
    return any(term in said.terms for term in denied) or any(
        term in wanted.terms for term in denied_there
    )


def _holds(start: int, end: int, places: list[tuple[int, int]]) -> bool:
    return all(start <= first and last <= end for first, last in places)


def _in_order(quoted: str, text: Written) -> tuple[int, int] | None:
    """Return the place of a quotation; its parts around "\u2026" have to be in order."""
    first, last = -1, 0
    for part in _LEFT_OUT.split(quoted):
        if not (tokens := written(part)).tokens:
            continue
        place = text.find(tokens, last)
        if place is None:
            return None
        first = place[0] if first < 0 else first
        last = place[1]
    return None if first < 0 else (first, last)


def _with_edges(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a place with the markup around it, and with the stop after it."""
    while start > 0 and text[start - 1] in "*_`[":
        start -= 1
    closing = _CLOSING.match(text, end)
    return start, closing.end() if closing else end
