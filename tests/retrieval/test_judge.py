"""A judge that has no opinion, and the best score over the forms of a question."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tether.retrieval.errors import JudgeFailed
from tether.retrieval.judge import NoOpJudge, judge_best
from tether.retrieval.ports import Judge


class Scripted:
    """Gives the scores it was told."""

    fingerprint = "scripted"

    def __init__(self, scores: dict[str, list[float]]) -> None:
        self._scores = scores

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        return self._scores.get(question, [0.0] * len(passages))


def test_no_opinion_is_the_same_score_for_all() -> None:
    judge: Judge = NoOpJudge()
    assert judge.fingerprint == ""
    assert judge.score("a question", ["one", "two"]) == [0.0, 0.0]


def test_a_passage_gets_its_best_score_over_the_forms() -> None:
    judge = Scripted({"first": [1.0, -3.0], "second": [0.5, -2.0]})
    assert judge_best(judge, ["first", "second"], ["a", "b"]) == [1.0, -2.0]
    assert judge_best(judge, ["second"], ["a", "b"]) == [0.5, -2.0]
    assert judge_best(judge, [], ["a", "b"]) == [0.0, 0.0]
    assert judge_best(NoOpJudge(), ["first"], []) == []


@pytest.mark.parametrize(
    "scores", [[1.0], [1.0, 2.0, 3.0], [1.0, float("nan")], [float("inf"), 1.0]], ids=str
)
def test_scores_that_are_missing_or_no_numbers_are_a_judge_that_failed(
    scores: list[float],
) -> None:
    with pytest.raises(JudgeFailed):
        judge_best(Scripted({"question": scores}), ["question"], ["a", "b"])
