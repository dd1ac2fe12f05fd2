"""The dense lane: what it stores beside the vectors, and how it opens them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tether.core.errors import InvalidRetrievalSettings, Problem
from tether.retrieval.dense.clustering import clustered, embedded_rows
from tether.retrieval.dense.clusters import Clusters
from tether.retrieval.dense.searcher import DenseSearcher

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.hit import LaneName

GROWTH = 2
"""The clusters are made anew when there are so many times the vectors they were made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseSettings:
    """Up to `exact_up_to` vectors every one is compared; above, those of the nearest clusters.

    `recall` is the share of the true best hundred that a search of the clusters has to find, in
    trials that are about as hard as questions; it sets how many clusters are read.
    """

    exact_up_to: int = 250_000
    recall: float = 0.98

    def __post_init__(self) -> None:
        problems = [
            Problem(name, message)
            for name, message, is_wrong in (
                ("exact_up_to", "is 0 or more", self.exact_up_to < 0),
                ("recall", "lies between 0 and 1", not 0 < self.recall <= 1),
            )
            if is_wrong
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)


class DenseLane:
    """Finds the nearest vectors: by comparing all, and in a large index by clusters.

    A row of zeros is a passage that is not embedded yet; it is never found.
    """

    name: LaneName = "dense"

    __slots__ = ("_settings",)

    def __init__(self, settings: DenseSettings | None = None) -> None:
        self._settings = settings or DenseSettings()

    def build(
        self, vectors: NDArray[np.float32], previous: Mapping[str, NDArray[Any]] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Return the arrays to store beside the vectors: none while all can be compared.

        The clusters of the `previous` arrays are kept as long as the index has not outgrown them,
        and the vectors only sorted into them. Equal vectors give equal arrays on
        one machine.
        """
        rows = embedded_rows(vectors)
        if len(rows) <= self._settings.exact_up_to:
            return {}
        kept = Clusters.of(previous or {})
        if kept is not None and not kept.fits(vectors.shape[1], len(rows), GROWTH):
            kept = None
        return clustered(vectors, rows, recall=self._settings.recall, kept=kept).arrays()

    def open(
        self, vectors: NDArray[np.float32], arrays: Mapping[str, NDArray[Any]]
    ) -> DenseSearcher:
        """Return a searcher over the vectors, which are not copied; arrays of `build`."""
        return DenseSearcher(vectors, Clusters.of(arrays))
