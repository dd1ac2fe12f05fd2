"""Lanes and stages as systems of their own, on an index whose rankings are written by hand."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from support.searched import Angles, Dense, Lexical, Marks, SmallIndex, at_angle
from tether.core.errors import InputRefused
from tether.retrieval.evaluation.dataset import LabelledQuestion
from tether.retrieval.evaluation.refusals import Scores, compare, pages_hidden, score_questions
from tether.retrieval.evaluation.stages import (
    MEASURES,
    RememberingEmbedder,
    Stage,
    evaluate,
    stages,
)
from tether.retrieval.hit import Verdict
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever


def index() -> SmallIndex:
    """Four rows on three pages, at 0, 30, 60 and 90 degrees; questions are angles."""
    angles = np.array([at_angle(degrees) for degrees in (0, 30, 60, 90)])
    return SmallIndex(
        [0, 0, 1, 2],
        Lexical({"10": {2: 5.0, 0: 1.0}, "80": {3: 2.0}}),
        grams=Lexical({"10": {0: 3.0, 1: 2.0}}),
        dense=Dense(angles),
    )


def ranks(found: list[Stage], text: str) -> dict[str, list[str]]:
    return {stage.name: stage.rank(text) for stage in found}


def test_each_lane_ranks_pages_by_their_best_passage() -> None:
    found = ranks(stages(Retriever(index=index(), embedder=Angles())), "10")
    assert found["words"] == ["page1.md", "page0.md"]
    assert found["grams"] == ["page0.md"]
    assert found["dense"] == ["page0.md", "page1.md", "page2.md"]


def test_the_stages_are_those_that_the_parts_allow() -> None:
    names = ["words", "grams", "fusion", "fusion + boost", "mix"]
    assert [stage.name for stage in stages(Retriever(index=index()))] == names
    silent = Retriever(index=index(), judge=Marks({}, fingerprint=""))
    assert [stage.name for stage in stages(silent)] == names
    whole = Retriever(index=index(), embedder=Angles(), judge=Marks({}))
    assert [stage.name for stage in stages(whole)] == [
        "words", "grams", "dense", "fusion", "fusion + boost", "mix", "mix + judge",
    ]  # fmt: skip
    bare = index()
    bare.dense = None
    assert [stage.name for stage in stages(Retriever(index=bare, embedder=Angles()))] == names


def test_fusion_adds_reciprocal_ranks_and_the_judge_can_turn_the_order() -> None:
    judge = Marks({"10": {"2": 9.0}})
    found = ranks(stages(Retriever(index=index(), embedder=Angles(), judge=judge)), "10")
    # row 0: words 2nd, grams 1st, dense 1st; row 2: words 1st, dense 3rd
    assert 1 / 62 + 2 / 61 > 1 / 61 + 1 / 63
    assert found["fusion"][0] == "page0.md"
    assert "page2.md" not in found["fusion"]  # only vectors know it, and only weakly
    assert found["mix"][0] == "page0.md"


def test_no_stage_but_the_last_asks_the_judge() -> None:
    judge = Marks({})
    found = stages(Retriever(index=index(), judge=judge))
    for stage in found[:-1]:
        stage.rank("10")
    assert judge.read == []
    found[-1].rank("10")
    assert judge.read


def test_a_question_is_embedded_once_for_all_stages() -> None:
    embedder = Angles()
    for stage in stages(Retriever(index=index(), embedder=embedder)):
        stage.rank("10")
    assert embedder.asked == ["10"]
    remembering = RememberingEmbedder(embedder)
    assert (remembering.fingerprint, remembering.dimensions) == ("angles", 2)
    assert remembering.embed_passages(["30"]).tolist() == embedder.embed_passages(["30"]).tolist()
    embedder.asked.clear()
    twice = remembering.embed_questions(["45", "90", "45"])
    assert embedder.asked == ["45", "90"]
    assert twice.tolist() == [at_angle(45).tolist(), at_angle(90).tolist(), at_angle(45).tolist()]


def question(text: str, **relevant: int) -> LabelledQuestion:
    return LabelledQuestion(
        id=text, text=text, relevant={f"{page}.md": grade for page, grade in relevant.items()}
    )


def test_every_stage_is_measured_on_every_question() -> None:
    asked = [question("10", page0=1), question("80", page2=2, page1=1)]
    heard: list[tuple[int, int]] = []
    results = evaluate(
        stages(Retriever(index=index())), asked, progress=lambda *step: heard.append(step)
    )
    words = results[0]
    assert (words.stage, words.questions) == ("words", 2)
    # The first question has its page second; of the second only the better page is found, first.
    ideal = 2 + 1 / log2(3)
    assert words.by_question["ndcg@10"] == pytest.approx((1 / log2(3), 2 / ideal))
    assert words.measures["ndcg@10"] == pytest.approx((1 / log2(3) + 2 / ideal) / 2)
    assert words.measures["mrr@10"] == pytest.approx(0.75)
    assert words.measures["hit@1"] == pytest.approx(0.5)
    assert words.measures["hit@5"] == 1.0
    assert words.measures["recall@10"] == words.measures["recall@100"] == pytest.approx(0.75)
    grams = results[1]
    assert grams.measures["hit@1"] == pytest.approx(0.5)
    assert all(set(result.measures) == set(MEASURES) for result in results)
    assert heard == [(number, 10) for number in range(1, 11)]


def test_without_a_question_nothing_is_measured() -> None:
    with pytest.raises(InputRefused, match="no question"):
        evaluate([], [], progress=lambda *_: None)


class Half:
    """A floor that says how large the first hit's share of words is."""

    def decide(self, query: Query, hits: object) -> Verdict:
        probability = {"10": 0.9, "80": 0.4}[query.question]
        return Verdict(sufficient=probability >= 0.5, probability=probability, threshold=0.5)


