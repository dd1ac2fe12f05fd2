"""What is known of each unit of a turn before one is chosen."""

from __future__ import annotations

import pytest

from ask.citations.passages import passage
from ask.quoting.choices import passages_of
from tether.ask.citations.passage import Passage
from tether.ask.quoting.features import LONG, Features
from tether.ask.quoting.selection import WEIGHTS

TEXT = """\
# Tides

The tide turns every six hours. It turns at sea. Boats wait for the tide.

Run this to see the tide:

```sh
tide --now
```

| sea   | hours |
|-------|-------|
| north | 6     |
"""


def features_of(question: str, *texts: str) -> Features:
    return Features(question, passages_of(*texts), most=100)


def features(question: str, *texts: str, at: int = 0) -> dict[str, float]:
    """Return the features of one unit."""
    return features_of(question, *texts).of(at)


def test_every_feature_has_a_weight_and_every_weight_a_feature() -> None:
    found = features_of("How often does the tide turn?", TEXT)
    names = {name for at in range(len(found.candidates)) for name in found.of(at)}
    assert names | {"constant"} == set(WEIGHTS)


def test_every_share_is_between_none_and_all() -> None:
    found = features_of("How often does the tide turn at sea?", TEXT, "Another page.")
    shares = ("covered", "in_lead", "in_heading", "in_path", "nearby", "union", "in_passage")
    for at in range(len(found.candidates)):
        assert all(0 <= found.of(at)[name] <= 1 + 1e-9 for name in shares)
        assert found.of(at)["union"] == found.coverage(at) >= found.of(at)["covered"]


@pytest.mark.parametrize(
    ("question", "text", "name", "at"),
    [
        ("tide", "The tide turns.", "covered", 0),
        ("tide", "The tide turns.", "match", 0),
        ("tide", "The tide:\n\n- six\n", "in_lead", 0),
        ("tide", "# The tide\n\nSix hours.", "in_heading", 0),
        ("tide", "# The tide\n\n## Hours\n\nSix hours.", "in_path", 0),
        ("tide", "Six hours. A tide turns.", "nearby", 0),
        ("tide", "A tide turns. Six hours.", "nearby", 1),
        ("tide", "Six.\n\nNine.\n\nThe tide.", "in_passage", 0),
        ("tide", "# The tide\n\n```\nx\n```\n", "code_in_path", 0),
        ("tide", "| a |\n|---|\n| tide |\n", "row_covered", 0),
        ("x", "- An item.", "item", 0),
        ("x", "| a |\n|---|\n| b |\n", "row", 0),
        ("x", "```\nx\n```\n", "code", 0),
        ("x", "term\n: A meaning.\n", "definition", 0),
        ("x", "One is here.", "opens", 0),
        ("x", "One is here.\n\n# New\n\nTwo is here.", "opens", 1),
        ("x", "Word " * LONG + "end.", "long", 0),
        ("x", "A word.", "short", 0),
        ("x", "It is so.", "leans", 0),
        ("x", "See the guide for details.", "points", 0),
        ("x", "Here is a list.", "speaks_of_others", 0),
        ("x", "Fix it, PR #12 by @me.", "logged", 0),
        ("x", "The port is 9.", "number", 0),
        ("x", "The port is `web`.", "name", 0),
        ("When was it built?", "It was built in 1998.", "suits", 0),
        ("What is a pod?", "A pod is a group of jobs.", "defines", 0),
        ("How do I list pods?", "```\nlist\n```\n", "does_code", 0),
        ("How do I list pods?", "Use `list`.", "does_name", 0),
        ("What is the default?", "By default it is 9.", "default", 0),
        ("What is the maximum?", "It is 9.", "limit_number", 0),
        ("Can it list pods?", "```\nlist\n```\n", "polar_code", 0),
        ("What is a pod?", "```\npod\n```\n", "what_code", 0),
        ("What is a pod?", "A pod is a group.", "what_opens", 0),
    ],
)
def test_a_feature_is_seen(question: str, text: str, name: str, at: int) -> None:
    assert features(question, text, at=at)[name] > 0


