"""Whether quotes address a question: by the terms they name, and by the judge's opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.ask.citations.address import (
    FITTED_FOR,
    MOST_JUDGED,
    MOST_QUOTES,
    WITH_JUDGE,
    WITHOUT_JUDGE,
    Addressed,
    QuoteAddress,
    Rule,
    Signs,
    signs_of,
)
from tether.retrieval.errors import JudgeFailed
from tether.retrieval.judge import NoOpJudge, OnnxJudge, Opinion

QUESTION = "How do I restart a failed worker in Ray?"
ANSWER = "To restart a failed worker, call `ray.restart` with its name."
ELSEWHERE = "Bread rises faster in a warm kitchen."


@dataclass
class Opinions:
    """A judge whose opinions are written down; it notes what it was given to read."""

    relevance: float = 0.0
    answers: float = 0.0
    name: str = FITTED_FOR
    broken: bool = False
    unnamed: bool = False
    read: list[list[str]] = field(default_factory=list[list[str]])

    @property
    def fingerprint(self) -> str:
        if self.unnamed:
            raise JudgeFailed("the file is gone")
        return self.name

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        return [self.relevance] * len(passages)

    def opinions(self, question: str, passages: Sequence[str]) -> list[Opinion]:
        if self.broken:
            raise JudgeFailed("out of memory")
        self.read.append(list(passages))
        return [Opinion(self.relevance, self.answers)] * len(passages)


def test_a_quote_that_names_what_was_asked_addresses_it() -> None:
    found = QuoteAddress().addresses(QUESTION, [ANSWER], ["Ray > Workers"])
    assert found.ok
    assert found.covered == 1.0
    assert found.threshold == WITHOUT_JUDGE.threshold


def test_a_quote_about_something_else_does_not() -> None:
    found = QuoteAddress().addresses(QUESTION, [ELSEWHERE], ["Baking"])
    assert not found.ok
    assert found.covered == 0.0


def test_the_heading_counts_for_what_the_quote_leaves_out() -> None:
    check = QuoteAddress()
    without = check.addresses(QUESTION, ["Call restart with its name."], [])
    within = check.addresses(QUESTION, ["Call restart with its name."], ["Ray: a failed worker"])
    assert without.covered < within.covered == 1.0


def test_the_best_quote_counts() -> None:
    check = QuoteAddress()
    alone = check.addresses(QUESTION, [ANSWER], ["Ray"])
    beside = check.addresses(QUESTION, [ELSEWHERE, ANSWER], ["Baking", "Ray"])
    assert beside.covered == alone.covered


def test_names_weigh_more_than_words_and_words_more_than_faint_ones() -> None:
    def covered(quote: str) -> float:
        return QuoteAddress().addresses("What type of disk does Ray need?", [quote], []).covered

    assert covered("Ray") > covered("disk") > covered("type") > 0


def test_signs_see_a_missing_name_and_an_answer_of_the_wrong_form() -> None:
    asked = "When was Ray 2.0 released?"
    good = signs_of(asked, ["Ray 2.0 was released in August 2022."], [], None)
    other = signs_of(asked, ["Spark was released by a university."], [], None)
    assert good is not None
    assert other is not None
    assert (good.name_missing, good.unsuited) == (False, False)
    assert (other.name_missing, other.unsuited) == (True, True)


@pytest.mark.parametrize("question", ["", "   ", "what is it?"])
def test_a_question_without_a_word_to_look_for_is_addressed_by_any_quote(question: str) -> None:
    check = QuoteAddress(Opinions(relevance=-9, answers=-9))
    assert check.addresses(question, [ANSWER], []).ok
    assert not check.addresses(question, [], []).ok


def test_nothing_is_addressed_by_nothing() -> None:
    assert QuoteAddress().addresses(QUESTION, [], []) == Addressed(
        ok=False, score=0.5, threshold=0.5, covered=0.0
    )


def test_the_judge_reads_all_quotes_together_and_the_best_alone() -> None:
    judge = Opinions(relevance=3, answers=2)
    quotes = [ELSEWHERE, ANSWER, "A worker fails.", "Ray restarts.", "Nothing."]
    found = QuoteAddress(judge).addresses(QUESTION, quotes, ["Baking", "Ray", "", "", ""])
    assert found.threshold == WITH_JUDGE.threshold
    ((whole, *alone),) = judge.read
    assert all(quote in whole for quote in quotes)
    assert len(alone) == MOST_JUDGED
    assert alone[0] == f"Ray\n{ANSWER}"
    assert f"Baking\n{ELSEWHERE}" not in alone


def test_the_judges_opinion_decides_between_quotes_that_name_the_same() -> None:
    for answer, expected in ((4.0, True), (-6.0, False)):
        check = QuoteAddress(Opinions(relevance=answer, answers=answer))
        assert check.addresses(QUESTION, [ANSWER], ["Ray"]).ok is expected


@pytest.mark.parametrize(
    "judge",
    [
        NoOpJudge(),
        Opinions(relevance=-9, answers=-9, name="another:judge"),
        Opinions(relevance=-9, answers=-9, broken=True),
        Opinions(relevance=-9, answers=-9, unnamed=True),
    ],
)
def test_a_judge_of_another_scale_or_that_fails_is_not_heard(judge: Opinions) -> None:
    plain = QuoteAddress().addresses(QUESTION, [ANSWER], ["Ray"])
    assert QuoteAddress(judge).addresses(QUESTION, [ANSWER], ["Ray"]) == plain


def test_the_weights_are_made_for_the_judge_that_is_shipped() -> None:
    assert OnnxJudge().fingerprint == FITTED_FOR, "fit again: python -m bench.addressing --fit"


def test_the_shipped_judge_tells_an_answer_from_a_neighbour() -> None:
    check = QuoteAddress(OnnxJudge())
    asked = "How many replicas does a deployment have by default?"
    answer = "By default a deployment has one replica."
    neighbour = "Replicas of a deployment are removed in the order of their age."
    best = check.addresses(asked, [answer], ["Deployments"])
    near = check.addresses(asked, [neighbour], ["Deployments"])
    far = check.addresses(asked, [ELSEWHERE], ["Baking"])
    assert best.ok
    assert not far.ok
    assert best.score > near.score > far.score


TWO_SHARES = st.lists(st.floats(0, 1), min_size=2, max_size=2).map(sorted)
TWO_LOGITS = st.lists(st.floats(-8, 8), min_size=2, max_size=2).map(sorted)
TEXTS = st.lists(st.text(max_size=60), max_size=60)


@given(TWO_SHARES, st.booleans(), st.booleans(), TWO_LOGITS, TWO_LOGITS)
def test_better_signs_never_score_lower(
    shares: list[float],
    missing: bool,
    unsuited: bool,
    relevance: list[float],
    answers: list[float],
) -> None:
    low, high = shares
    worse, better = map(Opinion, relevance, answers)
    for rule in (WITH_JUDGE, WITHOUT_JUDGE):
        bad = Signs(covered=low, name_missing=missing, unsuited=unsuited, opinion=worse)
        good = Signs(covered=high, name_missing=False, unsuited=False, opinion=better)
        assert 0 < rule.score(bad) <= rule.score(good) < 1


def test_a_rule_is_the_logistic_of_its_weighed_signs() -> None:
    rule = Rule(
        intercept=1, covered=2, name_missing=-1, unsuited=-1, relevance=0.5, answers=0, threshold=0
    )
    signs = Signs(covered=0.5, name_missing=True, unsuited=True, opinion=Opinion(0.0, 3.0))
    assert rule.score(signs) == 0.5
    unheard = Signs(covered=0.5, name_missing=False, unsuited=False, opinion=None)
    assert rule.score(unheard) == pytest.approx(0.8807970779778823)  # of 2


@given(
    st.text(max_size=200),
    st.lists(st.text(max_size=100), max_size=60),
    st.lists(st.text(max_size=40)),
)
def test_any_text_gets_a_verdict_within_its_bounds(
    question: str, quotes: list[str], headings: list[str]
) -> None:
    judge = Opinions()
    found = QuoteAddress(judge).addresses(question, quotes, headings)
    assert 0 <= found.covered <= 1 + 1e-9
    assert 0 < found.score < 1
    assert found.ok == (found.score >= found.threshold and bool(quotes))
    assert sum(map(len, judge.read)) <= MOST_JUDGED + 1
    assert found == QuoteAddress(Opinions()).addresses(question, quotes[:MOST_QUOTES], headings)
