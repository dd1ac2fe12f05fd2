"""Anchors as the site builders make them; expected values come from their documentation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.readers.anchors import Anchors, AnchorStyle, slug


@pytest.mark.parametrize(
    ("heading", "github", "vitepress", "mkdocs"),
    [
        ("Getting Started", "getting-started", "getting-started", "getting-started"),
        ("What's new?", "whats-new", "what-s-new", "whats-new"),
        ("Über uns", "über-uns", "uber-uns", "uber-uns"),
        ("1. Install", "1-install", "_1-install", "1-install"),
        ("C++ & Rust", "c--rust", "c-rust", "c-rust"),
        ("snake_case name", "snake_case-name", "snake-case-name", "snake_case-name"),
        ("日本語 見出し", "日本語-見出し", "日本語-見出し", ""),
        ("`code` / path", "code--path", "code-path", "code-path"),
        ("???", "", "", ""),
    ],
    ids=lambda value: value if value.isascii() and value else "other",
)
def test_each_style_makes_its_slug(heading: str, github: str, vitepress: str, mkdocs: str) -> None:
    assert slug(heading) == github
    assert slug(heading, "vitepress") == vitepress
    assert slug(heading, "mkdocs") == mkdocs


def test_repeated_headings_are_numbered_in_order() -> None:
    anchors = Anchors()
    given_out = [anchors.give(heading) for heading in ("Usage", "Usage", "usage-1", "Usage")]
    assert given_out == ["usage", "usage-1", "usage-1-1", "usage-2"]
    others = Anchors()
    assert [others.give(heading) for heading in ("a-1", "a", "a")] == ["a-1", "a", "a-2"]


def test_mkdocs_numbers_with_an_underscore() -> None:
    anchors = Anchors("mkdocs")
    assert [anchors.give("Usage") for _ in range(3)] == ["usage", "usage_1", "usage_2"]


def test_an_explicit_anchor_is_taken_as_it_is() -> None:
    anchors = Anchors()
    assert anchors.give("Some heading", "my-Id") == "my-Id"
    assert anchors.give("my id") == "my-id"
    assert anchors.give("Other", "my-Id") == "my-Id"
    assert anchors.give("???") == "section"


@given(
    st.lists(st.text(st.sampled_from("ab1- _?é"), max_size=5), max_size=12),
    st.sampled_from(["github", "vitepress", "mkdocs"]),
)
def test_no_two_headings_of_a_page_share_an_anchor(headings: list[str], style: AnchorStyle) -> None:
    anchors = Anchors(style)
    given_out = [anchors.give(heading) for heading in headings]
    assert len(set(given_out)) == len(headings)
    assert all(given_out)
