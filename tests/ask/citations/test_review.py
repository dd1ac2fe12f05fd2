"""The review of an answer: the drafts that pass, the failures, and what replaces the rest."""

from __future__ import annotations

import pytest

from ask.citations.answering import NO, YES, Said
from ask.citations.passages import (
    EVIDENCE,
    QUESTION,
    answer_of,
    kinds,
    passage,
    reviewed,
)
from ask.citations.verifiers import Broken, ByQuote
from tether.ask.citations.judgement import MOST_STATEMENTS
from tether.ask.citations.projections import markdown
from tether.ask.citations.review import (
    LONGEST_NAMED,
    MOST_NAMED,
    VERIFIER_FAILED,
    ReviewRules,
    examine,
    review,
)
from tether.ask.quoting.quotation import quote
from tether.ask.verification.scripted import ScriptedVerifier

RETRIED = "A client retries a failed request three times."
DOUBLED = "The delay doubles after each attempt."
REFUSED = "It does not retry requests that were refused."
LOGS = "Logs go to standard error."
BOUNDED = "The `max_delay` setting bounds the delay at 30 seconds by default."
PENGUINS = "Penguins live in Antarctica."
NEVER = ScriptedVerifier(supports=[])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RETRIED, f"{RETRIED} [1]"),
        (f"{RETRIED} [1]", f"{RETRIED} [1]"),
        (f"{RETRIED[:-1]} [1].", f"{RETRIED} [1]"),
        (f"{RETRIED} [9]", f"{RETRIED} [1]"),
        (f"{RETRIED} {DOUBLED} [1]", f"{RETRIED} [1] {DOUBLED} [1]"),
        (f"{RETRIED} [1] {BOUNDED} [2]", f"{RETRIED} [1] {BOUNDED} [2]"),
        (f"{BOUNDED} [2] {RETRIED} [1]", f"{BOUNDED} [1] {RETRIED} [2]"),
        (f"{RETRIED}\n\n{LOGS}", f"{RETRIED} [1]\n\n{LOGS} [2]"),
        (f"> {RETRIED} [1]", f"{RETRIED} [1]"),
        (f"## Retries\n\n{RETRIED} [1]", f"{RETRIED} [1]"),
        (f"| {RETRIED} [1] |", f"- {RETRIED} [1]"),
        (f"1. {RETRIED}\n2. {LOGS}", f"1. {RETRIED} [1]\n2. {LOGS} [2]"),
        (f"Yes. {RETRIED} [1]", f"{RETRIED} [1]"),
        (f"{RETRIED} [x](https://evil.example)", f"{RETRIED} [1]"),
        (f"{RETRIED}\n\n[1]: https://evil.example", f"{RETRIED} [1]"),
        (f"According to the documentation, {LOGS}", f"{LOGS} [1]"),
    ],
)
def test_whole_sentences_of_documents_stand_wherever_the_model_links_them(
    text: str, expected: str
) -> None:
    found = reviewed(text)

    assert kinds(found) == []
    assert found.passed
    assert found.directive == ""
    assert found.draft.text == expected
    assert found.repaired == found.draft
    assert {one.words for one in found.draft.statements} == {"document"}


@pytest.mark.parametrize(
    "nothing",
    [
        "Sure!",
        "I hope this helps!",
        "What is a client?",
        "See the documentation for more.",
        "See [Retries](guide/retries.md) for more details.",
        "[Retries](guide/retries.md)",
        "Sources:\n\n- [Retries](guide/retries.md)",
        "[1] Retries - guide/retries.md",
        "The following facts are known:",
        "!!!",
        "# Penguins",
        "| Penguins | Antarctica |\n|---|---|",
        "Yes.",
    ],
)
def test_what_states_nothing_is_left_out_without_a_failure(nothing: str) -> None:
    found = reviewed(f"{RETRIED} [1]\n\n{nothing}", verifier=NEVER)

    assert kinds(found) == []
    assert found.draft.text == f"{RETRIED} [1]"


