"""How well a score tells questions that can be answered from those that cannot."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import groupby
from math import inf, isnan
from typing import TYPE_CHECKING

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalPoint:
    """What a threshold does: scores below it are refused.

    `refused` is the share of what should be refused that is, `false_refusals` the share of what
    should be answered that is refused with it.
    """

    threshold: float
    refused: float
    false_refusals: float


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return the chance that a positive scores above a negative, ties counting half.

    Raises `InputRefused` where there is none of the one or of the other, and for NaN, which has
    no place in an order.
    """
    _refuse_empty(positives, negatives)
    marked = sorted([(score, 1) for score in positives] + [(score, 0) for score in negatives])
    below = wins = 0.0
    for _, tied in groupby(marked, key=lambda item: item[0]):
        labels = [label for _, label in tied]
        ups = sum(labels)
        downs = len(labels) - ups
        wins += ups * (below + downs / 2)
        below += downs
    return wins / (len(positives) * len(negatives))


def refusal_at(
    answerable: Sequence[float], unanswerable: Sequence[float], *, false_refusals: float = 0.05
) -> RefusalPoint:
    """Return the highest threshold that refuses at most that share of the answerable.

    Raises `InputRefused` where there is none of the one or of the other, for NaN, and for a share
    that is not from 0 to 1.
    """
    _refuse_empty(answerable, unanswerable)
    if not 0 <= false_refusals <= 1:
        raise InputRefused(f"{false_refusals} is no share: give a number from 0 to 1")
    kept = sorted(answerable)
    allowed = int(false_refusals * len(kept) + 1e-9)  # .05 * 20 shall be 1 in floats too
    threshold = kept[allowed] if allowed < len(kept) else inf
    refused = sum(score < threshold for score in unanswerable)
    return RefusalPoint(
        threshold=threshold,
        refused=refused / len(unanswerable),
        false_refusals=bisect_left(kept, threshold) / len(kept),
    )


def _refuse_empty(ones: Sequence[float], others: Sequence[float]) -> None:
    if not ones or not others:
        raise InputRefused("needs at least one score of each kind to tell them apart")
    if any(map(isnan, ones)) or any(map(isnan, others)):
        raise InputRefused("NaN is no score: leave out the questions that have none")
