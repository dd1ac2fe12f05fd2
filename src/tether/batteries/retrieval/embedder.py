"""An embedder over HTTP: any endpoint that speaks OpenAI's `/embeddings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from tether.batteries.retrieval.endpoint import EndpointClient, JsonRequest, clean, in_order, number
from tether.core.checks import Checks
from tether.retrieval.errors import EmbeddingFailed, InvalidRetrievalSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tether.batteries.retrieval.endpoint import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpEmbedderSettings:
    """`dimensions` is the length of the model's vectors; another length in an answer is an error.

    With `ask_for_dimensions` the request names that length, which models that can shorten their
    vectors understand and others refuse. Texts are sent `batch` at a time, after their prefix and
    cut to `max_characters`.
    """

    model: str
    dimensions: int
    ask_for_dimensions: bool = False
    question_prefix: str = ""
    passage_prefix: str = ""
    batch: int = 64
    max_characters: int = 8_000

    def __post_init__(self) -> None:
        check = Checks()
        check.identifier("model", self.model)
        for name in ("dimensions", "batch", "max_characters"):
            check.whole_number(name, getattr(self, name))
        check.done(InvalidRetrievalSettings)


class HttpEmbedder:
    """Embeds at an endpoint; vectors are normalised, every failure is an `EmbeddingFailed`."""

    __slots__ = ("_client", "_endpoint", "_settings")

    def __init__(self, endpoint: Endpoint, settings: HttpEmbedderSettings) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._client = EndpointClient(endpoint, EmbeddingFailed)

    @property
    def fingerprint(self) -> str:
        """Model, size, prefixes and place: other changes at the endpoint cannot be seen."""
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
        answer = self._client.ask(JsonRequest("POST", "/embeddings", {**body, **asked}))
        entries = answer.get("data") if isinstance(answer, dict) else None
        try:
            return in_order(entries, len(given), "embedding", self._unit)
        except ValueError as error:
            raise EmbeddingFailed(f"{self._endpoint.place} {error}") from None

    def _unit(self, value: object) -> NDArray[np.float32] | None:
        """Return the normalised vector; None if it is not a vector of the right size."""
        if not isinstance(value, list):
            return None
        numbers = [number(part) for part in cast("list[object]", value)]
        known = [part for part in numbers if part is not None]
        if len(known) < len(numbers) or len(known) != self.dimensions:
            return None
        vector = np.array(known, np.float64)
        length = float(np.linalg.norm(vector))
        return (vector / length).astype(np.float32) if length > 0 else None
