"""Measures of retrieval: of rankings, of refusals, and their confidence intervals.

A ranking is a sequence of ids, best first; a repeated id counts in its first place. `relevant` maps
ids to grades: an id with a grade above 0 is relevant. A question without a relevant item cannot be
measured: leave it out of the mean.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import groupby, islice
from math import inf, isnan, log2, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    Key = TypeVar("Key", bound=Hashable)

_CELLS_AT_ONCE = 1_000_000


def ndcg(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 10) -> float:
    """Return the normalised discounted cumulative gain of the first k, from 0 to 1.

    As in `trec_eval` and BEIR: the gain is the grade itself, divided by log2(rank + 1), and the
    ideal ranking has all relevant items. 0 without a relevant item.
    """
    ideal = _discounted(sorted(_positive(relevant.values()), reverse=True)[:k])
    gains = [max(relevant.get(key, 0.0), 0.0) for key in _first(ranked, k)]
    return _discounted(gains) / ideal if ideal else 0.0


def recall(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 10) -> float:
    """Return the share of the relevant items among the first k; 0 without a relevant item."""
    total = len(_positive(relevant.values()))
    found = sum(relevant.get(key, 0.0) > 0 for key in _first(ranked, k))
    return found / total if total else 0.0


def reciprocal_rank(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 10) -> float:
    """Return 1 / rank of the first relevant item among the first k, 0 without one.

    Its mean over questions is the MRR.
    """
    for rank, key in enumerate(_first(ranked, k), 1):
        if relevant.get(key, 0.0) > 0:
            return 1 / rank
    return 0.0


def hit(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 1) -> float:
    """Return 1 if a relevant item is among the first k, else 0."""
    return float(any(relevant.get(key, 0.0) > 0 for key in _first(ranked, k)))


def _first(ranked: Iterable[Key], k: int) -> Iterable[Key]:
    return islice(dict.fromkeys(ranked), k)


def _positive(grades: Iterable[float]) -> list[float]:
    return [grade for grade in grades if grade > 0]


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalPoint:
    """The effect of a threshold below which scores are refused.

    `refused` is the share of the unanswerable questions that are refused, `false_refusals` that of
    the answerable ones.
    """

    threshold: float
    refused: float
    false_refusals: float


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """Return the chance that a positive scores above a negative, ties counting half.

    Raises `InputRefused` if there are none of either kind, and for NaN, which cannot be ordered.
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
    """Return the highest threshold that refuses at most this share of the answerable.

    Raises `InputRefused` if there are none of either kind, for NaN, and for a share that is not
    from 0 to 1.
    """
    _refuse_empty(answerable, unanswerable)
    if not 0 <= false_refusals <= 1:
        raise InputRefused(f"{false_refusals} is not a share: give a number from 0 to 1")
    kept = sorted(answerable)
    allowed = int(false_refusals * len(kept) + 1e-9)  # .05 * 20 must be 1 in floats too
    threshold = kept[allowed] if allowed < len(kept) else inf
    refused = sum(score < threshold for score in unanswerable)
    return RefusalPoint(
        threshold=threshold,
        refused=refused / len(unanswerable),
        false_refusals=bisect_left(kept, threshold) / len(kept),
    )


def _refuse_empty(ones: Sequence[float], others: Sequence[float]) -> None:
    if not ones or not others:
        raise InputRefused("at least one score of each kind is needed to compare them")
    if any(map(isnan, ones)) or any(map(isnan, others)):
        raise InputRefused("NaN is not a score: leave out the questions without one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A number, and the range that contains the true one with the given confidence."""

    value: float
    low: float
    high: float


def wilson(successes: int, total: int, *, confidence: float = 0.95) -> Interval:
    """Return a share with Wilson's score interval, which is valid for few cases and for 0 or all.

    Raises `InputRefused` without a case, for more successes than cases, and for a confidence that
    is not between 0 and 1.
    """
    _refuse_confidence(confidence)
    if not 0 <= successes <= total or total == 0:
        raise InputRefused(f"{successes} of {total} is not a share: give at least one case")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / total
    centre = share + z * z / (2 * total)
    reach = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    whole = 1 + z * z / total
    low = 0.0 if successes == 0 else (centre - reach) / whole
    high = 1.0 if successes == total else (centre + reach) / whole
    return Interval(value=share, low=low, high=high)


def paired_bootstrap(
    ones: Sequence[float],
    others: Sequence[float],
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Return the mean of `ones[i] - others[i]` with its percentile bootstrap interval.

    The pairs are the same questions under two systems. An interval that contains 0 shows no
    difference. The same input gives the same interval. Raises `InputRefused` if the two differ in
    length, are empty or not finite, without a resample, and for a confidence that is not between 0
    and 1.
    """
    _refuse_confidence(confidence)
    if resamples < 1:
        raise InputRefused(f"{resamples} resamples are too few: draw at least one")
    if not ones or len(ones) != len(others):
        raise InputRefused(f"{len(ones)} and {len(others)} values cannot be paired")
    differences = np.asarray(ones, dtype=np.float64) - np.asarray(others, dtype=np.float64)
    if not np.isfinite(differences).all():
        raise InputRefused("a value is not finite: leave out the questions without one")
    means = _resampled_means(differences, resamples, np.random.default_rng(seed))
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(value=float(differences.mean()), low=float(low), high=float(high))


def _refuse_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise InputRefused(f"a confidence must be between 0 and 1, not {confidence}")


def _resampled_means(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], resamples: int, draw: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Draw with replacement, in batches of resamples that limit the memory."""
    size = len(values)
    step = max(1, _CELLS_AT_ONCE // size)
    counts = [min(step, resamples - done) for done in range(0, resamples, step)]
    batches = [values[draw.integers(0, size, (count, size))].mean(axis=1) for count in counts]
    return np.concatenate(batches)
