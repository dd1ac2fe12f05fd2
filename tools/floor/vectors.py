"""An embedder that keeps its vectors in a file: embedding is most of the work."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tether.retrieval.dense.embedder import MiniLm

Vectors = NDArray[np.float32]


class KeptVectors:
    """Embeds as `MiniLm`, each text once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inner = MiniLm()
        self._known: dict[str, Vectors] = {}
        if path.exists():
            with np.load(path) as found:
                self._known = dict(zip(found["keys"].tolist(), found["vectors"], strict=True))

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the embedder."""
        return self._inner.fingerprint

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._inner.dimensions

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each passage."""
        return self._embedded(texts, "passage", self._inner.embed_passages)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each question."""
        return self._embedded(texts, "question", self._inner.embed_questions)

    def save(self) -> None:
        """Write every vector to the file."""
        vectors = np.array(list(self._known.values()), np.float32)
        np.savez(self._path, keys=np.array(list(self._known)), vectors=vectors)

    def _embedded(
        self, texts: Sequence[str], role: str, embed: Callable[[Sequence[str]], Vectors]
    ) -> Vectors:
        keys = [sha256(f"{role} {text}".encode()).hexdigest()[:24] for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            self._known |= dict(zip(new, embed(list(new.values())), strict=True))
        return np.array([self._known[key] for key in keys], np.float32)
