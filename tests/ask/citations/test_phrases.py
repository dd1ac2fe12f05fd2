"""Phrases that state nothing, and openings that the sentence after them contradicts."""

from __future__ import annotations

import pytest

from tether.ask.citations.comparison import Sayings
from tether.ask.citations.phrases import (
    asks_yes_or_no,
    contradicts_opening,
    is_courtesy,
    leads_in,
    only_points,
    points_unlinked,
    without_preamble,
)


@pytest.mark.parametrize(
    "text",
    [
        "Based on the provided passages, it is so.",
        "According to the documentation, it is so.",
        "The passages say that it is so.",
        "Therefore, it is so.",
        "So, based on the context given, it is so.",
    ],
)
def test_words_that_say_where_it_is_from_are_a_preamble(text: str) -> None:
    assert without_preamble(text) == "it is so."
    assert without_preamble("From the server, it is so.") == "From the server, it is so."


@pytest.mark.parametrize(
    "text",
    ["Sure!", "**Sources:**", "I hope this helps!", "Let me know if you need more.", "Thanks."],
)
def test_small_talk_is_known(text: str) -> None:
    assert is_courtesy(text)
    assert not is_courtesy("Sure things are sure.")


def test_pages_without_a_link_and_lead_ins_are_known() -> None:
    assert points_unlinked("As described in the guide, it is so.")
    assert not points_unlinked("The guide is long.")
    assert leads_in("It is so:**")
    assert not leads_in("It: is so")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See Queues for more details", True),
        ("Queues", True),
        ("Queues are full", False),
        ("See Queues for workers", False),
    ],
)
def test_a_text_that_only_names_a_page_points(text: str, expected: bool) -> None:
    terms = Sayings().said(text, "").terms

    assert only_points(text, terms, frozenset({"queue", "full"})) == expected


@pytest.mark.parametrize(
    ("opening", "text", "question", "expected"),
    [
        ("Yes,", "the server does not keep logs", "Does the server keep logs?", True),
        ("Yes.", "The server keeps logs.", "Does the server keep logs?", False),
        ("Yes,", "the server does not eat", "Does the server keep logs?", False),
        ("No.", "The server keeps logs.", "Does the server keep logs?", True),
        ("No.", "The server keeps no logs.", "Does the server keep logs?", False),
        ("No.", "The server only keeps logs.", "Does the server keep logs?", False),
        ("No.", "The server keeps 3 logs.", "Does the server keep 5 logs?", False),
        ("No.", "It is so.", "Is it so?", False),
        ("Yes,", "it is not kept", "Is it not kept?", False),
        ("Well,", "the server does not keep logs", "Does the server keep logs?", False),
    ],
)
def test_an_opening_is_contradicted_by_what_follows_it(
    opening: str, text: str, question: str, expected: bool
) -> None:
    sayings = Sayings()
    asked, said = sayings.said(question, ""), sayings.said(text, "")

    assert contradicts_opening(opening, text, asked, said) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does it restart?", True),
        ("I run a server. Can't it restart?", True),
        ("Is it on or not?", True),
        ("Is it on or off?", False),
        ("When does it restart?", False),
        ("", False),
    ],
)
def test_a_question_for_yes_or_no_is_known(question: str, expected: bool) -> None:
    assert asks_yes_or_no(question) == expected
