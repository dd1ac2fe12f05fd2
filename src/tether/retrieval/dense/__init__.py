"""The dense lane: texts as vectors, and the nearest of them."""

from tether.retrieval.dense.embedder import EmbedderSettings, MiniLm, OnnxEmbedder
from tether.retrieval.dense.lane import DenseLane, DenseSettings
from tether.retrieval.dense.searcher import DenseSearcher

__all__ = [
    "DenseLane",
    "DenseSearcher",
    "DenseSettings",
    "EmbedderSettings",
    "MiniLm",
    "OnnxEmbedder",
]
