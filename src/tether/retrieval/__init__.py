"""Grounded retrieval: read documents, index them, and find what answers a question or say no."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tether.retrieval.assembly.assembling import assemble
    from tether.retrieval.assembly.assembly import Assembly
    from tether.retrieval.assembly.numbered import numbered_block
    from tether.retrieval.assembly.retrievables import to_retrievables
    from tether.retrieval.assembly.settings import AssemblySettings
    from tether.retrieval.chunk import Chunk
    from tether.retrieval.chunking.chunker import Chunker
    from tether.retrieval.chunking.settings import ChunkSettings
    from tether.retrieval.dense.embedder import EmbedderSettings, MiniLm, OnnxEmbedder
    from tether.retrieval.dense.lane import DenseLane, DenseSettings
    from tether.retrieval.document import Block, Document, Link, Piece
    from tether.retrieval.floor.calibrate import calibrate
    from tether.retrieval.floor.calibration import Calibration
    from tether.retrieval.floor.fitted import FittedFloor
    from tether.retrieval.hit import Hit, LaneVote, LeftOut, NearPage
    from tether.retrieval.index.defaults import default_parts
    from tether.retrieval.index.index import ApplyReport, Index
    from tether.retrieval.index.parts import Parts, Step
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.snapshot import Snapshot
    from tether.retrieval.index.status import Status
    from tether.retrieval.judging.budget import JudgeBudget, JudgePace
    from tether.retrieval.judging.no_judge import NoOpJudge
    from tether.retrieval.judging.onnx_judge import JudgeSettings, OnnxJudge
    from tether.retrieval.lexical.gram_lane import GramLane
    from tether.retrieval.lexical.settings import GramSettings, WordSettings
    from tether.retrieval.lexical.word_lane import WordLane
    from tether.retrieval.passage import Passage
    from tether.retrieval.ports import Embedder, Estimator, Judge
    from tether.retrieval.providers.gathering import gather
    from tether.retrieval.providers.graph import GraphProvider
    from tether.retrieval.providers.page_graph import IndexGraph
    from tether.retrieval.providers.provider import Provider
    from tether.retrieval.providers.reranking import rerank
    from tether.retrieval.providers.vector import VectorProvider
    from tether.retrieval.providers.web import WebProvider
    from tether.retrieval.query import Query
    from tether.retrieval.ranking import Ranking
    from tether.retrieval.readers.dispatch import read_document
    from tether.retrieval.reading.limits import ReadLimits
    from tether.retrieval.reading.requests import ReadRequest, ReadResult
    from tether.retrieval.reading.workers import Workers
    from tether.retrieval.search.findings import Findings, Refusal, Verdict
    from tether.retrieval.search.memory_index import MemoryIndex
    from tether.retrieval.search.retriever import Retriever
    from tether.retrieval.search.settings import MixWeights, SearchSettings
    from tether.retrieval.source import Source, SourceItem
    from tether.retrieval.sources.discovery import source_for
    from tether.retrieval.sources.file import FileSource
    from tether.retrieval.sources.folder import FolderSource
    from tether.retrieval.sources.folder_settings import FolderSettings
    from tether.retrieval.sources.llms import LlmsTxtSource
    from tether.retrieval.sources.site_settings import SiteSettings
    from tether.retrieval.sources.sitemap import SitemapSource
    from tether.retrieval.sources.url import UrlSource
    from tether.retrieval.state import DocumentState

__all__ = [
    "ApplyReport",
    "Assembly",
    "AssemblySettings",
    "Block",
    "Calibration",
    "Chunk",
    "ChunkSettings",
    "Chunker",
    "DenseLane",
    "DenseSettings",
    "Document",
    "DocumentState",
    "Embedder",
    "EmbedderSettings",
    "Estimator",
    "FileSource",
    "Findings",
    "FittedFloor",
    "FolderSettings",
    "FolderSource",
    "GramLane",
    "GramSettings",
    "GraphProvider",
    "Hit",
    "Index",
    "IndexGraph",
    "Judge",
    "JudgeBudget",
    "JudgePace",
    "JudgeSettings",
    "LaneVote",
    "LeftOut",
    "Link",
    "LlmsTxtSource",
    "MemoryIndex",
    "MiniLm",
    "MixWeights",
    "NearPage",
    "NoOpJudge",
    "OnnxEmbedder",
    "OnnxJudge",
    "Parts",
    "Passage",
    "Piece",
    "Plan",
    "Provider",
    "Query",
    "Ranking",
    "ReadLimits",
    "ReadRequest",
    "ReadResult",
    "Refusal",
    "Retriever",
    "SearchSettings",
    "SiteSettings",
    "SitemapSource",
    "Snapshot",
    "Source",
    "SourceItem",
    "Status",
    "Step",
    "UrlSource",
    "VectorProvider",
    "Verdict",
    "WebProvider",
    "WordLane",
    "WordSettings",
    "Workers",
    "assemble",
    "calibrate",
    "default_parts",
    "gather",
    "numbered_block",
    "read_document",
    "rerank",
    "source_for",
    "to_retrievables",
]

_HOMES = {
    "ApplyReport": "index.index",
    "Assembly": "assembly.assembly",
    "AssemblySettings": "assembly.settings",
    "Block": "document",
    "Calibration": "floor.calibration",
    "Chunk": "chunk",
    "ChunkSettings": "chunking.settings",
    "Chunker": "chunking.chunker",
    "DenseLane": "dense.lane",
    "DenseSettings": "dense.lane",
    "Document": "document",
    "DocumentState": "state",
    "Embedder": "ports",
    "EmbedderSettings": "dense.embedder",
    "Estimator": "ports",
    "FileSource": "sources.file",
    "Findings": "search.findings",
    "FittedFloor": "floor.fitted",
    "FolderSettings": "sources.folder_settings",
    "FolderSource": "sources.folder",
    "GramLane": "lexical.gram_lane",
    "GramSettings": "lexical.settings",
    "GraphProvider": "providers.graph",
    "Hit": "hit",
    "Index": "index.index",
    "IndexGraph": "providers.page_graph",
    "Judge": "ports",
    "JudgeBudget": "judging.budget",
    "JudgePace": "judging.budget",
    "JudgeSettings": "judging.onnx_judge",
    "LaneVote": "hit",
    "LeftOut": "hit",
    "Link": "document",
    "LlmsTxtSource": "sources.llms",
    "MemoryIndex": "search.memory_index",
    "MiniLm": "dense.embedder",
    "MixWeights": "search.settings",
    "NearPage": "hit",
    "NoOpJudge": "judging.no_judge",
    "OnnxEmbedder": "dense.embedder",
    "OnnxJudge": "judging.onnx_judge",
    "Parts": "index.parts",
    "Passage": "passage",
    "Piece": "document",
    "Plan": "index.plan",
    "Provider": "providers.provider",
    "Query": "query",
    "Ranking": "ranking",
    "ReadLimits": "reading.limits",
    "ReadRequest": "reading.requests",
    "ReadResult": "reading.requests",
    "Refusal": "search.findings",
    "Retriever": "search.retriever",
    "SearchSettings": "search.settings",
    "SiteSettings": "sources.site_settings",
    "SitemapSource": "sources.sitemap",
    "Snapshot": "index.snapshot",
    "Source": "source",
    "SourceItem": "source",
    "Status": "index.status",
    "Step": "index.parts",
    "UrlSource": "sources.url",
    "VectorProvider": "providers.vector",
    "Verdict": "search.findings",
    "WebProvider": "providers.web",
    "WordLane": "lexical.word_lane",
    "WordSettings": "lexical.settings",
    "Workers": "reading.workers",
    "assemble": "assembly.assembling",
    "calibrate": "floor.calibrate",
    "default_parts": "index.defaults",
    "gather": "providers.gathering",
    "numbered_block": "assembly.numbered",
    "read_document": "readers.dispatch",
    "rerank": "providers.reranking",
    "source_for": "sources.discovery",
    "to_retrievables": "assembly.retrievables",
}

if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a name when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
