"""The units that come nearest to a statement: where to look, and what stands in for it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ask.citations.passages import EVIDENCE, QUESTION, passage
from tether.ask.citations.passage import Window
from tether.ask.citations.quotes import LEAST_NEAR, MOST_READ, Quotes
from tether.ask.evidence import Evidence

RETRIED = "A client retries a failed request **three** times."
DOUBLED = "The [delay](delays.md) doubles after each attempt."
REFUSED = "It does not retry requests that were refused."
BOUNDED = "The `max_delay` setting bounds the delay at 30 seconds by default."


def quote(window: Window | None) -> str | None:
    return None if window is None else window.passage.source(window.start, window.end)


def closest(
    statement: str, *cited: int, evidence: Sequence[Evidence] = EVIDENCE, question: str = QUESTION
) -> str | None:
    return quote(Quotes(evidence, question).closest(statement, cited))


def read(statement: str, *cited: int, evidence: Sequence[Evidence] = EVIDENCE) -> list[str | None]:
    return [quote(one.window) for one in Quotes(evidence, QUESTION).candidates(statement, cited)]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("Failed requests are retried 3 times by the client.", RETRIED),
        ("After every attempt the delay is doubled.", DOUBLED),
        ("Requests that were refused are not retried.", REFUSED),
        ("By default, `max_delay` bounds it at 30 seconds.", BOUNDED),
        ("The maximum is 30 seconds", BOUNDED),
        ("Restarting the server", "Restart the server."),
    ],
)
def test_a_paraphrase_is_looked_for_where_its_words_are(statement: str, expected: str) -> None:
    assert read(statement)[0] == expected
    assert closest(statement) == expected


@pytest.mark.parametrize("statement", ["Penguins live in Antarctica.", "It is.", "", "\u2026"])
def test_what_has_no_word_of_a_passage_is_not_looked_for(statement: str) -> None:
    assert read(statement, 1) == []
    assert closest(statement, 1) is None


def test_the_best_windows_of_cited_passages_are_read_too() -> None:
    text = "The delay doubles. The delay is long. The delay is short. Each delay ends."
    evidence = (passage(1, text), passage(2, "A delay is none of this.", "b.md"))

    without, cited = (
        read("The delay is long", evidence=evidence),
        read("The delay is long", 2, evidence=evidence),
    )

    assert len(without) == MOST_READ
    assert "A delay is none of this." not in without
    assert cited == [*without, "A delay is none of this."]


def test_of_units_that_are_as_near_the_one_that_speaks_of_the_question_is_first() -> None:
    evidence = (
        passage(1, "The limit of queues is high."),
        passage(2, "The limit of retries is high.", "b.md"),
    )

    assert closest("The limit is high", evidence=evidence) == "The limit of retries is high."
    assert closest("The limit is high", evidence=evidence, question="What do queues have?") == (
        "The limit of queues is high."
    )
    assert closest("The limit is high", 1, evidence=evidence) == "The limit of queues is high."


def test_neighbours_are_read_together_where_that_says_more() -> None:
    evidence = (passage(1, "Alpha beats beta. Gamma beats delta. Nothing else matters."),)
    statement = "Alpha beats beta while gamma beats delta."

    assert read(statement, evidence=evidence)[0] == "Alpha beats beta. Gamma beats delta."
    assert closest(statement, evidence=evidence) in ("Alpha beats beta.", "Gamma beats delta.")


def test_a_heading_and_a_lead_in_are_said_by_their_units() -> None:
    evidence = (
        passage(1, "The limit is 5.", headings=("Queues", "Version 2 of Kafka")),
        passage(2, "Workers drop tasks if:\n\n- The disk is full.\n", "b.md"),
        passage(3, "The version of Kafka is told by the broker of the limit.", "c.md"),
    )

    assert closest("The limit of Kafka is 5.", evidence=evidence) == "The limit is 5."
    assert closest("Tasks are dropped by workers.", evidence=evidence) == "The disk is full."


def test_a_unit_that_shares_too_little_stands_in_for_nothing() -> None:
    statement = "A client of seven penguins eats herring near Antarctica every winter morning."

    (near, *_) = Quotes(EVIDENCE, QUESTION).candidates(statement, ())

    assert 0 < near.covered < LEAST_NEAR
    assert closest(statement) is None


def test_other_languages_are_stemmed_in_their_own() -> None:
    text = "Die Warteschlangen werden nach jedem Versuch geleert."
    evidence = (passage(1, text, language="de"),)

    (found,) = Quotes(evidence, "").candidates("Die Warteschlange wird geleert.", ())

    assert found.covered == 1


def test_a_whole_sentence_is_found_in_cited_passages_first() -> None:
    evidence = (passage(1, "It is so.", "a.md"), passage(2, "It is so.", "b.md"))
    quotes = Quotes(evidence, "")

    found = [quotes.verbatim("it is so", cited) for cited in ((), (2,), (1, 2))]

    assert [one and one.window.number for one in found] == [1, 2, 1]
    assert quotes.verbatim("It is not so.", (1,)) is None


CODE = "Run:\n\n```sh\nif true; then\n    make all\n\n    make test\nfi\n```\n"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("if true; then\n    make all\n    make test\nfi", CODE[12:-5]),
        ("if true; then\n\tmake all\n\n\n\tmake test  \nfi\n\n", CODE[12:-5]),
        ("make all\nmake test", "make all\n\nmake test"),
        ("    make test\nfi", "    make test\nfi"),
        ("fi", "fi"),
    ],
)
def test_code_is_a_passages_own_line_by_line(code: str, shown: str) -> None:
    found = Quotes((passage(1, "It is."), passage(2, CODE, "b.md")), "").code(code, (1,))

    assert found is not None
    assert found.text == shown
    assert quote(found.window) == CODE.partition("\n\n")[2].rstrip()


@pytest.mark.parametrize(
    "code",
    [
        "",
        "\n",
        "make",
        "make all; make test",
        "make test\nmake all",
        "if true; then\nmake all",
        "make all\nmake test\nfi\nrm -rf /",
        "Run:",
    ],
)
def test_other_code_is_not(code: str) -> None:
    assert Quotes((passage(1, CODE),), "").code(code, ()) is None
