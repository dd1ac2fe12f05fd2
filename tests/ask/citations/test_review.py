"""The review of an answer: the drafts that pass, the failures, and the repaired rest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ask.citations.passages import EVIDENCE, answer_of, kinds, passage, reviewed
from tether.ask.citations.address import Addressed
from tether.ask.citations.projections import markdown
from tether.ask.citations.review import ReviewRules, review
from tether.ask.evidence import Evidence
from tether.ask.quoting.extraction import extract, write_paragraph

RETRIED = "A client retries a failed request three times."
DOUBLED = "The delay doubles after each attempt."
LOGS = "Logs go to standard error."
BOUNDED = "The `max_delay` setting bounds the delay at 30 seconds by default."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RETRIED} [1]", f"{RETRIED} [1]"),
        (f"{RETRIED[:-1]} [1].", f"{RETRIED} [1]"),
        (f"{RETRIED[:-1]} (source 1).", f"{RETRIED} [1]"),
        (f"{RETRIED} \u30101\u3011", f"{RETRIED} [1]"),
        (f"[1] {RETRIED}", f"{RETRIED} [1]"),
        (f"{RETRIED} ([Retries](guide/retries.md))", f"{RETRIED} [1]"),
        (f"{RETRIED} (see [the page](guide/retries.md))", f"{RETRIED} [1]"),
        (f"{RETRIED} ([Retries](retries), [other](guide/retries.md))", f"{RETRIED} [1]"),
        (f"{RETRIED} ([Retries](retries) and more)", f"{RETRIED} [1]"),
        (f"{RETRIED} [1](guide/retries.md) {DOUBLED}", f"{RETRIED} {DOUBLED} [1]"),
        (f"[1] - {RETRIED}", f"{RETRIED} [1]"),
        (f"{RETRIED} [Retries](retries#wrong)", f"{RETRIED} [1]"),
        (f"{RETRIED} Source: [Retries](/guide/retries)", f"{RETRIED} [1]"),
        (f"{RETRIED} [guide/retries.md](guide/retries.md)", f"{RETRIED} [1]"),
        (f"{RETRIED} [here](guide/retries.md)", f"{RETRIED} [1]"),
        (f"{RETRIED} See [Retries](guide/retries.md) for more details.", f"{RETRIED} [1]"),
        (f"{RETRIED}\n\nSources:\n- [Retries](guide/retries.md)", f"{RETRIED} [1]"),
        (f"{RETRIED}\n\n[Retries](guide/retries.md)", f"{RETRIED} [1]"),
        (
            "A [client](guide/retries.md) retries a failed request three times.",
            f"{RETRIED} [1]",
        ),
        (f"{RETRIED} {DOUBLED} [1]", f"{RETRIED} {DOUBLED} [1]"),
        (f"{RETRIED} [1] {DOUBLED}", f"{RETRIED} {DOUBLED} [1]"),
        (f"{RETRIED} [1] {BOUNDED} [2]", f"{RETRIED} [1] {BOUNDED} [2]"),
        (f"{BOUNDED} [2] {RETRIED} [1]", f"{BOUNDED} [1] {RETRIED} [2]"),
        (
            "Requests are retried three times [1] and the delay is bounded at 30 seconds [2].",
            "Requests are retried three times [1] and the delay is bounded at 30 seconds. [2]",
        ),
        (
            "Requests are retried three times [1], the delay is bounded at 30 seconds [2] always.",
            "Requests are retried three times [1] , the delay is bounded at 30 seconds always. [2]",
        ),
        (
            "To change it:\n\n- Set it in the settings file.\n- Restart the server. [2]",
            "To change it:\n\n- Set it in the settings file. [1]\n- Restart the server. [1]",
        ),
        (f"# Retries\n\n{RETRIED} [1]", f"# Retries\n\n{RETRIED} [1]"),
        (f"Yes. {RETRIED} [1]", f"Yes. {RETRIED} [1]"),
        (f"> {RETRIED} [1]", f"> {RETRIED} [1]"),
        (
            f"| what |\n|---|\n| {RETRIED} [1] |",
            f"| what |\n|--- |\n| {RETRIED} [1] |",
        ),
        (f"{RETRIED} {RETRIED} [1]", f"{RETRIED} {RETRIED} [1]"),
        (f"{RETRIED} [1]\n\n{RETRIED}", f"{RETRIED} [1]\n\n{RETRIED} [1]"),
        (
            f"{RETRIED} {LOGS} [1]\n\nClient, request, standard, error.",
            f"{RETRIED} [1] {LOGS} [2]\n\nClient, request, standard, error.",
        ),
        (
            f"{RETRIED} {LOGS} [1]\n\n# Client failed request times logs standard error go",
            f"{RETRIED} [1] {LOGS} [2]\n\n# Client failed request times logs standard error go",
        ),
        (
            "Requests are retried three times [1] [3] and the delay is bounded at 30 seconds [2].",
            "Requests are retried three times [1] and the delay is bounded at 30 seconds. [2]",
        ),
        (
            f"According to [Retries](retries):\n\n- {RETRIED}",
            f"According to Retries:\n\n- {RETRIED} [1]",
        ),
    ],
)
def test_what_models_write_becomes_marks_behind_statements(text: str, expected: str) -> None:
    found = reviewed(text)

    assert kinds(found) == []
    assert found.passed
    assert found.directive == ""
    assert found.draft.text == expected


def test_a_citation_is_moved_to_the_passage_that_says_it() -> None:
    found = reviewed(f"{RETRIED} [3]")

    assert found.passed
    assert [one.document for one in found.draft.citations] == ["guide/retries.md"]
    assert found.notes == ("1 citations were moved to the passage that says it",)


def test_of_several_passages_of_a_page_the_one_that_says_it_is_cited() -> None:
    pages = (
        passage(1, "Logs go to standard error.", "a.md", anchor="logs"),
        passage(2, "Metrics go to port 9090.", "a.md", anchor="metrics"),
    )

    found = review("Metrics go to port 9090. [A](a.md)", pages, "?", ReviewRules())

    assert [one.anchor for one in found.draft.citations] == ["metrics"]


def test_a_quote_for_each_citation_and_none_for_the_wrong_one() -> None:
    twice = (
        *EVIDENCE,
        passage(4, "A client retries a failed request three times, always.", "x.md"),
    )

    found = review(f"{RETRIED} [1, 3, 4]", twice, "?", ReviewRules())

    assert found.draft.text == f"{RETRIED} [1] [2]"
    assert [one.document for one in found.draft.citations] == ["guide/retries.md", "x.md"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["empty"]),
        (" \n\u200b", ["empty"]),
        ("---", ["empty"]),
        (f"{RETRIED} [1]\n\n```sh\nls\n```", ["code"]),
        (f"{RETRIED} [1]\n\n    ls -l", ["code"]),
        (f"Run `ls -l`. {RETRIED} [1]", ["code", "quote"]),
        (f"The `min_delay`. {RETRIED} [1]", ["code", "quote"]),
        (RETRIED, ["citation"]),
        (f"{RETRIED} [1]\n\nPenguins live in Antarctica.", ["citation"]),
        (f"{RETRIED} [1] Penguins live in Antarctica.", ["citation"]),
        (f"{RETRIED} [1]\n\nThe seven settings:\n\n- {DOUBLED} [1]", ["citation"]),
        (f"{RETRIED} [1] [x](https://evil.example)", ["phantom"]),
        (f"{RETRIED} [1] ![x](https://evil.example/a.png)", ["phantom"]),
        (f"{RETRIED} [9]", ["phantom"]),
        (f"{RETRIED} [Ghost](guide/ghost.md)", ["phantom"]),
        (f"{RETRIED} [1] Penguins live in Antarctica [2].", ["quote"]),
        (f"Penguins live in Antarctica. {RETRIED} [1]", ["quote"]),
        ("Penguins live in Antarctica [1].", ["quote"]),
        (f"{RETRIED} [1]\n\nSee the official documentation for more.", ["unlinked"]),
        (f"{RETRIED} [1] As described in the guide, penguins do.", ["unlinked"]),
        ("```\nx\n```", ["code", "citation"]),
    ],
)
def test_what_is_wrong_is_named_by_severity(text: str, expected: list[str]) -> None:
    found = reviewed(text)

    assert kinds(found) == expected
    assert found.directive == found.failures[0].directive
    assert not found.passed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RETRIED} [1] [x](https://evil.example)", f"{RETRIED} [1]"),
        (f"{RETRIED} [1] Yes. [9]", f"{RETRIED} [1] Yes."),
        (f"{RETRIED} [x](https://evil.example) [1]", f"{RETRIED} [1]"),
        (
            "A [client](https://evil.example) retries a failed request three times. [1]",
            f"{RETRIED} [1]",
        ),
        (f"{RETRIED} [1] Penguins live in Antarctica.", f"{RETRIED} [1]"),
        (f"{RETRIED} [1]\n\n```sh\nls\n```\n\n{DOUBLED} [1]", f"{RETRIED} [1]\n\n{DOUBLED} [1]"),
        (f"Run `ls -l` now [1]. {RETRIED} [1]", f"{RETRIED} [1]"),
        (f"{RETRIED} [1]\n\nIn the Arctic:\n\n- Bears live. [2]", f"{RETRIED} [1]"),
        (f"Do this:\n\n```\nls\n```\n\n{RETRIED} [1] See the docs.", f"{RETRIED} [1]"),
        ("Penguins live in Antarctica [1].", None),
        (RETRIED, None),
        (f"# Retries\n\n{RETRIED} [1]\n\n## Bears\n\nBears live.", f"# Retries\n\n{RETRIED} [1]"),
        ("# Retries [1]", None),
        ("# Retries [9]", None),
        ("", None),
    ],
)
def test_what_is_left_has_a_quote_for_every_statement(text: str, expected: str | None) -> None:
    found = reviewed(text)

    assert (found.repaired.text if found.repaired else None) == expected


def test_notes_say_what_was_taken_out() -> None:
    text = (
        f"{RETRIED} [1] [x](https://evil.example)\u200b ![y](z)\n\n[1]: https://evil.example\n\n"
        "```\nls\n```\n\nPenguins live in Antarctica."
    )

    assert reviewed(text).notes == (
        "1 links to pages that were not retrieved were removed",
        "1 images were removed",
        "1 link definitions were removed",
        "1 hidden characters were removed",
        "1 blocks of code were removed",
        "1 statements without a found quote were removed",
    )


def test_code_stays_where_it_is_allowed() -> None:
    found = reviewed(
        f"{RETRIED} [1]\n\n~~~sh\nls ```\n~~~\n\nRun `ls -l`. {DOUBLED} [1]", code=True
    )

    assert kinds(found) == ["quote"]
    assert "````sh\nls ```\n````" in found.draft.text
    assert reviewed(f"{RETRIED} [1]\n\n```\n[x](y)\n```", code=True).passed


def test_a_number_in_brackets_that_the_passage_holds_is_no_mark() -> None:
    pages = (passage(1, "The call returns the list [7] of retries.", "a.md"),)

    found = review("The call returns the list [7] of retries. [1]", pages, "?", ReviewRules())

    assert found.passed
    assert found.draft.text == r"The call returns the list \[7\] of retries. [1]"


def test_a_definition_never_takes_a_mark_away() -> None:
    found = reviewed(f'{RETRIED} [1]\n\n[1]: https://evil.example "Official docs"')

    assert found.passed
    assert markdown(answer_of(found.draft)) == f"{RETRIED} [1](guide/retries.md#limits)"


def test_statements_beyond_the_bound_are_not_looked_up() -> None:
    found = reviewed(" ".join([f"{RETRIED} [1]"] * 500))

    assert kinds(found) == ["quote"]
    assert found.failures[0].message == "100 statements that their passage does not make"


class Never:
    """Says that nothing addresses the question, and keeps what it was asked."""

    def __init__(self, *, ok: bool = False) -> None:
        self.asked: list[tuple[str, list[str], list[str]]] = []
        self.ok = ok

    def addresses(self, question: str, quotes: Sequence[str], headings: Sequence[str]) -> Addressed:
        self.asked.append((question, list(quotes), list(headings)))
        return Addressed(ok=self.ok, score=0.0, threshold=0.5, covered=0.0)


@pytest.mark.parametrize("ok", [True, False])
def test_the_quotes_address_the_question(ok: bool) -> None:
    check = Never(ok=ok)

    found = review(f"{BOUNDED} [2]", EVIDENCE, "How long?", ReviewRules(address=check))

    assert check.asked == [("How long?", [BOUNDED], ["Delays"])]
    assert kinds(found) == ([] if ok else ["address"])
    assert (found.repaired is not None) == ok


def test_without_quotes_nobody_is_asked() -> None:
    check = Never()

    review("Penguins live in Antarctica [2].", EVIDENCE, "How long?", ReviewRules(address=check))

    assert check.asked == []


@pytest.mark.parametrize(
    "question",
    ["How often is a request retried?", "What is the default of max_delay?", "Where do logs go?"],
)
def test_the_answers_of_the_extractive_model_pass(question: str) -> None:
    text = extractive_answer(question, EVIDENCE)

    found = review(text, EVIDENCE, question, ReviewRules(code=True))

    assert text
    assert kinds(found) == []
    assert found.draft.citations


def extractive_answer(question: str, evidence: Sequence[Evidence]) -> str:
    extraction = extract(question, [one.chunk.text for one in evidence])
    return "\n\n".join(
        write_paragraph(one, f"([{evidence[one.passage].title}]({evidence[one.passage].link}))")
        for one in extraction.paragraphs
    )
