"""Which sentences answer a question: documents and expected answers written by hand."""

from __future__ import annotations

import re

import pytest

from tether.batteries.models.extractive.extraction import Extraction, extract

HARBOUR = """\
---
title: Harbour manual
---

# Harbour

Harbour is a small server that keeps build artifacts. It was first released in 2019 by Mira Kovacs
at the Lindholm Institute. This page explains how to work with it.

## Installing

To install Harbour, run `pip install harbour` in a virtual environment. The package needs Python
3.11 or newer.

```sh
pip install harbour
```

## Storage

Harbour writes artifacts to the `/var/harbour` directory. By default it keeps 30 versions of each
artifact. Older versions are deleted every night because disks are small.

| setting | meaning |
|---------|---------|
| `keep`  | How many versions are kept. |

The storage backends are:

- `disk`, which is the default
- `s3`, for object stores
- `memory`, for tests

## Tokens

Every client needs a token. It expires after 12 hours. See [the token guide](tokens.md) for details.

## See also

- [Releases](releases.md)
"""

GARDEN = """\
# Garden

Garden is a tool that draws dependency graphs. It reads lock files and never runs the code that
they name. The default layout is a tree.
"""


def texts(extraction: Extraction) -> list[str]:
    return [quote.text for quote in extraction.quotes]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is Harbour?", "Harbour is a small server that keeps build artifacts."),
        ("When was Harbour first released?", "It was first released in 2019 by Mira Kovacs"),
        ("Who released Harbour?", "It was first released in 2019 by Mira Kovacs"),
        ("How do I install Harbour?", "To install Harbour, run `pip install harbour`"),
        ("How many versions does it keep?", "By default it keeps 30 versions of each artifact."),
        ("Where are artifacts written?", "artifacts to the `/var/harbour` directory."),
        ("Why are older versions deleted?", "every night because disks are small."),
        ("how long until a token expires", "It expires after 12 hours."),
        ("Which Python version does the package need?", "The package needs Python 3.11 or newer."),
        ("What does Garden draw?", "Garden is a tool that draws dependency graphs."),
    ],
)
def test_the_sentence_that_answers_is_quoted(question: str, expected: str) -> None:
    found = extract(question, [GARDEN, HARBOUR])
    assert expected in " ".join(texts(found))
    assert sum(len(text.split()) for text in texts(found)) <= 90


def test_a_list_is_quoted_with_its_lead_in() -> None:
    (paragraph,) = extract("What storage backends are there?", [HARBOUR]).paragraphs
    assert paragraph.is_list
    assert paragraph.has_lead
    assert not paragraph.is_cut
    assert [quote.text for quote in paragraph.quotes] == [
        "The storage backends are:",
        "`disk`, which is the default",
        "`s3`, for object stores",
        "`memory`, for tests",
    ]
    assert paragraph.heading == "Harbour manual"


def test_a_sentence_that_leans_brings_the_one_before_it() -> None:
    found = texts(extract("When does the token expire?", [HARBOUR]))
    assert found[:2] == ["Every client needs a token.", "It expires after 12 hours."]


@pytest.mark.parametrize(
    "question",
    [
        "Who won the football championship in Brazil?",
        "What is the boiling point of mercury?",
        "What is the capital of the Garden State?",
        "the of and",
        "?!",
        "",
        "   ",
    ],
)
def test_what_the_passages_do_not_tell_is_not_answered(question: str) -> None:
    assert extract(question, [GARDEN, HARBOUR]).paragraphs == ()


def test_without_passages_there_is_no_answer() -> None:
    assert extract("What is Harbour?", []) == Extraction((), 0)
    assert extract("What is Harbour?", ["", "# Harbour\n"]) == Extraction((), 0)


def test_quotes_stand_by_passage_and_then_by_position() -> None:
    first = "Zinc melts at 420 degrees. Zinc is cheap. Zinc boils at 907 degrees."
    second = "Zinc is a metal of the twelfth group. Plants need zinc."
    found = extract("At what degrees does zinc melt and boil?", [second, first]).quotes
    places = [(quote.passage, quote.start) for quote in found]
    assert places == sorted(places)
    assert [quote.text for quote in found if quote.passage == 1] == [
        "Zinc melts at 420 degrees.",
        "Zinc boils at 907 degrees.",
    ]


def test_the_better_ranked_passage_wins_between_equals() -> None:
    text = "The limit of the queue is 500 entries."
    (quote,) = extract("What is the limit of the queue?", [text, text]).quotes
    assert quote.passage == 0


def test_the_heading_of_its_section_counts_for_a_sentence() -> None:
    text = "# Backup\n\nIt takes 10 minutes.\n\n# Restore\n\nIt takes 30 minutes.\n"
    found = texts(extract("How many minutes does a restore take?", [text]))
    assert found[0] == "It takes 30 minutes."


def test_a_long_list_is_cut_and_says_so() -> None:
    text = "The planets are:\n\n" + "".join(f"- planet number {n}\n" for n in range(1, 9))
    (paragraph,) = extract("What are the planets?", [text]).paragraphs
    assert len(paragraph.quotes) == 6
    assert paragraph.is_cut


