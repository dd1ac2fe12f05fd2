"""A judge over HTTP: the rerank endpoints of Cohere, Jina and Text Embeddings Inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from tether.batteries.retrieval.endpoint import EndpointClient, JsonRequest, clean, in_order, number
from tether.core.checks import Checks
from tether.retrieval.errors import InvalidRetrievalSettings, JudgeFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.batteries.retrieval.endpoint import Endpoint

RerankShape = Literal["cohere", "jina", "tei"]
"""The provider's form of requests: base addresses are `https://api.cohere.com/v2`,
`https://api.jina.ai/v1`, and that of the TEI server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpJudgeSettings:
    """`model` is its name at the endpoint (TEI serves one and needs no name).

    Passages are sent `batch` at a time; they and the question are cut to `max_characters`.
    """

    shape: RerankShape
    model: str = ""
    batch: int = 32
    max_characters: int = 8_000

    def __post_init__(self) -> None:
        check = Checks()
        check.choice("shape", self.shape, get_args(RerankShape))
        if self.shape != "tei":
            check.identifier("model", self.model)
        for name in ("batch", "max_characters"):
            check.whole_number(name, getattr(self, name))
        check.done(InvalidRetrievalSettings)


class HttpJudge:
    """Lets a rerank endpoint score passages; every failure is a `JudgeFailed`."""

    __slots__ = ("_client", "_endpoint", "_settings")

    def __init__(self, endpoint: Endpoint, settings: HttpJudgeSettings) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._client = EndpointClient(endpoint, JudgeFailed)

    @property
    def fingerprint(self) -> str:
        """Shape, model and place: other changes at the endpoint cannot be seen."""
        settings = self._settings
        place = self._endpoint.digest
        return f"http-judge:{settings.shape}:{settings.model}:{settings.max_characters}:{place}"

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one score for each passage; raises `JudgeFailed`."""
        size = self._settings.batch
        return [
            score
            for start in range(0, len(passages), size)
            for score in self._batch(question, passages[start : start + size])
        ]

    def _batch(self, question: str, passages: Sequence[str]) -> list[float]:
        most = self._settings.max_characters
        texts = [clean(text[:most]) for text in passages]
        body = self._body(clean(question[:most]), texts)
        answer = self._client.ask(JsonRequest("POST", "/rerank", body))
        field = "score" if self._settings.shape == "tei" else "relevance_score"
        entries = answer.get("results") if isinstance(answer, dict) else answer
        try:
            return in_order(entries, len(texts), field, number)
        except ValueError as error:
            raise JudgeFailed(f"{self._endpoint.place} {error}") from None

    def _body(self, question: str, texts: list[str]) -> dict[str, Any]:
        if self._settings.shape == "tei":
            return {"query": question, "texts": texts, "raw_scores": True, "truncate": True}
        body = {"model": self._settings.model, "query": question, "documents": texts}
        own = {"return_documents": False} if self._settings.shape == "jina" else {}
        return {**body, "top_n": len(texts), **own}