def test_a_pointer_that_counts_or_denies_states_something() -> None:
    for text in ("See [Retries](guide/retries.md): 7.", "[Retries](guide/retries.md) is never."):
        assert kinds(reviewed(f"{RETRIED}\n\n{text}", verifier=NEVER)) == ["statement"]


def test_a_lead_in_that_is_supported_is_shown() -> None:
    text = f"A client retries requests:\n\n- {RETRIED}"

    assert reviewed(text, verifier=ScriptedVerifier()).draft.text == (
        f"A client retries requests: [1]\n\n- {RETRIED} [1]"
    )


@pytest.mark.parametrize(("mark", "shown", "after"), [("- ", "- ", "- "), ("7. ", "1. ", "2. ")])
def test_the_clauses_of_an_item_stay_one_item(mark: str, shown: str, after: str) -> None:
    text = f"{mark}Requests are retried three times [1] and delays are bounded [2]."
    verifier = ScriptedVerifier(contradicts=["times and"])

    found = reviewed(f"{text}\n{mark}{LOGS}", verifier=verifier)

    first = "Requests are retried three times [1] and delays are bounded. [2]"
    assert found.draft.text == f"{shown}{first}\n{after}{LOGS} [3]"


def test_whose_words_a_statement_has_and_how_probable_it_is() -> None:
    found = reviewed(f"{RETRIED} A refused request is not retried.", verifier=ScriptedVerifier())

    own, other = found.draft.statements
    assert (own.words, own.probability) == ("document", 1.0)
    assert (other.words, other.probability) == ("model", 0.9)


def test_a_citation_is_moved_to_the_passage_that_says_it() -> None:
    found = reviewed(f"{RETRIED} [3]")

    assert found.passed
    assert [one.document for one in found.draft.citations] == ["guide/retries.md"]
    assert found.notes == ("moved to the passage that says it: 1 citation",)


def test_of_several_passages_of_a_page_the_one_that_says_it_is_cited() -> None:
    pages = (
        passage(1, "Logs go to standard error.", anchor="logs"),
        passage(2, "Metrics go to port 9090.", anchor="metrics"),
    )

    found = reviewed("Metrics go to port 9090. [A](a.md)", evidence=pages)

    assert [one.anchor for one in found.draft.citations] == ["metrics"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["empty"]),
        (" \n\u200b", ["empty"]),
        ("---", ["empty"]),
        ("# Retries", ["empty"]),
        ("Yes.", ["empty"]),
        ("Sure!", ["empty"]),
        ("See [Retries](guide/retries.md).", ["empty"]),
        (PENGUINS, ["statement"]),
        (f"{RETRIED} {PENGUINS}", ["statement"]),
        ("```sh\nls\n```", ["code"]),
        (f"{RETRIED}\n\n    ls -l", ["code"]),
        (f"{PENGUINS}\n\n```sh\nls\n```", ["code", "statement"]),
    ],
)
def test_what_is_wrong_is_named_by_severity(text: str, expected: list[str]) -> None:
    found = reviewed(text, verifier=NEVER)

    assert kinds(found) == expected
    assert found.directive == found.failures[0].directive != ""
    assert not found.passed


def test_the_directive_names_the_statements_that_do_not_stand() -> None:
    lies = [f"Penguins number {at} live in Antarctica {'x' * 400}." for at in range(5)]

    (failure,) = reviewed(" ".join(lies), verifier=NEVER).failures

    named = failure.directive.split("\n- ")[1:]
    assert len(named) == MOST_NAMED
    assert named[0].startswith("Penguins number 0 live")
    assert all(len(one) < LONGEST_NAMED + 50 for one in named)
    assert failure.message.startswith("5 statements that do not stand: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RETRIED} [1] {PENGUINS}", f"{RETRIED} [1]"),
        (PENGUINS, None),
        (
            "A client retries a failed request four times [1].",
            f"The document says: \u201c{RETRIED}\u201d [1]",
        ),
        (
            f"{LOGS} The delay triples after each attempt. {LOGS}",
            f"{LOGS} [1]\n\nThe document says: \u201c{DOUBLED}\u201d [2]\n\n{LOGS} [1]",
        ),
        (
            "- Set it in the registry file.",
            "The document says: \u201cSet it in the settings file.\u201d [1]",
        ),
        (
            "Requests that were refused are retried.",
            f"The document says: \u201c{REFUSED}\u201d [1]",
        ),
        ("```sh\nretry a failed request\n```", None),
        ("", None),
    ],
)
def test_what_does_not_stand_is_replaced_by_the_closest_unit_or_dropped(
    text: str, expected: str | None
) -> None:
    found = reviewed(text, verifier=NEVER)

    assert (found.repaired.text if found.repaired else None) == expected
    if found.repaired is not None:
        assert {one.words for one in found.repaired.statements} == {"document"}


