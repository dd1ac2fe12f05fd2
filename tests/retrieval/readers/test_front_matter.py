"""Front matter in three formats: read where it is plain, left out where it is hostile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.readers.pages import read, shape
from tether.retrieval.readers.front_matter import MOST_CHARACTERS, read_front_matter

YAML = """\
---
title: "Pods: an overview"
Description: >
  The smallest
  unit.
tags: [a, b, ~]
weight: 10
draft: false
nested:
  key: value
  more: [1, {a: 2}]
lang: en-US
empty:
---
Body.
"""


def test_yaml_gives_title_language_and_metadata() -> None:
    page = read(YAML)
    assert page.title == "Pods: an overview"
    assert page.language == "en"
    assert not page.draft
    assert dict(page.metadata) == {
        "description": "The smallest unit.",
        "tags": "a, b",
        "weight": "10",
    }
    assert shape(page) == [("paragraph", "Body.")]
    front = read_front_matter(YAML)
    assert front.fields["nested"] == ()
    assert front.fields["empty"] == ()


def test_toml_gives_its_simple_lines() -> None:
    text = (
        '+++\ntitle = "Hugo page"\ndraft = true\ntags = ["x", "y"]\ndate = 2024-05-01\nlong = [\n'
    )
    page = read(text + '  "a",\n]\na.b = 1\n[menu.main]\ntitle = "no"\n+++\nBody.\n')
    assert page.title == "Hugo page"
    assert page.draft
    assert dict(page.metadata) == {"tags": "x, y", "date": "2024-05-01"}
    assert shape(page) == [("paragraph", "Body.")]


def test_json_is_read_between_marks_and_as_an_object() -> None:
    marked = read(';;;\n{"title": "Marked", "weight": 3, "on": true, "no": null}\n;;;\nBody.\n')
    bare = read('{"title": "Bare", "tags": ["a"], "deep": {"a": 1}}\nBody.\n')
    assert (marked.title, bare.title) == ("Marked", "Bare")
    assert shape(marked) == shape(bare) == [("paragraph", "Body.")]
    assert dict(bare.metadata) == {"tags": "a"}


@pytest.mark.parametrize(
    ("text", "draft"),
    [
        ("draft: true", True),
        ("draft: Yes", True),
        ("published: false", True),
        ("published: 2024-01-01", False),
        ("publish: no", True),
        ("draft: no", False),
        ("title: x", False),
    ],
)
def test_a_page_can_ask_not_to_be_published(text: str, draft: bool) -> None:
    assert read(f"---\n{text}\n---\nBody.\n").draft is draft


def test_a_declared_language_counts_only_as_two_letters() -> None:
    assert read("---\nlanguage: de_AT\n---\nx").language == "de"
    assert read("---\nlang: klingon\n---\nx").language == ""


@pytest.mark.parametrize(
    "text",
    [
        "---\nNever closed.\n",
        "Text\n---\n",
        "---\n---x\n",
        "{not json}\n",
        "{" * 100_000,
        "",
        "----\n",
    ],
    ids=["open", "later", "no close", "brace", "deep", "empty", "rule"],
)
def test_a_page_without_front_matter_has_none(text: str) -> None:
    assert read_front_matter(text).end == 0


@pytest.mark.parametrize("body", ["Just prose here.", "- a\n- list", "# comment only"])
def test_prose_between_rules_is_no_front_matter(body: str) -> None:
    front = read_front_matter(f"---\n{body}\n---\nRest.\n")
    assert front.fields == {}
    assert front.end == (0 if not body.startswith("#") else len(f"---\n{body}\n---\n"))


def test_broken_yaml_keeps_its_simple_lines_and_says_so() -> None:
    page = read("---\ntitle: Foo: a bar\nslug: 'foo'\nbad: [\nnone: ''\n---\nBody.\n")
    assert page.title == "Foo: a bar"
    assert dict(page.metadata) == {"slug": "foo"}
    assert page.notes[0].startswith("front matter: ")
    assert shape(page) == [("paragraph", "Body.")]


def test_broken_yaml_without_simple_lines_is_text() -> None:
    page = read("---\n{never closed\n---\nBody.\n")
    assert "never closed" in page.blocks[0].plain


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"
MERGE = "a: &a {k: 1}\nb: {<<: [*a, *a, *a]}\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (BOMB, "aliases"),
        (MERGE, "aliases"),
        ("t: x\na: " + "[" * 5_000, "nested too deep"),
        ("t: x\n? [a, b]\n: c\n", "a key is not text"),
        ("t: x\nbad: \x01\n", "control characters"),
    ],
    ids=["bomb", "merge", "deep", "key", "controls"],
)
def test_hostile_yaml_is_left_out_with_a_note(body: str, reason: str) -> None:
    page = read(f"---\n{body}\n---\nBody.\n")
    assert reason in page.notes[0]
    assert shape(page) == [("paragraph", "Body.")]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("---\na: " + "x" * MOST_CHARACTERS + "\n---\nBody.", "too long"),
        ("+++\na = " + "[" * 3_000 + "\n+++\nBody.", "nested too deep"),
        (";;;\n[1]\n;;;\nBody.", "not an object"),
        (";;;\n" + "[" * 200_000 + "\n;;;\nBody.", "nested too deep"),
        (";;;\n{\n;;;\nBody.", "Expecting"),
    ],
    ids=["long", "toml", "list", "json deep", "json"],
)
def test_front_matter_that_cannot_be_read_never_costs_the_page(text: str, note: str) -> None:
    page = read(text)
    assert note in page.notes[0]
    assert shape(page) == [("paragraph", "Body.")]


def test_a_tag_constructs_nothing() -> None:
    front = read_front_matter('---\nx: !!python/object/apply:os.system ["true"]\n---\n')
    assert front.fields == {"x": ("true",)}


marks = st.sampled_from(
    ["---\n", "+++\n", ";;;\n", "{", "}", "a: b\n", "- x\n", "[", "&a", "*a", '"']
)


@given(st.lists(marks | st.text(max_size=5), max_size=12).map("".join))
def test_front_matter_never_fails_and_ends_inside_the_text(text: str) -> None:
    front = read_front_matter(text)
    assert 0 <= front.end <= len(text)
    assert all(value for values in front.fields.values() for value in values)
