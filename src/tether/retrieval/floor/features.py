"""The numbers that tell whether hits are likely to answer a question."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tether.retrieval.hit import Hit

LEXICAL = ("coverage", "coverage_mean", "words", "agreement")
DENSE = ("cosine", "cosine_mean")
JUDGED = ("judge", "judge_mean")
DEPTH = 5


def features(hits: Sequence[Hit]) -> dict[str, float]:
    """Return the features of the hits by name.

    The best value among the first hits says whether one passage fits; the mean of the first few
    says whether the neighbourhood is the right one at all. `agreement` is the share of lanes that
    list the first hit among their first ten: lanes that err differently rarely agree by accident.
    """
    first = list(hits[:DEPTH])
    cosines = [hit.cosine for hit in first if hit.cosine is not None]
    judged = [hit.judge for hit in hits if hit.judge is not None]
    values = {
        "coverage": max(hit.coverage for hit in first),
        "coverage_mean": _mean([hit.coverage for hit in first]),
        "words": math.log1p(max(hit.words for hit in first)),
        "agreement": sum(vote.rank <= 10 for vote in first[0].votes) / 3,
    }
    if cosines:
        values |= {"cosine": max(cosines), "cosine_mean": _mean(cosines)}
    if judged:
        judged.sort(reverse=True)
        values |= {"judge": judged[0], "judge_mean": _mean(judged[:DEPTH])}
    return values


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
