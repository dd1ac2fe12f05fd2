"""Weights of the mix, fitted to an index's own questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from retrieval.floor.railway import DEEDS, THINGS, WordEmbedder, chunks_of, page
from tether.retrieval.floor.mix import LEAST, fit_mix
from tether.retrieval.floor.questions import GivenQuestion
from tether.retrieval.query import Query
from tether.retrieval.search.memory_index import MemoryIndex
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import MixWeights, SearchSettings

FEW = {f"{thing}.md": page(thing) for thing in THINGS[:13]}
NUMBERS = {key: number for number, key in enumerate(FEW)}
INDEX = MemoryIndex(chunks_of(FEW), embedder=WordEmbedder())


def question(text: str, *documents: str) -> GivenQuestion:
    return GivenQuestion(text=text, documents=frozenset(documents))


GOOD = [question(f"{deed} the {thing}", f"{thing}.md") for thing in THINGS[:13] for deed in DEEDS]


class Contrary(WordEmbedder):
    """Embeds questions as the opposite of what they say: its lane only misleads."""

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return -super().embed_questions(texts)


def test_weight_moves_away_from_a_vote_that_misleads() -> None:
    misled = MixWeights(ranks=0.05, words=0.05, grams=0, cosine=0.9, judge=0)
    settings = SearchSettings(weights=misled, weak_cosine=-1, boost=0)
    retriever = Retriever(index=INDEX, embedder=Contrary(), settings=settings)
    fitted = fit_mix(retriever, NUMBERS, GOOD)
    assert fitted is not None
    assert fitted.cosine < 0.9

    def firsts(weights: MixWeights) -> int:
        searching = replace(retriever, settings=replace(settings, weights=weights))
        found = [searching.search(Query(question=one.text)).hits[0].chunk.document for one in GOOD]
        return sum(key in one.documents for key, one in zip(found, GOOD, strict=True))

    assert firsts(fitted) > firsts(misled)


def test_weights_stay_where_nothing_can_be_gained() -> None:
    settings = SearchSettings(weights=MixWeights(ranks=0.7, words=0.3, grams=0, cosine=0, judge=0))
    assert fit_mix(Retriever(index=INDEX, settings=settings), NUMBERS, GOOD) is None


def test_few_questions_leave_the_weights_alone() -> None:
    useless = [
        question("nothing named"),
        question("elsewhere", "gone.md"),
        question("?", "wagon.md"),
    ]
    misled = MixWeights(ranks=0.05, words=0.05, grams=0, cosine=0.9, judge=0)
    settings = SearchSettings(weights=misled, weak_cosine=-1, boost=0)
    retriever = Retriever(index=INDEX, embedder=Contrary(), settings=settings)
    few = GOOD[: LEAST - 1] + [useless[0], useless[1]] * 30
    assert fit_mix(retriever, NUMBERS, few) is None
    assert fit_mix(Retriever(index=INDEX), NUMBERS, [useless[2]] * LEAST) is None
