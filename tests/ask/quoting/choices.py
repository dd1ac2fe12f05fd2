"""What a choice of units shows, with weights that prefer what names the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ask.citations.passages import passage
from tether.ask.citations.draft import compose
from tether.ask.citations.passage import Passage, Window
from tether.ask.quoting.selection import Selected, Selection
from tether.ask.quoting.windows import quoted

BY_WORDS: Mapping[str, float] = {"constant": -6.0, "covered": 9.0, "union": 2.0}
"""Weights for a clear preference: the more of the question is in a unit, the better."""


def passages_of(*texts: str, document: str = "page-{}.md") -> list[Passage]:
    """Return texts as passages; by default each is a page of its own."""
    return [
        Passage(passage(at, text, document.format(at))) for at, text in enumerate(texts, start=1)
    ]


def chosen(
    question: str,
    *texts: str,
    weights: Mapping[str, float] = BY_WORDS,
    code: bool = True,
    document: str = "page-{}.md",
) -> list[Selected]:
    """Return the quotes for a question."""
    return Selection(question, passages_of(*texts, document=document), weights).chosen(code=code)


def readings(question: str, *texts: str, code: bool = True) -> list[str]:
    """Return the quotes as a person reads them."""
    return [one.window.reading for one in chosen(question, *texts, code=code)]


def shown(windows: Sequence[Window]) -> list[str]:
    """Return each quote as an answer shows it, with its lead-in and without its mark."""
    drafts = [compose([quoted(window, 0)[1]]) for window in windows]
    return [draft.text[: draft.statements[0].end] for draft in drafts]


def units_in(selected: Sequence[Selected]) -> list[str]:
    """Return the texts of all units of some quotes."""
    return [unit.text for one in selected for unit in one.window.units]
