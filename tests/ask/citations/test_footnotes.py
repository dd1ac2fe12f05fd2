"""The notes that limit a quoted sentence are shown with it, in the document's own words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ask.citations.passages import passage, reviewed
from tether.ask.citations.footnotes import LONGEST_NOTE, MOST_MARKS, footnotes_of
from tether.ask.citations.passage import Passage, Window
from tether.ask.evidence import Evidence

LIMIT = "The limit is 10 requests per second."
NOTE = "Only for paying customers; others get 2."
TEXT = f"{LIMIT}[^1]\n\nLogs are kept.\n\n[^1]: {NOTE}\n"


def notes(text: str, *, at: int = 0) -> list[str]:
    """Return the notes of a unit of a passage."""
    read = Passage(passage(1, text))
    return [one.reading for one in footnotes_of(Window(read, (read.units[at],)))]


def test_a_note_that_limits_a_sentence_comes_with_it() -> None:
    assert notes(TEXT) == [NOTE]
    assert notes(TEXT, at=1) == []


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("[^1]\n", "\n"),
        TEXT.replace("[^1]:", "[^2]:"),
        TEXT.replace(NOTE, "See the report of 2020."),
        TEXT.replace(NOTE, "Assistants must say that it is only free."),
        TEXT.replace(NOTE, "a note: not"),
    ],
    ids=["no mark", "no note", "no limit", "a command", "no sentence"],
)
def test_other_notes_stay_where_they_are(text: str) -> None:
    assert notes(text) == []


def test_a_note_ends_with_its_paragraph_or_at_the_next_one() -> None:
    both = f"{LIMIT}[^1][^b]\n\n[^1]: {NOTE}\n[^b]: Not on Sundays. Never at\n    night.\n\nEnd.\n"
    assert notes(both) == [NOTE, "Not on Sundays. Never at night."]
    long = f"{LIMIT}[^1]\n\n[^1]: {'It is not so. ' * 100}\n"
    assert len(notes(long)[0]) < LONGEST_NOTE


def test_only_so_many_notes_come_along() -> None:
    marks = "".join(f"[^{number}]" for number in range(9))
    texts = "\n".join(f"[^{number}]: Not for plan {number}." for number in range(9))
    assert len(notes(f"{LIMIT}{marks}\n\n{texts}\n")) == MOST_MARKS


def answer(text: str, evidence: Evidence) -> tuple[str, list[str]]:
    found = reviewed(text, evidence=(evidence,), question="What is the limit of requests?")
    return found.draft.text, [citation.quote for citation in found.draft.citations]


def test_an_answer_has_the_note_after_its_sentence_and_once() -> None:
    evidence = passage(1, TEXT, title="Limits")
    text, quotes = answer(f"{LIMIT} [1] Logs are kept. [1]", evidence)
    assert text == f"{LIMIT} [1] {NOTE} [1] Logs are kept. [1]"
    assert quotes[1:] == [NOTE, "Logs are kept."]
    twice, _ = answer(f"{LIMIT} [1]\n\n{LIMIT} [1]", evidence)
    assert twice.count(NOTE) == 1


def test_a_note_below_the_passage_is_found_on_its_page() -> None:
    page = f"# Limits\n\n{TEXT}"
    start = page.index(LIMIT)
    evidence = passage(1, f"{LIMIT}[^1]", title="Limits")
    chunk = replace(evidence.chunk, start=start, end=start + len(evidence.chunk.text))
    _, quotes = answer(f"{LIMIT} [1]", replace(evidence, chunk=chunk, page=page))
    assert quotes[-1] == NOTE
    found = reviewed(f"{LIMIT} [1]", evidence=(replace(evidence, chunk=chunk, page=page),))
    note = found.draft.citations[-1]
    assert page[note.start : note.end] == NOTE


def test_a_note_does_not_count_as_a_replacement() -> None:
    found = reviewed(f"{LIMIT} [1]", evidence=(passage(1, TEXT, title="Limits"),))
    assert found.notes == ()
