"""Grades: the answer against its expectation, and against the documents it quotes."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from tether.ask.answer import Answer, Citation, Consulted, Near
from tether.ask.evaluation.grades import grade, is_page, says_yes_or_no
from tether.ask.evaluation.questions import RecordedQuestion
from tether.ask.library import Library

TEXT = "# Ferry\n\nThe ferry leaves at nine."
QUOTE = "The ferry leaves at nine."


class Shelf:
    """A library of one document."""

    def text(self, document: str) -> str | None:
        return TEXT if document == "docs/ferry.md" else None


SHELF = cast("Library", Shelf())
CITATION = Citation(
    number=1,
    span_start=0,
    span_end=25,
    mark_start=26,
    mark_end=29,
    document="docs/ferry.md",
    title="Ferry",
    url="",
    anchor="ferry",
    chunk="ferry-1",
    quote=QUOTE,
    start=TEXT.index(QUOTE),
    end=TEXT.index(QUOTE) + len(QUOTE),
    version="v",
)
READ = Consulted(
    chunk="ferry-1",
    document="docs/ferry.md",
    title="Ferry",
    url="",
    anchor="ferry",
    version="v",
    cited=True,
)
ANSWER = Answer(
    id="t",
    conversation="c",
    question="When does the ferry leave?",
    text=f"{QUOTE} [1]",
    verdict="answered",
    citations=(CITATION,),
    consulted=(READ,),
)
REFUSED = replace(
    ANSWER,
    text="The documents do not cover this.",
    verdict="abstained",
    reason="below-floor",
    citations=(),
    nearest=(Near(title="Ferry", url="docs/ferry.md"),),
)
ASKED = RecordedQuestion(
    id="a", ask="When does the ferry leave?", pages=("ferry.md",), says=("at nine",)
)


def test_an_answer_with_page_and_words_is_right() -> None:
    found = grade(ASKED, ANSWER, SHELF)
    assert found.right
    assert (found.page, found.says, found.cited, found.links, found.quotes) == (True,) * 5
    assert found.yes_no is None


def test_the_quote_counts_as_said() -> None:
    said = replace(ANSWER, text="It leaves in the morning. [1]")
    marked = replace(CITATION, mark_start=26, mark_end=29)
    assert grade(ASKED, replace(said, citations=(marked,)), SHELF).says


def test_another_page_or_other_words_are_not_right() -> None:
    assert grade(replace(ASKED, pages=("train.md",)), ANSWER, SHELF).page is False
    assert grade(replace(ASKED, says=("at ten",)), ANSWER, SHELF).says is False
    assert grade(replace(ASKED, says=("at ten", "at nine")), ANSWER, SHELF).says is False
    assert grade(replace(ASKED, says=("at ten", "at nine"), any=True), ANSWER, SHELF).says is True


def test_a_refusal_is_right_where_it_was_expected_and_links_to_the_nearest_pages() -> None:
    assert not grade(ASKED, REFUSED, SHELF).verdict
    found = grade(replace(ASKED, expect="abstained"), REFUSED, SHELF)
    assert found.right
    assert (found.page, found.says, found.cited) == (None, None, None)
    assert grade(replace(ASKED, expect="either"), REFUSED, SHELF).verdict


def test_a_failed_answer_has_no_verdict_that_was_expected() -> None:
    failed = replace(REFUSED, verdict="failed", reason=None)
    assert not grade(replace(ASKED, expect="abstained"), failed, SHELF).verdict


def test_a_quote_that_is_not_at_its_place_is_seen() -> None:
    for wrong in (
        replace(CITATION, start=CITATION.start + 1),
        replace(CITATION, quote="The ferry leaves at ten."),
        replace(CITATION, quote="", start=0, end=0),
        replace(CITATION, document="docs/gone.md"),
    ):
        assert not grade(ASKED, replace(ANSWER, citations=(wrong,)), SHELF).quotes


def test_a_lead_in_that_is_not_at_its_place_is_seen() -> None:
    led = replace(CITATION, lead="# Ferry", lead_start=0, lead_end=7)
    assert grade(ASKED, replace(ANSWER, citations=(led,)), SHELF).quotes
    for wrong in (replace(led, lead="# Train"), replace(led, lead_start=1)):
        assert not grade(ASKED, replace(ANSWER, citations=(wrong,)), SHELF).quotes


def test_the_quote_as_it_is_read_counts_as_said() -> None:
    row = replace(CITATION, reading="to: the island; leaves: at nine o'clock")
    asked = replace(ASKED, says=("leaves: at nine",))
    assert not grade(asked, ANSWER, SHELF).says
    assert grade(asked, replace(ANSWER, citations=(row,)), SHELF).says
    escaped = replace(ANSWER, text="It leaves at \\[nine\\]. [1]")
    assert grade(replace(ASKED, says=("[nine]",)), escaped, SHELF).says


def test_a_link_outside_of_what_was_read_is_seen() -> None:
    naked = replace(ANSWER, citations=(), text="It [leaves](docs/ferry.md#ferry) at nine.")
    assert grade(ASKED, naked, SHELF, naked.text).links
    assert grade(ASKED, naked, SHELF, naked.text).cited
    phantom = replace(naked, text="It [leaves](docs/timetable.md) at nine.")
    found = grade(ASKED, phantom, SHELF, phantom.text)
    assert (found.links, found.cited) == (False, False)


def test_forbidden_text_is_seen() -> None:
    assert not grade(replace(ASKED, never=("at nine",)), ANSWER, SHELF).clean


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes, it does.", "yes"),
        ("**No**: it does not.", "no"),
        ("no", "no"),
        ("Rust strings do not support indexing. They are bytes.", "no"),
        ("It can't be done.", "no"),
        ("Strings support indexing. Others do not.", "yes"),
        ("", ""),
    ],
)
def test_the_first_word_or_sentence_is_the_yes_or_the_no(text: str, said: str) -> None:
    assert says_yes_or_no(text) == said


def test_a_yes_or_no_is_held_against_the_expected_one() -> None:
    asked = replace(ASKED, answer="yes", says=())
    assert grade(asked, replace(ANSWER, text=f"Yes. {QUOTE}"), SHELF, "").yes_no is True
    assert grade(asked, replace(ANSWER, text=f"No. {QUOTE}"), SHELF, "").yes_no is False


def test_a_page_is_named_by_the_end_of_its_key() -> None:
    assert is_page("docs/ferry.md", "ferry.md")
    assert is_page("ferry.md", "ferry.md")
    assert not is_page("docs/car-ferry.md", "ferry.md")
