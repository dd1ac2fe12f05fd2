"""The parts of a search: when the judge reads, for how long, and with which floor."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from app.conftest import judge_with
from retrieval.floor.railway import SharedWords
from tether.app.index_floor import floor_judge
from tether.app.search import JUDGE_MILLISECONDS, SearchParts, open_index
from tether.app.settings.values import JudgeChoice
from tether.ask.model import Style
from tether.retrieval.errors import CalibrationMismatch
from tether.retrieval.floor.calibration import Calibration, FloorModel, Parts, Rate
from tether.retrieval.floor.logistic import LogisticModel
from tether.retrieval.index.snapshot import Snapshot
from tether.retrieval.search.settings import MixWeights

STYLES: tuple[Style, ...] = get_args(Style)
RATE = Rate(share=0.05, low=0.02, high=0.11, count=100)


@pytest.fixture(autouse=True)
def judge(cheap: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a judge that takes no time stand in for the shipped one."""
    judge_with(monkeypatch, SharedWords)


@pytest.fixture
def plain(words: Path) -> Iterator[Snapshot]:
    """An index without a floor."""
    with open_index(words).snapshot() as snapshot:
        yield snapshot


def calibration(parts: Parts, *features: str, weights: MixWeights | None = None) -> Calibration:
    numbers = (1.0,) * len(features)
    fitted = LogisticModel(means=numbers, scales=numbers, weights=numbers, intercept=0.0)
    model = FloorModel(
        features=features,
        model=fitted,
        threshold=0.5,
        false_refusals=RATE,
        far_refusals=RATE,
        near_refusals=RATE,
    )
    return Calibration(
        parts=parts, target=0.05, questions="corpus", models=(model,), weights=weights
    )


def with_floor(
    folder: Path, choice: JudgeChoice, *features: str, weights: MixWeights | None = None
) -> Snapshot:
    """Return the index with a floor that was fitted with that choice, on these features."""
    index = open_index(folder)
    with index.snapshot() as before:
        parts = SearchParts.uncalibrated(before, choice).floor_parts
    index.store_calibration(calibration(parts, *features, weights=weights).to_json())
    return index.snapshot()


@pytest.fixture
def with_plain_floor(words: Path) -> Iterator[Snapshot]:
    """An index with a floor that no score of a judge is read for."""
    with with_floor(words, "off", "coverage") as snapshot:
        yield snapshot


@pytest.fixture
def with_judged_floor(words: Path) -> Iterator[Snapshot]:
    """An index with a floor that was fitted to the scores of the judge."""
    with with_floor(words, "on", "coverage", "judge") as snapshot:
        yield snapshot


LIMITS: dict[JudgeChoice, float | None] = {
    "auto": JUDGE_MILLISECONDS,
    "on": math.inf,
    "off": None,
}
"""The time of the judge by choice, None for one that is off."""


def limit_of(parts: SearchParts) -> float | None:
    retriever = parts.retriever()
    assert retriever.judge is parts.judge
    assert retriever.settings == parts.settings
    return None if retriever.judge is None else retriever.settings.judge_milliseconds


@pytest.mark.parametrize("choice", LIMITS)
def test_without_a_floor_the_choice_decides(plain: Snapshot, choice: JudgeChoice) -> None:
    for parts in (SearchParts.uncalibrated(plain, choice), SearchParts.of(plain, choice)):
        assert limit_of(parts) == LIMITS[choice]
        assert parts.floor is None


@pytest.mark.parametrize("choice", LIMITS)
def test_a_floor_that_reads_no_judge_leaves_the_choice(
    with_plain_floor: Snapshot, choice: JudgeChoice
) -> None:
    parts = SearchParts.of(with_plain_floor, choice)
    assert limit_of(parts) == LIMITS[choice]
    assert parts.floor is not None
    assert parts.retriever().floor is parts.floor


@pytest.mark.parametrize("choice", ["auto", "on"])
def test_a_floor_that_reads_the_judge_has_it_read_all(
    with_judged_floor: Snapshot, choice: JudgeChoice
) -> None:
    parts = SearchParts.of(with_judged_floor, choice)
    assert limit_of(parts) == math.inf
    assert parts.floor is not None


def test_a_floor_that_reads_the_judge_decides_nothing_without_it(words: Path) -> None:
    weights = MixWeights(ranks=0.9, words=0.1, grams=0, cosine=0, judge=0.5)
    with with_floor(words, "on", "coverage", "judge", weights=weights) as snapshot:
        parts = SearchParts.of(snapshot, "off")
    assert parts.floor is None
    assert parts.judge is None
    assert parts.settings.weights == weights


def test_a_floor_for_other_parts_is_refused_with_the_judge_and_without(words: Path) -> None:
    index = open_index(words)
    with index.snapshot() as before:
        parts = replace(SearchParts.uncalibrated(before, "on").floor_parts, chunker="another")
    index.store_calibration(calibration(parts, "coverage", "judge").to_json())
    for choice in get_args(JudgeChoice):
        with index.snapshot() as snapshot, pytest.raises(CalibrationMismatch, match="another"):
            SearchParts.of(snapshot, choice)


def test_by_default_the_judge_reads_what_fits(plain: Snapshot) -> None:
    assert SearchParts.of(plain) == SearchParts.of(plain, "auto")
    assert limit_of(SearchParts.of(plain)) == JUDGE_MILLISECONDS


def test_fitted_weights_are_searched_with(words: Path) -> None:
    weights = MixWeights(ranks=0.9, words=0.1, grams=0, cosine=0, judge=0)
    with with_floor(words, "off", "coverage", weights=weights) as snapshot:
        parts = SearchParts.of(snapshot)
    assert parts.settings.weights == weights
    assert parts.settings.judge_milliseconds == JUDGE_MILLISECONDS


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("choice", LIMITS)
def test_for_a_quotation_the_judge_does_not_read_passages(
    plain: Snapshot, with_plain_floor: Snapshot, choice: JudgeChoice, style: Style
) -> None:
    for snapshot in (plain, with_plain_floor):
        parts = SearchParts.of(snapshot, choice)
        retriever = parts.answering(style)
        assert retriever.judge is (None if style == "quotes" else parts.judge)
        assert replace(retriever, judge=parts.judge) == parts.retriever()


@pytest.mark.parametrize("style", STYLES)
def test_it_does_if_the_floor_was_fitted_to_its_scores(
    with_judged_floor: Snapshot, style: Style
) -> None:
    parts = SearchParts.of(with_judged_floor)
    assert parts.judge is not None
    assert parts.answering(style) == parts.retriever()


def test_a_calibration_is_for_the_parts_and_not_for_the_time(plain: Snapshot) -> None:
    limited = SearchParts.uncalibrated(plain, "auto")
    assert limited.floor_parts == SearchParts.uncalibrated(plain, "on").floor_parts
    off = SearchParts.uncalibrated(plain, "off")
    assert off.floor_parts == replace(limited.floor_parts, judge="")
    weights = MixWeights(ranks=0.9, words=0.1, grams=0, cosine=0, judge=0)
    assert limited.with_weights(weights).floor_parts == limited.floor_parts
    other = replace(limited, settings=replace(limited.settings, boost=0.5))
    assert other.floor_parts != limited.floor_parts


@pytest.mark.parametrize(("choice", "expected"), [("on", "on"), ("auto", "off"), ("off", "off")])
def test_a_floor_is_fitted_to_a_judge_that_always_reads(
    choice: JudgeChoice, expected: JudgeChoice
) -> None:
    assert floor_judge(choice) == expected
