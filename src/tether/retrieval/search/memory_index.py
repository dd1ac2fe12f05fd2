"""An index in memory, for tests, experiments and small corpora."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.chunk import Chunk
from tether.retrieval.dense.lane import DenseLane
from tether.retrieval.lexical.lanes import GramLane, WordLane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tether.retrieval.ports import DenseSearcher, Embedder, LexicalLane, LexicalSearcher


class MemoryIndex:
    """Chunks and their lanes in memory, with the same results as an index on disk.

    Without an embedder there are no vectors, and only the lexical lanes answer.
    """

    def __init__(
        self,
        chunks: Iterable[Chunk],
        *,
        embedder: Embedder | None = None,
        words: LexicalLane | None = None,
        grams: LexicalLane | None = None,
    ) -> None:
        self._chunks = tuple(chunks)
        self._words = _opened(words or WordLane(), self._chunks)
        self._grams = _opened(grams or GramLane(), self._chunks)
        numbers: dict[str, int] = {}
        pages = [numbers.setdefault(chunk.document, len(numbers)) for chunk in self._chunks]
        self._pages = np.array(pages, np.int32)
        self._embedder = "" if embedder is None else embedder.fingerprint
        self._dense = None if embedder is None else _embedded(embedder, self._chunks)

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self._chunks)

    @property
    def embedder(self) -> str:
        """The fingerprint of the embedder, "" without one."""
        return self._embedder

    @property
    def pages(self) -> NDArray[np.int32]:
        """The number of the document of each row, in the order of first appearance."""
        return self._pages

    @property
    def words(self) -> LexicalSearcher:
        """The lane over words."""
        return self._words

    @property
    def grams(self) -> LexicalSearcher:
        """The lane over parts of words."""
        return self._grams

    @property
    def dense(self) -> DenseSearcher | None:
        """The lane over vectors; None without an embedder."""
        return self._dense

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks of some rows, in their order."""
        return [self._chunks[row] for row in rows]


def _opened(lane: LexicalLane, chunks: Sequence[Chunk]) -> LexicalSearcher:
    return lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))


def _embedded(embedder: Embedder, chunks: Sequence[Chunk]) -> DenseSearcher:
    vectors = embedder.embed_passages([chunk.indexed for chunk in chunks])
    lane = DenseLane()
    return lane.open(vectors, lane.build(vectors))
