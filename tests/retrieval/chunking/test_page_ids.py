"""A page's name in ids: readable, its own, and a function of its key."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.chunking.chunker import page_id

PARTS = st.sampled_from(["a", "A", "b", "-", "_", ".", "/", ".md", "https://", "http://", " ", "é"])
KEYS = st.lists(PARTS, min_size=1, max_size=6).map("".join)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("guide.md", "guide"),
        ("concepts/workloads/pods.md", "concepts/workloads/pods"),
        ("concepts/_index.md", "concepts/_index"),
        ("api/client.rst", "api/client.rst"),
        ("https://docs.example.com/guide/install", "docs.example.com/guide/install"),
    ],
)
def test_usual_keys_stay_readable(key: str, expected: str) -> None:
    assert page_id(key) == expected


@pytest.mark.parametrize(
    "key", ["Guide.md", "guide", "http://guide/a", "v1.2.md", "a b.md", "-a.md", "", "ü.md"]
)
def test_keys_that_cannot_be_read_back_get_a_part_of_their_hash(key: str) -> None:
    assert re.fullmatch(r"[a-z0-9._/-]+~[0-9a-f]{16}", page_id(key))


def test_a_long_key_is_shortened() -> None:
    assert len(page_id("a" * 500 + ".md")) == 80 + 1 + 16


def test_a_key_with_a_lone_surrogate_has_an_id() -> None:
    assert page_id("\ud800.md").startswith("page~")


@given(st.lists(KEYS, min_size=2, max_size=30, unique=True))
def test_different_keys_have_different_ids(keys: list[str]) -> None:
    assert len({page_id(key) for key in keys}) == len(keys)


def test_keys_that_look_alike_have_different_ids() -> None:
    alike = ["guide.md", "Guide.md", "guide", "https://guide", "guide.md.md", "guide/.md", "/guide"]
    assert len({page_id(key) for key in alike}) == len(alike)
