"""Calibrating a small real corpus, from its questions to the verdicts of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from retrieval.floor.railway import DEEDS, PAGES, THINGS, WordEmbedder, chunks_of
from tether.retrieval.errors import CalibrationMismatch, InvalidRetrievalSettings, JudgeFailed
from tether.retrieval.floor.calibrate import LEAST, calibrate
from tether.retrieval.floor.calibration import Calibration, Parts
from tether.retrieval.floor.floor import DENSE, LEXICAL, FittedFloor
from tether.retrieval.floor.questions import questions_from_corpus
from tether.retrieval.measures import wilson
from tether.retrieval.query import Query
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.retriever import Retriever

PARTS = Parts(embedder="words/1", judge="", chunker="usual", search="usual")
INDEX = MemoryIndex(chunks_of(PAGES), embedder=WordEmbedder())
RETRIEVER = Retriever(index=INDEX, embedder=WordEmbedder())
MADE = questions_from_corpus(INDEX, count=30, seed=0)
ASKED = MADE[:90]  # with thirty of the far ones


@pytest.fixture(scope="module")
def fitted() -> Calibration:
    steps: list[tuple[int, int]] = []
    found = calibrate(
        RETRIEVER, ASKED, PARTS, source="corpus", progress=lambda *step: steps.append(step)
    )
    assert steps == [(number, 90) for number in range(1, 91)]
    return found


def test_there_is_a_model_for_each_set_of_features(fitted: Calibration) -> None:
    assert [model.features for model in fitted.models] == [LEXICAL + DENSE, LEXICAL]
    assert (fitted.parts, fitted.questions, fitted.target) == (PARTS, "corpus", 0.05)
    assert fitted.weights is None


def test_the_rates_are_shares_of_the_questions_with_their_intervals(fitted: Calibration) -> None:
    for model in fitted.models:
        rates = (model.false_refusals, model.near_refusals, model.far_refusals)
        assert [rate.count for rate in rates] == [30, 30, 30]
        for rate in rates:
            interval = wilson(round(rate.share * rate.count), rate.count)
            assert (rate.low, rate.high) == pytest.approx((interval.low, interval.high))


def test_far_questions_are_refused_and_answerable_ones_are_not(fitted: Calibration) -> None:
    model = fitted.models[0]
    assert model.far_refusals.share >= 0.95
    assert model.false_refusals.share <= 0.15


def test_a_search_with_the_floor_answers_and_refuses(fitted: Calibration) -> None:
    floor = FittedFloor.for_parts(fitted.to_json(), PARTS)
    searching = replace(RETRIEVER, floor=floor)
    answerable = [f"How do operators {deed} the {thing}?" for thing in THINGS for deed in DEEDS]
    passed = [searching.search(Query(question=text)).sufficient for text in answerable]
    assert np.mean(passed) >= 0.9
    findings = searching.search(Query(question="Which report names the number of the cheese?"))
    assert findings.refusal is not None
    assert findings.refusal.reason == "below-floor"
    assert findings.verdict is not None
    assert {name for name, _ in findings.verdict.features} == set(LEXICAL + DENSE)


def test_without_vectors_the_smaller_model_decides(fitted: Calibration) -> None:
    floor = FittedFloor(fitted)
    broken = replace(RETRIEVER, embedder=WordEmbedder(broken=True), floor=floor)
    findings = broken.search(Query(question="How do operators repair the wagon?"))
    assert findings.verdict is not None
    assert {name for name, _ in findings.verdict.features} == set(LEXICAL)
    assert findings.verdict.threshold == fitted.models[1].threshold
    assert findings.sufficient


def test_lanes_that_nothing_was_fitted_for_are_refused(fitted: Calibration) -> None:
    only_full = replace(fitted, models=fitted.models[:1])
    broken = replace(RETRIEVER, embedder=WordEmbedder(broken=True), floor=FittedFloor(only_full))
    with pytest.raises(CalibrationMismatch, match="no model was fitted"):
        broken.search(Query(question="repair the wagon"))


def test_a_target_that_is_no_share_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(InvalidRetrievalSettings, match="target"):
        calibrate(RETRIEVER, ASKED, PARTS, source="corpus", target=1.0)


def test_a_judge_that_fails_in_between_leaves_too_few_of_its_features() -> None:
    asked = [one for one in ASKED if one.kind != "near"]
    judged = replace(RETRIEVER, judge=Rare(LEAST - 1))
    fitted = calibrate(judged, asked, PARTS, source="corpus")
    assert [model.features for model in fitted.models] == [LEXICAL + DENSE, LEXICAL]


@dataclass
class Rare:
    """A judge that answers a few times and then no more."""

    left: int
    fingerprint: str = "rare"

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.left -= 1
        if self.left < 0:
            raise JudgeFailed("out of memory")
        return [1.0] * len(passages)
