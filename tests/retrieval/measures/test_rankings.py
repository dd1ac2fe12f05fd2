"""Measures of rankings: by hand, and against code that follows the definitions word by word."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.measures import hit, ndcg, recall, reciprocal_rank

RANKED = ["a", "b", "c", "d", "e"]


def test_ndcg_by_hand() -> None:
    # Gains at ranks 2 and 4: 1/log2(3) + 1/log2(5) = .63093 + .43068; ideal 1 + .63093
    assert ndcg(RANKED, {"b": 1, "d": 1}) == pytest.approx(1.06161 / 1.63093, abs=1e-5)
    assert ndcg(RANKED, {"a": 1}) == 1
    assert ndcg(RANKED, {"x": 1}) == 0


def test_ndcg_takes_grades_as_they_are() -> None:
    # 1 at rank 1, 3 at rank 3: 1 + 3/2; ideal 3 + 1/log2(3)
    assert ndcg(RANKED, {"a": 1, "c": 3}) == pytest.approx(2.5 / 3.63093, abs=1e-5)


def test_ndcg_ideal_holds_what_was_not_found_but_no_more_than_k() -> None:
    assert ndcg(["a"], {"a": 1, "x": 1}) == pytest.approx(1 / 1.63093, abs=1e-5)
    assert ndcg(["a", "z"], {"a": 1, "x": 1}, k=1) == 1


def test_recall_by_hand() -> None:
    assert recall(RANKED, {"b": 1, "e": 2, "x": 1}, k=3) == pytest.approx(1 / 3)
    assert recall(RANKED, {"b": 1, "e": 2}) == 1


def test_reciprocal_rank_by_hand() -> None:
    assert reciprocal_rank(RANKED, {"c": 1, "d": 1}) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, {"c": 1}, k=2) == 0


def test_hit_by_hand() -> None:
    assert hit(RANKED, {"b": 1}) == 0
    assert hit(RANKED, {"b": 1}, k=2) == 1


@pytest.mark.parametrize("measure", [ndcg, recall, reciprocal_rank, hit])
def test_nothing_relevant_scores_nothing(measure: object) -> None:
    assert callable(measure)
    assert measure(RANKED, {}) == measure(RANKED, {"a": 0}) == measure([], {"a": 1}) == 0


def test_an_id_that_comes_twice_counts_once() -> None:
    assert recall(["a", "a", "b"], {"a": 1, "b": 1}, k=2) == 1
    assert ndcg(["a", "a"], {"a": 1, "b": 1}) == ndcg(["a"], {"a": 1, "b": 1})


KEYS = st.integers(0, 12)


@given(
    st.lists(KEYS, max_size=13, unique=True),
    st.dictionaries(KEYS, st.integers(-1, 3)),
    st.integers(1, 12),
)
def test_against_the_definitions(ranked: list[int], grades: dict[int, int], k: int) -> None:
    relevant = {key for key, grade in grades.items() if grade > 0}
    top = ranked[:k]
    gained = sum(
        max(0, grades.get(key, 0)) / (log(place + 2) / log(2)) for place, key in enumerate(top)
    )
    best = sorted((max(0, grade) for grade in grades.values()), reverse=True)[:k]
    ideal = sum(grade / (log(place + 2) / log(2)) for place, grade in enumerate(best))
    found = [place for place, key in enumerate(top) if key in relevant]
    assert ndcg(ranked, grades, k) == pytest.approx(gained / ideal if ideal else 0)
    assert recall(ranked, grades, k) == (len(found) / len(relevant) if relevant else 0)
    assert reciprocal_rank(ranked, grades, k) == (1 / (found[0] + 1) if found else 0)
    assert hit(ranked, grades, k) == bool(found)
    assert 0 <= ndcg(ranked, grades, k) <= 1 + sqrt(1e-20)
