"""From a question and passages to quotes, and the Markdown of them: an answer without a turn."""

# No `from __future__ import annotations` here: see units.py.
from collections.abc import Generator, Sequence
from typing import NamedTuple, cast

from tether.ask.quoting.choice import Chosen, choose
from tether.ask.quoting.question import question_of, readable
from tether.ask.quoting.scores import Scored, score_units
from tether.ask.quoting.units import Passage, read_passage
from tether.text.terms import Vocabulary

MOST_PASSAGES_READ, MOST_CHARACTERS = 100, 2_000_000
"""How many passages are read, and how much of them together: the best ranked ones."""


class Quote(NamedTuple):
    """A sentence, an item or a lead-in: `shown(passage[start:end])` is its text."""

    passage: int
    start: int
    end: int
    text: str
    score: float


class Paragraph(NamedTuple):
    """The quotes from one passage, and the first heading of that passage.

    `gaps` are the places in `quotes` before which the passage says more. In a list, the first quote
    is the lead-in if `has_lead`, and the others are its items, with their `numbers`; `is_cut` says
    that the list of the passage is longer.
    """

    passage: int
    heading: str | None
    quotes: tuple[Quote, ...]
    is_list: bool = False
    has_lead: bool = False
    is_ordered: bool = False
    is_cut: bool = False
    gaps: frozenset[int] = frozenset()
    numbers: tuple[int, ...] = ()


class Extraction(NamedTuple):
    """The quotes that answer a question. Without paragraphs, nothing does."""

    paragraphs: tuple[Paragraph, ...]
    considered: int

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All quotes in reading order."""
        return tuple(quote for paragraph in self.paragraphs for quote in paragraph.quotes)


def extract(question: str, passages: Sequence[str]) -> Extraction:
    """Pick the sentences of the passages (best first) that answer a question.

    The same input always gives the same output. The work is bounded by `MOST_PASSAGES_READ`,
    `MOST_CHARACTERS`, and the limits of `read_passage`.
    """
    steps = extracting(question, passages)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return cast("Extraction", done.value)


def extracting(question: str, passages: Sequence[str]) -> Generator[None, None, Extraction]:
    """Do the same as `extract`, with a pause after each passage, so that other tasks can run."""
    vocabulary = Vocabulary(readable(question))
    asked = question_of(question, vocabulary)
    if not asked.terms:
        return Extraction((), 0)
    passages = _bounded(passages)
    read: list[Passage] = []
    for number, text in enumerate(passages):
        read.append(read_passage(text, number, len(passages)))
        yield
    scored = score_units(asked, read, vocabulary)
    chosen = choose(scored, asked)
    titles = [passage.title for passage in read]
    return Extraction(tuple(_paragraph(one, titles) for one in chosen), len(scored))


def _bounded(passages: Sequence[str]) -> list[str]:
    """Return the parts of the passages that are read, the best ranked ones whole."""
    left, bounded = MOST_CHARACTERS, list[str]()
    for text in passages[:MOST_PASSAGES_READ]:
        bounded.append(text[:left])
        left -= len(bounded[-1])
    return bounded


def _paragraph(chosen: Chosen, titles: Sequence[str | None]) -> Paragraph:
    first = chosen.quotes[0].unit
    return Paragraph(
        first.passage,
        titles[first.passage],
        tuple(_quote(scored) for scored in chosen.quotes),
        chosen.is_list,
        chosen.is_list and first.kind == "lead",
        chosen.is_ordered,
        chosen.is_cut,
        chosen.gaps,
        tuple(scored.unit.number for scored in chosen.quotes),
    )


def _quote(scored: Scored) -> Quote:
    unit = scored.unit
    return Quote(unit.passage, unit.start, unit.end, unit.text, round(scored.score, 4))


LEFT_OUT = "\u2026"
"""Marks a place where the passage says more."""


def write_paragraph(paragraph: Paragraph, link: str) -> str:
    """Return one paragraph or list, with the link (possibly empty) after its last quote."""
    texts = [quote.text for quote in paragraph.quotes]
    if link:
        texts[-1] = f"{texts[-1]} {link}"
    if paragraph.is_list:
        return _write_list(paragraph, texts)
    parts = [
        f"{LEFT_OUT} {text}" if at in paragraph.gaps else text for at, text in enumerate(texts)
    ]
    return " ".join(parts)


def _write_list(paragraph: Paragraph, texts: list[str]) -> str:
    """Return the lead-in and the items, with a mark in place of omitted ones."""
    first = int(paragraph.has_lead)
    items: list[str] = []
    for at, text in enumerate(texts[first:], start=first):
        if paragraph.is_ordered:
            items += [LEFT_OUT] * (paragraph.numbers[at] - len(items) - 1)
        elif at in paragraph.gaps:
            items.append(LEFT_OUT)
        items.append(text)
    if paragraph.is_cut:
        items.append(LEFT_OUT)
    marks = (f"{number}." if paragraph.is_ordered else "-" for number in range(1, len(items) + 1))
    listed = "\n".join(f"{mark} {item}" for mark, item in zip(marks, items, strict=False))
    return f"{texts[0]}\n\n{listed}" if first else listed
