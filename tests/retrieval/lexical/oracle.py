"""BM25 straight from the formula, slow and with dictionaries: what the arrays must equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log

from tether.retrieval.chunk import Chunk


def chunk(
    text: str, *, heading: tuple[str, ...] = (), title: str = "", language: str = ""
) -> Chunk:
    whole = Chunk.whole(text, id="page-1", document="page.md", title=title)
    return replace(whole, heading_path=heading, tokens=1, language=language)


class Oracle:
    """Scores passages that are given as lists of terms."""

    def __init__(self, passages: Sequence[Sequence[str]], *, k1: float, b: float) -> None:
        self.passages = [Counter(passage) for passage in passages]
        self.lengths = [len(passage) for passage in passages]
        self.average = sum(self.lengths) / len(self.lengths)
        self.k1, self.b = k1, b

    def score(self, question: Sequence[str], row: int) -> float:
        size = len(self.passages)
        total = 0.0
        for term in question:
            holders = sum(term in passage for passage in self.passages)
            times = self.passages[row][term]
            if not times:
                continue
            rarity = log(1 + (size - holders + 0.5) / (holders + 0.5))
            norm = self.k1 * (1 - self.b + self.b * self.lengths[row] / self.average)
            total += rarity * times * (self.k1 + 1) / (times + norm)
        return total

    def ranked(self, question: Sequence[str]) -> list[tuple[int, float]]:
        scores = [(row, self.score(question, row)) for row in range(len(self.passages))]
        return sorted((pair for pair in scores if pair[1] > 0), key=lambda pair: -pair[1])
