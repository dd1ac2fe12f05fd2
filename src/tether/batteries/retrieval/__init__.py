"""Retrieval over HTTP: an embedder, a judge and a web search at an endpoint."""

from tether.batteries.retrieval.embedder import HttpEmbedder, HttpEmbedderSettings
from tether.batteries.retrieval.endpoint import Endpoint
from tether.batteries.retrieval.judge import HttpJudge, HttpJudgeSettings
from tether.batteries.retrieval.web_search import HttpWebSearch, WebSearchSettings

__all__ = [
    "Endpoint",
    "HttpEmbedder",
    "HttpEmbedderSettings",
    "HttpJudge",
    "HttpJudgeSettings",
    "HttpWebSearch",
    "WebSearchSettings",
]
