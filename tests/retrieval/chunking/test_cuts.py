"""Where characters meet, against the `regex` package."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.chunking.cuts import cut_before, grapheme_before, is_boundary

CLUSTER: Any = importlib.import_module("regex").compile(r"\X")
INTERESTING = (
    "ab \r\n\u0301\u0308\u200d\ufe0f👨👩🏽❤🇩🇪🇫한각각\ua960가ไำเກຳ"
    "\u0903\u093e\u20e3\U000e0067\U000e007f\u200b\u2028\x07"
)


def boundaries(text: str) -> set[int]:
    return {found.end() for found in CLUSTER.finditer(text)} - {len(text)}


@given(st.text(st.sampled_from(INTERESTING), min_size=2, max_size=8))
def test_boundaries_are_those_of_unicode(text: str) -> None:
    """Of these letters only what follows a joiner differs: it is never torn off here."""
    expected = {place for place in boundaries(text) if text[place - 1] != "\u200d"}
    found = {place for place in range(1, len(text)) if is_boundary(text, place)}
    assert found == expected


@pytest.mark.parametrize(
    "text",
    ["e\u0301", "👨\u200d👩\u200d👧", "🇩🇪", "👍🏽", "\r\n", "ᄒ\u1161ᆫ", "각", "1\ufe0f\u20e3"],
)
def test_one_character_has_no_boundary_inside(text: str) -> None:
    assert not any(is_boundary(text, place) for place in range(1, len(text)))


def test_flags_are_pairs() -> None:
    flags = "🇩🇪🇫🇷🇮🇹"
    assert [is_boundary(flags, place) for place in range(1, 6)] == [False, True] * 2 + [False]


def test_a_cut_comes_after_the_last_word_that_is_near() -> None:
    assert cut_before("one two three four", 10) == 8
    assert cut_before("one two three four", 8) == 8
    assert cut_before("one two", 20) == 7


def test_a_cut_far_from_the_last_word_comes_between_characters() -> None:
    assert cut_before("a " + "x" * 50, 20) == 20
    assert cut_before("a " + "e\u0301" * 50, 21) == 20


def test_a_letter_with_more_marks_than_anybody_writes_is_cut() -> None:
    assert grapheme_before("a" + "\u0301" * 100, 50) == 50
    assert grapheme_before("a\u0301b", 1) == 1
