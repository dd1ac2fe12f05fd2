"""Local embedders: any BERT-like ONNX file, and the one included in the package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tether.core.checks import Checks
from tether.core.plain_data import canonical_json
from tether.retrieval.dense.model_file import VOCABULARY, ModelFile, included
from tether.retrieval.dense.onnx_model import OnnxModel
from tether.retrieval.errors import EmbeddingFailed, InvalidRetrievalSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

Pooling = Literal["mean", "class"]
"""The vector of a text: the mean of its token vectors, or that of `[CLS]`."""

SHORTEST_INPUT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """Settings of a model that its file does not contain; see the card of the model.

    The prefixes are put before each text, as E5 and BGE models expect. Texts longer than
    `max_tokens` are cut. `threads` texts are embedded at a time, 0 for one on each core; it changes
    no vector.
    """

    pooling: Pooling = "mean"
    max_tokens: int = 448
    question_prefix: str = ""
    passage_prefix: str = ""
    threads: int = 0

    def __post_init__(self) -> None:
        check = Checks()
        check.choice("pooling", self.pooling, ("mean", "class"))
        check.whole_number("max_tokens", self.max_tokens, least=SHORTEST_INPUT)
        check.whole_number("threads", self.threads, least=0)
        check.done(InvalidRetrievalSettings)


class OnnxEmbedder:
    """Embeds with a BERT-like ONNX file and its uncased WordPiece vocabulary (BGE, E5, GTE, ...).

    Vectors have length one, and each depends on its text alone, to the bit. Files are read on first
    use. Every failure is an `EmbeddingFailed`. Several threads may share it.
    """

    __slots__ = ("_dimensions", "_fingerprint", "_model", "_settings")

    def __init__(
        self,
        *,
        path: Path | ModelFile,
        vocabulary: Path,
        settings: EmbedderSettings | None = None,
    ) -> None:
        self._settings = settings or EmbedderSettings()
        self._fingerprint = ""
        self._dimensions = 0
        threads = self._settings.threads
        self._model = OnnxModel(path, vocabulary, threads=threads, failure=EmbeddingFailed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model.name!r})"

    @property
    def fingerprint(self) -> str:
        """The name of the file, and a digest of it and its settings; raises `EmbeddingFailed`."""
        if not self._fingerprint:
            self._fingerprint = f"{self._model.name}:{_digest(self._depends_on())}"
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """The length of a vector of the model; raises `EmbeddingFailed`."""
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
        words, most = self._model.words, self._settings.max_tokens
        outputs = self._model.run_all(words.single(prefix + text, most=most) for text in texts)
        return np.stack([self._pooled(output) for output in outputs])

    def _pooled(self, output: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the vector of a text, pooled from its tokens unless the model does that."""
        if output.ndim == 2:
            output = output.mean(axis=0) if self._settings.pooling == "mean" else output[0]
        length = np.linalg.norm(output)
        if output.ndim != 1 or not length:
            raise EmbeddingFailed(f"{self._model.name} gave no vector for a text", retryable=False)
        return (output / length).astype(np.float32)

    def _depends_on(self) -> Iterator[str]:
        settings = self._settings
        yield self._model.digest()
        yield _digest(self._model.vocabulary())
        yield settings.pooling
        yield str(settings.max_tokens)
        yield settings.question_prefix
        yield settings.passage_prefix


class MiniLm(OnnxEmbedder):
    """The included embedder: all-MiniLM-L6-v2 in int8, 384 dimensions, English."""

    __slots__ = ()

    DIMENSIONS = 384

    def __init__(self, *, threads: int = 0) -> None:
        super().__init__(
            path=included(
                "minilm.int8.onnx", beside="tether.retrieval", distribution="tether-models"
            ),
            vocabulary=VOCABULARY,
            settings=EmbedderSettings(threads=threads),
        )

    @property
    def dimensions(self) -> int:
        """The length of a vector, known without reading the file."""
        return self.DIMENSIONS


def _digest(parts: Iterator[str] | Sequence[str]) -> str:
    return hashlib.sha256(canonical_json(list(parts)).encode()).hexdigest()[:32]
