"""Fitting the weights of the mix to questions of this index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.query import Query
from tether.retrieval.search.ballots import VOTES, Ballot, fit_weights

if TYPE_CHECKING:
    from tether.retrieval.floor.asking import GivenQuestion
    from tether.retrieval.hit import Hit
    from tether.retrieval.search.retriever import Retriever
    from tether.retrieval.search.settings import MixWeights

LEAST = 50
"""With fewer questions the weights that were chosen on other documents are the better guess."""


def fit_mix(
    retriever: Retriever, pages: Mapping[str, int], given: Sequence[GivenQuestion]
) -> MixWeights | None:
    """Return weights that order this index's own questions better, None where the given ones stay.

    `pages` gives the number of each document.
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
