"""The settings of parts at an endpoint, each a table of a file; without a `url` none is called."""

from __future__ import annotations

from dataclasses import dataclass

from tether.batteries.retrieval.judge import RerankShape
from tether.batteries.retrieval.web_search import SearchShape


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteEmbedder:
    """An embedder that speaks OpenAI's `/embeddings`, in place of the included one."""

    url: str = ""
    model: str = ""
    dimensions: int = 0
    api_key_env: str = ""
    question_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteReranker:
    """A judge of passages at a rerank endpoint, in place of the included one."""

    url: str = ""
    shape: RerankShape = "tei"
    model: str = ""
    api_key_env: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSearch:
    """A web search for a model with tools; only results on the hosts of `web` are shown."""

    url: str = ""
    shape: SearchShape = "searxng"
    api_key_env: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTelemetry:
    """A collector for OTLP over HTTP; `content` lets texts leave, too."""

    url: str = ""
    content: bool = False
