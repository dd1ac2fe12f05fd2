"""The lane of word parts scores by the formula, over parts that are cut here once more."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.lexical.oracle import Oracle, chunk
from tether.retrieval.lexical.bm25 import GramSettings
from tether.retrieval.lexical.lanes import GramLane

words = st.one_of(
    st.sampled_from(["kubelet", "kubelets", "scheduler", "schedular", "pod", "node", "x"]),
    st.text(alphabet="bdklstu", min_size=5, max_size=9),
)
passages = st.lists(st.lists(words, max_size=10), min_size=1, max_size=12)


@cache
def vocabulary() -> set[str]:
    text = files("tether.retrieval").joinpath("models/vocab.txt").read_text("utf-8")
    return set(text.splitlines())


def parts(word: str) -> list[str]:
    found: list[str] = []
    rest = word
    while rest:
        mark = "##" if found else ""
        lengths = [size for size in range(1, len(rest) + 1) if mark + rest[:size] in vocabulary()]
        found.append(mark + rest[: max(lengths)])
        rest = rest[max(lengths) :]
    if len(word) > 4:
        sounds = [letter for letter in word[1:] if letter not in "aeiouy"]
        found.append("~" + "".join([word[0], *sounds])[:5])
    return found


@pytest.mark.unmeasured
@given(passages, st.lists(words, min_size=1, max_size=4), st.floats(0, 3), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_the_formula(
    texts: list[list[str]], question: list[str], k1: float, b: float
) -> None:
    lane = GramLane(GramSettings(k1=k1, b=b))
    chunks = [chunk(" ".join(text)) for text in texts]
    found = lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))
    cut = [[part for word in text for part in parts(word)] for text in texts]
    if not any(cut):
        return
    asked = [part for word in question for part in parts(word)]
    oracle = Oracle(cut, k1=k1, b=b)
    ranking = found.search(" ".join(question), limit=len(texts))
    expected = [score for _, score in oracle.ranked(asked)]
    assert ranking.scores.tolist() == pytest.approx(expected, abs=1e-7)
    every = found.scores(" ".join(question), np.arange(len(texts)))
    assert every.tolist() == pytest.approx(
        [oracle.score(asked, row) for row in range(len(texts))], abs=1e-7
    )
