"""The measures of retrieval: of rankings, of refusals, and of how sure they are."""

from __future__ import annotations

from tether.retrieval.measures.intervals import Interval, paired_bootstrap, wilson
from tether.retrieval.measures.rankings import hit, ndcg, recall, reciprocal_rank
from tether.retrieval.measures.separation import RefusalPoint, auroc, refusal_at

__all__ = [
    "ndcg",
    "recall",
    "reciprocal_rank",
    "hit",
    "auroc",
    "RefusalPoint",
    "refusal_at",
    "Interval",
    "wilson",
    "paired_bootstrap",
]
