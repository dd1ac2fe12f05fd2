"""Embedders for measuring: the real one, watched, and a quick one whose vectors look real."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.dense.embedder import MiniLm

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOISE = 0.6
"""How long the noise on a vector is, next to the vector."""

BLOCK = 1 << 15


class WatchedEmbedder:
    """The embedder that is shipped; keeps the vectors it made."""

    def __init__(self) -> None:
        self._real = MiniLm()
        self.made: list[NDArray[np.float32]] = []

    @property
    def fingerprint(self) -> str:
        """The same as of the embedder itself."""
        return self._real.fingerprint

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._real.dimensions

    @property
    def texts(self) -> int:
        """How many passages were embedded."""
        return sum(len(vectors) for vectors in self.made)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed, and keep the vectors."""
        self.made.append(self._real.embed_passages(texts))
        return self.made[-1]

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed questions."""
        return self._real.embed_questions(texts)


class QuickEmbedder:
    """Gives a passage a vector between real ones of others; questions are truly embedded.

    So 100,000 passages have vectors within seconds, and still lie as near to questions as real ones
    do: the search has the same work. What it finds in the dense lane means nothing.
    """

    def __init__(self, pool: NDArray[np.float32]) -> None:
        self._pool = pool
        self._real = MiniLm()
        self.texts = 0

    @property
    def fingerprint(self) -> str:
        """A name that no real embedder has."""
        return f"quick:{blake2b(self._pool.tobytes(), digest_size=8).hexdigest()}"

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self._pool.shape[1])

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text that depends on it alone."""
        self.texts += len(texts)
        return np.concatenate([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
        return noisy(self._pool, 1, np.random.default_rng(seed))

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed questions as the real one does."""
        return self._real.embed_questions(texts)


def noisy(pool: NDArray[np.float32], count: int, dice: np.random.Generator) -> NDArray[np.float32]:
    """Return vectors of length one, each between two of the pool, with noise."""
    vectors = np.empty((count, pool.shape[1]), dtype=np.float32)
    for start in range(0, count, BLOCK):
        block = vectors[start : start + BLOCK]
        block[:] = dice.standard_normal(block.shape, dtype=np.float32)
        block *= NOISE / pool.shape[1] ** 0.5
        near, far = dice.integers(len(pool), size=(2, len(block)))
        share = dice.random((len(block), 1), dtype=np.float32)
        block += share * pool[near] + (1 - share) * pool[far]
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return vectors
