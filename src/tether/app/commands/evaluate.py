"""`tether eval`: measure retrieval and refusals on labelled questions."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from tether.app.commands.evaluate_answers import answers
from tether.app.evaluating import Asked, indexed, measure_refusals
from tether.app.options import a_count, as_json, judge
from tether.app.parts import JudgeChoice, Searching, passages_for_judge
from tether.app.progress import progress_of_questions
from tether.app.tables import tables
from tether.core.errors import InputRefused
from tether.retrieval.evaluation.evaluate import StageResult, evaluate
from tether.retrieval.evaluation.stages import stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.evaluation.dataset import LabelledQuestion
    from tether.retrieval.evaluation.refusals import RefusalResult
    from tether.retrieval.search.retriever import Retriever

LATENCY = 800.0
"""Milliseconds for the judge, as `calibrate` has them."""


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
    type=a_count(),
    default=1,
    show_default=True,
    help="Take every n-th question only.",
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
    """Measure every lane and stage on DATA, and what a floor fitted without labels refuses.

    DATA is a folder with corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv, and may have qa.jsonl.gz,
    whose questions people marked as answerable or not. With qa.jsonl.gz alone only the refusals are
    measured.
    """
    asked = Asked.of(data, side, far, every)
    if no_refusals and not asked.labelled:
        raise InputRefused(f"{data} has no queries, so there is no ranking to measure")
    with ExitStack() as stack:
        folder = index or Path(stack.enter_context(TemporaryDirectory()))
        snapshot = stack.enter_context(indexed(data, folder).snapshot())
        judged = passages_for_judge(judge, LATENCY)
        searching = Searching.uncalibrated(snapshot, judged=judged)
        ranked = _ranked(searching.retriever(), asked.labelled) if asked.labelled else []
        refused = [] if no_refusals else measure_refusals(searching, asked)
    if as_json:
        click.echo(json.dumps(_objects(data, side, ranked, refused)))
    else:
        click.echo(tables(ranked, refused))


def _ranked(retriever: Retriever, questions: Sequence[LabelledQuestion]) -> list[StageResult]:
    with progress_of_questions("Ranking") as progress:
        return evaluate(stages(retriever), questions, progress=progress)


def _objects(
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


command = click.Group(
    "eval", help="Measure on labelled or recorded questions.", commands=[retrieval, answers]
)
