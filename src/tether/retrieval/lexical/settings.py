"""What can be set on the lexical lanes."""

from __future__ import annotations

from dataclasses import dataclass

from tether.core.errors import InvalidRetrievalSettings, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalSettings:
    """How a lane counts: BM25's `k1` and `b`, and how often a heading counts for its passage.

    `k1` (0 to 10) says how much repetition counts, `b` (0 to 1) how much long passages are
    discounted, `title_weight` (0 to 20) how many times the title and the headings above a passage
    are read before its own text. Changing any of them means building the lane again. Raises
    `InvalidRetrievalSettings`.
    """

    k1: float = 1.5
    b: float = 0.75
    title_weight: int = 2

    def __post_init__(self) -> None:
        problems: list[Problem] = []
        if not 0.0 <= self.k1 <= 10.0:
            problems.append(Problem("k1", "must be from 0 to 10"))
        if not 0.0 <= self.b <= 1.0:
            problems.append(Problem("b", "must be from 0 to 1"))
        if not isinstance(self.title_weight, int) or not 0 <= self.title_weight <= 20:
            problems.append(Problem("title_weight", "must be a whole number from 0 to 20"))
        if problems:
            raise InvalidRetrievalSettings(problems)

    @property
    def fingerprint(self) -> str:
        """What of the settings the arrays depend on."""
        return f"k1={self.k1!r} b={self.b!r} title={self.title_weight}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSettings(LexicalSettings):
    """How the lane of words counts; `stemming` off takes every text as it is spelled."""

    stemming: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GramSettings(LexicalSettings):
    """How the lane of word parts counts."""
