"""The lanes and stages of a search as systems of their own, so that each can be measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import MixWeights, SearchSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.ports import Embedder
    from tether.retrieval.ranking import Ranking

DEPTH = 100

Ranker = Callable[[str], list[str]]
"""Ranks documents for a question, best first, by their best passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A lane, or the pipeline up to a point."""

    name: str
    rank: Ranker


class RememberingEmbedder:
    """Embeds each question once, however many stages ask for it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def fingerprint(self) -> str:
        """The embedder's own."""
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        """The embedder's own."""
        return self._embedder.dimensions

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Pass on to the embedder."""
        return self._embedder.embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the rows, new ones from the embedder."""
        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = self._embedder.embed_questions([text])[0]
        return np.array([self._vectors[text] for text in texts])


def stages(retriever: Retriever) -> list[Stage]:
    """Return the stages that the retriever's parts allow, from single lanes to the whole."""
    embedder = None if retriever.embedder is None else RememberingEmbedder(retriever.embedder)
    whole = replace(retriever, embedder=embedder, floor=None)
    settings = retriever.settings
    ranks = MixWeights(ranks=1, words=0, grams=0, cosine=0, judge=0)
    boosted = replace(settings, weights=ranks, judged=0)
    found = [
        Stage(name="words", rank=_lane(whole, whole.index.words.search)),
        Stage(name="grams", rank=_lane(whole, whole.index.grams.search)),
        *_dense(whole),
        Stage(name="fusion", rank=_pipeline(whole, replace(boosted, boost=0.0))),
        Stage(name="fusion + boost", rank=_pipeline(whole, boosted)),
        Stage(name="mix", rank=_pipeline(whole, replace(settings, judged=0))),
    ]
    if retriever.judge is not None and retriever.judge.fingerprint:
        found.append(Stage(name="mix + judge", rank=_pipeline(whole, settings)))
    return found


def _dense(retriever: Retriever) -> list[Stage]:
    embedder, lane = retriever.embedder, retriever.index.dense
    if embedder is None or lane is None:
        return []

    def search(text: str) -> Ranking:
        return lane.search_many(embedder.embed_questions([text]), limit=DEPTH)

    return [Stage(name="dense", rank=_lane(retriever, search))]


def _lane(retriever: Retriever, search: Callable[[str], Ranking]) -> Ranker:
    def rank(text: str) -> list[str]:
        return _documents(retriever, search(text))

    return rank


def _documents(retriever: Retriever, ranking: Ranking) -> list[str]:
    chunks = retriever.index.chunks(ranking.rows.tolist())
    return list(dict.fromkeys(chunk.document for chunk in chunks))


def _pipeline(retriever: Retriever, settings: SearchSettings) -> Ranker:
    searching = replace(retriever, settings=settings)

    def rank(text: str) -> list[str]:
        hits = searching.search(Query(question=text), limit=DEPTH).hits
        return list(dict.fromkeys(hit.chunk.document for hit in hits))

    return rank