def test_no_unit_is_shown_twice_by_replacing() -> None:
    wrong = "A client retries a failed request four times."

    twice, beside = reviewed(f"{wrong} {wrong}", verifier=NEVER), reviewed(f"{wrong} {RETRIED}")

    assert twice.repaired is not None
    assert twice.repaired.text == f"The document says: \u201c{RETRIED}\u201d [1]"
    assert beside.repaired is not None
    assert beside.repaired.text == f"{RETRIED} [1]"
    assert twice.notes == (
        "replaced by the document's own words, because no passage says it: 1 statement",
        "removed, because no passage says it: 1 statement",
    )


def test_a_closer_unit_that_disagrees_takes_the_place_of_the_statement() -> None:
    evidence = (
        passage(1, "Requests that were refused are retried by the client at night.", "a.md"),
        passage(2, "Refused requests of the client are not retried.", "b.md"),
    )
    verifier = ByQuote({"night": "supports", "": "contradicts"})

    found = reviewed("The client retries refused requests.", verifier=verifier, evidence=evidence)

    assert kinds(found) == ["statement"]
    assert [one.standing for one in found.judged] == ["contradicted"]


def test_two_halves_joined_in_one_quotation_do_not_stand() -> None:
    text = 'The client "retries a failed request \u2026 requests that were refused" [1].'

    found = reviewed(text, verifier=ScriptedVerifier())

    assert kinds(found) == ["statement"]
    assert found.draft.text == ""


def test_a_quotation_cut_out_of_a_denying_sentence_does_not_stand() -> None:
    denying = "It is not true that secrets are stored in plain text."
    evidence = (passage(1, denying),)

    text = "Secrets are stored in plain text. [1]"
    found = reviewed(text, verifier=ScriptedVerifier(), evidence=evidence)

    assert [one.standing for one in found.judged] == ["inexact"]
    assert found.repaired is not None
    assert found.repaired.text == f"The document says: \u201c{denying}\u201d [1]"


def test_notes_say_what_was_taken_out() -> None:
    text = (
        f"{RETRIED} [1] [x](https://evil.example)\u200b ![y](z)\n\n[1]: https://evil.example\n\n"
        f"```\nls\n```\n\n{PENGUINS}"
    )

    assert reviewed(text).notes == (
        "removed, to pages that were not retrieved: 1 link",
        "removed: 1 image",
        "removed: 1 link definition",
        "removed: 1 hidden character",
        "removed, because no passage says it: 2 statements",
    )


CODE = (passage(1, "Run this:\n\n```sh\nls\npwd\n```\n"),)


def test_code_is_shown_where_it_is_allowed_and_a_passages_own() -> None:
    own, other = "```\nls\npwd\n```", "```\nls\nrm -rf /\n```"

    assert reviewed(own, evidence=CODE, code=True).draft.text == "```sh\nls\npwd\n```\n\n[1]"
    assert kinds(reviewed(own, evidence=CODE)) == ["code"]
    assert reviewed(own, evidence=CODE).repaired is None
    assert kinds(reviewed(other, evidence=CODE, code=True)) == ["code"]
    assert reviewed(own, evidence=CODE).notes == (
        "removed, because no passage says it: 1 statement",
    )


def test_statements_beyond_the_bound_do_not_stand() -> None:
    found = reviewed(" ".join([f"{RETRIED} [1]"] * (MOST_STATEMENTS + 40)))

    assert kinds(found) == ["statement"]
    assert found.failures[0].message.startswith("40 statements")