def test_a_question_is_scored_by_the_floor_and_by_its_best_cosine() -> None:
    heard: list[tuple[int, int]] = []
    retriever = Retriever(index=index(), embedder=Angles(), floor=Half())
    found = score_questions(retriever, ["10", "80"], progress=lambda *step: heard.append(step))
    assert [(one.floor, one.sufficient) for one in found] == [(0.9, True), (0.4, False)]
    assert [one.cosine for one in found] == pytest.approx([np.cos(np.radians(10))] * 2)
    assert heard == [(1, 2), (2, 2)]


def test_a_question_that_finds_nothing_gets_the_lowest_of_everything() -> None:
    retriever = Retriever(index=index())
    everything = frozenset(range(4))
    found = score_questions(retriever, ["10"], [everything], progress=lambda *_: None)
    assert found == [Scores(floor=0.0, sufficient=False, cosine=-1.0)]
    plain = score_questions(retriever, ["10"], progress=lambda *_: None)
    assert plain == [Scores(floor=0.0, sufficient=True, cosine=-1.0)]


def test_all_rows_of_the_answering_documents_are_hidden() -> None:
    asked = [question("10", page0=1, page2=1), question("80", page7=1)]
    hidden = pages_hidden(Retriever(index=index()), asked)
    assert hidden == [frozenset({0, 1, 3}), frozenset()]


def test_what_is_told_apart_is_counted_by_floor_and_by_cosine() -> None:
    good = [Scores(floor=number / 20, sufficient=number > 2, cosine=0.5) for number in range(1, 21)]
    bad = [Scores(floor=0.01, sufficient=False, cosine=0.5)] * 3
    bad += [Scores(floor=1.0, sufficient=True, cosine=0.1)]
    result = compare("others", good, bad)
    assert (result.name, result.questions, result.answerable) == ("others", 4, 20)
    # Three of four lie below all; the fourth ties with the best and is above nineteen.
    assert result.auroc == pytest.approx((3 * 20 + 0.5) / 80)
    assert result.auroc_of_cosine == pytest.approx((3 * 20 * 0.5 + 20) / 80)
    assert result.refused == pytest.approx(0.75)
    assert result.refused_by_cosine == pytest.approx(0.25)
    assert result.at_threshold == pytest.approx(0.75)
    assert result.false_refusals == pytest.approx(0.1)
