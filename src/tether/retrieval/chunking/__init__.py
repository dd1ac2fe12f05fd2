"""From documents to chunks: by headings, within a size, each with its exact place."""

from __future__ import annotations

from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.chunking.settings import ChunkSettings, ChunkUnit

__all__ = ["Chunker", "ChunkSettings", "ChunkUnit"]