@pytest.mark.parametrize(
    ("question", "text", "name", "at"),
    [
        ("tide", "The moon.", "covered", 0),
        ("tide", "The moon.", "match", 0),
        ("tide", "The tide. Six hours.", "nearby", 0),
        ("tide", "# The tide\n\nSix hours.", "code_in_path", 0),
        ("tide", "The tide.", "row_covered", 0),
        ("x", "One is here. Two is here.", "opens", 1),
        ("What is a pod?", "- A pod is a group of jobs.", "defines", 0),
        ("How does a pod end?", "A pod is a group of jobs.", "defines", 0),
        ("Can it list pods?", "```\nlist\n```\n", "does_code", 0),
        ("How do I list pods?", "```\n`list`\n```\n", "does_name", 0),
        ("What is the port?", "By default it is 9.", "default", 0),
        ("What is the name?", "It is 9.", "limit_number", 0),
        ("How do I list pods?", "```\nlist\n```\n", "polar_code", 0),
        ("How do I list pods?", "```\nlist\n```\n", "what_code", 0),
    ],
)
def test_a_feature_is_not_seen(question: str, text: str, name: str, at: int) -> None:
    assert features(question, text, at=at)[name] == 0


def test_the_rank_of_a_passage_counts() -> None:
    found = features_of("tide", "One is here.", "Two is here.", "Three is here.")
    assert [found.of(at)["rank"] for at in range(3)] == [1, 1 / 2, 1 / 3]
    assert [found.of(at)["opens"] for at in range(3)] == [1, 1, 1]
    assert [found.of(at)["nearby"] for at in range(3)] == [0, 0, 0]


def test_the_headings_of_the_page_count() -> None:
    one = Passage(passage(1, "Six hours.", headings=("Sea", "The tide")))
    found = Features("tide", [one], most=9)
    assert found.coverage(0) == 1
    assert found.of(0)["covered"] == 0


def test_a_term_that_is_rare_or_a_name_weighs_more() -> None:
    texts = "The port of Ulm.", "The port of Bonn.", "The port of Rome.", "A boat waits in Ulm."
    found = features_of("port boat", *texts)
    assert found.of(3)["match"] > found.of(0)["match"]
    named, plain = features_of("the waits in Ulm", *texts), features_of("the waits in ulm", *texts)
    assert named.of(0)["match"] > plain.of(0)["match"]


def test_a_term_that_no_unit_has_weighs_less_than_one_that_a_unit_has() -> None:
    found = features_of("boat anchor", "The boat waits.", "A sail is here.")
    assert found.of(0)["match"] > 0.5


def test_only_the_first_units_of_a_passage_are_read() -> None:
    found = Features("x", passages_of("One is. Two is. Three is.", "Four is."), most=2)
    assert [one.unit.text for one in found.candidates] == ["One is.", "Two is.", "Four is."]
    assert [(one.passage, one.at) for one in found.candidates] == [(0, 0), (0, 1), (1, 0)]


def test_a_question_in_capitals_is_read_in_small_letters() -> None:
    assert features("WHAT IS A TIDE", "A tide is a rise of the sea.")["covered"] == 1


@pytest.mark.parametrize("question", ["", "?!", "the of and"])
def test_a_question_without_terms_names_nothing(question: str) -> None:
    found = features_of(question, TEXT, "```\n-\n```\n")
    assert {found.coverage(at) for at in range(len(found.candidates))} == {0}
    assert {found.of(at)["match"] for at in range(len(found.candidates))} == {0}


def test_without_passages_there_is_nothing() -> None:
    assert features_of("tide").candidates == []


@pytest.mark.parametrize(
    ("question", "text", "covered"),
    [
        ("How do cookies work?", "A cookie works by a header.", 1),
        ("max_retry_count", "Set `max_retry_count` to 5.", 1),
        ("What does a config map hold?", "A ConfigMap holds settings.", 1),
        ("什么是向量数据库", "向量数据库用于存储向量。", 0.5),
        ("Через сколько дней удаляются копии?", "Копии удаляются через 30 дней.", 0.6),
        ("Wann wurde die Anlage gebaut?", "Die Anlage wurde 1998 gebaut.", 0.5),
        ("Err", "An error is bad.", 0),
        ("Where does the server listen?", "A list has items.", 0),
    ],
)
def test_words_are_compared_by_their_stems(question: str, text: str, covered: float) -> None:
    found = features(question, text)["covered"]
    assert found == 0 if covered == 0 else found >= covered - 1e-9


GLOSSARY = "# Words\n\n## Spool\n\nThe stored bytes behind an artifact. They are read by place.\n"


def test_the_first_sentence_below_a_heading_of_that_name_defines_it() -> None:
    assert [features("What is a spool?", GLOSSARY, at=at)["defines"] for at in (0, 1)] == [1.0, 0.0]
    assert features("How is a spool read?", GLOSSARY)["defines"] == 0.0
    assert features("What is a spool of thread?", GLOSSARY)["defines"] == 0.0
