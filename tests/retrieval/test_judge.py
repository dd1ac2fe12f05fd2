"""What goes on around a judge: forms of a question, and the time that it may take."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.errors import InvalidRetrievalSettings, JudgeFailed
from tether.retrieval.judge import JudgeBudget, JudgePace, NoOpJudge, judge_best
from tether.retrieval.ports import Judge


class Scripted:
    """Gives the scores it was told, and takes its time by a clock of its own."""

    fingerprint = "scripted"

    def __init__(self, scores: dict[str, list[float]], seconds: float = 0.0) -> None:
        self._scores = scores
        self._seconds = seconds
        self.now = 0.0
        self.calls = 0

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.calls += 1
        self.now += self._seconds * len(passages)
        return self._scores.get(question, [0.0] * len(passages))

    def clock(self) -> float:
        return self.now


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


def test_a_number_of_passages_is_kept_to_without_timing() -> None:
    judge = Scripted({})
    pace = JudgePace(judge, clock=judge.clock)
    assert pace.passages(JudgeBudget(passages=7)) == 7
    assert pace.passages(JudgeBudget(passages=0)) == 0
    assert judge.calls == 0


@pytest.mark.parametrize(
    ("seconds", "milliseconds", "passages"),
    [
        (0.03125, 400, 12),
        (0.0625, 400, 6),
        (0.5, 400, 0),
        (0.001, 400, 30),
        (0.0, 400, 30),
        (0.1, float("inf"), 30),
    ],
)
def test_time_allows_as_many_passages_as_fit(
    seconds: float, milliseconds: float, passages: int
) -> None:
    judge = Scripted({}, seconds)
    pace = JudgePace(judge, clock=judge.clock)
    assert pace.passages(JudgeBudget(milliseconds=milliseconds)) == passages


def test_the_pace_is_taken_once() -> None:
    judge = Scripted({}, 0.0625)
    pace = JudgePace(judge, clock=judge.clock)
    assert pace.passages(JudgeBudget(milliseconds=1000)) == 16
    calls = judge.calls
    assert pace.passages(JudgeBudget(milliseconds=500)) == 8
    assert judge.calls == calls


@given(st.floats(0.001, 2), st.floats(0, 5000), st.integers(0, 100))
def test_the_time_is_never_exceeded(seconds: float, milliseconds: float, most: int) -> None:
    judge = Scripted({}, seconds)
    pace = JudgePace(judge, clock=judge.clock)
    allowed = pace.passages(JudgeBudget(milliseconds=milliseconds, most=most))
    assert 0 <= allowed <= most
    assert allowed * pace.seconds_a_passage <= milliseconds / 1000 + 1e-9


@pytest.mark.parametrize("field", ["milliseconds", "passages", "most"])
def test_budgets_below_nothing_are_refused(field: str) -> None:
    with pytest.raises(InvalidRetrievalSettings, match=field):
        JudgeBudget(**{field: -1})
    with pytest.raises(InvalidRetrievalSettings, match="milliseconds"):
        JudgeBudget(milliseconds=float("nan"))
