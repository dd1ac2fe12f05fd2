"""A calibration as text: it comes back as it was, and nothing else is taken for one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tether.retrieval.errors import CalibrationMismatch
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts, Rate
from tether.retrieval.floor.floor import FittedFloor
from tether.retrieval.floor.logistic import LogisticModel
from tether.retrieval.search.settings import MixWeights

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(max_size=20)
COUNTS = st.integers(0, 10**9)
RATES = st.builds(Rate, share=NUMBERS, low=NUMBERS, high=NUMBERS, count=COUNTS, collections=COUNTS)
POSITIVE = st.floats(0.01, 1)


@st.composite
def models(draw: st.DrawFn) -> FloorModel:
    features = draw(st.lists(TEXTS, max_size=3))
    numbers = st.tuples(*[NUMBERS] * len(features))
    return FloorModel(
        features=tuple(features),
        model=LogisticModel(
            means=draw(numbers),
            scales=draw(numbers),
            weights=draw(numbers),
            intercept=draw(NUMBERS),
        ),
        threshold=draw(NUMBERS),
        false_refusals=draw(RATES),
        far_refusals=draw(RATES),
        near_refusals=draw(RATES),
    )


CALIBRATIONS = st.builds(
    Calibration,
    parts=st.builds(Parts, embedder=TEXTS, judge=TEXTS, chunker=TEXTS, search=TEXTS),
    target=NUMBERS,
    questions=st.sampled_from(["corpus", "file"]),
    models=st.lists(models(), min_size=1, max_size=2).map(tuple),
    weights=st.none() | st.builds(MixWeights, ranks=POSITIVE, words=POSITIVE, judge=POSITIVE),
    passages=COUNTS,
)

RATE = Rate(share=0.05, low=0.02, high=0.11, count=100)
PLAIN = Calibration(
    parts=Parts(embedder="minilm", judge="", chunker="400/40", search="rrf"),
    target=0.05,
    questions="corpus",
    models=(
        FloorModel(
            features=("judge",),
            model=LogisticModel(means=(0.5,), scales=(0.2,), weights=(2.0,), intercept=0.0),
            threshold=0.4,
            false_refusals=RATE,
            far_refusals=RATE,
            near_refusals=RATE,
        ),
    ),
)


@settings(max_examples=50)
@given(CALIBRATIONS)
def test_a_calibration_comes_back_as_it_was(calibration: Calibration) -> None:
    assert Calibration.from_json(calibration.to_json()) == calibration


def changed(path: str, value: object) -> str:
    """Return a good calibration as text with one place of it changed, or gone."""
    text: dict[str, Any] = json.loads(PLAIN.to_json())
    *above, last = path.split(".")
    place: Any = text
    for name in above:
        place = place[int(name)] if name.isdigit() else place[name]
    if value is KeyError:
        del place[last]
    else:
        place[last] = value
    return json.dumps(text)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", 1),
        ("format", 3),
        ("format", KeyError),
        ("parts", {"embedder": "x"}),
        ("parts.search", KeyError),
        ("target", "high"),
        ("target", float("nan")),
        ("questions", "dreams"),
        ("models", []),
        ("models", None),
        ("models.0.features", ["coverage", "words"]),
        ("models.0.threshold", float("inf")),
        ("models.0.model.means", [0.1, 0.2]),
        ("models.0.model.scales", ["wide"]),
        ("models.0.model.weights", [float("-inf")]),
        ("models.0.far_refusals", {"share": 1}),
        ("models.0.near_refusals.count", "many"),
        ("models.0.near_refusals.collections", KeyError),
        ("passages", KeyError),
        ("weights", {"ranks": -1}),
        ("weights", {"loud": 1}),
        ("weights", KeyError),
    ],
    ids=lambda value: getattr(value, "__name__", None) or str(value),
)
def test_what_is_not_a_calibration_is_refused(path: str, value: object) -> None:
    with pytest.raises(CalibrationMismatch):
        Calibration.from_json(changed(path, value))


@pytest.mark.parametrize("text", ["", "[]", "7", "null", "{", '"text"'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(CalibrationMismatch, match="cannot be read"):
        Calibration.from_json(text)


@pytest.mark.parametrize(
    ("part", "other", "told"),
    [
        ("embedder", "bge", "embedder is bge, not minilm"),
        ("embedder", "", "embedder is none, not minilm"),
        ("judge", "strict", "judge is strict, not none"),
        ("chunker", "600/60", "chunker is 600/60, not 400/40"),
        ("search", "mix", "search is mix, not rrf"),
    ],
)
def test_a_calibration_for_another_part_is_refused(part: str, other: str, told: str) -> None:
    parts = replace(PLAIN.parts, **{part: other})
    with pytest.raises(CalibrationMismatch, match=told):
        FittedFloor.for_parts(PLAIN.to_json(), parts)


def test_every_part_that_differs_is_named() -> None:
    parts = Parts(embedder="bge", judge="strict", chunker="400/40", search="rrf")
    with pytest.raises(CalibrationMismatch, match=r"embedder.*; judge"):
        FittedFloor.for_parts(PLAIN.to_json(), parts)


def test_a_calibration_for_the_same_parts_is_taken() -> None:
    assert FittedFloor.for_parts(PLAIN.to_json(), PLAIN.parts).calibration == PLAIN


def test_another_judge_is_taken_if_no_model_reads_its_scores() -> None:
    models = tuple(replace(model, features=("coverage",)) for model in PLAIN.models)
    plain = replace(PLAIN, models=models)
    plain.check(replace(plain.parts, judge="strict"))
    with pytest.raises(CalibrationMismatch, match="search is mix, not rrf"):
        plain.check(replace(plain.parts, judge="strict", search="mix"))


@pytest.mark.parametrize(
    ("features", "is_judged"),
    [
        ([("coverage",)], False),
        ([("coverage", "judge")], True),
        ([("coverage",), ("judge",)], True),
        ([("coverage",), ("cosine",)], False),
    ],
    ids=str,
)
def test_a_calibration_is_judged_if_a_model_reads_the_scores_of_a_judge(
    features: list[tuple[str, ...]], is_judged: bool
) -> None:
    (plain,) = PLAIN.models
    models = tuple(replace(plain, features=names) for names in features)
    assert replace(PLAIN, models=models).is_judged is is_judged
