"""The prior: what it promises, what moves it, and which indexes it holds for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.floor.railway import DEEDS, PAGES, THINGS, WordEmbedder, chunks_of
from tether.retrieval.dense.embedder import MiniLm
from tether.retrieval.floor.calibrate import calibrate, prior_for
from tether.retrieval.floor.calibration import FloorModel, Parts
from tether.retrieval.floor.floor import DENSE, LEXICAL, FittedFloor
from tether.retrieval.floor.prior import STEADINESS, load_prior, shifted
from tether.retrieval.floor.questions import Answered, questions_from_corpus
from tether.retrieval.query import Query
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.retriever import Retriever

PRIOR = load_prior()
FULL = PRIOR.models[0]
PARTS = Parts(embedder="", judge="", chunker="usual", search="usual")
INDEX = MemoryIndex(chunks_of(PAGES))
RETRIEVER = Retriever(index=INDEX)
ASKED = questions_from_corpus(INDEX, count=20, seed=0, most_far=30)


def far(rows: list[list[float]], model: FloorModel = FULL) -> list[Answered]:
    """Return far questions with these features."""
    return [
        Answered(text="", kind="far", features=dict(zip(model.features, row, strict=True)))
        for row in rows
    ]


def probability(model: FloorModel, row: list[float]) -> float:
    return float(model.model.probabilities(np.array([row]))[0])


def test_the_prior_is_that_of_the_embedder_and_says_both_errors() -> None:
    assert PRIOR.parts.embedder == MiniLm().fingerprint
    assert [model.features for model in PRIOR.models] == [LEXICAL + DENSE, LEXICAL]
    for model in PRIOR.models:
        for rate in (model.false_refusals, model.far_refusals):
            assert rate.collections >= 5
            assert 0 <= rate.low <= rate.share <= rate.high <= 1


def test_with_vectors_it_refuses_few_answerable_and_nearly_all_far_questions() -> None:
    assert FULL.false_refusals.share <= 0.07
    assert FULL.far_refusals.share >= 0.9


def test_a_better_match_is_never_less_likely_to_be_answered() -> None:
    low, high = [0.1] * 4 + [0.1, 0.1], [0.9, 0.6, 3.5, 1.0, 0.8, 0.6]
    assert probability(FULL, low) < FULL.threshold < probability(FULL, high)


def test_the_means_go_to_the_far_questions_as_their_number_grows() -> None:
    row = [value + 0.5 for value in FULL.model.means]
    for count in (1, STEADINESS, 1000):
        means = np.array(shifted(FULL, far([row] * count)).model.means)
        share = (means - FULL.model.means) / 0.5
        assert share == pytest.approx(np.full(6, count / (count + STEADINESS)))


@settings(max_examples=50)
@given(
    st.lists(st.floats(-2, 2), min_size=6, max_size=6),
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
)
def test_scores_that_are_higher_throughout_an_index_change_nothing(
    moved: list[float], row: list[float]
) -> None:
    higher = [mean + step for mean, step in zip(FULL.model.means, moved, strict=True)]
    there = shifted(FULL, far([higher] * 10**5))
    asked = [value + step for value, step in zip(row, moved, strict=True)]
    assert probability(there, asked) == pytest.approx(probability(FULL, row), abs=0.01)


def test_without_far_questions_that_find_something_the_prior_stays() -> None:
    assert shifted(FULL, []) == FULL
    assert shifted(FULL, [Answered(text="", kind="far", features={"coverage": 1.0})]) == FULL


def test_only_the_model_of_the_words_holds_without_vectors_and_none_for_another_embedder() -> None:
    assert prior_for(replace(PARTS, embedder=PRIOR.parts.embedder)) == PRIOR
    assert prior_for(replace(PARTS, embedder="words/1")) is None
    words = prior_for(PARTS)
    assert words is not None
    assert words.models == PRIOR.models[1:]


def test_an_index_is_asked_far_questions_only_and_keeps_the_rates_of_the_prior() -> None:
    steps: list[tuple[int, int]] = []
    fitted = calibrate(
        RETRIEVER, ASKED, PARTS, source="corpus", progress=lambda *step: steps.append(step)
    )
    assert steps == [(number, 30) for number in range(1, 31)]
    assert (fitted.parts, fitted.questions, fitted.passages) == (PARTS, "corpus", INDEX.size)
    (model,) = fitted.models
    assert model.false_refusals == PRIOR.models[1].false_refusals
    assert model.model.means != PRIOR.models[1].model.means


def test_the_floor_of_an_index_answers_its_own_questions_and_refuses_foreign_ones() -> None:
    fitted = calibrate(RETRIEVER, ASKED, PARTS, source="corpus")
    searching = replace(RETRIEVER, floor=FittedFloor(fitted))
    own = [f"How do operators {deed} the {thing}?" for thing in THINGS for deed in DEEDS]
    assert np.mean([searching.search(Query(question=text)).sufficient for text in own]) >= 0.9
    foreign = [one.text for one in questions_from_corpus(INDEX, count=1, seed=0)[2:]]
    refused = [not searching.search(Query(question=text)).sufficient for text in foreign]
    assert np.mean(refused) >= 0.8


def test_a_target_is_for_the_made_questions() -> None:
    fitted = calibrate(RETRIEVER, ASKED, PARTS, source="corpus", target=0.1)
    (model,) = fitted.models
    assert (fitted.target, model.false_refusals.collections) == (0.1, 0)
    assert model.false_refusals.count == 20


def test_the_models_with_and_without_vectors_are_moved_by_their_own_searches() -> None:
    """The lane of the vectors agrees or not, so it changes what the words' model is given."""
    embedder = WordEmbedder(fingerprint=PRIOR.parts.embedder)
    index = MemoryIndex(chunks_of(PAGES), embedder=embedder)
    parts = replace(PARTS, embedder=PRIOR.parts.embedder)
    both = calibrate(Retriever(index=index, embedder=embedder), ASKED, parts, source="corpus")
    words = calibrate(RETRIEVER, ASKED, PARTS, source="corpus")
    assert [model.features for model in both.models] == [LEXICAL + DENSE, LEXICAL]
    assert both.models[1].model.means == pytest.approx(words.models[0].model.means)
