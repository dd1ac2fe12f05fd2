"""What all lexical lanes share: chunks to arrays, and arrays to a searcher."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tether.retrieval.lexical.analysis import Analysis
from tether.retrieval.lexical.building import Build
from tether.retrieval.lexical.searching import ArraySearcher
from tether.retrieval.lexical.settings import LexicalSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk


class ArrayLane:
    """BM25 over whatever terms an analysis reads; a lane adds its name and its fingerprint."""

    def __init__(self, analysis: Analysis, settings: LexicalSettings) -> None:
        self._reads = analysis
        self._counts = settings

    def build(
        self,
        *,
        size: int,
        fresh: Iterable[tuple[int, Chunk]],
        previous: Mapping[str, NDArray[np.generic]] | None = None,
        kept: NDArray[np.int32] | None = None,
    ) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of `size` rows; see `LexicalLane.build`."""
        build = Build(self._reads, self._counts, size)
        if previous is not None and kept is not None:
            build.carry(previous, kept)
        build.read(fresh)
        return build.arrays()

    def open(self, arrays: Mapping[str, NDArray[np.generic]]) -> ArraySearcher:
        """Return a searcher over the arrays."""
        return ArraySearcher(self._reads, self._counts, arrays)
