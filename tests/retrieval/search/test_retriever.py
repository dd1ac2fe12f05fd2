"""A search: who votes, who is left out, and in which order the passages come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from support.searched import Angles, Dense, Lexical, Marks, SmallIndex, at_angle
from tether.retrieval.errors import (
    EmbedderMismatch,
    EmbeddingFailed,
    IndexDamaged,
    InvalidRetrievalSettings,
)
from tether.retrieval.hit import Hit, Ranking, Verdict
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import MixWeights, SearchSettings

RANKS_ONLY = MixWeights(ranks=1, words=0, grams=0, cosine=0, judge=0)


def index(**scores: dict[int, float]) -> SmallIndex:
    """Four rows on three pages; the questions are angles, the rows lie at 0, 30, 60 and 90."""
    angles = [at_angle(degrees) for degrees in (0, 30, 60, 90)]
    by_question = {question.lstrip("q"): found for question, found in scores.items()}
    return SmallIndex([0, 0, 1, 2], Lexical(by_question), dense=Dense(np.array(angles)))


def rows_of(hits: Sequence[Hit]) -> list[int]:
    return [hit.chunk.number - 1 for hit in hits]


def test_each_hit_says_which_lanes_found_it_and_at_which_rank() -> None:
    searched = index(q10={2: 5.0, 0: 1.0})
    searched.grams = Lexical({"10": {2: 3.0}})
    findings = Retriever(index=searched, embedder=Angles()).search(Query(question="10"))
    by_row = {hit.chunk.number - 1: hit for hit in findings.hits}
    assert {vote.lane: vote.rank for vote in by_row[2].votes} == {
        "words": 1, "grams": 1, "dense": 3,
    }  # fmt: skip
    assert {vote.lane: vote.rank for vote in by_row[0].votes} == {"words": 2, "dense": 1}
    assert by_row[1].lanes == ("dense",)
    assert by_row[2].cosine == pytest.approx(np.cos(np.radians(50)))
    assert by_row[0].words == 1.0
    assert by_row[1].words == 0.0
    assert [hit.rank for hit in findings.hits] == [1, 2, 3]


def test_weak_vector_hits_are_cut_and_lexical_hits_always_pass() -> None:
    searched = index(q0={3: 0.1})
    settings = SearchSettings(weak_cosine=0.6)
    findings = Retriever(index=searched, embedder=Angles(), settings=settings).search(
        Query(question="0")
    )
    assert sorted(rows_of(findings.hits)) == [0, 1, 3]


def test_without_an_embedder_the_words_answer_and_it_is_said() -> None:
    findings = Retriever(index=index(q10={1: 1.0})).search(Query(question="10"))
    assert rows_of(findings.hits) == [1]
    assert findings.hits[0].cosine is None
    reasons = {left.part: left.reason for left in findings.left_out}
    assert reasons["dense"] == "no embedder was given"


def test_a_failing_embedder_degrades_visibly() -> None:
    retriever = Retriever(index=index(q10={1: 1.0}), embedder=Angles(broken=True))
    findings = retriever.search(Query(question="10"))
    assert rows_of(findings.hits) == [1]
    assert ("dense", "the endpoint does not answer") in [
        (left.part, left.reason) for left in findings.left_out
    ]


def test_an_index_without_vectors_yet_is_searched_by_words() -> None:
    searched = index(q10={1: 1.0})
    searched.dense = None
    findings = Retriever(index=searched, embedder=Angles()).search(Query(question="10"))
    assert rows_of(findings.hits) == [1]
    assert "the index has no vectors yet" in [left.reason for left in findings.left_out]


def test_another_embedder_is_refused_rather_than_compared() -> None:
    retriever = Retriever(index=index(q10={1: 1.0}), embedder=Angles(fingerprint="other"))
    with pytest.raises(EmbedderMismatch, match="angles, not by other"):
        retriever.search(Query(question="10"))


def test_a_lane_with_nothing_to_compare_is_named() -> None:
    findings = Retriever(index=index(), embedder=Angles()).search(Query(question="10"))
    assert [left.part for left in findings.left_out] == ["words", "grams"]
    assert findings.hits


@pytest.mark.parametrize("question", ["", " \n"])
def test_an_empty_question_finds_nothing(question: str) -> None:
    findings = Retriever(index=index(), embedder=Angles()).search(Query(question=question))
    assert findings.hits == ()
    assert findings.refusal is not None
    assert findings.refusal.reason == "nothing-found"
    assert [left.part for left in findings.left_out] == ["question"]


def test_a_hypothetical_answer_adds_candidates_and_displaces_none() -> None:
    settings = SearchSettings(per_lane=2, weights=RANKS_ONLY, boost=0, weak_cosine=-1)
    retriever = Retriever(index=index(), embedder=Angles(), settings=settings)
    plain = retriever.search(Query(question="0")).hits
    wide = retriever.search(Query(question="0", hypothetical="90")).hits
    assert rows_of(plain) == [0, 1]
    assert rows_of(wide) == [0, 1, 3, 2]
    assert [hit.fused for hit in wide[:2]] == [hit.fused for hit in plain]
    assert wide[2].cosine == pytest.approx(0.0, abs=1e-6)


def test_an_embedder_without_its_file_degrades_visibly() -> None:
    retriever = Retriever(index=index(q10={1: 1.0}), embedder=Lost())
    findings = retriever.search(Query(question="10"))
    assert rows_of(findings.hits) == [1]
    assert ("dense", "the file is gone") in [(left.part, left.reason) for left in findings.left_out]


def test_forms_of_the_question_share_one_voice() -> None:
    searched = index(q1={0: 1.0}, q2={2: 1.0})
    settings = SearchSettings(weights=RANKS_ONLY, boost=0)
    findings = Retriever(index=searched, settings=settings).search(
        Query(question="1", rewrite="2", variants=("1", " "))
    )
    assert [hit.fused for hit in findings.hits] == pytest.approx([0.5 / 61, 0.5 / 61])


def test_a_vote_tells_the_best_place_over_the_forms() -> None:
    searched = index(q1={0: 2.0, 1: 1.0}, q2={1: 3.0, 0: 1.0})
    findings = Retriever(index=searched).search(Query(question="1", rewrite="2"))
    assert [hit.votes[0].rank for hit in findings.hits] == [1, 1]


def test_the_mix_can_turn_the_order_of_the_ranks() -> None:
    searched = index(q10={0: 1.0, 1: 1.01, 2: 9.0})
    searched.grams = Lexical({"10": {0: 3.0, 1: 2.0, 2: 1.0}})
    settings = SearchSettings(weights=MixWeights(ranks=0.01, words=1, grams=0, cosine=0, judge=0))
    findings = Retriever(index=searched, settings=settings).search(Query(question="10"))
    assert rows_of(findings.hits)[0] == 2


def test_hits_beyond_the_candidates_follow_in_fused_order() -> None:
    searched = index(q10={0: 4.0, 1: 3.0, 2: 2.0, 3: 1.0})
    settings = SearchSettings(candidates=2, boost=0)
    findings = Retriever(index=searched, settings=settings).search(Query(question="10"), limit=9)
    assert rows_of(findings.hits) == [0, 1, 2, 3]
    scores = [hit.score for hit in findings.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_hidden_rows_are_as_if_they_were_not_there() -> None:
    searched = index(q10={0: 4.0, 1: 3.0, 2: 2.0})
    retriever = Retriever(index=searched, embedder=Angles())
    findings = retriever.search(Query(question="10"), hidden=frozenset({0, 1}))
    assert rows_of(findings.hits) == [2]
    assert [vote.rank for vote in findings.hits[0].votes] == [1, 1]


def test_the_judge_votes_on_the_head_only_and_never_alone() -> None:
    searched = index(q10={0: 4.0, 1: 3.0, 2: 2.0, 3: 1.0})
    judge = Marks({"10": {"1": 5.0, "3": 99.0}})
    settings = SearchSettings(judged=2, boost=0, weights=MixWeights(judge=0.9, ranks=0.1))
    findings = Retriever(index=searched, judge=judge, settings=settings).search(
        Query(question="10")
    )
    assert rows_of(findings.hits) == [1, 0, 2, 3]
    assert [hit.judge for hit in findings.hits] == [5.0, 0.0, None, None]
    assert judge.read == [("10", 2)]
    scores = [hit.score for hit in findings.hits]
    assert scores == sorted(scores, reverse=True)


def test_scores_are_from_zero_to_one_and_order_all_hits() -> None:
    searched = index(q10={0: 4.0, 1: 3.0, 2: 2.0, 3: 1.0})
    settings = SearchSettings(candidates=2)
    found = Retriever(index=searched, embedder=Angles(), settings=settings).search(
        Query(question="10")
    )
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] < scores[0] < 1


def test_only_the_proportions_of_the_weights_count() -> None:
    searched = index(q10={0: 4.0, 1: 3.0, 2: 2.0})
    scores = [
        [
            hit.score
            for hit in Retriever(index=searched, settings=it).search(Query(question="10")).hits
        ]
        for it in (
            SearchSettings(weights=MixWeights(ranks=2, words=1, grams=0, cosine=0)),
            SearchSettings(weights=MixWeights(ranks=4, words=2, grams=0, cosine=0)),
        )
    ]
    assert scores[0] == pytest.approx(scores[1])


def test_the_judge_keeps_the_better_of_question_and_rewrite() -> None:
    searched = index(q10={0: 2.0, 1: 1.0})
    judge = Marks({"10": {"0": 1.0}, "20": {"0": -3.0, "1": 4.0}})
    findings = Retriever(index=searched, judge=judge).search(Query(question="10", rewrite="20"))
    assert {hit.chunk.number - 1: hit.judge for hit in findings.hits} == {0: 1.0, 1: 4.0}


def test_a_judge_with_nothing_to_read_finds_nothing() -> None:
    found = Retriever(index=index(), judge=Marks({})).search(Query(question="10"))
    assert found.hits == ()
    assert found.refusal is not None


def test_a_failing_judge_is_left_out_and_named() -> None:
    searched = index(q10={0: 2.0, 1: 1.0})
    findings = Retriever(index=searched, judge=Marks({}, broken=True)).search(Query(question="10"))
    assert rows_of(findings.hits) == [0, 1]
    assert ("judge", "out of memory") in [(left.part, left.reason) for left in findings.left_out]


@pytest.mark.parametrize("judge", [Marks({}, fingerprint=""), None], ids=["no-op", "none"])
def test_a_judge_without_an_opinion_is_not_asked(judge: Marks | None) -> None:
    searched = index(q10={0: 2.0, 1: 1.0})
    findings = Retriever(index=searched, judge=judge).search(Query(question="10"))
    assert [hit.judge for hit in findings.hits] == [None, None]
    assert judge is None or judge.read == []


@dataclass
class Limit:
    """A floor that lets a question pass from a number of hits up."""

    least: int
    seen: list[int] = field(default_factory=list)

    def decide(self, query: Query, hits: Sequence[Hit]) -> Verdict:
        self.seen.append(len(hits))
        enough = len(hits) >= self.least
        return Verdict(sufficient=enough, probability=float(enough), threshold=0.5)


def test_below_the_floor_the_refusal_names_the_nearest_pages() -> None:
    searched = index(q10={0: 4.0, 1: 3.0, 2: 2.0})
    findings = Retriever(index=searched, floor=Limit(9)).search(Query(question="10"), limit=1)
    assert not findings.sufficient
    assert findings.refusal is not None
    assert findings.refusal.reason == "below-floor"
    assert [page.title for page in findings.refusal.nearest] == ["Page 0", "Page 1"]
    assert findings.refusal.nearest[0].url == "https://docs.test/page0"
    assert findings.refusal.verdict == findings.verdict


def test_above_the_floor_nothing_is_refused_and_the_floor_saw_every_candidate() -> None:
    floor = Limit(2)
    searched = index(q10={0: 4.0, 1: 3.0})
    findings = Retriever(index=searched, floor=floor).search(Query(question="10"), limit=1)
    assert findings.sufficient
    assert findings.refusal is None
    assert findings.verdict is not None
    assert len(findings.hits) == 1
    assert floor.seen == [2]


def test_the_same_search_gives_the_same_findings() -> None:
    retriever = Retriever(index=index(q10={0: 1.0, 2: 1.0}), embedder=Angles(), judge=Marks({}))
    assert retriever.search(Query(question="10")) == retriever.search(Query(question="10"))


@pytest.mark.parametrize("milliseconds", [-1.0, float("nan")])
def test_settings_name_everything_that_is_wrong(milliseconds: float) -> None:
    with pytest.raises(InvalidRetrievalSettings) as caught:
        SearchSettings(
            per_lane=0,
            judged=-1,
            judge_milliseconds=milliseconds,
            boost=2,
            weak_cosine=-3,
            candidates=True,
            title=-1,
            news=-1,
        )
    assert {problem.path for problem in caught.value.problems} == {
        "per_lane", "judged", "judge_milliseconds", "boost", "weak_cosine", "candidates", "title",
        "news",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("weights", "wrong"),
    [
        ({"ranks": -1.0, "judge": float("nan")}, {"ranks", "judge"}),
        ({"words": True}, {"words"}),
        ({"ranks": 0.0, "words": 0.0, "grams": 0.0, "cosine": 0.0}, {"ranks"}),
    ],
    ids=["negative", "flag", "judge alone"],
)
def test_weights_that_mean_nothing_are_refused(weights: dict[str, float], wrong: set[str]) -> None:
    with pytest.raises(InvalidRetrievalSettings) as caught:
        MixWeights(**weights)
    assert {problem.path for problem in caught.value.problems} == wrong


@dataclass
class Damaged:
    """A lane whose arrays were overwritten."""

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        return tuple(text.split())

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        raise IndexDamaged("the arrays are not what was written", file="words.rows")

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        raise IndexDamaged("the arrays are not what was written", file="words.rows")

    coverage = scores

    def holders(self, words: Sequence[str]) -> list[int]:
        return [0 for _ in words]


class Lost:
    """An embedder whose file was deleted: it does not even know what it is."""

    dimensions = 2

    @property
    def fingerprint(self) -> str:
        raise EmbeddingFailed("the file is gone")

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise EmbeddingFailed("the file is gone")

    embed_questions = embed_passages


class DamagedVectors(Dense):
    """Vectors that could be searched, but not looked at again."""

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        raise IndexDamaged("the vectors are not what was written", file="vectors")


def test_a_damaged_lane_is_left_out_and_the_others_answer() -> None:
    searched = index()
    broken = SmallIndex([0, 0, 1, 2], Damaged(), dense=searched.dense)
    findings = Retriever(index=broken, embedder=Angles()).search(Query(question="10"))
    assert rows_of(findings.hits)[0] == 0
    assert ("words", "the arrays are not what was written") in [
        (left.part, left.reason) for left in findings.left_out
    ]


def test_vectors_that_break_after_the_search_leave_the_cosine_unknown() -> None:
    searched = index(q10={1: 1.0})
    assert searched.dense is not None
    searched.dense = DamagedVectors(searched.dense.vectors)
    findings = Retriever(index=searched, embedder=Angles()).search(Query(question="10"))
    assert [hit.cosine for hit in findings.hits] == [None] * 3


def test_the_judge_has_a_share_of_at_most_the_whole() -> None:
    with pytest.raises(InvalidRetrievalSettings, match="judge"):
        MixWeights(judge=1.5)
