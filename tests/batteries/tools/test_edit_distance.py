"""Edit distances against rapidfuzz, which is written in C++, and against published values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA, Jaro, JaroWinkler, Levenshtein

from tether.batteries.tools.text_comparison import (
    jaro,
    jaro_winkler,
    levenshtein,
    optimal_string_alignment,
)

FEW_LETTERS = st.text("abc", max_size=80)
ANY_TEXT = st.text(max_size=20)
EITHER = st.one_of(FEW_LETTERS, ANY_TEXT)


@given(a=EITHER, b=EITHER)
def test_distances_are_those_of_rapidfuzz(a: str, b: str) -> None:
    assert levenshtein(a, b) == Levenshtein.distance(a, b)
    assert optimal_string_alignment(a, b) == OSA.distance(a, b)
    assert jaro(a, b) == pytest.approx(Jaro.similarity(a, b), abs=1e-12)
    assert jaro_winkler(a, b) == pytest.approx(JaroWinkler.similarity(a, b), abs=1e-12)


@given(a=FEW_LETTERS, b=FEW_LETTERS, c=FEW_LETTERS)
def test_the_distance_is_a_metric(a: str, b: str, c: str) -> None:
    assert (levenshtein(a, b) == 0) == (a == b)
    assert levenshtein(a, b) == levenshtein(b, a)
    assert levenshtein(a, c) <= levenshtein(a, b) + levenshtein(b, c)
