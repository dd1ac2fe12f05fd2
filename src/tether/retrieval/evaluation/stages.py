"""The lanes and stages of a search as separate systems, and their measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import InputRefused
from tether.retrieval.measures import hit, ndcg, recall, reciprocal_rank
from tether.retrieval.query import Query
from tether.retrieval.search.retriever import Retriever
from tether.retrieval.search.settings import MixWeights, SearchSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.evaluation.dataset import LabelledQuestion
    from tether.retrieval.hit import Ranking
    from tether.retrieval.ports import Embedder

DEPTH = 100

Ranker = Callable[[str], list[str]]
"""Ranks documents for a question by their best passage, best first."""

MEASURES: dict[str, Callable[[list[str], dict[str, float]], float]] = {
    "ndcg@10": lambda ranked, relevant: ndcg(ranked, relevant, 10),
    "mrr@10": lambda ranked, relevant: reciprocal_rank(ranked, relevant, 10),
    "hit@1": lambda ranked, relevant: hit(ranked, relevant, 1),
    "hit@5": lambda ranked, relevant: hit(ranked, relevant, 5),
    "recall@10": lambda ranked, relevant: recall(ranked, relevant, 10),
    "recall@100": lambda ranked, relevant: recall(ranked, relevant, 100),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A lane, or the pipeline up to a point."""

    name: str
    rank: Ranker


class RememberingEmbedder:
    """Embeds each question only once for all stages."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def fingerprint(self) -> str:
        """That of the embedder."""
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        """That of the embedder."""
        return self._embedder.dimensions

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the embedder."""
        return self._embedder.embed_passages(texts)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors, new ones from the embedder."""
        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = self._embedder.embed_questions([text])[0]
        return np.array([self._vectors[text] for text in texts])


def stages(retriever: Retriever) -> list[Stage]:
    """Return the stages that the parts of the retriever allow, from single lanes to the whole."""
    embedder = None if retriever.embedder is None else RememberingEmbedder(retriever.embedder)
    whole = replace(retriever, embedder=embedder, floor=None)
    settings = retriever.settings
    ranks = MixWeights(ranks=1, words=0, grams=0, cosine=0, judge=0)
    boosted = replace(settings, weights=ranks, title=0.0, news=0.0, judged=0)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """The measures of a stage: the mean of each, and its values by question."""

    stage: str
    questions: int
    measures: dict[str, float]
    by_question: dict[str, tuple[float, ...]]


def evaluate(
    stages: Sequence[Stage],
    questions: Sequence[LabelledQuestion],
    *,
    progress: Callable[[int, int], None],
) -> list[StageResult]:
    """Return the measures of each stage; raises `InputRefused` without a question."""
    if not questions:
        raise InputRefused("there is no question with an answer to measure on")
    total = len(stages) * len(questions)
    results: list[StageResult] = []
    for place, stage in enumerate(stages):
        values: dict[str, list[float]] = {name: [] for name in MEASURES}
        for number, question in enumerate(questions, start=1):
            ranked = stage.rank(question.text)
            relevant = {key: float(grade) for key, grade in question.relevant.items()}
            for name, measure in MEASURES.items():
                values[name].append(measure(ranked, relevant))
            progress(place * len(questions) + number, total)
        results.append(_result(stage.name, values))
    return results


def _result(stage: str, values: dict[str, list[float]]) -> StageResult:
    return StageResult(
        stage=stage,
        questions=len(values["hit@1"]),
        measures={name: fmean(of_questions) for name, of_questions in values.items()},
        by_question={name: tuple(of_questions) for name, of_questions in values.items()},
    )
