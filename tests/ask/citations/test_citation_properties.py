"""Properties of the citations of every draft, whatever a model writes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.citations.passages import EVIDENCE, answer_of, reviewed
from support.growth import assert_grows_linearly
from tether.ask.citations.draft import Draft
from tether.ask.citations.projections import markdown

pytestmark = pytest.mark.unmeasured

SENTENCES = [
    "A client retries a failed request three times.",
    "The delay doubles after each attempt.",
    "It does not retry requests that were refused.",
    "The `max_delay` setting bounds the delay at 30 seconds by default.",
    "Restart the server.",
    "Logs go to standard error.",
    "Failed requests are retried 3 times",
    "Each line holds the level, the time and a message.",
    "Penguins live in Antarctica.",
    "Yes.",
    "To change it:",
    "- Set it in the settings file.",
    "1. Restart the server.",
    "# Retries",
    "> Logs go to standard error.",
    "See the documentation.",
    "No, it does not retry requests that were refused.",
    "Yes, logs go to standard error",
    "No. Requests that were refused are not retried.",
    "According to the documentation, logs go to standard error.",
    "I hope this helps!",
    "| a | b |",
    "|---|---|",
    "| max_delay | 30 seconds |",
    "Both of the two steps:",
]
CITED = [
    "[1]",
    "[2, 3]",
    "[9]",
    "([Retries](guide/retries.md#limits))",
    "[Delays](https://docs.example/guide/delays#x)",
    "[logging](logging)",
    "[x](https://evil.example)",
    "![x](y)",
    "`items[1]`",
    "(source 3)",
    "[Logging]",
    "(guide/retries.md)",
    "Source: delays.md",
    "[Retries](retries",
    "\u2014 [Logging](logging)",
    ", [Delays](delays)",
]
JOINTS = [" ", " ", "\n", "\n\n"]

words = st.sampled_from(SENTENCES + CITED + CITED)
answers = st.lists(st.tuples(words, st.sampled_from(JOINTS)), max_size=12).map(
    lambda parts: "".join(word + joint for word, joint in parts)
)
WHOLE = [sentence for sentence in SENTENCES[:10] if sentence.endswith(".")]
tidy = st.lists(
    st.tuples(st.sampled_from(WHOLE), st.sampled_from(["", *CITED[:6]])), max_size=5
).map(lambda parts: " ".join(f"{sentence} {citation}" for sentence, citation in parts))
noise = st.text(alphabet='[]()!`<>\\"*_|#-: \n123.ab', max_size=20)


@given(st.lists(st.one_of(answers, noise), max_size=4).map("".join))
def test_citations_are_in_their_places(text: str) -> None:
    found = reviewed(text)

    assert_citations_hold(found.draft)
    if found.repaired is not None:
        assert found.repaired.citations
        assert_citations_hold(found.repaired)


@given(answers)
def test_what_is_left_passes(text: str) -> None:
    left = reviewed(text).repaired
    if left is not None:
        again = reviewed(markdown(answer_of(left)))
        assert again.passed
        assert cited(again.draft) == cited(left)


@given(tidy)
def test_what_is_left_of_whole_sentences_stays_the_same(text: str) -> None:
    left = reviewed(text).repaired
    if left is not None:
        assert reviewed(markdown(answer_of(left))).draft == left


def cited(draft: Draft) -> set[str]:
    return {citation.document for citation in draft.citations}


def test_long_answers_take_linear_time() -> None:
    size = 8_000 if os.environ.get("EXPLORE") == "deep" else 500
    for unit in ("A [b](c) d. ", "- a [1]\n", "(a.md) ", "[Logging] ", "| a |\n", "Yes, "):
        assert_grows_linearly(reviewed, unit, size)
    assert_grows_linearly(reviewed, "[", 4 * size)


def assert_citations_hold(draft: Draft) -> None:
    passages = {one.chunk.id: one for one in EVIDENCE}
    numbers: dict[int, tuple[str, str]] = {}
    at = 0
    for citation in draft.citations:
        chunk = passages[citation.chunk].chunk
        assert draft.text[citation.mark_start : citation.mark_end] == f"[{citation.number}]"
        assert citation.mark_start >= at
        assert 0 <= citation.span_start < citation.span_end < citation.mark_start
        assert draft.text[citation.span_start : citation.span_end].strip()
        start, end = citation.start - chunk.start, citation.end - chunk.start
        assert citation.quote == chunk.text[start:end] != ""
        place = numbers.setdefault(citation.number, (citation.document, citation.anchor))
        assert place == (citation.document, citation.anchor)
        at = citation.mark_end
    assert list(numbers) == list(range(1, len(numbers) + 1))
    assert len(set(numbers.values())) == len(numbers)
