"""The exact checks: what a statement has that its quote has not, and what it was cut out of."""

from __future__ import annotations

import pytest

from ask.citations.passages import passage
from tether.ask.citations.fidelity import fault_of, limits
from tether.ask.citations.passage import Passage
from tether.ask.citations.quotes import Quotes

TEXT = (
    "The `max_delay` setting of Kafka bounds the delay at 30 seconds. It is up to 5 GB. Only if"
    " `fsync` is on, messages survive a power failure."
)
STORED = "Secrets are stored in plain text"
LIST = "It is not true that:\n\n- Data is lost on every restart.\n- Logs are kept for 3 days.\n"


def fault(statement: str, text: str = TEXT, *, heading: str = "", size: int = 1) -> str:
    """Return the fault of a statement on the units at the beginning of a text."""
    evidence = passage(1, text, title=heading)
    windows = Passage(evidence).windows
    window = next(one for one in windows if len(one.units) == size)
    quotes = Quotes((evidence,), "")
    return fault_of(statement, quotes.said(statement), window, quotes.said_in(window))


@pytest.mark.parametrize(
    "statement",
    [
        "Kafka bounds the delay at 30 seconds with max_delay.",
        "The delay has a bound.",
        "The setting bounds the delay at thirty seconds.",
        "The delay is at most 30 seconds.",
        'The setting "bounds the" delay at 30 seconds.',
        "The \u201cdelay\u201d of \u00abKafka\u00bb is bounded.",
        "The `...` delay of Kafka.",
    ],
)
def test_what_the_quote_has_is_no_fault(statement: str) -> None:
    assert fault(statement) == ""


@pytest.mark.parametrize(
    ("statement", "size", "expected"),
    [
        ("The delay is 20 seconds.", 1, "the quote does not have the number 20"),
        ("The delay is forty seconds.", 1, "the quote does not have the number 40"),
        ("The delay is 30 minutes.", 1, "a number of the quote has another unit"),
        ("It is at least 5 GB.", 3, "the quote bounds a number from the other side"),
        ("The `min_delay` is 30 seconds.", 1, "the quote does not have the name min_delay"),
        ("The delay of Postgres is 30 seconds.", 1, "the quote does not have the name postgres"),
        ("The setting --fast bounds it.", 1, "the quote does not have the name --fast"),
        (
            'It "bounds the delay \u2026 It is up to 5 GB".',
            3,
            "words in quotation marks are not in the quote as they are",
        ),
        (
            'It "bounds delay".',
            1,
            "words in quotation marks are not in the quote as they are",
        ),
        (
            "Messages survive a power failure.",
            3,
            "it is a part of a sentence, and the rest may change it",
        ),
        (
            'It "bounds the delay" by default.',
            1,
            "it is a part of a sentence, and the rest may change it",
        ),
        ("The delay \u2026 30 seconds.", 1, "something is left out between two words"),
        ("The delay . . . 30 seconds.", 1, "something is left out between two words"),
    ],
)
def test_what_the_quote_does_not_have_is_named(statement: str, size: int, expected: str) -> None:
    assert fault(statement, size=size) == expected


def test_headings_count_as_said() -> None:
    assert fault("Version 2 of Redis has it.", heading="Redis version 2") == ""


def test_two_halves_of_one_quotation_are_not_one_quotation() -> None:
    text = "The delay doubles after each attempt. Requests that were refused are dropped."
    joined = 'It says "the delay doubles \u2026 are dropped".'
    assert fault(joined, text, size=2).startswith("words in quotation marks")
    assert fault('It says "after each attempt. Requests that".', text, size=2) == ""


@pytest.mark.parametrize(
    ("statement", "text", "is_cut_out"),
    [
        (STORED, "Unless it is on, secrets are stored in plain text.", True),
        (STORED, "Secrets are stored in plain text until 2.0.", True),
        (STORED, "It is a myth that secrets are stored in plain text.", True),
        (STORED, "They aren't lost: secrets are stored in plain text.", True),
        (f'It says "{STORED}".', "Secrets are stored in plain text until 2.0.", True),
        (f"what: {STORED}", "Secrets are stored in plain text until 2.0.", True),
        (STORED, "Secrets are stored in plain text; this isn't so for keys.", False),
        (STORED, "And then, secrets are stored in plain text.", False),
        (STORED, "Secrets are stored in plain text. Not so keys.", False),
        ("plain text", "Unless it is on, secrets are stored in plain text.", False),
        ("Text is stored as plain secrets", "Unless on, secrets are stored in plain text.", False),
        ("Data is lost on every restart.", LIST, True),
        ("Data is lost on every restart.", LIST.replace("not ", ""), False),
    ],
)
def test_a_part_of_a_sentence_is_not_cut_off_from_the_rest(
    statement: str, text: str, is_cut_out: bool
) -> None:
    assert bool(fault(statement, text)) == is_cut_out


@pytest.mark.parametrize(
    ("statement", "text", "expected"),
    [
        ("There are two options.", "Options are fast and slow.", ""),
        ("There are 2 options.", "Options are fast and slow.", "2"),
        ("There are two options.", "Options are fast and slow in version 3.", "2"),
        ("There are forty options.", "Options are fast and slow.", "40"),
    ],
)
def test_a_statement_may_count_for_itself_where_nothing_was_counted(
    statement: str, text: str, expected: str
) -> None:
    wanted = f"the quote does not have the number {expected}" if expected else ""
    assert fault(statement, text) == wanted


@pytest.mark.parametrize("text", ["It is not so that:", "Only if:", "They don\u2019t:"])
def test_a_lead_in_that_limits_is_known(text: str) -> None:
    assert limits(text)
    assert not limits("To change it:")


def test_an_option_in_another_case_is_another_option() -> None:
    text = "The option `-bp` shows the queue of mail."
    assert fault("You see the queue of mail with -bp.", text) == ""
    assert "the option -bP in another case" in fault("You see the queue of mail with -bP.", text)
