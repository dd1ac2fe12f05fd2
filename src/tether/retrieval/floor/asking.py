"""The questions a floor is fitted with, and what the index says to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tether.retrieval.floor.features import features
from tether.retrieval.floor.questions import corpus_questions, far_questions
from tether.retrieval.query import Query

if TYPE_CHECKING:
    from tether.retrieval.search.retriever import Retriever
    from tether.retrieval.search.searchable import Searchable

QuestionKind = Literal["answerable", "near", "far"]

Progress = Callable[[int, int], None]
"""Told how many questions were asked, of how many."""


def unheard(done: int, total: int) -> None:
    """Tell nobody."""
    del done, total


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorQuestion:
    """A question to fit with: of what kind it is, and which rows are hidden while it is asked.

    `answerable` ones have their answer in what is not hidden. `near` ones have their page hidden,
    `far` ones are about something else.
    """

    text: str
    kind: QuestionKind
    hidden: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenQuestion:
    """A question from a file: the documents that answer it, none where nothing does."""

    text: str
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the index said to a question: the features of its hits, none where there were none."""

    text: str
    kind: QuestionKind
    features: dict[str, float]


def questions_from_corpus(index: Searchable, *, count: int, seed: int) -> list[FloorQuestion]:
    """Return questions made from the documents, each also with its page hidden, and far ones.

    A heading or a sentence asked word for word finds itself, which no real question does. So its
    own passage is hidden while it counts as answerable: what the neighbours then score is close to
    what real questions get (`docs/measurements.md`).
    """
    made = corpus_questions(index, count=count, seed=seed)
    asked = [
        FloorQuestion(text=one.text, kind="answerable", hidden=frozenset({one.row})) for one in made
    ]
    asked += [
        FloorQuestion(text=one.text, kind="near", hidden=_rows_of(index, [one.page]))
        for one in made
    ]
    return asked + _far(index)


def questions_from_file(
    index: Searchable, pages: dict[str, int], given: Iterable[GivenQuestion]
) -> list[FloorQuestion]:
    """Return given questions, those with an answer also with their pages hidden, and far ones.

    `pages` gives the number of each document. Questions whose documents are all unknown to the
    index are left out: whether it can answer them is not known.
    """
    asked: list[FloorQuestion] = []
    for one in given:
        known = [pages[key] for key in sorted(one.documents) if key in pages]
        if known:
            asked.append(FloorQuestion(text=one.text, kind="answerable"))
            asked.append(FloorQuestion(text=one.text, kind="near", hidden=_rows_of(index, known)))
        elif not one.documents:
            asked.append(FloorQuestion(text=one.text, kind="near"))
    return asked + _far(index)


def ask_all(
    retriever: Retriever, asked: Sequence[FloorQuestion], progress: Progress
) -> list[Answered]:
    """Search for every question and return the features of what was found."""
    answered: list[Answered] = []
    for number, one in enumerate(asked, start=1):
        findings = retriever.search(Query(question=one.text), hidden=one.hidden)
        found = features(findings.hits) if findings.hits else {}
        answered.append(Answered(text=one.text, kind=one.kind, features=found))
        progress(number, len(asked))
    return answered


def _far(index: Searchable) -> list[FloorQuestion]:
    return [FloorQuestion(text=text, kind="far") for text in far_questions(index)]


def _rows_of(index: Searchable, pages: Sequence[int]) -> frozenset[int]:
    return frozenset(np.flatnonzero(np.isin(index.pages, pages)).tolist())
