"""Fits the weights of the mix to questions of one index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.query import Query
from tether.retrieval.search.fusion import standardised
from tether.retrieval.search.settings import MixWeights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.floor.questions import GivenQuestion
    from tether.retrieval.hit import Hit
    from tether.retrieval.search.retriever import Retriever

LEAST = 50
"""With fewer questions, weights that were fitted to other documents are better."""

STEPS = (0.05, 0.1, 0.2)
"""Gains change in jumps: a larger step may help if a small one changes nothing."""

MOST_JUDGE = 0.7
"""A judge is only one vote: alone it is worse than plain fusion on some documents."""

VOTES = ("ranks", "words", "grams", "cosine", "judge")


def fit_mix(
    retriever: Retriever, pages: Mapping[str, int], given: Sequence[GivenQuestion]
) -> MixWeights | None:
    """Return weights that rank better for the questions of this index, None if there are none.

    `pages` has the number of each document.
    """
    ballots = [ballot for one in given if (ballot := _ballot(retriever, pages, one)) is not None]
    if len(ballots) < LEAST:
        return None
    start = retriever.settings.weights
    fitted = fit_weights(ballots, start)
    return None if fitted == start else fitted


def _ballot(retriever: Retriever, pages: Mapping[str, int], one: GivenQuestion) -> Ballot | None:
    relevant = frozenset(pages[key] for key in one.documents if key in pages)
    if not relevant:
        return None
    depth = retriever.settings.candidates
    hits = retriever.search(Query(question=one.text), limit=depth).hits
    if not hits:
        return None
    numbers = np.array([pages[hit.chunk.document] for hit in hits], np.int32)
    return Ballot.of([_column(hits, name) for name in VOTES], numbers, relevant)


def _column(hits: Sequence[Hit], name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = [hit.fused * hit.boost if name == "ranks" else getattr(hit, name) for hit in hits]
    return np.array([np.nan if value is None else value for value in values], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Ballot:
    """The candidates of one question: their standardised votes, pages, and relevance.

    `votes` has a row for each candidate and a column for each of `VOTES`. `relevant` is the number
    of pages that answer the question, found or not.
    """

    votes: NDArray[np.float64]
    pages: NDArray[np.int32]
    answers: NDArray[np.bool_]
    relevant: int

    @classmethod
    def of(
        cls,
        columns: Sequence[NDArray[np.float64]],
        pages: NDArray[np.int32],
        relevant: frozenset[int],
    ) -> Ballot:
        """Make a ballot from raw scores, one column for each of `VOTES`."""
        votes = np.column_stack([standardised(column) for column in columns])
        answers = np.array([page in relevant for page in pages.tolist()], dtype=bool)
        return cls(votes, pages, answers, len(relevant))

    def gain(self, weights: NDArray[np.float64], *, depth: int = 10) -> float:
        """Return the nDCG of the pages, each at the place of its best candidate."""
        order = np.argsort(-(self.votes @ weights), kind="stable")
        _, first = np.unique(self.pages[order], return_index=True)
        places = np.sort(first)[:depth]
        found = self.answers[order][places]
        discounts = 1 / np.log2(np.arange(2, depth + 2))
        best = float(discounts[: min(self.relevant, depth)].sum())
        return float(discounts[: len(found)] @ found) / best


def fit_weights(
    ballots: Sequence[Ballot], start: MixWeights, *, caution: float = 0.002
) -> MixWeights:
    """Return weights that rank the ballots better than `start`, or `start`.

    Weight is moved from one vote to another as long as the mean gain rises by `caution` or more:
    with few questions, the best of many mixes is best by chance. The judge never gets more than
    `MOST_JUDGE`.
    """
    first = current = _row(start)
    score = _mean_gain(ballots, current)
    while True:
        better = max(_moves(current), key=lambda row: _mean_gain(ballots, row))
        gained = _mean_gain(ballots, better)
        if gained < score + caution:
            return start if current is first else _weights(current)
        current, score = better, gained


def _row(weights: MixWeights) -> NDArray[np.float64]:
    """Return the shares of all votes: that of the judge, and those of the lanes in the rest."""
    lanes = np.array([float(getattr(weights, name)) for name in VOTES[:-1]], np.float64)
    shares: NDArray[np.float64] = np.append(
        lanes / lanes.sum() * (1 - weights.judge), weights.judge
    )
    return shares


def _weights(row: NDArray[np.float64]) -> MixWeights:
    judge = float(row[-1])
    lanes = [round(float(share) / (1 - judge), 6) for share in row[:-1]]
    return MixWeights(**dict(zip(VOTES, [*lanes, round(judge, 6)], strict=True)))


def _mean_gain(ballots: Sequence[Ballot], row: NDArray[np.float64]) -> float:
    return float(np.mean([ballot.gain(row) for ballot in ballots]))


def _moves(row: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the rows in which one vote gives a part of its weight to another, for every pair."""
    moved: list[NDArray[np.float64]] = []
    for giver, taker, step in product(range(len(VOTES)), range(len(VOTES)), STEPS):
        too_much = VOTES[taker] == "judge" and row[taker] + step > MOST_JUDGE
        if giver != taker and row[giver] >= step - 1e-9 and not too_much:
            other = row.copy()
            other[giver] = max(0.0, other[giver] - step)
            other[taker] += step
            moved.append(other)
    return moved
