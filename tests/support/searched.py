"""A small index for tests: lanes whose rankings are written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tether.retrieval.chunk import Chunk
from tether.retrieval.errors import EmbeddingFailed, JudgeFailed
from tether.retrieval.hit import Ranking
from tether.retrieval.ports import LexicalSearcher


def ranking(scores: Mapping[int, float], limit: int = 100) -> Ranking:
    best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    return Ranking(
        np.array([row for row, _ in best], np.int64), np.array([s for _, s in best], np.float64)
    )


def chunk(row: int, page: int) -> Chunk:
    text = f"text of row {row}"
    return Chunk(
        id=f"page{page}-{row}",
        document=f"page{page}.md",
        number=row + 1,
        title=f"Page {page}",
        heading_path=(f"Page {page}", f"Section {row}"),
        anchor=f"section-{row}",
        url=f"https://docs.test/page{page}",
        start=0,
        end=len(text),
        text=text,
        plain=text,
        tokens=4,
    )


@dataclass
class Lexical:
    """Scores by question: what is not written down matches nothing."""

    by_question: dict[str, dict[int, float]]

    def terms(self, text: str, *, language: str = "") -> tuple[str, ...]:
        return tuple(text.split())

    def search(self, text: str, *, language: str = "", limit: int = 100) -> Ranking:
        return ranking(self.by_question.get(text, {}), limit)

    def scores(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        known = self.by_question.get(text, {})
        return np.array([known.get(row, 0.0) for row in rows.tolist()], np.float64)

    def coverage(
        self, text: str, rows: NDArray[np.int64], *, language: str = ""
    ) -> NDArray[np.float64]:
        return np.minimum(self.scores(text, rows) / 10, 1.0)

    def holders(self, words: Sequence[str]) -> list[int]:
        return [sum(word in question for question in self.by_question) for word in words]


@dataclass
class Dense:
    """Cosines of unit vectors, one by one."""

    vectors: NDArray[np.float32]

    def _cosines(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        best: NDArray[np.float64] = (self.vectors @ vectors.T).max(axis=1).astype(np.float64)
        return best

    def search_many(self, vectors: NDArray[np.float32], *, limit: int = 100) -> Ranking:
        return ranking(dict(enumerate(self._cosines(vectors).tolist())), limit)

    def scores_many(
        self, vectors: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self._cosines(vectors)[rows]


@dataclass
class SmallIndex:
    page_numbers: list[int]
    words: LexicalSearcher
    grams: LexicalSearcher = field(default_factory=lambda: Lexical({}))
    dense: Dense | None = None
    embedder: str = "angles"

    @property
    def size(self) -> int:
        return len(self.page_numbers)

    @property
    def pages(self) -> NDArray[np.int32]:
        return np.array(self.page_numbers, np.int32)

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        return [chunk(row, self.page_numbers[row]) for row in rows]


def at_angle(degrees: float) -> NDArray[np.float32]:
    angle = np.radians(degrees)
    return np.array([np.cos(angle), np.sin(angle)], np.float32)


@dataclass
class Angles:
    """An embedder for texts that name their angle."""

    fingerprint: str = "angles"
    dimensions: int = 2
    broken: bool = False
    asked: list[str] = field(default_factory=list)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_questions(texts)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.broken:
            raise EmbeddingFailed("the endpoint does not answer")
        self.asked.extend(texts)
        return np.array([at_angle(float(text)) for text in texts], np.float32).reshape(-1, 2)


@dataclass
class Marks:
    """A judge with written marks for passages, by question."""

    marks: dict[str, dict[str, float]]
    fingerprint: str = "marks"
    broken: bool = False
    read: list[tuple[str, int]] = field(default_factory=list)

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        if self.broken:
            raise JudgeFailed("out of memory")
        self.read.append((question, len(passages)))
        by_row = self.marks.get(question, {})
        return [by_row.get(passage.rsplit(" ", 1)[1], 0.0) for passage in passages]


@dataclass
class Paced(Marks):
    """A judge that knows how many passages it can read, by question, and keeps its limits."""

    fits: dict[str, int] = field(default_factory=dict)
    lost: bool = False
    limits: list[tuple[str, int, float]] = field(default_factory=list)

    def fitting(self, question: str, passages: Sequence[str], milliseconds: float) -> int:
        if self.lost:
            raise JudgeFailed("the file is gone")
        self.limits.append((question, len(passages), milliseconds))
        return min(len(passages), self.fits.get(question, 0))
