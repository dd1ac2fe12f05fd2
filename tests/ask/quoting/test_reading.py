"""The choice among units that a check reads: it has the last word on whether one answers."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ask.citations.answering import NO, YES, Said
from ask.quoting.choices import BY_WORDS, passages_of, units_in
from tether.ask.citations.address import LEAST_ANSWER, MOST_READ
from tether.ask.citations.passage import Window
from tether.ask.quoting.selection import (
    CONSTANT,
    FEATURE_WEIGHT,
    JUDGE_WEIGHT,
    LEAST_SHARE,
    MOST_OF_A_PASSAGE,
    MOST_PAGES,
    WEIGHTS,
    Selected,
    Selection,
)

QUESTION = "Where does the tide turn near a port?"


def chosen(check: Said, *texts: str, question: str = QUESTION, code: bool = True) -> list[Selected]:
    """Return the quotes of texts, each a page of its own, that a check has read."""
    return Selection(question, passages_of(*texts), BY_WORDS).chosen(code=code, check=check)


def ports(count: int, first: int = 0) -> list[str]:
    return [f"The tide turns near port {n}." for n in range(first, first + count)]


def test_the_units_are_read_for_the_question_the_likeliest_first() -> None:
    check = Said(otherwise=YES)
    page = "# Sea\n\nThe tide.\n\nThe tide turns near a port.\n\nThe tide turns.\n"
    chosen(check, page)
    assert check.asked == [
        (
            QUESTION,
            ["Sea: The tide turns near a port.", "Sea: The tide turns.", "Sea: The tide."],
        )
    ]


def test_what_names_nothing_of_the_question_is_not_read() -> None:
    check = Said(otherwise=YES)
    assert chosen(check, "Boats wait here.", question="football") == []
    assert chosen(check) == []
    assert check.asked == []
    chosen(check, "Boats wait here. The tide turns.")
    assert check.units == ["The tide turns."]


def test_only_units_that_were_read_are_shown() -> None:
    texts = ports(3)
    check = Said(otherwise=YES, most=2)
    assert units_in(chosen(check, *texts)) == texts[:2]
    assert len(check.units) == 3, "it could read only two of them"


def test_few_units_of_a_passage_are_read_and_few_in_all() -> None:
    check = Said(otherwise=YES)
    long = "\n\n".join(ports(MOST_OF_A_PASSAGE + 3))
    weaker = "The tide turns."
    chosen(check, long, weaker)
    assert check.units == [*ports(MOST_OF_A_PASSAGE), weaker]
    check = Said(otherwise=YES)
    chosen(check, *ports(MOST_READ + 3))
    assert check.units == ports(MOST_READ)


@pytest.mark.parametrize(
    ("logit", "is_shown"), [(LEAST_ANSWER, True), (LEAST_ANSWER - 0.01, False), (NO, False)]
)
def test_nothing_is_shown_where_no_unit_answers(logit: float, is_shown: bool) -> None:
    (text,) = ports(1)
    found = chosen(Said({text: logit}), text, "The tide.")
    assert (text in units_in(found)) is is_shown
    assert bool(found) is is_shown


def test_a_unit_that_answers_may_name_little_of_the_question() -> None:
    asked, text = "Where does the tide change its direction near a port?", "Ships change."
    assert chosen(Said(most=0), text, question=asked) == []
    assert units_in(chosen(Said(otherwise=YES), text, question=asked)) == [text]


def test_the_word_of_the_judge_and_the_features_both_order_the_units() -> None:
    named, other = "The tide turns near a port.", "The tide turns."
    alike = chosen(Said(otherwise=YES), other, named)
    assert units_in(alike)[0] == named
    turned = chosen(Said({"near": LEAST_ANSWER, "turns.": LEAST_ANSWER + 30}), named, other)
    assert units_in(turned) == [other, named]
    far = chosen(Said({"near": NO - 30, "turns.": YES}), named, other)
    assert units_in(far) == [other], "a unit that is far less sure is left out"


def test_the_probability_is_that_of_both_logits() -> None:
    (text,) = ports(1)
    selection = Selection(QUESTION, passages_of(text), WEIGHTS)
    (found,) = selection.chosen(check=Said(otherwise=YES))
    both = JUDGE_WEIGHT * YES + FEATURE_WEIGHT * selection.logits[0] + CONSTANT
    assert found.probability == pytest.approx(1 / (1 + 2.718281828459045**-both))


def test_where_nobody_can_say_the_features_decide() -> None:
    texts = [*ports(2), "Boats wait for the tide."]
    check = Said(most=0)
    plain = Selection(QUESTION, passages_of(*texts), BY_WORDS).chosen()
    found = chosen(check, *texts)
    assert len(check.asked) == 1
    assert units_in(found) == units_in(plain) != []
    assert [one.probability for one in found] == [one.probability for one in plain]


CODE = "The tide turns near a port:\n\n```\ntide --port\n```\n"


def test_code_that_is_not_wanted_is_not_read() -> None:
    check = Said(otherwise=YES)
    assert chosen(check, CODE, code=False) == []
    assert check.asked == []
    assert units_in(chosen(check, CODE)) == ["tide --port"]


def test_a_unit_that_answers_brings_what_belongs_to_it() -> None:
    check = Said({"Turn": YES})
    steps = "To see the tide:\n\n1. Go to a port.\n2. Turn around.\n3. Look.\n"
    found = chosen(check, steps)
    assert units_in(found) == ["Go to a port.", "Turn around.", "Look."]
    told = "Ask first. The tide turns near a port so.\n\n```\nwait\n```\n"
    brought = chosen(Said(otherwise=YES), told)
    assert "wait" in units_in(brought)
    assert all(0 < one.probability < 1 for one in brought)


WORDS = ("tide", "boat", "bay", "turns", "six", "hours", "port", "tide", "near")
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
PAGES = st.lists(st.lists(SENTENCES, min_size=1, max_size=7), min_size=1, max_size=5)
QUESTIONS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
LOGITS = st.lists(st.floats(-8, 8), min_size=40, max_size=40)


def numbered(pages: list[list[str]]) -> list[str]:
    """Return pages of sentences that differ, so that a logit is said of one unit."""
    return [
        "\n\n".join(f"Boats x{at}y{n}z {words}." for n, words in enumerate(page))
        for at, page in enumerate(pages)
    ]


@settings(max_examples=60, deadline=None)
@given(QUESTIONS, PAGES, LOGITS, st.integers(0, MOST_READ))
def test_what_is_shown_was_read_and_the_surest_is_first(
    question: str, pages: list[list[str]], logits: list[float], most: int
) -> None:
    passages = passages_of(*numbered(pages))
    every = [Window(one, (unit,)).premise for one in passages for unit in one.units]
    check = Said(dict(zip(every, logits, strict=False)), most=most)
    selection = Selection(question, passages)
    found = selection.chosen(check=check)
    assert found == selection.chosen(check=Said(check.known, most=most))
    assume(check.asked and most)
    read = check.units[:most]
    assert len(check.units) == len(set(check.units)) <= MOST_READ
    for at in range(len(pages)):
        assert sum(f"x{at}y" in unit for unit in check.units) <= MOST_OF_A_PASSAGE
    shown = [Window(one.window.passage, (it,)).premise for one in found for it in one.window.units]
    assert set(shown) <= set(read)
    assert len({one.window.number for one in found}) <= MOST_PAGES
    assert bool(found) is any(check.known[unit] >= LEAST_ANSWER for unit in read)
    if not found:
        return
    features = dict(zip(every, selection.logits, strict=True))
    both = {
        unit: JUDGE_WEIGHT * check.known[unit] + FEATURE_WEIGHT * features[unit] for unit in read
    }
    best = max(both.values())
    first = found[0].window.number
    of_the_first = [unit for unit in shown if f"x{first - 1}y" in unit]
    assert max(both[unit] for unit in of_the_first) == best
    surest = max(one.probability for one in found)
    assert all(surest * LEAST_SHARE <= one.probability <= surest < 1 for one in found)


@settings(max_examples=40, deadline=None)
@given(QUESTIONS, PAGES)
def test_a_silent_check_changes_nothing(question: str, pages: list[list[str]]) -> None:
    selection = Selection(question, passages_of(*numbered(pages)))
    assert selection.chosen(check=Said(most=0)) == selection.chosen()
