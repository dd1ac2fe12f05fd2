"""The quality of refusals: by the fitted floor, and for comparison by cosine alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.measures import auroc, refusal_at
from tether.retrieval.query import Query

if TYPE_CHECKING:
    from tether.retrieval.evaluation.dataset import LabelledQuestion
    from tether.retrieval.search.retriever import Retriever

FALSE_REFUSALS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The scores of one question: the probability and verdict of the floor, and the best cosine."""

    floor: float
    sufficient: bool
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalResult:
    """How well one set of questions without an answer is separated from the answerable ones.

    `refused` and `refused_by_cosine` are the shares at a threshold that refuses 5 % of the
    answerable questions; `at_threshold` and `false_refusals` are the shares at the threshold of the
    calibration.
    """

    name: str
    questions: int
    answerable: int
    auroc: float
    auroc_of_cosine: float
    refused: float
    refused_by_cosine: float
    at_threshold: float
    false_refusals: float


def score_questions(
    retriever: Retriever,
    texts: Sequence[str],
    hidden: Sequence[frozenset[int]] | None = None,
    *,
    progress: Callable[[int, int], None],
) -> list[Scores]:
    """Return the scores of each question; one without hits gets the lowest scores."""
    found: list[Scores] = []
    for number, text in enumerate(texts, start=1):
        rows = frozenset[int]() if hidden is None else hidden[number - 1]
        findings = retriever.search(Query(question=text), hidden=rows)
        cosines = [hit.cosine for hit in findings.hits if hit.cosine is not None]
        verdict = findings.verdict
        found.append(
            Scores(
                floor=verdict.probability if verdict else 0.0,
                sufficient=findings.sufficient,
                cosine=max(cosines, default=-1.0),
            )
        )
        progress(number, len(texts))
    return found


def pages_hidden(
    retriever: Retriever, questions: Sequence[LabelledQuestion]
) -> list[frozenset[int]]:
    """Return for each question the rows of all documents that answer it."""
    index = retriever.index
    documents = [chunk.document for chunk in index.chunks(range(index.size))]
    rows: dict[str, list[int]] = {}
    for row, document in enumerate(documents):
        rows.setdefault(document, []).append(row)
    return [
        frozenset(row for document in question.relevant for row in rows.get(document, ()))
        for question in questions
    ]


def compare(name: str, answerable: Sequence[Scores], others: Sequence[Scores]) -> RefusalResult:
    """Return how well the others are separated from the answerable questions.

    Raises `InputRefused` if there are none of either kind.
    """
    floors = ([one.floor for one in answerable], [one.floor for one in others])
    cosines = ([one.cosine for one in answerable], [one.cosine for one in others])
    return RefusalResult(
        name=name,
        questions=len(others),
        answerable=len(answerable),
        auroc=auroc(*floors),
        auroc_of_cosine=auroc(*cosines),
        refused=refusal_at(*floors, false_refusals=FALSE_REFUSALS).refused,
        refused_by_cosine=refusal_at(*cosines, false_refusals=FALSE_REFUSALS).refused,
        at_threshold=float(np.mean([not one.sufficient for one in others])),
        false_refusals=float(np.mean([not one.sufficient for one in answerable])),
    )
