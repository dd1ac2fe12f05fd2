"""The ports of retrieval: embedder, judge, estimator, chunker, lanes, and a searchable index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.document import Document
    from tether.retrieval.hit import LaneName, Ranking

    Arrays = Mapping[str, NDArray[Any]]

Estimator = Callable[[str], int]
"""Counts the tokens of a text, exactly or as an upper bound."""


class Embedder(Protocol):
    """Turns texts into vectors of length one, the same text always into the same vector."""

    @property
    def fingerprint(self) -> str:
        """Return a text that changes with the vectors: model, revision, size, pooling, limits."""
        ...

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each passage; raises `EmbeddingFailed`."""
        ...

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each question; raises `EmbeddingFailed`."""
        ...


class Judge(Protocol):
    """Reads question and passage together and scores how well the passage answers."""

    @property
    def fingerprint(self) -> str:
        """Return a text that changes with the scores; "" for a judge without an opinion."""
        ...

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one finite score for each passage, higher is better; raises `JudgeFailed`.

        A score never depends on the other passages of the same call.
        """
        ...


@runtime_checkable
class PacedJudge(Protocol):
    """A judge that knows how fast it reads on this machine."""

    def fitting(self, question: str, passages: Sequence[str], milliseconds: float) -> int:
        """Return how many passages, from the first on, can be read in so much processor time.

        Raises `JudgeFailed`.
        """
        ...


class LexicalSearcher(Protocol):
    """Searches the arrays of one generation; safe to share between threads."""

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        """Return the terms of the text, known to the index or not.

        A question without terms, such as punctuation, differs from one without matches: the lane
        has no opinion on it and is left out of the fusion.
        """
        ...

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        """Return the best rows with scores above zero; equal scores are ordered by row."""
        ...

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the score of each given row, in the given order; 0 without a match."""
        ...

    def coverage(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        """Return the share of the terms, weighted by rarity, that each given row contains.

        From 0 to 1. A term that is not in the index weighs as much as one in a single row: a
        question about another subject has many of them.
        """
        ...

    def holders(self, words: Sequence[str]) -> list[int]:
        """Return how many rows have each word, in one of the languages of the index."""
        ...


class LexicalLane(Protocol):
    """Builds and opens one lexical view of an index."""

    @property
    def name(self) -> LaneName:
        """Return the name of the lane."""
        ...

    @property
    def fingerprint(self) -> str:
        """Return a text that changes with the arrays; arrays of another are not reused."""
        ...

    def build(
        self,
        *,
        size: int,
        fresh: Iterable[tuple[int, Chunk]],
        previous: Mapping[str, NDArray[np.generic]] | None = None,
        kept: NDArray[np.int32] | None = None,
    ) -> dict[str, NDArray[np.generic]]:
        """Return the arrays of `size` rows.

        `fresh` yields new chunks with their rows. `kept` has the new number of each row of
        `previous`, or -1; these rows are copied. The result is the same as if all chunks were
        fresh. Raises `InvalidRetrievalSettings` for a row that is given twice or out of range.
        """
        ...

    def open(self, arrays: Mapping[str, NDArray[np.generic]]) -> LexicalSearcher:
        """Return a searcher over arrays of `build`, which may be mapped from disk."""
        ...


class DenseSearcher(Protocol):
    """Searches vectors of length one."""

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        """Return the rows with the highest cosine with one of the vectors."""
        ...

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the best cosine of each row with one of the vectors; NaN without a vector."""
        ...


class DenseLane(Protocol):
    """Builds arrays that speed up the search of vectors, and opens both for searching."""

    def build(self, vectors: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
        """Return the arrays to store beside the vectors; none for few vectors."""
        ...

    def open(self, vectors: NDArray[np.float32], arrays: Arrays) -> DenseSearcher:
        """Return a searcher over vectors and the arrays that were built for them."""
        ...


class Chunker(Protocol):
    """Cuts a document into chunks; the same document always gives the same chunks."""

    @property
    def fingerprint(self) -> str:
        """Return a text that changes with the chunks of an unchanged document."""
        ...

    def chunks(self, document: Document) -> tuple[Chunk, ...]:
        """Return the chunks in the order of the document, numbered from 1."""
        ...


class Searchable(Protocol):
    """One generation of an index for a search. Row `i` is the same chunk in each lane."""

    @property
    def size(self) -> int:
        """Return the number of rows."""
        ...

    @property
    def embedder(self) -> str:
        """Return the fingerprint of the embedder of the vectors; "" without vectors."""
        ...

    @property
    def pages(self) -> NDArray[np.int32]:
        """Return the number of the document of each row."""
        ...

    @property
    def words(self) -> LexicalSearcher:
        """Return the lane over words."""
        ...

    @property
    def grams(self) -> LexicalSearcher:
        """Return the lane over parts of words."""
        ...

    @property
    def dense(self) -> DenseSearcher | None:
        """Return the lane over vectors; None without vectors."""
        ...

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks of some rows, in their order."""
        ...
