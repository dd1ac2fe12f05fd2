"""Embedders that run here: any BERT-like ONNX file, and the one that is shipped."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from tether.core.canonical import canonical_json
from tether.core.errors import EmbeddingFailed, InvalidRetrievalSettings, Problem
from tether.retrieval.dense.onnx_model import OnnxModel
from tether.retrieval.dense.vocabulary import read_vocabulary
from tether.retrieval.dense.word_pieces import WordPieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

Pooling = Literal["mean", "class"]
"""How the vectors of the tokens become one: their mean, or that of `[CLS]`."""

SHORTEST_INPUT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """What belongs to a model beside its file: its card says so.

    The prefixes are put before each text, as E5 and BGE models want it. Longer texts than
    `max_tokens` lose their end. `threads` texts are embedded at a time, all cores where it is 0;
    it changes no vector.
    """

    pooling: Pooling = "mean"
    max_tokens: int = 256
    question_prefix: str = ""
    passage_prefix: str = ""
    threads: int = 0

    def __post_init__(self) -> None:
        problems = [
            Problem(name, message)
            for name, message, is_wrong in (
                ("pooling", "is mean or class", self.pooling not in ("mean", "class")),
                ("max_tokens", f"is {SHORTEST_INPUT} or more", self.max_tokens < SHORTEST_INPUT),
                ("threads", "is 0 or more", self.threads < 0),
            )
            if is_wrong
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)


class OnnxEmbedder:
    """Embeds with a BERT-like ONNX file and its uncased WordPiece vocabulary (BGE, E5, GTE, ...).

    Vectors have length one, and each depends on its text alone, to the bit. Files are read when
    they are first needed. Every failure is an `EmbeddingFailed`. Several threads may share it.
    """

    __slots__ = (
        "_dimensions",
        "_fingerprint",
        "_model",
        "_name",
        "_settings",
        "_vocabulary",
        "_words",
    )

    def __init__(
        self, *, path: Path, vocabulary: Path, settings: EmbedderSettings | None = None
    ) -> None:
        self._settings = settings or EmbedderSettings()
        self._name = path.stem
        self._vocabulary = vocabulary
        self._words: WordPieces | None = None
        self._fingerprint = ""
        self._dimensions = 0
        threads = self._settings.threads or os.cpu_count() or 1
        self._model = OnnxModel(path, threads=threads, failure=EmbeddingFailed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    @property
    def fingerprint(self) -> str:
        """The file's name, and a digest of what the vectors depend on; raises `EmbeddingFailed`."""
        if not self._fingerprint:
            self._fingerprint = f"{self._name}:{_digest(self._depends_on())}"
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """The length of a vector, as the model gives it; raises `EmbeddingFailed`."""
        if not self._dimensions:
            self._dimensions = self.embed_questions([""]).shape[1]
        return self._dimensions

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each passage; raises `EmbeddingFailed`."""
        return self._embedded(texts, self._settings.passage_prefix)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each question; raises `EmbeddingFailed`."""
        return self._embedded(texts, self._settings.question_prefix)

    def _embedded(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        words, most = self._tokenizer(), self._settings.max_tokens
        outputs = self._model.run_all(words.single(prefix + text, most=most) for text in texts)
        return np.stack([self._pooled(output) for output in outputs])

    def _pooled(self, output: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the one vector of a text, from that of each token or from the model itself."""
        if output.ndim == 2:
            output = output.mean(axis=0) if self._settings.pooling == "mean" else output[0]
        length = np.linalg.norm(output)
        if output.ndim != 1 or not length:
            raise EmbeddingFailed(f"{self._name} gave no vector for a text", retryable=False)
        return (output / length).astype(np.float32)

    def _tokenizer(self) -> WordPieces:
        if self._words is None:
            self._words = WordPieces(read_vocabulary(self._vocabulary, EmbeddingFailed))
        return self._words

    def _depends_on(self) -> Iterator[str]:
        settings = self._settings
        yield self._model.digest()
        yield _digest(read_vocabulary(self._vocabulary, EmbeddingFailed))
        yield settings.pooling
        yield str(settings.max_tokens)
        yield settings.question_prefix
        yield settings.passage_prefix


class MiniLm(OnnxEmbedder):
    """The embedder that is shipped: all-MiniLM-L6-v2 in int8, 384 dimensions, English."""

    __slots__ = ()

    DIMENSIONS = 384

    def __init__(self, *, threads: int = 0) -> None:
        folder = Path(str(files("tether.retrieval").joinpath("models")))
        super().__init__(
            path=folder / "minilm.int8.onnx",
            vocabulary=folder / "vocab.txt",
            settings=EmbedderSettings(threads=threads),
        )

    @property
    def dimensions(self) -> int:
        """The length of a vector; known without reading the file."""
        return self.DIMENSIONS


def _digest(parts: Iterator[str] | Sequence[str]) -> str:
    return hashlib.sha256(canonical_json(list(parts)).encode()).hexdigest()[:32]
