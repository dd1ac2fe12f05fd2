"""An embedder behind HTTP: every endpoint that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from tether.batteries.retrieval.asking import Asking, Question, clean, number
from tether.batteries.retrieval.by_index import in_order
from tether.core.errors import EmbeddingFailed, InvalidRetrievalSettings, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tether.batteries.retrieval.endpoint import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpEmbedderSettings:
    """`dimensions` is the length of the model's vectors; another one in an answer is an error.

    With `ask_for_dimensions` the endpoint is asked for that length, which models that can shorten
    their vectors understand and others refuse. Texts are sent `batch` at a time, behind their
    prefix and cut to `max_characters`.
    """

    model: str
    dimensions: int
    ask_for_dimensions: bool = False
    question_prefix: str = ""
    passage_prefix: str = ""
    batch: int = 64
    max_characters: int = 8_000

    def __post_init__(self) -> None:
        problems = [
            Problem(name, message)
            for name, message, is_wrong in (
                ("model", "must be named", not self.model),
                ("dimensions", "is 1 or more", self.dimensions < 1),
                ("batch", "is 1 or more", self.batch < 1),
                ("max_characters", "is 1 or more", self.max_characters < 1),
            )
            if is_wrong
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)


class HttpEmbedder:
    """Embeds at an endpoint; vectors are made length one, every failure is an `EmbeddingFailed`."""

    __slots__ = ("_asking", "_endpoint", "_settings")

    def __init__(
        self, endpoint: Endpoint, settings: HttpEmbedderSettings, *, asking: Asking | None = None
    ) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._asking = asking or Asking(endpoint, EmbeddingFailed)

    @property
    def fingerprint(self) -> str:
        """Model, size, prefixes and place: what an endpoint changes behind them cannot be seen."""
        settings = self._settings
        parts = (
            settings.model,
            str(settings.dimensions),
            repr(settings.question_prefix),
            repr(settings.passage_prefix),
            str(settings.max_characters),
            self._endpoint.digest,
        )
        return f"http-embedder:{':'.join(parts)}"

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._settings.dimensions

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each passage; raises `EmbeddingFailed`."""
        return self._embedded(texts, self._settings.passage_prefix)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each question; raises `EmbeddingFailed`."""
        return self._embedded(texts, self._settings.question_prefix)

    def _embedded(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        size = self._settings.batch
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), size):
            batch = texts[start : start + size]
            rows[start : start + len(batch)] = self._batch(batch, prefix)
        return rows

    def _batch(self, texts: Sequence[str], prefix: str) -> list[NDArray[np.float32]]:
        settings = self._settings
        given = [clean((prefix + text)[: settings.max_characters]) for text in texts]
        body = {"model": settings.model, "input": given, "encoding_format": "float"}
        asked = {"dimensions": settings.dimensions} if settings.ask_for_dimensions else {}
        answer = self._asking.ask(Question("POST", "/embeddings", {**body, **asked}))
        entries = answer.get("data") if isinstance(answer, dict) else None
        try:
            return in_order(entries, len(given), "embedding", self._unit)
        except ValueError as error:
            raise EmbeddingFailed(f"{self._endpoint.place} {error}") from None

    def _unit(self, value: object) -> NDArray[np.float32] | None:
        """Return the vector with length one; None unless it is one of the right size."""
        if not isinstance(value, list):
            return None
        numbers = [number(part) for part in cast("list[object]", value)]
        known = [part for part in numbers if part is not None]
        if len(known) < len(numbers) or len(known) != self.dimensions:
            return None
        vector = np.array(known, np.float64)
        length = float(np.linalg.norm(vector))
        return (vector / length).astype(np.float32) if length > 0 else None
