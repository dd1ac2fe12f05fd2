"""A small corpus about shipping parcels by rail: pages with sections, each about one thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.chunker import Chunker
from tether.retrieval.errors import EmbeddingFailed
from tether.retrieval.readers.dispatch import read_document

THINGS = (
    "wagon", "locomotive", "parcel", "customs", "signal", "timetable", "platform", "ticket",
    "freight", "coupling", "brake", "depot", "junction", "siding", "crane", "container",
    "manifest", "tariff", "gauge", "bridge",
)  # fmt: skip
DEEDS = ("inspect", "repair", "register", "schedule")


def page(thing: str) -> str:
    """Return a page on a thing: what it is, and a section for each deed."""
    sections = [
        f"## How to {deed} the {thing} before departure\n\n"
        f"Operators {deed} each {thing} at the northern yard with the {deed} checklist. "
        f"The {thing} stays locked until the {deed} report names its number.\n"
        for deed in DEEDS
    ]
    opening = f"The {thing} is one of the parts of the railway that the handbook describes here.\n"
    return "\n".join([f"# The {thing} handbook", "", opening, *sections])


PAGES = {f"{thing}.md": page(thing) for thing in THINGS}


def chunks_of(pages: dict[str, str]) -> list[Chunk]:
    """Return the chunks of Markdown pages as an index would cut them."""
    chunker = Chunker()
    found: list[Chunk] = []
    for key, text in pages.items():
        found += chunker.chunks(read_document(key=key, name=key, data=text.encode()))
    return found


@dataclass(kw_only=True)
class WordEmbedder:
    """Embeds a text as the sum of a random direction for each of its words."""

    fingerprint: str = "words/1"
    dimensions: int = 64
    broken: bool = False
    asked: list[str] = field(default_factory=list)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._vector(text) for text in texts], np.float32)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.broken:
            raise EmbeddingFailed("the endpoint does not answer")
        self.asked += texts
        return self.embed_passages(texts)

    def _vector(self, text: str) -> NDArray[np.float64]:
        total = np.zeros(self.dimensions)
        for word in text.lower().split():
            digest = np.frombuffer(sha256(word.encode()).digest(), np.int8)
            total += np.concatenate([digest, digest[::-1] ^ 85])[: self.dimensions]
        length = float(np.linalg.norm(total))
        return total / length if length else total


@dataclass(kw_only=True)
class SharedWords:
    """A judge that counts the words which question and passage share."""

    fingerprint: str = "shared/1"

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        words = set(question.lower().split())
        return [float(len(words & set(passage.lower().split()))) for passage in passages]
