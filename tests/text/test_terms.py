"""Terms: when two words count as the same, and which words do not count at all."""

from __future__ import annotations

import pytest

from tether.text.language import language_of
from tether.text.terms import Vocabulary
from tether.text.words import Words


def terms(text: str, question: str = "") -> list[str]:
    return Vocabulary(question).terms_of(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("queries", "query"),
        ("cookie", "cookies"),
        ("stopping", "stops"),
        ("configured", "configuration"),
        ("written", "writes"),
        ("overridden", "overrides"),
        ("hidden", "hide"),
        ("APIs", "API"),
        ("maxSize", "max_size"),
        ("Müller's", "müller"),
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(
    ("one", "other"), [("generation", "general"), ("university", "united"), ("C++", "C#")]
)
def test_different_words_are_different_terms(one: str, other: str) -> None:
    assert terms(one) != terms(other)


def test_an_identifier_counts_whole_and_in_its_parts() -> None:
    assert terms("load_index") == ["load", "index", "loadindex"]
    assert terms("3.14") == ["3", "14", "3.14"]


def test_stop_words_and_abbreviations_have_no_terms() -> None:
    assert terms("What's this, e.g. in the one that I'd use, or that I'm in?") == []
    assert terms("How-to") == ["howto"]


def test_words_in_code_and_capitals_are_names() -> None:
    assert terms("`let` it be") == ["let"]
    assert terms("IT is") == ["it"]
    assert terms("I am A") == []
    assert Vocabulary().plain_terms_of("You MUST NOT wait") == ["wait"]


def test_a_question_of_stop_words_asks_about_those_that_are_names() -> None:
    assert Vocabulary("What is let?").terms_of("use let") == ["let"]
    assert Vocabulary("What is it?").terms_of("What is it?") == []


def test_further_words_can_be_ignored() -> None:
    assert Vocabulary(ignored=frozenset({"queue"})).terms_of("The Queue waits") == ["wait"]


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What is the port of the server?", "en"),
        ("Wie starte ich den Server?", "de"),
        ("server port", "en"),
        ("что", "ru"),
        ("Индекс контейнера", "ru"),
        ("सर्वर", "hi"),
        ("διακομιστής", "el"),
        ("", "en"),
    ],
)
def test_a_question_has_a_language_however_short(question: str, language: str) -> None:
    assert language_of(Words().words(question)) == language


def test_terms_are_those_of_the_language_of_the_question() -> None:
    vocabulary = Vocabulary("Wie beende ich die Verbindungen?")
    assert vocabulary.terms_of("die Verbindung") == vocabulary.terms_of("Verbindungen")
    assert Vocabulary(language="eo").terms_of("the serviloj") == ["servil"]
    assert terms("怎么 安装") == ["安装"]
