"""The seams of retrieval: what embeds, what judges, what estimates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Estimator = Callable[[str], int]
"""Counts the tokens of a text, exactly or from above."""


class Embedder(Protocol):
    """Turns texts into vectors of length one, the same text always into the same vector."""

    @property
    def fingerprint(self) -> str:
        """Return what the vectors depend on: model, revision, size, pooling, limits."""
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
    """Reads question and passage together and scores how well the one answers the other."""

    @property
    def fingerprint(self) -> str:
        """Return what the scores depend on; "" for a judge that has no opinion."""
        ...

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one finite score for each passage, higher is better; raises `JudgeFailed`.

        A score never depends on the other passages of the same call.
        """
        ...
