"""The numbers of the floor, against cases worked out by hand."""

from __future__ import annotations

import math

import pytest

from support.searched import chunk
from tether.retrieval.floor.floor import DENSE, JUDGED, LEXICAL, features
from tether.retrieval.hit import Hit, LaneVote


def hit(
    rank: int,
    *,
    coverage: float = 0.0,
    words: float = 0.0,
    cosine: float | None = None,
    judge: float | None = None,
    votes: tuple[LaneVote, ...] = (),
) -> Hit:
    return Hit(
        chunk=chunk(rank, rank),
        rank=rank,
        score=-float(rank),
        fused=0.0,
        boost=1.0,
        votes=votes,
        words=words,
        coverage=coverage,
        cosine=cosine,
        judge=judge,
    )


def test_best_and_mean_are_of_the_first_five() -> None:
    hits = [hit(rank, coverage=rank / 10, words=rank, cosine=0.1 * rank) for rank in range(1, 8)]
    found = features(hits)
    assert found["coverage"] == pytest.approx(0.5)
    assert found["coverage_mean"] == pytest.approx(0.3)
    assert found["words"] == pytest.approx(math.log(6))
    assert found["cosine"] == pytest.approx(0.5)
    assert found["cosine_mean"] == pytest.approx(0.3)


def test_agreement_is_the_share_of_lanes_with_the_first_hit_among_their_first_ten() -> None:
    votes = (
        LaneVote(lane="words", rank=1, score=3.0),
        LaneVote(lane="grams", rank=10, score=2.0),
        LaneVote(lane="dense", rank=11, score=0.4),
    )
    assert features([hit(1, votes=votes), hit(2)])["agreement"] == pytest.approx(2 / 3)


def test_the_judge_is_asked_on_whatever_it_read() -> None:
    hits = [hit(rank, judge=float(rank) if rank > 4 else None) for rank in range(1, 12)]
    found = features(hits)
    assert found["judge"] == 11
    assert found["judge_mean"] == pytest.approx((11 + 10 + 9 + 8 + 7) / 5)


@pytest.mark.parametrize(
    ("cosine", "judge", "names"),
    [
        (None, None, LEXICAL),
        (0.3, None, LEXICAL + DENSE),
        (None, 1.0, LEXICAL + JUDGED),
        (0.3, 1.0, LEXICAL + DENSE + JUDGED),
    ],
    ids=["words", "vectors", "judge", "all"],
)
def test_a_lane_that_did_not_answer_has_no_features(
    cosine: float | None, judge: float | None, names: tuple[str, ...]
) -> None:
    hits = [hit(1), hit(2, cosine=cosine, judge=judge)]
    assert set(features(hits)) == set(names)
