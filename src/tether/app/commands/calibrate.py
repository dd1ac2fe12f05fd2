"""`tether calibrate`: fit the floor of an index and report its rates."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tether.app.index_floor import floor_judge, rate_text
from tether.app.index_sync import IndexSync
from tether.app.offline import offline_where_set
from tether.app.options import COUNT, as_json, docs, index_place, judge, settings_under
from tether.app.progress import progress_of_questions
from tether.app.search import SearchParts
from tether.app.search_models import SearchModels
from tether.app.settings.values import JudgeChoice
from tether.retrieval.floor.calibrate import calibrate
from tether.retrieval.floor.mix import fit_mix
from tether.retrieval.floor.questions import (
    questions_from_corpus,
    questions_from_file,
    read_questions,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.floor.calibration import Calibration
    from tether.retrieval.floor.questions import FloorQuestion, GivenQuestion
    from tether.retrieval.index.snapshot import Snapshot


@click.command("calibrate")
@index_place
@docs
@judge
@as_json
@click.option(
    "--questions",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help='Lines of JSON: {"question": ..., "documents": [keys]}; no documents: not answerable.',
)
@click.option(
    "--count",
    type=COUNT,
    default=150,
    show_default=True,
    help="Questions to make from the documents.",
)
@click.option(
    "--target",
    type=click.FloatRange(0, 0.5),
    help="The share of answerable questions that may be refused: with --questions.  [default: 5 %]",
)
def command(
    *,
    index: str | None,
    docs: tuple[str, ...],
    judge: JudgeChoice,
    as_json: bool,
    questions: Path | None,
    count: int,
    target: float | None,
) -> None:
    """Fit the floor below which nothing is answered.

    With a file of questions the weights of the mix are also fitted, if that helps. Without one, the
    floor of other collections is moved to where foreign questions score in this index.
    """
    if target is not None and questions is None:
        raise click.UsageError("--target needs --questions")
    given = None if questions is None else read_questions(questions)
    settings = settings_under("index", index=index, docs=docs or None, judge=judge, wait=True)
    with offline_where_set(settings):
        kept = IndexSync(settings=settings, floor=False).index()
    with kept.snapshot() as snapshot, progress_of_questions("Asking") as progress:
        search = SearchParts.uncalibrated(snapshot, floor_judge(judge), SearchModels.of(settings))
        weights = None
        if given is not None:
            weights = fit_mix(search.retriever(), _pages(snapshot), given)
        if weights is not None:
            search = search.with_weights(weights)
        fitted = calibrate(
            search.retriever(),
            _asked(snapshot, given, count),
            search.floor_parts,
            source="corpus" if given is None else "file",
            target=target,
            weights=weights,
            progress=progress,
        )
        kept.store_calibration(fitted.to_json(), generation=snapshot.generation)
    click.echo(json.dumps(asdict(fitted)) if as_json else _text(fitted))


def _asked(
    snapshot: Snapshot, given: Sequence[GivenQuestion] | None, count: int
) -> list[FloorQuestion]:
    if given is None:
        return questions_from_corpus(snapshot, count=count, seed=0)
    return questions_from_file(snapshot, _pages(snapshot), given)


def _pages(snapshot: Snapshot) -> dict[str, int]:
    return {key: number for number, key in enumerate(snapshot.document_keys())}


def _text(fitted: Calibration) -> str:
    model = fitted.models[0]
    lines = [
        f"{_origin(fitted)}, on {', '.join(model.features)}.",
        f"refuses {rate_text(model.false_refusals)} of the answerable questions",
        f"refuses {rate_text(model.far_refusals)} of questions about something else",
        f"refuses {rate_text(model.near_refusals)} of questions whose own page is missing",
    ]
    if fitted.is_judged:
        lines.append("It is fitted to the scores of the judge, which is then always on.")
    if fitted.weights is not None:
        lines.append(f"The weights of the mix were fitted: {fitted.weights}.")
    return "\n".join(lines)


def _origin(fitted: Calibration) -> str:
    """Say what the floor was fitted with."""
    if fitted.questions == "file":
        return "Fitted with questions given"
    if fitted.models[0].false_refusals.collections:
        return "Fitted on other collections, moved by foreign questions"
    return "Fitted with questions made from the documents"
