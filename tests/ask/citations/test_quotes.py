"""Quotes are exact slices of their passage, and only of sentences that make the statement."""

from __future__ import annotations

import pytest

from ask.citations.passages import DELAYS, EVIDENCE, RETRIES, passage
from tether.ask.citations.quotes import Quotes

RETRIED = "A client retries a failed request **three** times."
DOUBLED = "The [delay](delays.md) doubles after each attempt."
BOUNDED = "The `max_delay` setting bounds the delay at 30 seconds by default."


def quote(statement: str, number: int = 1) -> str | None:
    found = Quotes(EVIDENCE).find(statement, EVIDENCE[number - 1])
    if found is None:
        return None
    assert found.quote == EVIDENCE[number - 1].chunk.text[found.start : found.end]
    return found.quote


@pytest.mark.parametrize(
    ("statement", "number", "expected"),
    [
        ("A client retries a failed request three times.", 1, RETRIED),
        ("a client retries a failed\nrequest **three** times", 1, RETRIED),
        ("The delay doubles after each attempt.", 1, DOUBLED),
        ("\u2026 The delay doubles after each attempt.", 1, DOUBLED),
        ("The max_delay setting bounds the delay at 30 seconds by default.", 2, BOUNDED),
        ("Restart the server.", 2, "Restart the server."),
    ],
)
def test_a_sentence_of_the_passage_is_its_own_quote(
    statement: str, number: int, expected: str
) -> None:
    assert quote(statement, number) == expected


@pytest.mark.parametrize(
    ("statement", "number", "expected"),
    [
        ("Failed requests are retried 3 times by the client.", 1, RETRIED),
        ("After every attempt the delay is doubled.", 1, DOUBLED),
        ("Requests that were refused are not retried.", 1, "It does not retry requests that were"),
        ("By default, `max_delay` bounds it at 30 seconds.", 2, BOUNDED),
        ("Retries: three", 1, RETRIED),
    ],
)
def test_a_paraphrase_rests_on_the_sentence_it_paraphrases(
    statement: str, number: int, expected: str
) -> None:
    found = quote(statement, number)

    assert found is not None
    assert found.startswith(expected)


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("A client retries a failed request four times.", 1),
        ("A client retries a failed request 3 times within 20 seconds.", 1),
        ("A client never retries a failed request three times.", 1),
        ("It does retry requests that were refused.", 1),
        ("Requests that were refused are retried.", 1),
        ("retry requests that were refused", 1),
        ("The `min_delay` setting bounds the delay at 30 seconds by default.", 2),
        ("The delay of a Postgres server doubles after each attempt.", 1),
        ("Lines hold the time and the level.", 1),
        ("Penguins live in Antarctica.", 1),
        ("It is.", 1),
        ("", 1),
    ],
)
def test_what_the_passage_does_not_say_is_not_found(statement: str, number: int) -> None:
    assert quote(statement, number) is None


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('It says that "a client retries a failed request" for three times.', RETRIED),
        ("It \u201cretries a failed request three times\u201d.", RETRIED),
        (
            'The client "retries a failed request \u2026 doubles after each attempt".',
            f"{RETRIED} {DOUBLED}",
        ),
        ('The client "retries a failed request four times".', None),
        ('The client "retries a broken request three times".', None),
        ('The delay "doubles after each attempt \u2026 retries a failed request".', None),
        ('The client "\u2026 ," retries a failed request.', None),
    ],
)
def test_words_in_quotation_marks_stand_in_the_passage(
    statement: str, expected: str | None
) -> None:
    assert quote(statement) == expected


def test_dashes_quotation_marks_and_markup_do_not_count() -> None:
    text = 'Use the \u201cfast\u201d path \u2014 it is [safe](x.md "why")[^1] and <b>cheap</b>.'
    evidence = passage(1, text, "a.md")

    found = Quotes([evidence]).find('Use the "fast" path - it is safe and cheap', evidence)

    assert found is not None
    assert found.quote == text


def test_a_quote_has_the_markup_it_starts_with() -> None:
    evidence = passage(1, "Do it: **Restart** the server ___ now.", "a.md")

    found = Quotes([evidence]).find("Restart the server now", evidence)

    assert found is not None
    assert found.quote == "**Restart** the server ___ now."


def test_abbreviations_and_alternatives_are_no_names_of_code() -> None:
    evidence = passage(1, "Queues hold events or messages.", "a.md")
    quotes = Quotes([evidence])

    assert quotes.find("Queues hold events and/or messages.", evidence)
    assert quotes.find("Queues hold events, e.g. messages.", evidence)
    assert not quotes.find("Queues hold events and messages of app/queue.py.", evidence)


def test_a_heading_need_not_be_repeated() -> None:
    evidence = passage(1, "The limit is 5.", "a.md", headings=("Queues", "Version 2 of Kafka"))
    quotes = Quotes([evidence])

    assert quotes.find("In version 2 the queue limit of Kafka is 5.", evidence) is not None
    assert quotes.find("In version 3 the queue limit of Kafka is 5.", evidence) is None


def test_neighbouring_sentences_can_say_it_together() -> None:
    evidence = passage(1, "Alpha beats beta. Gamma beats delta. Nothing else matters.", "a.md")

    found = Quotes([evidence]).find("Alpha beats beta while gamma beats delta.", evidence)

    assert found is not None
    assert found.quote == "Alpha beats beta. Gamma beats delta."


def test_other_languages_are_stemmed_in_their_own() -> None:
    text = "Die Warteschlangen werden nach jedem Versuch geleert."
    evidence = passage(1, text, "a.md", language="de")

    found = Quotes([evidence]).find("Nach jedem Versuch wird die Warteschlange geleert.", evidence)

    assert found is not None
    assert found.quote == text


def test_the_places_are_those_of_the_passage() -> None:
    found = Quotes(EVIDENCE).find("The delay doubles after each attempt.", EVIDENCE[0])

    assert found is not None
    assert found.start == RETRIES.index("The [delay]")
    assert DELAYS[: len(BOUNDED)] == BOUNDED