def test_a_verifier_that_fails_leaves_the_documents_words() -> None:
    found = reviewed(f"{RETRIED} Failed requests are retried thrice.", verifier=Broken())

    assert kinds(found) == ["statement"]
    assert found.draft.text == f"{RETRIED} [1]"
    assert found.problem == "the file is gone"
    assert found.warnings == (f"{VERIFIER_FAILED}: the file is gone",)
    assert found.notes[0] == found.warnings[0]
    assert reviewed(RETRIED, verifier=Broken()).warnings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RETRIED} {DOUBLED} The delay of a", f"{RETRIED} [1] {DOUBLED} [1]"),
        (f"{RETRIED} {DOUBLED}", f"{RETRIED} [1]"),
        (RETRIED, None),
        ("The delay of a", None),
    ],
)
def test_the_unfinished_end_of_a_cut_answer_is_left_out(text: str, expected: str | None) -> None:
    found = reviewed(text, verifier=ScriptedVerifier(), is_cut=True)

    assert kinds(found) == ["cut"]
    assert (found.repaired.text if found.repaired else None) == expected
    assert found.notes[-1] == "the model's reply was cut off, and its unfinished end was left out"


def test_a_cut_answer_with_nothing_in_it_is_empty() -> None:
    assert kinds(reviewed("", is_cut=True)) == ["empty"]


def test_a_doubted_statement_does_not_stand() -> None:
    rules = ReviewRules(verifier=ScriptedVerifier())
    text = f"{RETRIED} Refused requests are not retried."
    examined = examine(text, EVIDENCE, QUESTION, rules)

    found = examined.doubting([1], "somebody doubts it").review()

    assert examined.review().passed
    assert kinds(found) == ["statement"]
    assert found.draft.text == f"{RETRIED} [1]"
    assert found.judged[1].fault == "somebody doubts it"


def test_a_number_in_brackets_that_the_passage_holds_is_text() -> None:
    pages = (passage(1, "The call returns the list [7] of retries."),)

    found = reviewed("The call returns the list [7] of retries. [1]", evidence=pages)

    assert found.draft.text == r"The call returns the list \[7\] of retries. [1]"


def test_a_definition_never_takes_a_mark_away() -> None:
    found = reviewed(f'{RETRIED} [1]\n\n[1]: https://evil.example "Official docs"')

    assert found.passed
    assert markdown(answer_of(found.draft)) == f"{RETRIED} [1](guide/retries.md#limits)"


@pytest.mark.parametrize("ok", [True, False])
@pytest.mark.parametrize(("rest", "expected"), [("", []), (f" {PENGUINS}", ["statement"])])
def test_the_quotes_address_the_question(ok: bool, rest: str, expected: list[str]) -> None:
    check = Said(otherwise=YES if ok else NO)

    found = review(f"{BOUNDED} [2]{rest}", EVIDENCE, "How long?", ReviewRules(address=check))

    assert check.asked == [("How long?", [f"Delays: {BOUNDED}"])]
    assert kinds(found) == (expected or ([] if ok else ["address"]))
    assert (found.repaired is not None) == ok


def test_what_stands_in_for_a_statement_is_read_too() -> None:
    check = Said(otherwise=YES)
    rules = ReviewRules(address=check, verifier=NEVER)

    found = review(f"{LOGS} A client tries a request four times. [1]", EVIDENCE, QUESTION, rules)

    assert found.repaired is not None
    assert "The document says:" in found.repaired.text
    assert check.units == [f"Logging: {LOGS}", f"Retries: {RETRIED}"]


def test_without_quotes_nobody_is_asked() -> None:
    check = Said()

    review(PENGUINS, EVIDENCE, "How long?", ReviewRules(address=check))

    assert check.asked == []


@pytest.mark.parametrize(
    "question",
    ["How often is a request retried?", "What is the default of max_delay?", "Where do logs go?"],
)
def test_the_answers_of_the_extractive_model_pass(question: str) -> None:
    rules = ReviewRules(code=True)
    text = quote(EVIDENCE, question, rules).review().draft.text

    found = review(text, EVIDENCE, question, rules)

    assert text
    assert kinds(found) == []
    assert found.draft.citations
