"""The floor of an index, fitted whenever the index is brought in step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tether.app.progress import progress_of_questions
from tether.app.search import SearchParts
from tether.app.sources import Check, never
from tether.retrieval.errors import CalibrationImpossible, CalibrationMismatch
from tether.retrieval.floor.calibrate import LEAST_PASSAGES, calibrate
from tether.retrieval.floor.calibration import Calibration
from tether.retrieval.floor.questions import questions_from_corpus
from tether.text.numbers import counted

if TYPE_CHECKING:
    from tether.app.search_models import SearchModels
    from tether.app.settings.values import JudgeChoice
    from tether.retrieval.floor.calibration import Rate
    from tether.retrieval.index.index import Index
    from tether.retrieval.index.snapshot import Snapshot

PER_QUESTION = 25
"""One question is asked for so many passages, which keeps the fit to a few percent of indexing."""

FEWEST, MOST = 20, 100
"""The bounds of the number of far questions."""

MADE = 40
"""How many questions are made from the documents; they are asked only for a foreign embedder."""

MOVED = 1.2
"""A floor is fitted again once the index has grown or shrunk by this factor."""


def fit_if_due(
    index: Index,
    judge: JudgeChoice,
    models: SearchModels | None = None,
    *,
    check: Check = never,
    renewed: bool = False,
) -> str:
    """Fit the floor if the index has none, or has grown out of it; return what there is to say.

    A floor for other parts, as after an update of the program, is replaced. One that was fitted to
    given questions otherwise stays; any other is replaced if the vectors are `renewed`. `check` is
    called repeatedly and raises to stop the work. The text is "" if nothing changed.
    """
    with index.snapshot() as snapshot:
        if not _is_due(snapshot, models, renewed=renewed):
            return ""
        if snapshot.size < LEAST_PASSAGES:
            return no_floor(snapshot.size)
        try:
            search = SearchParts.uncalibrated(snapshot, floor_judge(judge), models)
            fitted = _fitted(search, check)
        except CalibrationImpossible as error:
            return f"no floor: {error.message}"
        index.store_calibration(fitted.to_json(), generation=snapshot.generation)
    return f"floor: {floor_text(fitted)}"


def _is_due(snapshot: Snapshot, models: SearchModels | None, *, renewed: bool) -> bool:
    if snapshot.calibration is None:
        return True
    try:
        found = Calibration.from_json(snapshot.calibration)
        parts = SearchParts.uncalibrated(snapshot, "off", models).floor_parts
        found.check(replace(parts, judge=found.parts.judge))
    except CalibrationMismatch:
        return True
    ratio = snapshot.size / max(found.passages, 1)
    return found.questions == "corpus" and (renewed or not 1 / MOVED < ratio < MOVED)


def floor_judge(choice: JudgeChoice) -> JudgeChoice:
    """Return whether a floor is fitted to the scores of the judge: only if it always reads."""
    return "on" if choice == "on" else "off"


def _fitted(search: SearchParts, check: Check) -> Calibration:
    snapshot = search.snapshot
    far = min(max(snapshot.size // PER_QUESTION, FEWEST), MOST)
    with progress_of_questions("Fitting the floor") as progress:

        def hear(done: int, total: int) -> None:
            check()
            progress(done, total)

        asked = questions_from_corpus(snapshot, count=MADE, seed=0, most_far=far)
        return calibrate(
            search.retriever(), asked, search.floor_parts, source="corpus", progress=hear
        )


def no_floor(passages: int, *, is_fitted: bool = False) -> str:
    """Say that no floor decides, why, and what follows; a fitted one may need the judge."""
    why = "none was fitted; run `tether calibrate`"
    if is_fitted:
        why = "it was fitted to the scores of the judge, which is off"
    elif passages < LEAST_PASSAGES:
        why = f"{counted(passages, 'passage')} of the {LEAST_PASSAGES} that one needs"
    return f"no floor ({why}): questions that the documents do not cover may not be refused"


def floor_of(index: Index) -> str:
    """Say what the floor of an index promises, or why it has none."""
    with index.snapshot() as snapshot:
        if snapshot.calibration is None:
            return no_floor(snapshot.size).removeprefix("no floor ").replace("(", "none (", 1)
        try:
            return floor_text(Calibration.from_json(snapshot.calibration))
        except CalibrationMismatch as error:
            return f"not valid: {error.message}"


def floor_text(fitted: Calibration) -> str:
    """Say what the floor promises, both errors with their intervals."""
    model = fitted.models[0]
    refused = f"refuses {rate_text(model.false_refusals)} of the answerable questions"
    return f"{refused} and {rate_text(model.far_refusals)} of those about something else"


def rate_text(rate: Rate) -> str:
    """Return a share with its interval, and what it was measured on."""
    where = f"on {rate.collections} other collections" if rate.collections else f"n = {rate.count}"
    return f"{rate.share:.0%} ({rate.low:.0%} to {rate.high:.0%}, {where})"
