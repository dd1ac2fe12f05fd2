"""The votes on one question's candidates, kept apart so that weights can be fitted to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.search.mix import standardised
from tether.retrieval.search.settings import MixWeights

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = (0.05, 0.1, 0.2)
"""Gains change in jumps, so that a small step may change nothing where a larger one would."""

MOST_JUDGE = 0.7
"""A judge is one vote: alone it loses to plain fusion on some documents."""

VOTES = ("ranks", "words", "grams", "cosine", "judge")


@dataclass(frozen=True, slots=True, eq=False)
class Ballot:
    """One question: each candidate's standardised votes, its page, and whether that answers.

    `votes` has a row for each candidate and a column for each of `VOTES`. `relevant` is how many
    pages answer the question, found or not.
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
    """Return weights that order the ballots better than `start`, or `start` where none do.

    Weight is moved from one vote to another as long as the mean gain rises by `caution` or more:
    with few questions the best of many mixes is best by luck, and the given one was chosen on
    others' documents. The judge never gets more than `MOST_JUDGE`.
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
    """Return the shares of all votes: the judge's, and the lanes' of what it leaves."""
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
    """Return the row with a part of the weight of one vote given to another, for every pair."""
    moved: list[NDArray[np.float64]] = []
    for giver, taker, step in product(range(len(VOTES)), range(len(VOTES)), STEPS):
        too_much = VOTES[taker] == "judge" and row[taker] + step > MOST_JUDGE
        if giver != taker and row[giver] >= step - 1e-9 and not too_much:
            other = row.copy()
            other[giver] = max(0.0, other[giver] - step)
            other[taker] += step
            moved.append(other)
    return moved
