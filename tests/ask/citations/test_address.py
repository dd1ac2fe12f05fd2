"""Whether the units of an answer answer the question, by the word of the judge."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.citations.answering import NO, YES, Answering, Said
from ask.citations.passages import passage
from tether.ask.citations.address import (
    FITTED_FOR,
    LEAST_ANSWER,
    LEAST_IN_DOUBT,
    MILLISECONDS,
    MOST_READ,
    STEP,
    SURE,
    InsistentAddress,
    JudgedAddress,
    addresses,
)
from tether.ask.citations.passage import Passage, Window
from tether.retrieval.judge import NoOpJudge, OnnxJudge
from tether.retrieval.ports import Judge

QUESTION = "How is a failed worker restarted?"
UNITS = ["Workers: Call `restart` with its name.", "Workers: A worker runs one task."]


def test_the_judge_reads_the_units_within_its_time() -> None:
    judge = Answering(YES)
    check = JudgedAddress(judge)
    assert check.can_read
    assert check.read(QUESTION, UNITS) == [YES, YES]
    assert judge.given == [(QUESTION, UNITS, MILLISECONDS)]


def test_no_more_than_the_allowed_number_of_units_is_read() -> None:
    judge = Answering(YES)
    many = [f"Unit {n}." for n in range(MOST_READ + 3)]
    assert JudgedAddress(judge).read(QUESTION, many) == [YES] * MOST_READ
    assert judge.given == [
        (QUESTION, many[:STEP], MILLISECONDS),
        (QUESTION, many[STEP:MOST_READ], MILLISECONDS),
    ]


@pytest.mark.parametrize(("logit", "steps"), [(SURE, 1), (SURE - 0.01, MOST_READ // STEP)])
def test_the_judge_reads_on_only_while_no_unit_answers_surely(logit: float, steps: int) -> None:
    judge = Answering(logit)
    many = [f"Unit {n}." for n in range(MOST_READ)]
    assert JudgedAddress(judge).read(QUESTION, many) == [logit] * steps * STEP
    assert len(judge.given) == steps


def test_a_machine_that_cannot_read_a_step_in_time_reads_no_further_one() -> None:
    judge = Answering(YES, most=STEP - 1)
    many = [f"Unit {n}." for n in range(MOST_READ)]
    assert JudgedAddress(judge).read(QUESTION, many) == [YES] * (STEP - 1)
    assert len(judge.given) == 1


@pytest.mark.parametrize(
    "judge",
    [
        None,
        NoOpJudge(),
        Answering(name="another:judge"),
        Answering(is_broken=True),
        Answering(is_unnamed=True),
    ],
    ids=["none", "one that cannot say", "another scale", "broken", "unnamed"],
)
def test_without_the_shipped_judge_nobody_says_anything(judge: Judge | None) -> None:
    is_broken = isinstance(judge, Answering) and judge.is_broken
    assert JudgedAddress(judge).can_read is is_broken, "that it breaks is seen when it reads"
    assert JudgedAddress(judge).read(QUESTION, UNITS) == []
    assert not isinstance(judge, Answering) or judge.given == []


def test_the_threshold_is_made_for_the_judge_that_is_shipped() -> None:
    assert OnnxJudge().fingerprint == FITTED_FOR, "LEAST_ANSWER is for another judge"


def test_the_shipped_judge_tells_an_answer_from_a_neighbour() -> None:
    answer, neighbour, elsewhere = OnnxJudge().answers(
        "How many replicas does a deployment have by default?",
        [
            "Deployments: By default a deployment has one replica.",
            "Deployments: Replicas of a deployment are removed in the order of their age.",
            "Baking: Bread rises faster in a warm kitchen.",
        ],
    )
    assert answer > neighbour
    assert answer > elsewhere


def windows(*texts: str, headings: tuple[str, ...] = ()) -> list[Window]:
    """Return all units of each text as one quote."""
    passages = [
        Passage(passage(at, text, headings=headings)) for at, text in enumerate(texts, start=1)
    ]
    return [Window(one, tuple(one.units)) for one in passages]


def test_each_unit_of_each_quote_is_read_by_itself_after_its_headings() -> None:
    check = Said(otherwise=YES)
    shown = windows(
        "Call it. Then wait.", "# Limits\n\nIt has two.", headings=("Manual", "Guide", "Workers")
    )
    assert addresses(check, QUESTION, shown)
    assert check.asked == [
        (
            QUESTION,
            [
                "Guide > Workers: Call it.",
                "Guide > Workers: Then wait.",
                "Workers > Limits: It has two.",
            ],
        )
    ]


def test_a_unit_that_two_quotes_share_is_read_once() -> None:
    check = Said(otherwise=YES)
    (both,) = windows("Call it. Then wait.")
    assert addresses(check, QUESTION, [Window(both.passage, both.units[:1]), both, both])
    assert check.units == ["Call it.", "Then wait."]


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"Call": YES}, True),
        ({"wait": YES}, True),
        ({"wait": LEAST_ANSWER}, True),
        ({"Call": LEAST_ANSWER - 0.01, "wait": LEAST_ANSWER - 0.01}, False),
        ({}, False),
    ],
    ids=["the first answers", "the last answers", "just so", "almost", "none"],
)
def test_one_unit_that_answers_is_enough(known: dict[str, float], expected: bool) -> None:
    check = Said(known)
    assert addresses(check, QUESTION, windows("Call it. Then wait.")) is expected


def test_where_nobody_can_say_it_is_addressed() -> None:
    shown = windows("Call it.")
    assert addresses(None, QUESTION, shown)
    assert addresses(JudgedAddress(None), QUESTION, shown)
    assert addresses(Said(most=0), QUESTION, shown)


def test_without_units_nobody_is_asked() -> None:
    check = Said(otherwise=NO)
    assert addresses(check, QUESTION, [])
    assert check.asked == []


@given(st.lists(st.floats(-12, 12), min_size=1, max_size=3 * MOST_READ))
def test_only_a_unit_that_was_read_can_answer(logits: Sequence[float]) -> None:
    known = {f"unit {at} ": logit for at, logit in enumerate(logits)}
    check = Said(known, most=MOST_READ)
    shown = windows(*(f"Here is unit {at} of them." for at in range(len(logits))))
    expected = any(logit >= LEAST_ANSWER for logit in logits[:MOST_READ])
    assert addresses(check, QUESTION, shown) is expected


@pytest.mark.parametrize(
    ("logits", "answers"),
    [
        ([LEAST_IN_DOUBT, NO], True),
        ([LEAST_IN_DOUBT - 0.01, NO], False),
        ([], False),
    ],
)
def test_a_check_may_insist_on_more(logits: list[float], answers: bool) -> None:
    check = InsistentAddress(Said(dict(zip(UNITS, logits, strict=False)), most=len(logits)), -2.0)
    read = check.read(QUESTION, UNITS)
    assert (read == logits) is answers
    assert (max(read) >= LEAST_ANSWER) is answers


def test_where_nobody_can_say_an_insistent_check_refuses() -> None:
    assert max(InsistentAddress(None, -2.0).read(QUESTION, UNITS)) < LEAST_ANSWER
