"""The time of the judge in a search: it reads as many passages as fit, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.searched import Lexical, Marks, Paced, SmallIndex
from tether.retrieval.hit import Findings
from tether.retrieval.ports import Judge
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import LEAST_JUDGED, Retriever
from tether.retrieval.search.settings import SearchSettings

HITS = 8
FOUND = {row: float(HITS - row) for row in range(HITS)}
INDEX = SmallIndex(list(range(HITS)), Lexical({"first": FOUND, "second": FOUND}))
LIMITED = SearchSettings(judge_milliseconds=600)
FIRST, BOTH = Query(question="first"), Query(question="first", rewrite="second")


def search(
    judge: Judge | None, query: Query = FIRST, settings: SearchSettings = LIMITED
) -> Findings:
    return Retriever(index=INDEX, judge=judge, settings=settings).search(query)


@pytest.mark.parametrize("fits", [LEAST_JUDGED, HITS - 1, HITS])
def test_the_judge_reads_as_many_passages_as_fit(fits: int) -> None:
    judge = Paced({}, fits={"first": fits})
    found = search(judge)
    assert judge.limits == [("first", HITS, 600)]
    assert judge.read == [("first", fits)]
    read = [hit.chunk.number - 1 for hit in found.hits if hit.judge is not None]
    assert read == list(range(fits))
    assert len(found.hits) == HITS


@pytest.mark.parametrize("fits", range(LEAST_JUDGED))
def test_where_only_a_few_fit_it_reads_none(fits: int) -> None:
    judge = Paced({"first": {"1": 9.0}}, fits={"first": fits})
    assert search(judge) == search(None)
    assert judge.read == []


def test_passages_that_it_may_not_read_do_not_count() -> None:
    judge = Paced({}, fits={"first": HITS})
    search(judge, settings=replace(LIMITED, judged=5))
    assert judge.limits == [("first", 5, 600)]
    assert judge.read == [("first", 5)]


def test_a_judge_that_may_read_nothing_is_not_asked_for_its_pace() -> None:
    judge = Paced({}, lost=True)
    none = replace(LIMITED, judged=0)
    assert search(judge, settings=none) == search(None, settings=none)


def test_two_forms_share_the_time_and_the_same_passages_are_read_for_both() -> None:
    judge = Paced({}, fits={"first": 7, "second": 5})
    search(judge, BOTH)
    assert judge.limits == [("first", HITS, 300), ("second", HITS, 300)]
    assert judge.read == [("first", 5), ("second", 5)]


def test_a_judge_without_a_pace_reads_all() -> None:
    judge = Marks({})
    search(judge, settings=replace(LIMITED, judge_milliseconds=0))
    assert judge.read == [("first", HITS)]


def test_without_a_limit_nobody_asks_for_the_pace() -> None:
    judge = Paced({}, lost=True)
    found = search(judge, settings=SearchSettings())
    assert judge.read == [("first", HITS)]
    assert "judge" not in [left.part for left in found.left_out]


def test_a_judge_that_cannot_tell_its_pace_is_left_out_and_named() -> None:
    judge = Paced({}, lost=True)
    found = search(judge)
    assert found.hits == search(None).hits
    assert ("judge", "the file is gone") in [(left.part, left.reason) for left in found.left_out]
    assert judge.read == []


@pytest.mark.parametrize("settings", [LIMITED, SearchSettings()], ids=["limited", "unlimited"])
def test_without_a_question_the_judge_reads_nothing(settings: SearchSettings) -> None:
    judge = Paced({}, fits={"first": HITS})
    asked = Query(question="", variants=("first",))
    found = search(judge, asked, settings)
    assert found == search(None, asked, settings)
    assert len(found.hits) == HITS
    assert (judge.read, judge.limits) == ([], [])


@given(st.integers(0, HITS), st.integers(0, HITS), st.integers(0, 12), st.floats(0, 1000))
def test_what_is_read_always_fits_and_is_never_just_a_few(
    first: int, second: int, judged: int, milliseconds: float
) -> None:
    judge = Paced({}, fits={"first": first, "second": second})
    settings = SearchSettings(judged=judged, judge_milliseconds=milliseconds)
    found = search(judge, BOTH, settings)
    counts = {count for _, count in judge.read}
    assert counts in (set(), {min(first, second, judged, HITS)})
    assert all(count >= LEAST_JUDGED for count in counts)
    assert sum(hit.judge is not None for hit in found.hits) == max(counts, default=0)
    assert sum(limit for _, _, limit in judge.limits) <= milliseconds
