"""The statements of a model's answer: what is one, and which passages it cites."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ask.citations.passages import EVIDENCE, passage
from tether.ask.citations.resolver import Resolver
from tether.ask.citations.statements import PLACE, Reading, Statement, read_answer

RETRIED = "A client retries a failed request three times."
DOUBLED = "The delay doubles after each attempt."
RESOLVER = Resolver(EVIDENCE)


def read(text: str) -> Reading:
    return read_answer(text, RESOLVER)


def numbers(statement: Statement) -> list[list[int]]:
    return [[one.number for one in each] for each in statement.cited]


def texts(text: str) -> list[str]:
    return [one.text for one in read(text).statements]


@pytest.mark.parametrize(
    "text",
    [
        f"{RETRIED} [1]",
        f"{RETRIED[:-1]} [1].",
        f"{RETRIED} [[1]]",
        f"{RETRIED[:-1]} (source 1).",
        f"{RETRIED} \u30101\u3011",
        f"[1] {RETRIED}",
        f"[1] - {RETRIED}",
        f"{RETRIED} ([Retries](guide/retries.md))",
        f"{RETRIED} (see [the page](guide/retries.md))",
        f"{RETRIED} [Retries](retries#wrong)",
        f"{RETRIED} Source: [Retries](/guide/retries)",
        f"{RETRIED} [guide/retries.md](guide/retries.md)",
        f"{RETRIED} [here](guide/retries.md)",
        f"{RETRIED} [](guide/retries.md)",
        f"{RETRIED} [Retries]",
        f"{RETRIED} (guide/retries.md)",
        f"{RETRIED} Source: guide/retries.md",
        f"{RETRIED[:-1]} \u2014 [Retries](guide/retries.md).",
        f"{RETRIED} ([Retries](guide/retries.md",
        f"{RETRIED} [Retries](guide/retr",
        "A [client](guide/retries.md) retries a failed request three times.",
    ],
)
def test_every_form_of_citing_is_a_hint_and_no_word_of_a_statement(text: str) -> None:
    (statement,) = read(text).statements

    assert statement.text.rstrip(".") == RETRIED.rstrip(".")
    assert {one.number for each in statement.cited for one in each} == {1}
    assert PLACE not in repr(statement)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RETRIED} [1] {DOUBLED}", [(RETRIED, [[1]]), (DOUBLED, [])]),
        (f"{RETRIED} {DOUBLED} [2, 3]", [(RETRIED, []), (DOUBLED, [[2], [3]])]),
        (f"{RETRIED} [1](retries.md) {DOUBLED}", [(RETRIED, [[1]]), (DOUBLED, [])]),
        (f"{RETRIED}\n\n[1] [2]", [(RETRIED, []), ("", [[1], [2]])]),
        (
            f"{RETRIED} ([Retries](retries), [Logging](logging))",
            [(RETRIED, [[1], [3]])],
        ),
        ("A is [1] [3] and b [2].", [("A is and b.", [[1], [3], [2]])]),
        ("A is [1-3].", [("A is.", [[1], [2], [3]])]),
        (f"{RETRIED} [9]", [(RETRIED, [])]),
        (f"{RETRIED} [9] {DOUBLED} [1]", [(RETRIED, []), (DOUBLED, [[1]])]),
        ("It is ([Retries](retries) and more).", [("It is (Retries and more).", [[1]])]),
        ("As [Retries](retries) says, it is.", [("As Retries says, it is.", [[1]])]),
        ("See [Retries](retries) for more.", [("See Retries for more.", [[1]])]),
        ("It is [1](retries) so.", [("It is so.", [[1]])]),
    ],
)
def test_a_citation_belongs_to_the_sentence_before_it(
    text: str, expected: list[tuple[str, list[list[int]]]]
) -> None:
    found = read(text).statements

    assert [(one.text, numbers(one)) for one in found] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A is [1] and b is [2].", ["A is", "and b is", "."]),
        ("A is [1], b is [2] always.", ["A is", ", b is", "always."]),
        ("A is [1] and b [9] is [2].", []),
        ("A is [1].", ["A is", "."]),
        ("| A is [1] | b is [2] |", []),
    ],
)
def test_the_parts_before_citations_are_clauses(text: str, expected: list[str]) -> None:
    (statement,) = read(text).statements

    assert statement.clauses == expected


@dataclass
class Shown:
    text: str
    layout: str
    section: int


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A is. B is.", [Shown("A is.", "sentence", 1), Shown("B is.", "sentence", 1)]),
        ("A is.\n\nB is.", [Shown("A is.", "sentence", 1), Shown("B is.", "sentence", 2)]),
        ("> A is.\n> B is.", [Shown("A is.", "sentence", 1), Shown("B is.", "sentence", 1)]),
        (
            "Both:\n\n- A is.\n- B is.",
            [Shown("Both:", "sentence", 1), Shown("A is.", "item", 1), Shown("B is.", "item", 1)],
        ),
        ("1. A is.\n2) B is.", [Shown("A is.", "step", 1), Shown("B is.", "step", 1)]),
        ("- A\n  is.\n\n  B is.", [Shown("A is.", "item", 1), Shown("B is.", "sentence", 1)]),
        ("```sh\nls\n\n  -l\n```", [Shown("ls\n\n  -l", "code", 1)]),
        ("    ls\n    -l", [Shown("ls\n-l", "code", 1)]),
        ("- ```sh\n  ls\n  ```\n- A is.", [Shown("  ls", "code", 1), Shown("A is.", "item", 2)]),
        ("A is.\n\n~~~\nls", [Shown("A is.", "sentence", 1), Shown("ls", "code", 2)]),
        ("```\n\n```", []),
    ],
)
def test_sentences_items_steps_and_code_are_statements(text: str, expected: list[Shown]) -> None:
    found = read(text).statements

    assert [Shown(one.text, one.layout, one.section) for one in found] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| a | b |\n|---|---|\n| x | y |\n| z | |", ["a: x; b: y", "a: z"]),
        ("| **a** | |\n|---|---|\n| x | `y` [1] |", ["a: x; `y`"]),
        ("| a | b |\n|---|---|\n| x | y | z |", ["x; y; z"]),
        ("| a |\n| b | c |", ["a", "b; c"]),
        ("|---|---|\n| x | y |", ["x; y"]),
        ("| a | b |\n|---|---|\nText.\n| x | y |", ["Text.", "x; y"]),
        ("| a |\n|---|\n| |", []),
    ],
)
def test_a_row_is_its_cells_after_the_names_of_its_header(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "# URGENT: sign in [1]",
        "[x]: https://evil.example 'URGENT'",
        "| URGENT | now |\n|---|---|",
        "![](https://evil.example/a.png)",
        "` `",
        "[^1]: URGENT.",
        "> [x]: https://evil.example",
        "<!-- URGENT: sign in -->",
        "<b>",
    ],
)
def test_what_is_not_a_statement_has_no_words_here(text: str) -> None:
    assert "URGENT" not in repr(texts(text))
    assert texts(f"{text}\n\n{RETRIED}")[-1] == RETRIED


def test_definitions_images_and_unknown_links_are_counted() -> None:
    found = read("[x]: y\n\n![a](b) It is ![c](d) so [e](https://evil.example). [9]\n\n# [f](g)")

    assert (found.definitions, found.images) == (1, 2)
    assert found.phantoms == ["https://evil.example", "[9]", "g"]
    assert [one.text for one in found.statements] == ["a It is c so e."]


@pytest.mark.parametrize(
    ("text", "opening", "rest", "cited"),
    [
        ("Yes. It is. [1]", "Yes.", "It is.", [[1]]),
        ("**No**, it is not [1].", "No,", "it is not.", [[1]]),
        ("[2] No, it is not.", "No,", "it is not.", [[2]]),
        ("Yes. [1] It is. [2]", "Yes.", "It is.", [[1], [2]]),
        ("Yes. No. It is.", "No.", "It is.", []),
        ("Yes.\n\nIt is.", "", "It is.", []),
        ("No. 5 is it.", "", "No. 5 is it.", []),
        ("Yes.\n\n```\nls\n```", "", "ls", []),
    ],
)
def test_a_yes_or_no_opens_the_statement_after_it(
    text: str, opening: str, rest: str, cited: list[list[int]]
) -> None:
    (statement,) = read(text).statements

    assert (statement.opening, statement.text, numbers(statement)) == (opening, rest, cited)


def test_a_yes_alone_states_nothing() -> None:
    assert texts("Yes.") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Use \[1\] and \<b\>.", "Use [1] and <b>."),
        ("Use *one* and __two__.", "Use one and two."),
        ("Use `a[1]` and ``b`` ` .", "Use `a[1]` and `b` ` ."),
        ("Use [Ghosts] and (ghost.md).", "Use [Ghosts] and (ghost.md)."),
        (f"Use {PLACE} it.", "Use it."),
        ("- # Use it.", "Use it."),
        ("10 [1].", "10."),
        ("Use <b>it</b> &amp; more.", "Use it & more."),
    ],
)
def test_the_text_is_plain(text: str, expected: str) -> None:
    assert texts(text) == [expected]


def test_brackets_that_a_passage_has_are_text() -> None:
    evidence = (passage(1, "The call returns [7] and [Logging].", title="Logging"),)
    found = read_answer("It returns [7] and [Logging].", Resolver(evidence)).statements

    assert [one.text for one in found] == ["It returns [7] and [Logging]."]
    assert found[0].cited == []


BRACKETS = (
    "Put the folder into [collection] of the file. Install tether[local] with pip. The matrix"
    " a[i][1] is full."
)


@pytest.mark.parametrize(
    ("text", "statement", "cited"),
    [
        ("Put it into [collection][1].", "Put it into [collection].", [[1]]),
        ("Install tether[local][1].", "Install tether[local].", [[1]]),
        ("See [the guide][1] for it.", "See the guide for it.", [[1]]),
        ("Use a[i][1] here.", "Use a[i][1] here.", []),
        ("Use rows[0][1] here.", "Use rows[0][1] here.", []),
        ("Use dict[str, list[int]][1].", "Use dict[str, list[int]][1].", []),
        ("Use local][1] here.", "Use local][1] here.", []),
        ("- [collection]: the folder [1]", "[collection]: the folder", [[1]]),
        ("[collection]: the folder [1]", "[collection]: the folder", [[1]]),
    ],
)
def test_brackets_of_the_documents_are_kept_before_a_mark(
    text: str, statement: str, cited: list[list[int]]
) -> None:
    (found,) = read_answer(text, Resolver([passage(1, BRACKETS)])).statements
    assert (found.text, numbers(found)) == (statement, cited)


@pytest.mark.parametrize(
    "text", ["[collection]: https://a.example", "[1]: Retries, the guide", "[^1]: A note on it"]
)
def test_a_line_that_only_says_where_a_label_leads_states_nothing(text: str) -> None:
    found = read(text)
    assert (found.statements, found.definitions) == ([], 1)
