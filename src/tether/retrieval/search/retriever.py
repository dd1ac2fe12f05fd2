"""The retriever: candidates, their votes, the judge and the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tether.retrieval.errors import IndexDamaged, JudgeFailed, costing_its_part
from tether.retrieval.hit import Findings, Hit, LeftOut, Refusal, Verdict, nearest_pages
from tether.retrieval.judge import judge_best
from tether.retrieval.ports import PacedJudge
from tether.retrieval.search.candidates import Candidates, find_candidates
from tether.retrieval.search.fusion import mixed, squashed
from tether.retrieval.search.page_votes import named_shares, unwanted_news
from tether.retrieval.search.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tether.retrieval.hit import LaneName
    from tether.retrieval.ports import Embedder, Judge, Searchable
    from tether.retrieval.query import Query


LEAST_JUDGED = 4
"""With fewer passages the judge hardly changes the order, so it reads none."""


class Floor(Protocol):
    """Decides whether hits suffice; fitted for one index, embedder and judge."""

    def decide(self, query: Query, hits: Sequence[Hit]) -> Verdict:
        """Return the verdict on hits that a search with these parts found."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever:
    """Finds the passages of one index that best answer a query, or refuses.

    Without an embedder only the lexical lanes search; without a judge the mix decides; without a
    floor only an empty result is refused. The same index, query and parts give the same findings.
    Raises `EmbedderMismatch` if the index has vectors of another embedder; a lane or a judge that
    fails during a search is left out, and the findings say so.
    """

    index: Searchable
    embedder: Embedder | None = None
    judge: Judge | None = None
    floor: Floor | None = None
    settings: SearchSettings = field(default_factory=SearchSettings)

    def search(
        self, query: Query, *, limit: int = 10, hidden: frozenset[int] = frozenset()
    ) -> Findings:
        """Return the best `limit` passages, and the verdict on them.

        `hidden` rows are left out as if they were not in the index: a calibration measures with
        them how the index answers a question whose answer is missing.
        """
        if not query.forms:
            empty = LeftOut(part="question", reason="it has no text")
            return self._decided(query, (), limit, (empty,))
        found = find_candidates(self.index, query, self.embedder, self.settings, hidden)
        hits = self._weighed(query, found, limit)
        hits, failure = self._judged(query, hits)
        ranked = tuple(
            replace(hit, rank=place, score=squashed(hit.score))
            for place, hit in enumerate(hits, start=1)
        )
        left_out = (*found.left_out, *failure)
        return self._decided(query, ranked, limit, left_out)

    def _weighed(self, query: Query, found: Candidates, limit: int) -> list[Hit]:
        """Return the candidates in the order of the mix, then further ones in fused order."""
        depth = min(self.settings.candidates, len(found.rows))
        rows = found.rows[: max(depth, limit)]
        words = _mean_scores(self.index, "words", query, rows)
        grams = _mean_scores(self.index, "grams", query, rows)
        coverage = _coverage(self.index, query, rows)
        cosine = self._cosines(found, rows)
        ranks = found.fused[: len(rows)] * found.boosts[: len(rows)]
        weights = self.settings.weights
        scores = mixed(
            [
                (ranks[:depth], weights.ranks),
                (words[:depth], weights.words),
                (grams[:depth], weights.grams),
                (cosine[:depth], weights.cosine),
            ],
            depth,
        )
        chunks = self.index.chunks(rows.tolist())
        named = named_shares(self.index.words, query, chunks)
        news = unwanted_news(query, chunks)
        scores += (self.settings.title * named - self.settings.news * news)[:depth]
        lowest = float(scores.min(initial=0.0)) - 1  # a sum of reciprocal ranks is below 1
        scores = np.concatenate([scores, lowest + ranks[depth:]])
        return [
            Hit(
                chunk=chunks[place],
                rank=0,
                score=float(scores[place]),
                fused=float(found.fused[place]),
                boost=float(found.boosts[place]),
                votes=found.votes[int(rows[place])],
                words=float(words[place]),
                grams=float(grams[place]),
                coverage=float(coverage[place]),
                cosine=None if np.isnan(cosine[place]) else float(cosine[place]),
                named=float(named[place]),
                news=bool(news[place]),
            )
            for place in np.lexsort((np.arange(len(rows)), -scores)).tolist()
        ]

    def _cosines(self, found: Candidates, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        if found.vectors is None or self.index.dense is None:
            return np.full(len(rows), np.nan)
        try:
            return self.index.dense.scores_many(found.vectors, rows)
        except IndexDamaged:  # the search itself did not read the damaged part
            return np.full(len(rows), np.nan)

    def _judged(self, query: Query, hits: list[Hit]) -> tuple[list[Hit], list[LeftOut]]:
        """Let the judge vote on the first hits, which are then sorted among themselves."""
        if self.judge is None or not self.settings.judged or not query.judged:
            return hits, []
        try:
            votes = self._votes(self.judge, query, hits)
        except JudgeFailed as failed:
            return hits, [LeftOut(part="judge", reason=failed.message)]
        head, tail = hits[: len(votes)], hits[len(votes) :]
        if not head:
            return hits, []
        scores = mixed(
            [
                (np.array([hit.score for hit in head]), 1 - self.settings.weights.judge),
                (votes, self.settings.weights.judge),
            ],
            len(head),
        )
        seen = [
            replace(hit, score=float(score), judge=float(vote))
            for hit, score, vote in zip(head, scores, votes, strict=True)
        ]
        order = np.lexsort((np.arange(len(seen)), -scores)).tolist()
        return [seen[place] for place in order] + _below(float(scores.min(initial=0.0)), tail), []

    def _votes(self, judge: Judge, query: Query, hits: Sequence[Hit]) -> NDArray[np.float64]:
        """Return the judge's scores of the hits that it reads, none if it has no opinion."""
        with costing_its_part(JudgeFailed, "judge"):
            count = self._read_in_time(judge, query, hits) if judge.fingerprint else 0
            passages = [hit.chunk.indexed for hit in hits[:count]]
            return np.array(judge_best(judge, query.judged, passages) if passages else [])

    def _read_in_time(self, judge: Judge, query: Query, hits: Sequence[Hit]) -> int:
        """Return how many hits the judge reads: as many as fit into its time, and a few or none."""
        settings = self.settings
        if settings.judge_milliseconds == math.inf or not isinstance(judge, PacedJudge):
            return settings.judged
        passages = [hit.chunk.indexed for hit in hits[: settings.judged]]
        share = settings.judge_milliseconds / len(query.judged)
        count = min(judge.fitting(form, passages, share) for form in query.judged)
        return count if count >= LEAST_JUDGED else 0

    def _decided(
        self, query: Query, hits: tuple[Hit, ...], limit: int, left_out: tuple[LeftOut, ...]
    ) -> Findings:
        if not hits:
            nothing = Refusal(reason="nothing-found", nearest=())
            return Findings(query=query, hits=(), left_out=left_out, refusal=nothing)
        verdict = None if self.floor is None else self.floor.decide(query, hits)
        refusal: Refusal | None = None
        if verdict is not None and not verdict.sufficient:
            nearest = nearest_pages(hits)
            refusal = Refusal(reason="below-floor", nearest=nearest, verdict=verdict)
        return Findings(
            query=query, hits=hits[:limit], left_out=left_out, verdict=verdict, refusal=refusal
        )


def _mean_scores(
    index: Searchable, lane: LaneName, query: Query, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the mean score over the forms of the query, zeros for a lane that was left out."""
    try:
        searcher = index.words if lane == "words" else index.grams
        scores = np.array([searcher.scores(form, rows) for form in query.forms], dtype=np.float64)
    except IndexDamaged:
        return np.zeros(len(rows))
    means: NDArray[np.float64] = scores.mean(axis=0)
    return means


def _coverage(index: Searchable, query: Query, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of the question, or of its rewrite if that is more, that each row has."""
    forms = query.judged or query.forms
    try:
        found = np.array([index.words.coverage(form, rows) for form in forms], dtype=np.float64)
    except IndexDamaged:
        return np.zeros(len(rows))
    best: NDArray[np.float64] = found.max(axis=0)
    return best


def _below(score: float, hits: list[Hit]) -> list[Hit]:
    """Return the hits with their scores lowered so far that none is above `score`."""
    excess = max((hit.score - score for hit in hits), default=0.0)
    return [replace(hit, score=hit.score - max(excess, 0.0)) for hit in hits]
