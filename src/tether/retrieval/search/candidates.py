"""The candidates of a query: the results of the lanes, fused and boosted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.errors import (
    EmbedderMismatch,
    EmbeddingFailed,
    IndexDamaged,
    costing_its_part,
)
from tether.retrieval.hit import LaneName, LaneVote, LeftOut, Ranking
from tether.retrieval.search.fusion import fuse, page_boosts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tether.retrieval.ports import Embedder, Searchable
    from tether.retrieval.query import Query
    from tether.retrieval.search.settings import SearchSettings

LEXICAL: tuple[LaneName, ...] = ("words", "grams")


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Rows in fused order with their boosts and votes; the vectors of the question's forms."""

    rows: NDArray[np.int64]
    fused: NDArray[np.float64]
    boosts: NDArray[np.float64]
    votes: dict[int, tuple[LaneVote, ...]]
    vectors: NDArray[np.float32] | None
    left_out: tuple[LeftOut, ...]


def find_candidates(
    index: Searchable,
    query: Query,
    embedder: Embedder | None,
    settings: SearchSettings,
    hidden: frozenset[int] = frozenset(),
) -> Candidates:
    """Search every lane for every form of the query, and fuse the results without hidden rows.

    Each lane has one vote, whatever the number of forms. A lane that fails or finds nothing is left
    out, with the reason. Passages that only the dense lane found, with a low cosine, are cut.
    """
    lists: dict[LaneName, list[Ranking]] = {}
    left_out: list[LeftOut] = []
    for lane in LEXICAL:
        lists[lane], missing = _lexical(index, lane, query, settings)
        left_out += missing
    lists["dense"], vectors, missing = _dense(index, query, embedder, settings)
    left_out += missing
    if hidden:
        lists = {lane: [_without(one, hidden) for one in found] for lane, found in lists.items()}
    return _fused(index, lists, vectors, tuple(left_out), settings)


def _without(ranking: Ranking, hidden: frozenset[int]) -> Ranking:
    kept = np.array([row not in hidden for row in ranking.rows.tolist()], dtype=bool)
    return Ranking(ranking.rows[kept], ranking.scores[kept])


def _lexical(
    index: Searchable, lane: LaneName, query: Query, settings: SearchSettings
) -> tuple[list[Ranking], list[LeftOut]]:
    try:
        searcher = index.words if lane == "words" else index.grams
        found = [searcher.search(form, limit=settings.per_lane) for form in query.forms]
    except IndexDamaged as damaged:
        return [], [LeftOut(part=lane, reason=damaged.message)]
    if any(len(ranking) for ranking in found):
        return found, []
    return found, [LeftOut(part=lane, reason="nothing of the question is in the index")]


def _dense(
    index: Searchable, query: Query, embedder: Embedder | None, settings: SearchSettings
) -> tuple[list[Ranking], NDArray[np.float32] | None, list[LeftOut]]:
    if embedder is None:
        return [], None, [LeftOut(part="dense", reason="no embedder was given")]
    if index.dense is None:
        return [], None, [LeftOut(part="dense", reason="the index has no vectors yet")]
    try:
        _refuse_foreign(index, embedder)
        vectors = _embedded(embedder, query.forms)
        ranking = index.dense.search_many(vectors, limit=settings.per_lane)
        if query.hypothetical.strip():
            made_up = _embedded(embedder, [query.hypothetical])
            more = index.dense.search_many(made_up, limit=settings.per_lane)
            ranking = _followed(ranking, more)
    except (EmbeddingFailed, IndexDamaged) as failed:
        return [], None, [LeftOut(part="dense", reason=failed.message)]
    return [ranking], vectors, []


def _embedded(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one vector for each text; raises `EmbeddingFailed`."""
    with costing_its_part(EmbeddingFailed, "embedder"):
        vectors = embedder.embed_questions(texts)
        expected = (len(texts), embedder.dimensions)
        if vectors.shape != expected:
            raise EmbeddingFailed(f"the embedder returned {vectors.shape}, not {expected} numbers")
    return vectors


def _refuse_foreign(index: Searchable, embedder: Embedder) -> None:
    with costing_its_part(EmbeddingFailed, "embedder"):
        found = embedder.fingerprint
    if index.embedder != found:
        message = f"the index was embedded by {index.embedder}, not by {found}"
        raise EmbedderMismatch(message)


def _followed(ranking: Ranking, more: Ranking) -> Ranking:
    """Return a ranking followed by the rows that only the other one has, in their order."""
    new = ~np.isin(more.rows, ranking.rows)
    return Ranking(
        np.concatenate([ranking.rows, more.rows[new]]),
        np.concatenate([ranking.scores, more.scores[new]]),
    )


def _fused(
    index: Searchable,
    lists: dict[LaneName, list[Ranking]],
    vectors: NDArray[np.float32] | None,
    left_out: tuple[LeftOut, ...],
    settings: SearchSettings,
) -> Candidates:
    weighted = [(ranking, 1 / len(rankings)) for rankings in lists.values() for ranking in rankings]
    rows, fused = fuse(weighted, constant=settings.fusion_constant)
    votes = _votes(lists)
    strong = np.array([_is_strong(votes[row], settings) for row in rows.tolist()], dtype=bool)
    rows, fused = rows[strong], fused[strong]
    pages = index.pages[rows]
    sizes = np.bincount(index.pages)[pages]
    boosts = page_boosts(pages, sizes, fused, strength=settings.boost)
    order = np.lexsort((rows, -fused * boosts))
    return Candidates(rows[order], fused[order], boosts[order], votes, vectors, left_out)


def _votes(lists: dict[LaneName, list[Ranking]]) -> dict[int, tuple[LaneVote, ...]]:
    """Return for each row its best rank in each lane that listed it."""
    best: dict[int, dict[LaneName, LaneVote]] = {}
    for lane, rankings in lists.items():
        for ranking in rankings:
            pairs = zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True)
            for rank, (row, score) in enumerate(pairs, start=1):
                of_row = best.setdefault(row, {})
                if lane not in of_row or rank < of_row[lane].rank:
                    of_row[lane] = LaneVote(lane=lane, rank=rank, score=score)
    return {row: tuple(of_row.values()) for row, of_row in best.items()}


def _is_strong(votes: tuple[LaneVote, ...], settings: SearchSettings) -> bool:
    return any(vote.lane != "dense" or vote.score >= settings.weak_cosine for vote in votes)
