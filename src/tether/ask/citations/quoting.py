"""The verbatim words of a passage that a statement rests on, with their place; or none.

A statement rests on a passage in one of three ways: its words in quotation marks stand there; it
stands there itself; or one to three neighbouring sentences say its content words, weighted by how
rare they are among the passages, with every number and every name of code, and negate what it
negates. Words of the passage's headings need not be repeated by the sentences.

`LEAST_COVERED` was set on paraphrases and on statements of other passages: see
`docs/citations.md`, which has the numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

from tether.ask.citations.wording import Said, Sayings, Written, written
from tether.ask.evidence import Evidence
from tether.retrieval.lexical.language import known_language
from tether.retrieval.readers.sentences import sentences

LEAST_COVERED = 0.55
"""The share of a statement's weighted content words that a quote has to say."""

MOST_SENTENCES = 3
LONGEST_PASSAGE = 100_000
MOST_QUOTED_SENTENCES = 2_000

_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]{2,2000})[\"\u201d\u201c\u00bb]"
)
_LEFT_OUT = re.compile(r"\s*(?:\u2026|\.\.\.|\[\.\.\.\]|\[\u2026\])\s*")
_PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*+#|>]|\d{1,9}[.)])[ \t])")
_EDGES = re.compile(r"\A(?:[\s>#|]|[-*+]\s|\d{1,9}[.)]\s)+")
_CLOSING = re.compile(
    r"(?:[*_`~)\"'\u201d\u2019]|</\w{1,20}>|\]\([^()\s]{0,400}\)|\[\^\w{1,20}\]){0,6}[.!?]+"
)
_FEWEST_QUOTED = 2
_WORTH_A_SENTENCE = 0.15
_SLIGHTLY = 0.01
_MARGIN = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A quote: `evidence.chunk.text[start:end]`, and how much of the statement it says."""

    evidence: Evidence
    start: int
    end: int
    covered: float

    @property
    def quote(self) -> str:
        """The words of the passage."""
        return self.evidence.chunk.text[self.start : self.end]


@dataclass(frozen=True)
class _Passage:
    """A passage, read once for all statements."""

    evidence: Evidence

    @cached_property
    def text(self) -> str:
        return self.evidence.chunk.text[:LONGEST_PASSAGE]

    @cached_property
    def written(self) -> Written:
        return written(self.text)

    @cached_property
    def language(self) -> str:
        return known_language(self.evidence.chunk.language)

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        at = 0
        for match in [*_PARAGRAPHS.finditer(self.text), None]:
            end = len(self.text) if match is None else match.start()
            part = self.text[at:end]
            found += [_trimmed(self.text, at + a, at + b) for a, b in sentences(part)]
            at = end if match is None else match.end()
        return [span for span in found if span[0] < span[1]][:MOST_QUOTED_SENTENCES]

    def windows(self, size: int) -> Iterator[tuple[int, int]]:
        """Return every run of so many neighbouring sentences."""
        spans = self.sentences
        for first, last in zip(spans, spans[size - 1 :], strict=False):
            yield first[0], last[1]


class Quotes:
    """Finds quotes in the passages of one turn."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._passages = {one.number: _Passage(one) for one in evidence}
        self._sayings = Sayings()

    def find(self, statement: str, evidence: Evidence) -> Found | None:
        """Return what a statement rests on in one passage, or None."""
        passage = self._passages[evidence.number]
        whole = _LEFT_OUT.sub(" ", statement).strip()
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
        """Return what a text says."""
        return self._sayings.said(text, language)

    def _verbatim(self, statement: str, passage: _Passage) -> Found | None:
        tokens = written(statement)
        place = passage.written.find(tokens) if len(tokens.tokens) > 1 else None
        wanted = self.said(statement, passage.language)
        if place is None or not wanted.terms:
            return None
        start, end = _with_edges(passage.text, *place)
        if self._is_denied(wanted, passage, start, end):
            return None
        return Found(evidence=passage.evidence, start=start, end=end, covered=1.0)

    def _is_denied(self, wanted: Said, passage: _Passage, start: int, end: int) -> bool:
        """Say whether the sentence around a place denies what the words at the place say."""
        around = (span for span in passage.sentences if span[0] < end and start < span[1])
        said = (self.said(passage.text[a:b], passage.language) for a, b in around)
        return not wanted.negates and any(one.negated & wanted.terms for one in said)

    def _said(
        self, statement: str, passage: _Passage, places: list[tuple[int, int]]
    ) -> Found | None:
        """Return the sentences that say a statement best and hold all quoted places.

        More sentences have to say clearly more. Where others speak about it clearly more and say
        something else (another number, the opposite), nothing is found: the statement changes what
        the passage says.
        """
        wanted = self.said(statement, passage.language)
        if not wanted.terms and not wanted.numbers:
            return None
        best: Found | None = None
        most = 0.0
        for size in range(1, MOST_SENTENCES + 1):
            fewer = best.covered if best else 0.0 if places else most
            least = max(LEAST_COVERED, fewer + _WORTH_A_SENTENCE)
            for start, end in passage.windows(size):
                covered = self._covered(wanted, passage, start, end)
                most = max(most, covered)
                if covered < least or not _holds(start, end, places):
                    continue
                if self._agrees(wanted, passage, start, end):
                    least = covered + _SLIGHTLY
                    best = Found(evidence=passage.evidence, start=start, end=end, covered=covered)
        return best if best is not None and best.covered >= most - _MARGIN else None

    def _agrees(self, wanted: Said, passage: _Passage, start: int, end: int) -> bool:
        """Say whether sentences hold the numbers and names of a statement and do not deny it."""
        text = passage.text[start:end]
        said = self.said(text, passage.language)
        spelled = f"{text}\n{passage.evidence.chunk.heading}".lower().replace("\\", "")
        numbers = wanted.numbers <= said.numbers | self._context(passage).numbers
        return (
            numbers
            and all(code in spelled for code in wanted.codes | wanted.names)
            and not _contradicts(wanted, said)
        )

    def _covered(self, wanted: Said, passage: _Passage, start: int, end: int) -> float:
        said = self.said(passage.text[start:end], passage.language)
        context = self._context(passage)
        counted = wanted.terms - (context.terms - said.terms)
        if not counted & said.terms:
            return 1.0 if wanted.numbers and not counted else 0.0
        weights = {term: self._weight(term) for term in counted}
        return sum(weights[term] for term in counted & said.terms) / sum(weights.values())

    def _context(self, passage: _Passage) -> Said:
        """Return what the headings above a passage say."""
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
    """Say whether one denies what the other says."""
    if wanted.negates and not said.negates:
        return True
    denies = any(term in said.terms and term not in said.near for term in wanted.negated)
    return denies or any(term in wanted.terms - wanted.near for term in said.negated)


def _holds(start: int, end: int, places: list[tuple[int, int]]) -> bool:
    return all(start <= first and last <= end for first, last in places)


def _in_order(quoted: str, text: Written) -> tuple[int, int] | None:
    """Return the place of a quotation; its parts around "\u2026" stand in order."""
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
    """Return a place with the markup that opens before it, and closes before a stop behind it."""
    while start > 0 and text[start - 1] in "*_`[":
        start -= 1
    closing = _CLOSING.match(text, end)
    return start, closing.end() if closing else end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the markup in front of a sentence: list marks, headings, quote marks."""
    match = _EDGES.match(text[start:end])
    return (start + match.end() if match else start), end