def test_steps_keep_their_numbers_only_from_the_first_on() -> None:
    steps = "To bake bread:\n\n1. Mix the flour.\n2. Knead the dough.\n3. Bake it hot.\n"
    (paragraph,) = extract("How do I bake bread?", [steps]).paragraphs
    assert paragraph.is_ordered
    gap = "To bake bread:\n\n1. Mix:\n2. Knead the dough.\n3. Bake it hot.\n"
    (paragraph,) = extract("How do I bake bread?", [gap]).paragraphs
    assert not paragraph.is_ordered
    assert paragraph.is_cut


def test_an_item_that_is_no_sentence_is_quoted_as_an_item() -> None:
    text = "# Requirements\n\n- Ray 1.10 or higher\n- a cluster\n"
    (paragraph,) = extract("Which Ray version is required?", [text]).paragraphs
    assert paragraph.is_list
    assert not paragraph.has_lead
    assert paragraph.quotes[0].text == "Ray 1.10 or higher"


def test_an_item_that_is_a_sentence_can_stand_alone() -> None:
    text = "Some notes about our shop follow:\n\n- Apples cost 3 euros.\n- We close on Sunday.\n"
    found = extract("When do you close on Sunday?", [text])
    assert texts(found) == ["We close on Sunday."]
    assert not found.paragraphs[0].is_list


def test_a_lead_in_without_its_list_is_never_quoted() -> None:
    text = (
        "The install commands are:\n\n- Run:\n\n      x\n\nYou install with the usual commands.\n"
    )
    assert texts(extract("What are the install commands?", [text])) == [
        "You install with the usual commands."
    ]
    only = "The install commands are:\n\n- Run:\n"
    assert extract("What are the install commands?", [only]).paragraphs == ()


def test_items_that_do_not_fit_leave_no_list() -> None:
    words = "word " * 38
    lead = f"The {words} colours of {words} are these:"
    text = f"{lead}\n\n- red {words}\n- green {words}\n"
    assert extract("What colours are these?", [text]).paragraphs == ()


def test_a_sentence_that_leans_on_what_is_not_quotable_is_not_added() -> None:
    text = "The valve opens at 5 bar.\n\n```\nx\n```\n\nThis valve opens slowly.\n"
    assert texts(extract("When does the valve open?", [text])) == ["The valve opens at 5 bar."]
    text = text.replace("```\nx\n```\n\n", "")
    assert len(texts(extract("When does the valve open?", [text]))) == 2


def test_sentences_of_nothing_but_the_question_are_told_apart_by_it() -> None:
    text = "The valve opens. The pump stops. The valve opens."
    assert texts(extract("When does the valve open, when does the pump stop?", [text])) == [
        "The valve opens.",
        "The pump stops.",
    ]


def test_what_a_list_only_announces_is_no_answer() -> None:
    text = "In this chapter, we will discuss:\n\n- installing Rust on Linux\n- more\n"
    told = "To install Rust on Linux, run the script."
    assert texts(extract("How do I install Rust on Linux?", [text, told])) == [told]


def test_questions_are_not_answers() -> None:
    text = "What is a lease? A lease is a promise of time."
    assert texts(extract("What is a lease?", [text])) == ["A lease is a promise of time."]


def test_the_same_is_not_said_twice() -> None:
    one = "Harbour keeps thirty versions of each artifact."
    found = texts(extract("How many versions does Harbour keep?", [one, f"Indeed. {one}"]))
    assert found == [one]


@pytest.mark.parametrize(
    ("passage", "question", "expected"),
    [
        (
            "Die Anlage wurde 1998 gebaut. Sie liefert z. B. Strom für ca. 300 Häuser.",
            "Wann wurde die Anlage gebaut?",
            "Die Anlage wurde 1998 gebaut.",
        ),
        (
            "Le serveur écoute sur le port 8080. Les journaux se trouvent dans le dossier `log`.",
            "Où se trouvent les journaux ?",
            "Les journaux se trouvent dans le dossier `log`.",
        ),
        (
            "向量数据库用于存储向量。索引每天更新一次。默认端口是 8080。",
            "什么是向量数据库",
            "向量数据库用于存储向量。",
        ),
        (
            "Сервер хранит резервные копии. Копии удаляются через 30 дней.",
            "Через сколько дней удаляются копии?",
            "Копии удаляются через 30 дней.",
        ),
    ],
)
def test_other_languages_are_answered(passage: str, question: str, expected: str) -> None:
    assert expected in texts(extract(question, [passage]))


def test_a_single_character_is_a_term() -> None:
    assert texts(extract("水", ["水 是液体。 火 是热的。"])) == ["水 是液体。"]


def test_identifiers_are_found_whole_and_in_parts() -> None:
    text = "The HTTPServer listens. Set `max_retry_count` to 5. A ConfigMap holds settings."
    assert "`max_retry_count`" in texts(extract("max_retry_count", [text]))[0]
    assert "`max_retry_count`" in texts(extract("What is the retry count?", [text]))[0]
    assert "ConfigMap" in texts(extract("What does a config map hold?", [text]))[0]
    assert "HTTPServer" in texts(extract("Which servers listen?", [text]))[0]


def test_every_quote_is_found_in_its_passage() -> None:
    passages = [HARBOUR, GARDEN]
    plain = [" ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).split()) for text in passages]
    for question in ("harbour artifacts", "storage backends", "token guide details", "lock files"):
        quotes = extract(question, passages).quotes
        assert quotes
        for quote in quotes:
            assert quote.text in plain[quote.passage]
            spanned = " ".join(passages[quote.passage][quote.start : quote.end].split())
            assert spanned == quote.text or "](" in spanned
