"""Measuring on a dataset: its index, its questions, and what a floor without labels refuses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tether.app.commands.index_lines import state_line
from tether.app.parts import known_sources
from tether.app.progress import progress_of_questions, progress_of_steps
from tether.core.errors import InputRefused
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.evaluation.dataset import (
    DatasetSource,
    LabelledQuestion,
    load_answerability,
    load_questions,
)
from tether.retrieval.evaluation.refusals import (
    RefusalResult,
    compare,
    pages_hidden,
    score_questions,
)
from tether.retrieval.floor.asking import questions_from_corpus
from tether.retrieval.floor.calibrate import calibrate
from tether.retrieval.index.defaults import default_parts
from tether.retrieval.index.index import Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.app.parts import Searching
    from tether.retrieval.evaluation.refusals import Scores
    from tether.retrieval.search.retriever import Retriever

QUESTIONS = 150
"""So many questions are made from the documents to fit the floor, as `calibrate` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The questions of a dataset: labelled with documents, marked by people, and foreign ones."""

    labelled: tuple[LabelledQuestion, ...]
    answerable: tuple[str, ...]
    unanswerable: tuple[str, ...]
    far: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, data: Path, side: str, far: Sequence[Path], every: int) -> Asked:
        """Load every n-th question; raises `InputRefused` and `SourceUnavailable`."""
        labelled = load_questions(data, side=side)[::every]
        answerable, unanswerable = load_answerability(data)
        if not labelled and not answerable:
            raise InputRefused(f"{data} has no question that its documents answer")
        return cls(
            labelled=labelled,
            answerable=tuple(answerable[::every]),
            unanswerable=tuple(unanswerable[::every]),
            far={other.name: _texts(other)[::every] for other in far},
        )


def _texts(data: Path) -> tuple[str, ...]:
    labelled = tuple(question.text for question in load_questions(data))
    if labelled:
        return labelled
    answerable, unanswerable = load_answerability(data)
    return (*answerable, *unanswerable)


def indexed(data: Path, folder: Path) -> Index:
    """Return an index of the dataset alone, made or brought in step now.

    Raises `InputRefused` where the index in the folder holds something else: with two sources the
    documents have other keys than the labels.
    """
    source = DatasetSource(folder=data)
    foreign = [name for name in known_sources(folder) if name != source.name]
    if foreign:
        raise InputRefused(f"the index in {folder} holds {foreign[0]}; name another folder")
    index = Index.create(folder, default_parts())
    with progress_of_steps() as progress:
        plan = index.plan(source, progress=progress)
        report = index.apply(plan, embedder=MiniLm(), progress=progress)
    failed = [state_line(state) for state in report.states if state.state == "failed"]
    for line in (*failed, *report.notes):
        click.echo(line, err=True)
    return index


def measure_refusals(searching: Searching, asked: Asked) -> list[RefusalResult]:
    """Fit a floor without labels, then measure it on the questions of people."""
    with progress_of_questions("Calibrating") as progress:
        made = questions_from_corpus(searching.snapshot, count=QUESTIONS, seed=0)
        parts = searching.floor_parts
        fitted = calibrate(searching.retriever(), made, parts, source="corpus", progress=progress)
    retriever = searching.with_floor(fitted).retriever()
    labelled = [question.text for question in asked.labelled]
    marked = _scored(retriever, asked.answerable)
    answerable = _scored(retriever, labelled) or marked
    found: list[RefusalResult] = []
    if labelled:
        hidden = pages_hidden(retriever, asked.labelled)
        found.append(compare("own page hidden", answerable, _scored(retriever, labelled, hidden)))
    for name, texts in asked.far.items():
        found.append(compare(f"questions of {name}", answerable, _scored(retriever, texts)))
    if marked and asked.unanswerable:
        others = _scored(retriever, asked.unanswerable)
        found.append(compare("marked unanswerable", marked, others))
    return found


def _scored(
    retriever: Retriever, texts: Sequence[str], hidden: Sequence[frozenset[int]] | None = None
) -> list[Scores]:
    with progress_of_questions("Refusing") as progress:
        return score_questions(retriever, texts, hidden, progress=progress)
