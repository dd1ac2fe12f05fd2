"""Grounded retrieval: read documents, index them, and find passages for a question, or refuse."""

from typing import TYPE_CHECKING

from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.retrieval.assembly.admission import assemble as assemble
    from tether.retrieval.assembly.assembly import Assembly as Assembly
    from tether.retrieval.assembly.assembly import AssemblySettings as AssemblySettings
    from tether.retrieval.assembly.envelope import numbered_block as numbered_block
    from tether.retrieval.assembly.envelope import to_retrievables as to_retrievables
    from tether.retrieval.chunk import Chunk as Chunk
    from tether.retrieval.chunk import Passage as Passage
    from tether.retrieval.chunking.chunker import Chunker as Chunker
    from tether.retrieval.chunking.chunker import ChunkSettings as ChunkSettings
    from tether.retrieval.dense.embedder import EmbedderSettings as EmbedderSettings
    from tether.retrieval.dense.embedder import MiniLm as MiniLm
    from tether.retrieval.dense.embedder import OnnxEmbedder as OnnxEmbedder
    from tether.retrieval.dense.lane import DenseLane as DenseLane
    from tether.retrieval.dense.lane import DenseSettings as DenseSettings
    from tether.retrieval.document import Block as Block
    from tether.retrieval.document import Document as Document
    from tether.retrieval.document import Link as Link
    from tether.retrieval.document import Piece as Piece
    from tether.retrieval.floor.calibrate import calibrate as calibrate
    from tether.retrieval.floor.calibration import Calibration as Calibration
    from tether.retrieval.floor.floor import FittedFloor as FittedFloor
    from tether.retrieval.hit import Findings as Findings
    from tether.retrieval.hit import Hit as Hit
    from tether.retrieval.hit import LaneVote as LaneVote
    from tether.retrieval.hit import LeftOut as LeftOut
    from tether.retrieval.hit import NearPage as NearPage
    from tether.retrieval.hit import Ranking as Ranking
    from tether.retrieval.hit import Refusal as Refusal
    from tether.retrieval.hit import Verdict as Verdict
    from tether.retrieval.index.index import ApplyReport as ApplyReport
    from tether.retrieval.index.index import Index as Index
    from tether.retrieval.index.parts import Parts as Parts
    from tether.retrieval.index.parts import Step as Step
    from tether.retrieval.index.parts import default_parts as default_parts
    from tether.retrieval.index.plan import Plan as Plan
    from tether.retrieval.index.snapshot import Snapshot as Snapshot
    from tether.retrieval.index.status import Status as Status
    from tether.retrieval.judge import JudgeSettings as JudgeSettings
    from tether.retrieval.judge import NoOpJudge as NoOpJudge
    from tether.retrieval.judge import OnnxJudge as OnnxJudge
    from tether.retrieval.lexical.bm25 import GramSettings as GramSettings
    from tether.retrieval.lexical.bm25 import WordSettings as WordSettings
    from tether.retrieval.lexical.lanes import GramLane as GramLane
    from tether.retrieval.lexical.lanes import WordLane as WordLane
    from tether.retrieval.ports import Embedder as Embedder
    from tether.retrieval.ports import Estimator as Estimator
    from tether.retrieval.ports import Judge as Judge
    from tether.retrieval.providers.index import GraphProvider as GraphProvider
    from tether.retrieval.providers.index import IndexGraph as IndexGraph
    from tether.retrieval.providers.index import VectorProvider as VectorProvider
    from tether.retrieval.providers.provider import Provider as Provider
    from tether.retrieval.providers.provider import gather as gather
    from tether.retrieval.providers.provider import rerank as rerank
    from tether.retrieval.providers.web import WebProvider as WebProvider
    from tether.retrieval.query import Query as Query
    from tether.retrieval.readers.dispatch import read_document as read_document
    from tether.retrieval.reading.requests import ReadLimits as ReadLimits
    from tether.retrieval.reading.requests import ReadRequest as ReadRequest
    from tether.retrieval.reading.requests import ReadResult as ReadResult
    from tether.retrieval.reading.workers import Workers as Workers
    from tether.retrieval.search.memory_index import MemoryIndex as MemoryIndex
    from tether.retrieval.search.retriever import Retriever as Retriever
    from tether.retrieval.search.settings import MixWeights as MixWeights
    from tether.retrieval.search.settings import SearchSettings as SearchSettings
    from tether.retrieval.source import DocumentState as DocumentState
    from tether.retrieval.source import Source as Source
    from tether.retrieval.source import SourceItem as SourceItem
    from tether.retrieval.sources.discovery import source_for as source_for
    from tether.retrieval.sources.file import FileSource as FileSource
    from tether.retrieval.sources.folder import FolderSource as FolderSource
    from tether.retrieval.sources.folder_settings import FolderSettings as FolderSettings
    from tether.retrieval.sources.llms import LlmsTxtSource as LlmsTxtSource
    from tether.retrieval.sources.site import SiteSettings as SiteSettings
    from tether.retrieval.sources.sitemap import SitemapSource as SitemapSource
    from tether.retrieval.sources.url import UrlSource as UrlSource

    __all__: list[str]
else:
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        """
        tether.retrieval.assembly.admission: assemble
        tether.retrieval.assembly.assembly: Assembly AssemblySettings
        tether.retrieval.assembly.envelope: numbered_block to_retrievables
        tether.retrieval.chunk: Chunk Passage
        tether.retrieval.chunking.chunker: ChunkSettings Chunker
        tether.retrieval.dense.embedder: EmbedderSettings MiniLm OnnxEmbedder
        tether.retrieval.dense.lane: DenseLane DenseSettings
        tether.retrieval.document: Block Document Link Piece
        tether.retrieval.floor.calibrate: calibrate
        tether.retrieval.floor.calibration: Calibration
        tether.retrieval.floor.floor: FittedFloor
        tether.retrieval.hit: Findings Hit LaneVote LeftOut NearPage Ranking Refusal Verdict
        tether.retrieval.index.index: ApplyReport Index
        tether.retrieval.index.parts: Parts Step default_parts
        tether.retrieval.index.plan: Plan
        tether.retrieval.index.snapshot: Snapshot
        tether.retrieval.index.status: Status
        tether.retrieval.judge: JudgeSettings NoOpJudge OnnxJudge
        tether.retrieval.lexical.bm25: GramSettings WordSettings
        tether.retrieval.lexical.lanes: GramLane WordLane
        tether.retrieval.ports: Embedder Estimator Judge
        tether.retrieval.providers.index: GraphProvider IndexGraph VectorProvider
        tether.retrieval.providers.provider: Provider gather rerank
        tether.retrieval.providers.web: WebProvider
        tether.retrieval.query: Query
        tether.retrieval.readers.dispatch: read_document
        tether.retrieval.reading.requests: ReadLimits ReadRequest ReadResult
        tether.retrieval.reading.workers: Workers
        tether.retrieval.search.memory_index: MemoryIndex
        tether.retrieval.search.retriever: Retriever
        tether.retrieval.search.settings: MixWeights SearchSettings
        tether.retrieval.source: DocumentState Source SourceItem
        tether.retrieval.sources.discovery: source_for
        tether.retrieval.sources.file: FileSource
        tether.retrieval.sources.folder: FolderSource
        tether.retrieval.sources.folder_settings: FolderSettings
        tether.retrieval.sources.llms: LlmsTxtSource
        tether.retrieval.sources.site: SiteSettings
        tether.retrieval.sources.sitemap: SitemapSource
        tether.retrieval.sources.url: UrlSource
        """,
    )
