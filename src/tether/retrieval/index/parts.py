"""What an index is made of and with: the chunker, the lanes, the readers, the disk, the clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from tether.retrieval.index.files import Files
from tether.retrieval.lexical.lane import LexicalLane
from tether.retrieval.reading.requests import ReadAll

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.document import Document
    from tether.retrieval.ranking import Ranking

    Arrays = Mapping[str, NDArray[Any]]


class Chunker(Protocol):
    """Cuts a document into chunks, the same document always into the same ones."""

    @property
    def fingerprint(self) -> str:
        """Return what the chunks depend on besides the document."""
        ...

    def chunks(self, document: Document) -> tuple[Chunk, ...]:
        """Return the chunks in the order of the document, numbered from 1."""
        ...


class DenseSearcher(Protocol):
    """The dense lane over opened arrays."""

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the rows whose best cosine with one of the vectors is highest."""
        ...

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the best cosine of each row; NaN where the row has no vector."""
        ...


class DenseLane(Protocol):
    """Builds what makes searching vectors quick, and searches them."""

    def build(self, vectors: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
        """Return arrays beside the vectors; none where the vectors are few."""
        ...

    def open(self, vectors: NDArray[np.float32], arrays: Arrays) -> DenseSearcher:
        """Return a searcher over vectors and over the arrays that were built for them."""
        ...


Progress = Callable[["Step"], None]
"""Hears how far the work is; what it raises stops the work, and nothing that was done is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far one stage of the work is: scan, read, words, grams, write or embed."""

    stage: str
    done: int
    total: int


def unheard(step: Step) -> None:
    """Take no notice of progress."""


def now() -> str:
    """Return the time as it is written down."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything an index works with.

    `read` is a generator function, such as the `read_all` of `Workers`: it is closed when the
    reading ends early. `readers` is the fingerprint of the readers behind it: with another one,
    every document is read again.
    """

    chunker: Chunker
    words: LexicalLane
    grams: LexicalLane
    dense: DenseLane
    read: ReadAll
    readers: str = "1"
    files: Files = field(default_factory=Files)
    clock: Callable[[], str] = now

    @property
    def lanes(self) -> dict[str, LexicalLane]:
        """The lexical lanes by their names."""
        return {"words": self.words, "grams": self.grams}
