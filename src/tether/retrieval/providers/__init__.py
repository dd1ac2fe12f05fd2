"""Where passages come from: the index, the neighbours of its hits, the web; and their one order."""

from __future__ import annotations

from tether.retrieval.providers.chunk_passage import passage_of
from tether.retrieval.providers.gathering import gather
from tether.retrieval.providers.graph import GraphProvider
from tether.retrieval.providers.hosts import AllowedHosts
from tether.retrieval.providers.page_graph import IndexGraph, PageGraph
from tether.retrieval.providers.provider import Provider, Supply
from tether.retrieval.providers.reranking import rerank
from tether.retrieval.providers.searching import Search
from tether.retrieval.providers.vector import VectorProvider
from tether.retrieval.providers.web import WebProvider
from tether.retrieval.providers.web_result import WebResult, WebSearch

__all__ = [
    "Provider",
    "Supply",
    "Search",
    "VectorProvider",
    "GraphProvider",
    "PageGraph",
    "IndexGraph",
    "WebProvider",
    "WebResult",
    "WebSearch",
    "AllowedHosts",
    "gather",
    "rerank",
    "passage_of",
]
