"""How much of a question a passage holds, against the definition written out."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.lexical.oracle import chunk
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import WordLane

WORDS = ("alpha", "beta", "gamma", "delta")


def expected(texts: list[list[str]], question: list[str], row: int) -> float:
    size = len(texts)
    held = total = 0.0
    for word in question:
        holders = sum(word in text for text in texts) or 1
        weight = log(1 + (size - holders + 0.5) / (holders + 0.5))
        total += weight
        held += weight * (word in texts[row])
    return held / total if total else 0.0


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=12),
    st.lists(st.sampled_from((*WORDS, "absent")), max_size=5),
)
@settings(max_examples=60, deadline=None)
def test_the_share_is_that_of_the_definition(texts: list[list[str]], question: list[str]) -> None:
    lane = WordLane(WordSettings(stemming=False))
    chunks = [chunk(" ".join(words)) for words in texts]
    searcher = lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))
    rows = np.arange(len(texts), dtype=np.int64)
    found = searcher.coverage(" ".join(question), rows)
    assert found.tolist() == pytest.approx(
        [expected(texts, question, row) for row in range(len(texts))]
    )


def test_an_inflected_word_is_held_and_an_unknown_one_counts_against() -> None:
    lane = WordLane()
    chunks = [
        chunk("The clusters are scheduled by the controller.", language="en"),
        chunk("Nothing of the kind is in this text.", language="en"),
    ]
    searcher = lane.open(lane.build(size=2, fresh=enumerate(chunks)))
    rows = np.array([0, 1], dtype=np.int64)
    assert searcher.coverage("scheduling a cluster", rows).tolist() == [1.0, 0.0]
    assert searcher.coverage("cluster penguin", rows)[0] == pytest.approx(0.5)
