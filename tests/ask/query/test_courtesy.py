"""Courtesies are told from questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.ask.query.courtesy import LONGEST, asks_nothing

COURTESIES = [
    "Hi",
    "hello there!",
    "Hey, good morning",
    "thanks",
    "Thank you so much for your help :)",
    "ok thanks, bye",
    "Great, thanks a lot!!",
    "\U0001f44b hi",
    "Danke schön!",
    "merci beaucoup",
    "¡Hola!",
    "how are you?",
    "that helped, thank you",
    "Goodbye\n",
    "see you later",
]

QUESTIONS = [
    "hi, how do I install it?",
    "thanks, and on Windows?",
    "what is hello-world",
    "hello world",
    "bye bye container",
    "yes",
    "ok",
    "no",
    "why?",
    "great",
    "there",
    "for the help command",
    "",
]


@pytest.mark.parametrize("text", COURTESIES)
def test_a_courtesy_asks_nothing(text: str) -> None:
    assert asks_nothing(text)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_not_a_courtesy(text: str) -> None:
    assert not asks_nothing(text)


def test_a_long_text_is_not_read() -> None:
    assert asks_nothing("hi " * (LONGEST // 3))
    assert not asks_nothing("hi " * LONGEST)


@given(st.lists(st.sampled_from(["hi", "thanks", "a lot", "ok", "!", "that", "is", "x"])))
def test_a_word_that_names_something_makes_it_a_question(words: list[str]) -> None:
    if "x" in words:
        assert not asks_nothing(" ".join(words))
