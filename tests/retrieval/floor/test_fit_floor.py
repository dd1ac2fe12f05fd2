"""The fit of the floor on written numbers: kinds, folds, thresholds and honest rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tether.retrieval.errors import CalibrationImpossible, InvalidRetrievalSettings
from tether.retrieval.floor.calibrate import LEAST, Examples, fit_floor
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts
from tether.retrieval.floor.floor import DENSE, JUDGED, LEXICAL
from tether.retrieval.floor.questions import Answered, QuestionKind
from tether.retrieval.search.settings import MixWeights

PARTS = Parts(embedder="e", judge="j", chunker="c", search="s")
DICE = np.random.default_rng(7)


def answered(
    kind: QuestionKind, number: int, level: float, names: tuple[str, ...] = LEXICAL
) -> list[Answered]:
    """Return questions of a kind whose features lie about a level."""
    return [
        Answered(
            text=f"{kind} {place}",
            kind=kind,
            features={name: level + float(DICE.normal(scale=0.1)) for name in names},
        )
        for place in range(number)
    ]


def silent(kind: QuestionKind, number: int) -> list[Answered]:
    return [
        Answered(text=f"{kind} silent {place}", kind=kind, features={}) for place in range(number)
    ]


def fit(asked: list[Answered], target: float = 0.05) -> Calibration:
    return fit_floor(asked, PARTS, source="file", target=target)


def only(calibration: Calibration) -> FloorModel:
    (model,) = calibration.models
    return model


@pytest.mark.parametrize(
    ("names", "sets"),
    [
        (LEXICAL, [LEXICAL]),
        (LEXICAL + DENSE, [LEXICAL + DENSE, LEXICAL]),
        (LEXICAL + JUDGED, [LEXICAL + JUDGED, LEXICAL]),
        (
            LEXICAL + DENSE + JUDGED,
            [LEXICAL + DENSE + JUDGED, LEXICAL + DENSE, LEXICAL + JUDGED, LEXICAL],
        ),
    ],
    ids=["words", "vectors", "judge", "all"],
)
def test_there_is_a_model_for_every_lane_that_can_fail(
    names: tuple[str, ...], sets: list[tuple[str, ...]]
) -> None:
    asked = answered("answerable", 30, 1.0, names) + answered("far", 30, 0.0, names)
    assert [model.features for model in fit(asked).models] == sets


def test_features_that_too_few_answerable_questions_have_get_no_model() -> None:
    full = answered("answerable", LEAST - 1, 1.0, LEXICAL + DENSE)
    plain = [replace(one, text=f"plain {one.text}") for one in answered("answerable", 9, 1.0)]
    far = answered("far", 30, 0.0, LEXICAL + DENSE)
    assert only(fit(full + plain + far)).features == LEXICAL


def test_what_is_told_apart_is_refused_and_the_rest_is_not() -> None:
    asked = answered("answerable", 40, 1.0) + answered("far", 40, 0.0)
    model = only(fit([*asked, *answered("near", 40, 1.0)]))
    assert model.far_refusals.share == 1.0
    assert model.false_refusals.share <= 0.15
    assert model.near_refusals.share <= 0.3
    assert model.far_refusals.low == pytest.approx(40 / (40 + 1.959964**2), abs=1e-6)


def test_the_threshold_refuses_the_target_of_the_answerable_questions() -> None:
    asked = answered("answerable", 200, 1.0) + answered("far", 60, 0.9)
    models = {target: only(fit(asked, target)) for target in (0.0, 0.05, 0.3)}
    shares = [model.false_refusals.share for model in models.values()]
    assert shares == pytest.approx([0.0, 0.05, 0.3], abs=0.03)
    thresholds = [model.threshold for model in models.values()]
    assert thresholds == sorted(thresholds)
    far = [model.far_refusals.share for model in models.values()]
    assert far == sorted(far)


def test_rates_are_those_of_questions_that_the_fit_has_not_seen() -> None:
    """With kinds drawn by lot and many features, a model tells apart only what it has seen."""
    names = LEXICAL + DENSE + JUDGED
    kinds: list[QuestionKind] = ["answerable", "far"]
    asked = [one for kind in kinds for one in answered(kind, 25, 0.0, names)]
    model = fit(asked, target=0.5).models[0]
    rows = np.array([[one.features[name] for name in names] for one in asked])
    seen = model.model.probabilities(rows)
    apart = np.mean(seen[:25] >= 0.5) + np.mean(seen[25:] < 0.5)
    held_out = 1 - model.false_refusals.share + model.far_refusals.share
    assert held_out < apart
    assert model.far_refusals.low < 0.5 < model.far_refusals.high


def test_forms_of_a_question_are_never_in_two_folds() -> None:
    asked = answered("answerable", 30, 1.0) + answered("far", 31, 0.0)
    hidden = [replace(one, kind="near") for one in asked[:30]]
    examples = Examples.of(asked + hidden, LEXICAL)
    assert examples.folds[61:].tolist() == examples.folds[:30].tolist()
    sizes = [int((examples.folds[:30] == fold).sum()) for fold in range(5)]
    assert sizes == [6] * 5


def test_answerable_questions_in_every_fifth_place_are_spread_over_the_folds() -> None:
    good, others = answered("answerable", 30, 1.0), iter(answered("near", 120, 0.5))
    asked = [one for first in good for one in (first, *(next(others) for _ in range(4)))]
    model = only(fit(asked + answered("far", 30, 0.0)))
    assert (model.false_refusals.count, model.near_refusals.count) == (30, 120)


def test_a_question_that_finds_nothing_counts_as_refused() -> None:
    asked = answered("answerable", 38, 1.0) + silent("answerable", 2)
    model = only(fit(asked + answered("near", 30, 0.0) + silent("far", 30), target=0.0))
    assert (model.far_refusals.share, model.far_refusals.count) == (1.0, 30)
    assert model.false_refusals.count == 40
    assert model.false_refusals.share >= 2 / 40


def test_a_rate_without_questions_says_that_nothing_is_known() -> None:
    near = only(fit(answered("answerable", 30, 1.0) + answered("far", 30, 0.0))).near_refusals
    assert (near.share, near.low, near.high, near.count) == (0.0, 0.0, 1.0, 0)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (answered("answerable", 5, 1.0) + answered("far", 30, 0.0), "5 answerable questions"),
        (answered("answerable", 30, 1.0) + answered("far", 3, 0.0), "3 far questions"),
        (answered("answerable", 1, 1.0) * 30 + answered("far", 30, 0.0), "1 answerable questions"),
        (silent("answerable", 30) + answered("far", 30, 0.0), "0 answerable questions"),
        ([], "0 answerable questions"),
    ],
    ids=["answerable", "far", "one question often", "nothing found", "none"],
)
def test_too_few_questions_fit_no_floor(asked: list[Answered], told: str) -> None:
    with pytest.raises(CalibrationImpossible, match=f"{told} are too few; at least {LEAST}"):
        fit(asked)


@pytest.mark.parametrize("target", [-0.1, 1.0, float("nan")])
def test_a_target_that_is_no_share_is_refused(target: float) -> None:
    with pytest.raises(InvalidRetrievalSettings, match="target"):
        fit([], target)


def test_fitted_weights_are_kept() -> None:
    asked = answered("answerable", 30, 1.0) + answered("far", 30, 0.0)
    weights = MixWeights(ranks=1)
    assert fit_floor(asked, PARTS, source="corpus", weights=weights).weights == weights
    assert fit(asked).weights is None
    assert fit(asked) == fit(asked)
