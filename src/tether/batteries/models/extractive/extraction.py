"""From a question and passages to quotes: the whole of the extractive answer, without a turn."""

# No `from __future__ import annotations` here: see units.py.
from collections.abc import Sequence
from typing import NamedTuple

from tether.batteries.models.extractive.choosing import Chosen, choose
from tether.batteries.models.extractive.question import question_of
from tether.batteries.models.extractive.scoring import Scored, score_units
from tether.batteries.models.extractive.units import read_passage

MOST_PASSAGES_READ = 100
"""How many passages are looked at, the best ranked ones."""


class Quote(NamedTuple):
    """A sentence, an item or a lead-in: `shown(passage[start:end])` is its text."""

    passage: int
    start: int
    end: int
    text: str
    score: float


class Paragraph(NamedTuple):
    """The quotes from one passage, and the first heading of that passage.

    In a list, the first quote leads into it if `has_lead`, and the others are its items; `is_cut`
    says that the list of the passage is longer.
    """

    passage: int
    heading: str | None
    quotes: tuple[Quote, ...]
    is_list: bool = False
    has_lead: bool = False
    is_ordered: bool = False
    is_cut: bool = False


class Extraction(NamedTuple):
    """What answers a question. Without paragraphs, nothing does."""

    paragraphs: tuple[Paragraph, ...]
    considered: int

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All quotes in the order in which they are read."""
        return tuple(quote for paragraph in self.paragraphs for quote in paragraph.quotes)


def extract(question: str, passages: Sequence[str]) -> Extraction:
    """Pick the sentences of the passages (best first) that answer a question.

    The same input gives the same output, always. The work is bounded by `MOST_PASSAGES_READ`, and
    by the limits of `read_passage`.
    """
    stems: dict[str, str] = {}
    asked = question_of(question, stems)
    if not asked.terms:
        return Extraction((), 0)
    passages = passages[:MOST_PASSAGES_READ]
    read = [read_passage(text, number, len(passages)) for number, text in enumerate(passages)]
    scored = score_units(asked, read, stems)
    chosen = choose(scored, len(asked.terms))
    titles = [passage.title for passage in read]
    return Extraction(tuple(_paragraph(one, titles) for one in chosen), len(scored))


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
    )


def _quote(scored: Scored) -> Quote:
    unit = scored.unit
    return Quote(unit.passage, unit.start, unit.end, unit.text, round(scored.score, 4))
