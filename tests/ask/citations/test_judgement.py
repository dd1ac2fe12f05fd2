"""Each statement is judged: by the document's words, by the verifier, and by the exact checks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ask.citations.passages import EVIDENCE, QUESTION, passage
from ask.citations.verifiers import Broken, ByQuote
from tether.ask.citations.judgement import (
    MOST_STATEMENTS,
    NOT_SAID,
    OTHERWISE,
    UNREAD,
    Bench,
    Judged,
    after_question,
)
from tether.ask.citations.quotes import Quotes
from tether.ask.citations.resolver import Resolver
from tether.ask.citations.statements import read_answer
from tether.ask.errors import VerifierFailed
from tether.ask.evidence import Evidence
from tether.ask.verification.port import Claim, Opinion, Verifier
from tether.ask.verification.scripted import ScriptedVerifier

RETRIED = "A client retries a failed request three times."


def judged(
    text: str,
    verifier: Verifier | None = None,
    *,
    evidence: Sequence[Evidence] = EVIDENCE,
    question: str = QUESTION,
) -> list[Judged]:
    statements = read_answer(text, Resolver(evidence)).statements
    return Bench(Quotes(evidence, question), question, verifier).judge(statements)


def verdict(one: Judged) -> tuple[str, str, str]:
    return one.text, one.standing, one.fault


def test_a_whole_sentence_of_a_document_needs_no_verifier_and_is_spelled_as_there() -> None:
    verifier = ScriptedVerifier(supports=[])

    (found,) = judged("a client {#pay} retries a failed request *three* times [3].", verifier)

    assert verdict(found) == (RETRIED, "verbatim", "")
    assert (found.probability, found.moved, found.stands) == (1.0, True, True)
    assert found.window is not None
    assert found.window.number == 1
    assert verifier.claims == []


def test_what_the_verifier_finds_in_a_quote_is_supported() -> None:
    verifier = ByQuote({"three times": Opinion(0.7, 0.1, 0.2)})

    (found,) = judged("Failed requests are retried 3 times by clients [1].", verifier)

    assert verdict(found) == ("Failed requests are retried 3 times by clients.", "supported", "")
    assert (found.probability, found.moved) == (0.7, False)
    assert found.window is not None
    assert found.window.text == RETRIED


def test_the_verifier_reads_headings_and_quote_of_the_windows_that_come_nearest() -> None:
    verifier = ByQuote({})

    judged("Failed requests are retried 3 times by clients [2].", verifier)

    assert {claim.statement for claim in verifier.claims} == {
        "Failed requests are retried 3 times by clients."
    }
    assert f"Retries: {RETRIED}" in [claim.premise for claim in verifier.claims]


@pytest.mark.parametrize(
    ("text", "is_after"),
    [
        ("Three times [1].", True),
        ("No, the client never retries any request [1].", True),
        ("Failed requests are retried 3 times by clients.", False),
    ],
)
def test_a_terse_statement_is_read_after_its_question(text: str, is_after: bool) -> None:
    verifier = ByQuote({})

    judged(text, verifier)

    assert any(QUESTION in claim.statement for claim in verifier.claims) == is_after


def test_a_yes_is_always_read_after_its_question() -> None:
    long = "Yes, it is as long as it can be."
    assert after_question(long, "Is it?") == f"Is it? {long}"
    assert after_question(long.removeprefix("Yes, "), "Is it?") == long.removeprefix("Yes, ")
    assert after_question("5", "") == "5"


@pytest.mark.parametrize("text", ["Penguins live in Antarctica.", "\u2026", "Refused 3."])
@pytest.mark.parametrize("verifier", [None, ScriptedVerifier(supports=[]), Broken()])
def test_what_nobody_supports_does_not_stand(text: str, verifier: Verifier | None) -> None:
    (found,) = judged(text, verifier)

    assert found.standing == "unsupported"
    assert not found.stands


@pytest.mark.parametrize(
    ("verifier", "fault", "problem"),
    [
        (None, UNREAD, ""),
        (Broken(), UNREAD, "the file is gone"),
        (ScriptedVerifier(supports=[]), NOT_SAID, ""),
    ],
)
def test_a_fault_says_whether_anybody_has_read_it(
    verifier: Verifier | None, fault: str, problem: str
) -> None:
    statements = read_answer("Requests are retried often.", Resolver(EVIDENCE)).statements
    bench = Bench(Quotes(EVIDENCE, QUESTION), QUESTION, verifier)

    (found,) = bench.judge(statements)

    assert (found.fault, bench.problem) == (fault, problem)
    assert (found.window is None) == (fault == UNREAD)


def test_what_a_quote_denies_is_contradicted() -> None:
    (found,) = judged("A client retries refused requests [1].", ByQuote({"": "contradicts"}))

    assert verdict(found) == ("A client retries refused requests.", "contradicted", OTHERWISE)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Failed requests are retried 7 times.", "the quote does not have the number 7"),
        ("Failed requests are retried by `max_retries`.", "the quote does not have the name"),
        ('It "retries a failed request \u2026 each attempt".', "words in quotation marks"),
    ],
)
def test_what_the_exact_checks_find_changed_is_inexact(text: str, fault: str) -> None:
    (found,) = judged(text, ScriptedVerifier())

    assert found.standing == "inexact"
    assert found.fault.startswith(fault)
    assert not found.stands


def test_of_quotes_that_support_the_first_that_is_exact_is_cited() -> None:
    evidence = (
        passage(1, "Failed requests are retried by every client.", "a.md"),
        passage(2, "Failed requests are retried 3 times by the client.", "b.md"),
    )

    text = "A client retries failed requests 3 times [1]."
    (found,) = judged(text, ScriptedVerifier(), evidence=evidence)

    assert found.standing == "supported"
    assert found.moved
    assert found.window is not None
    assert found.window.number == 2


def test_a_cited_quote_that_supports_comes_before_a_surer_one() -> None:
    evidence = (passage(1, "The client does retry.", "a.md"), passage(2, "Clients retry.", "b.md"))
    verifier = ByQuote({"does": Opinion(0.9, 0.0, 0.1), "Clients": Opinion(0.6, 0.0, 0.4)})

    found = [
        judged(f"It is the client which retries {mark}.", verifier, evidence=evidence)[0]
        for mark in ("", "[2]", "[1]")
    ]

    assert [one.window and one.window.number for one in found] == [1, 2, 1]
    assert not any(one.moved for one in found)


@pytest.mark.parametrize(
    ("other", "standing"),
    [
        ("Refused requests of the client are not retried.", "contradicted"),
        ("A client may be many things.", "supported"),
    ],
)
def test_a_unit_that_is_as_close_and_disagrees_is_believed(other: str, standing: str) -> None:
    evidence = (
        passage(1, "Requests that were refused are retried by the client at night.", "a.md"),
        passage(2, other, "b.md"),
    )
    verifier = ByQuote({"night": "supports", "": "contradicts"})

    (found,) = judged("The client retries refused requests [1].", verifier, evidence=evidence)

    assert (found.standing, found.fault) == (standing, OTHERWISE if standing[0] == "c" else "")


def test_a_longer_window_around_the_quote_is_not_another_unit() -> None:
    text = "A client retries. A client sleeps and retries the failed request."
    verifier = ByQuote({f"{text}": "contradicts", "A client sleeps": "supports"})

    statement = "The sleeping client retries a failed request."
    (found,) = judged(statement, verifier, evidence=(passage(1, text),))

    assert found.standing == "supported"


@pytest.mark.parametrize(
    ("lead", "standing"),
    [
        ("To change it:", "verbatim"),
        ("It is not true that:", "inexact"),
        ("Only if the disk is full:", "inexact"),
    ],
)
def test_an_item_is_not_said_without_a_lead_in_that_limits_it(lead: str, standing: str) -> None:
    evidence = (passage(1, f"{lead}\n\n- The server restarts itself.\n- It stops.\n"),)

    (found,) = judged("The server restarts itself. [1]", ScriptedVerifier(), evidence=evidence)

    assert found.standing == standing


@pytest.mark.parametrize(
    ("verifier", "expected"),
    [
        (ScriptedVerifier(), ("Yes, a client retries requests 3 times.", "supported")),
        (
            ScriptedVerifier(supports=["a client"], contradicts=["Yes"]),
            ("A client retries requests 3 times.", "supported"),
        ),
        (ScriptedVerifier(supports=[]), ("a client retries requests 3 times.", "unsupported")),
    ],
)
def test_a_yes_is_dropped_where_only_the_rest_stands(
    verifier: Verifier, expected: tuple[str, str]
) -> None:
    (found,) = judged("Yes, a client retries requests 3 times [1].", verifier)

    assert (found.text, found.standing) == expected


def test_a_yes_before_a_sentence_of_a_document_needs_the_verifier() -> None:
    text = f"Yes. {RETRIED} [1]"

    (alone,), (read,) = judged(text), judged(text, ScriptedVerifier())

    assert verdict(alone) == (RETRIED, "verbatim", "")
    assert verdict(read) == (f"Yes. {RETRIED}", "supported", "")


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (
            "Does the client retry refused requests?",
            "Yes, the client does not retry refused requests [1].",
            "The client does not retry refused requests.",
        ),
        (
            "Does the client retry failed requests?",
            "No. The client retries failed requests [1].",
            "The client retries failed requests.",
        ),
    ],
)
def test_a_yes_or_no_that_the_rest_contradicts_is_dropped(
    question: str, text: str, expected: str
) -> None:
    (found,) = judged(text, ScriptedVerifier(), question=question)

    assert verdict(found) == (expected, "supported", "")


TWICE = "Requests are retried three times [1] and the delay is bounded at 30 seconds [2]."


def test_clauses_with_a_citation_each_stand_each_on_its_own_quote() -> None:
    verifier = ScriptedVerifier(
        supports=["three times", "bounded"], contradicts=["three times and"]
    )

    first, second = judged(TWICE, verifier)

    assert (first.text, second.text) == (
        "Requests are retried three times",
        "and the delay is bounded at 30 seconds.",
    )
    assert [one.window and one.window.number for one in (first, second)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "verifier"),
    [
        (TWICE, ScriptedVerifier(supports=["three times"])),
        (TWICE, ScriptedVerifier(supports=[])),
        ("[1] [2] Requests are retried three times.", ScriptedVerifier(supports=[])),
        (TWICE.replace("[2]", "[9]"), ScriptedVerifier(supports=["bounded"])),
    ],
)
def test_a_sentence_of_which_a_clause_does_not_stand_is_one_statement(
    text: str, verifier: Verifier
) -> None:
    (found,) = judged(text, verifier)

    assert found.text == found.statement.text


def test_a_sentence_that_stands_as_a_whole_is_not_taken_apart() -> None:
    evidence = (
        passage(1, "Requests are retried three times and the delay is bounded by 30 seconds."),
        passage(2, "The delay is bounded at 30 seconds.", "b.md"),
    )

    (found,) = judged(TWICE, ScriptedVerifier(), evidence=evidence)

    assert found.text == "Requests are retried three times and the delay is bounded at 30 seconds."


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Requests are retried [1], delays are bounded [2] too.", ", delays are bounded too."),
        ("Requests are retried [1] and the delay is bounded [2]!", "and the delay is bounded!"),
        ("Requests are retried [1] [3] and the delay is bounded [2]", "and the delay is bounded"),
    ],
)
def test_the_end_of_a_sentence_joins_its_last_clause(text: str, end: str) -> None:
    verifier = ScriptedVerifier(
        supports=[end, "Requests are retried"], contradicts=["retried and", "retried,"]
    )

    assert [one.text for one in judged(text, verifier)] == ["Requests are retried", end]


@pytest.mark.parametrize(
    ("code", "standing"), [("ls\npwd", "verbatim"), ("pwd\nls", "unsupported")]
)
def test_code_stands_line_by_line_whatever_the_verifier_says(code: str, standing: str) -> None:
    evidence = (passage(1, "Run this:\n\n```sh\nls\npwd\n```\n"),)
    verifier = ScriptedVerifier()

    (found,) = judged(f"```\n{code}\n```", verifier, evidence=evidence)

    assert (found.text, found.standing) == (code, standing)
    assert verifier.claims == []


def test_words_that_say_where_it_is_from_are_left_out() -> None:
    (found,) = judged("According to the documentation, logs go to standard error.")

    assert verdict(found) == ("Logs go to standard error.", "verbatim", "")


def test_statements_beyond_the_bound_are_not_looked_up() -> None:
    verifier = ScriptedVerifier()

    found = judged(" ".join(f"{RETRIED} [1]" for _ in range(MOST_STATEMENTS + 3)), verifier)

    assert [one.standing for one in found] == ["verbatim"] * MOST_STATEMENTS + ["unsupported"] * 3
    assert found[-1].fault == NOT_SAID


def test_words_under_a_lead_in_that_limits_them_are_shown_with_it() -> None:
    evidence = (passage(1, "Never put these into the oven:\n\n- plastic bowls\n- towels\n"),)

    (found,) = judged("- plastic bowls [1]", evidence=evidence)

    assert verdict(found) == ("Never put these into the oven: plastic bowls", "verbatim", "")


def test_a_question_of_a_document_is_not_evidence() -> None:
    evidence = (passage(1, "Can the pump run dry? No. The pump needs water.\n"),)

    (found,) = judged("The pump can run dry. [1]", ScriptedVerifier(), evidence=evidence)

    assert found.window is not None
    assert "dry" not in found.window.premise


def test_a_yes_stays_only_if_the_quote_says_yes_to_the_question() -> None:
    question = "Is the Otter faster than the Heron?"
    evidence = (passage(1, "The Heron is faster than the Otter.\n"),)
    text = "Yes, the Heron is the faster one. [1]"
    asked = f"{question} Yes."

    (kept,) = judged(text, ScriptedVerifier(), evidence=evidence, question=question)
    doubting = ScriptedVerifier(contradicts=[asked])
    (dropped,) = judged(text, doubting, evidence=evidence, question=question)

    assert kept.text == "Yes, the Heron is the faster one."
    assert verdict(dropped) == ("The Heron is the faster one.", "supported", "")


def test_a_verifier_that_fails_at_the_opening_leaves_the_rest() -> None:
    class Tired(ScriptedVerifier):
        def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
            if any(claim.statement == f"{QUESTION} Yes." for claim in claims):
                raise VerifierFailed("it is tired")
            return super().verify(claims)

    (found,) = judged("Yes, clients repeat requests three times. [1]", Tired())

    assert found.text == "Clients repeat requests three times."
