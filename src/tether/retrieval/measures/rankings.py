"""How good one ranking is, for one question whose relevant items are known.

A ranking is a sequence of ids, best first; an id that comes twice counts where it comes first.
`relevant` maps ids to grades: more than 0 is relevant, and what is not in it is not. A question
without a relevant item cannot be measured: leave it out of the mean.
"""

from __future__ import annotations

from itertools import islice
from math import log2
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    Key = TypeVar("Key", bound=Hashable)


def ndcg(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 10) -> float:
    """Return the normalised discounted cumulative gain of the first k, from 0 to 1.

    As `trec_eval` and BEIR have it: the gain is the grade itself, divided by log2(rank + 1), and
    the ideal ranking holds all relevant items. 0 where none is relevant.
    """
    ideal = _discounted(sorted(_positive(relevant.values()), reverse=True)[:k])
    gains = [max(relevant.get(key, 0.0), 0.0) for key in _first(ranked, k)]
    return _discounted(gains) / ideal if ideal else 0.0


def recall(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 10) -> float:
    """Return which share of the relevant items is among the first k; 0 where none is relevant."""
    total = len(_positive(relevant.values()))
    found = sum(relevant.get(key, 0.0) > 0 for key in _first(ranked, k))
    return found / total if total else 0.0


def reciprocal_rank(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 10) -> float:
    """Return 1 / rank of the first relevant item among the first k, 0 where there is none.

    Its mean over questions is the MRR.
    """
    for rank, key in enumerate(_first(ranked, k), 1):
        if relevant.get(key, 0.0) > 0:
            return 1 / rank
    return 0.0


def hit(ranked: Iterable[Key], relevant: Mapping[Key, float], k: int = 1) -> float:
    """Return 1 where a relevant item is among the first k, else 0."""
    return float(any(relevant.get(key, 0.0) > 0 for key in _first(ranked, k)))


def _first(ranked: Iterable[Key], k: int) -> Iterable[Key]:
    return islice(dict.fromkeys(ranked), k)


def _positive(grades: Iterable[float]) -> list[float]:
    return [grade for grade in grades if grade > 0]


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))
