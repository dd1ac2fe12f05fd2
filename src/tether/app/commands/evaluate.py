"""`tether eval`: measure retrieval and refusals on labelled questions."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from tether.app.commands.evaluate_answers import answers
from tether.app.commands.evaluate_truth import truth
from tether.app.display import aligned
from tether.app.options import COUNT, as_json, judge, settings_under
from tether.app.progress import progress_of_questions, progress_of_steps
from tether.app.search import SearchParts, known_sources, make_index
from tether.app.search_models import SearchModels
from tether.app.settings.values import JudgeChoice
from tether.app.sources import state_line
from tether.core.errors import InputRefused
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
from tether.retrieval.evaluation.stages import MEASURES, StageResult, evaluate, stages
from tether.retrieval.floor.calibrate import calibrate
from tether.retrieval.floor.questions import questions_from_corpus
from tether.retrieval.index.index import Index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.evaluation.refusals import Scores
    from tether.retrieval.search.retriever import Retriever

QUESTIONS = 150
"""How many questions are made from the documents to fit the floor, as in `calibrate`."""


@click.command()
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--side", default="", help="The side of the data, as in queries_SIDE.jsonl.gz.")
@click.option("--index", type=click.Path(path_type=Path), help="Keep the index in this folder.")
@click.option(
    "--far",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Data of another subject, whose questions should be refused; repeatable.",
)
@click.option("--no-refusals", is_flag=True, help="Measure the ranking only.")
@click.option(
    "--every",
    type=COUNT,
    default=1,
    show_default=True,
    help="Use only every n-th question.",
)
@judge
@as_json
def retrieval(
    *,
    data: Path,
    side: str,
    index: Path | None,
    far: tuple[Path, ...],
    no_refusals: bool,
    every: int,
    judge: JudgeChoice,
    as_json: bool,
) -> None:
    """Measure every lane and stage on DATA, and the refusals of a floor fitted without labels.

    DATA is a folder with corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv, and optionally
    qa.jsonl.gz, whose questions people marked as answerable or not. With qa.jsonl.gz alone only the
    refusals are measured.
    """
    asked = Questions.of(data, side, far, every)
    if no_refusals and not asked.labelled:
        raise InputRefused(f"{data} has no queries, so there is no ranking to measure")
    with ExitStack() as stack:
        folder = index or Path(stack.enter_context(TemporaryDirectory()))
        models = SearchModels.of(settings_under())
        snapshot = stack.enter_context(indexed(data, folder, models).snapshot())
        search = SearchParts.uncalibrated(snapshot, judge, models)
        ranked = _ranked(search.retriever(), asked.labelled) if asked.labelled else []
        refused = [] if no_refusals else measure_refusals(search, asked)
    if as_json:
        click.echo(json.dumps(_object(data, side, ranked, refused)))
    else:
        click.echo(tables(ranked, refused))


def _ranked(retriever: Retriever, questions: Sequence[LabelledQuestion]) -> list[StageResult]:
    with progress_of_questions("Ranking") as progress:
        return evaluate(stages(retriever), questions, progress=progress)


def _object(
    data: Path, side: str, ranked: Sequence[StageResult], refused: Sequence[RefusalResult]
) -> dict[str, object]:
    return {
        "data": data.name,
        "side": side,
        "stages": [
            {"stage": one.stage, "questions": one.questions, **one.measures} for one in ranked
        ],
        "refusals": [asdict(one) for one in refused],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """The questions of a dataset: labelled with documents, marked by people, and of other data."""

    labelled: tuple[LabelledQuestion, ...]
    answerable: tuple[str, ...]
    unanswerable: tuple[str, ...]
    far: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, data: Path, side: str, far: Sequence[Path], every: int) -> Questions:
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


def indexed(data: Path, folder: Path, models: SearchModels | None = None) -> Index:
    """Return an index of the dataset alone, created or brought in step.

    Raises `InputRefused` if the index in the folder has other sources: then the keys of the
    documents would differ from the labels.
    """
    source = DatasetSource(folder=data)
    foreign = [name for name in known_sources(folder) if name != source.name]
    if foreign:
        raise InputRefused(f"the index in {folder} contains {foreign[0]}; name another folder")
    index = make_index(folder)
    with progress_of_steps() as progress:
        plan = index.plan(source, progress=progress)
        report = index.apply(
            plan, embedder=(models or SearchModels()).embedder(), progress=progress
        )
    failed = [state_line(state) for state in report.states if state.state == "failed"]
    for line in (*failed, *report.notes):
        click.echo(line, err=True)
    return index


def measure_refusals(search: SearchParts, asked: Questions) -> list[RefusalResult]:
    """Fit a floor without labels, then measure it on the questions of people."""
    with progress_of_questions("Calibrating") as progress:
        made = questions_from_corpus(search.snapshot, count=QUESTIONS, seed=0)
        parts = search.floor_parts
        fitted = calibrate(search.retriever(), made, parts, source="corpus", progress=progress)
    retriever = search.with_floor(fitted).retriever()
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


def tables(ranked: Sequence[StageResult], refused: Sequence[RefusalResult]) -> str:
    """Return the measures of every stage, and the refusals below them."""
    names = list(MEASURES)
    rows = [["stage", *names]]
    rows += [[one.stage, *(f"{one.measures[name]:.3f}" for name in names)] for one in ranked]
    text = [aligned(rows)] if ranked else []
    if refused:
        rows = [["not answerable", "n", "AUROC", "cosine", "at 5 %", "cosine", "stored", "false"]]
        rows += [_refusal_row(one) for one in refused]
        text.append(aligned(rows))
    return "\n\n".join(text)


def _refusal_row(one: RefusalResult) -> list[str]:
    shares = (one.auroc, one.auroc_of_cosine, one.refused, one.refused_by_cosine)
    stored = (one.at_threshold, one.false_refusals)
    return [one.name, str(one.questions), *(f"{share:.3f}" for share in (*shares, *stored))]


command = click.Group(
    "eval",
    help="Measure on labelled or recorded questions.",
    commands=[retrieval, answers, truth],
)
