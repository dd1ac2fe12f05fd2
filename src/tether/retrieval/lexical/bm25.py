"""BM25: its settings, the analysis of texts, the formula, and the selection of the best scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tether.core.checks import Checks
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.hit import Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

Forms = tuple[str, ...]
"""The spellings of one word of a question in several languages; they count as one term."""

STEPS = (1 << 32) - 1
"""The resolution of a stored impact, the share of the weight of a term that a passage earns. One
step is so small that the sum over a long question stays within a millionth of the formula."""

_SMALL = 2_048
_GROUPS = 4


class Analysis(Protocol):
    """Turns texts into words and words into terms; the same text always gives the same terms."""

    def words(self, text: str) -> list[str]:
        """Return the words of a text in order."""
        ...

    def language(self, declared: str, words: Sequence[str]) -> str:
        """Return the language of the words of a passage, "" if it is unknown."""
        ...

    def terms(self, word: str, language: str) -> tuple[str, ...]:
        """Return the terms of a word of a passage."""
        ...

    def question(self, text: str, languages: Sequence[str]) -> list[Forms]:
        """Return the terms of a question, repeated as often as their words.

        `languages` are those of the index, the most frequent first.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalSettings:
    """The parameters of BM25, and the weight of headings.

    `k1` (0 to 10) is the effect of repeated terms, `b` (0 to 1) the discount for long passages, and
    `title_weight` (0 to 20) how many times the title and the headings above a passage are counted.
    Changing one of these rebuilds the lane. `synonyms` (0 to 1) is the weight of other words for
    those of a question, 0 to search for none. Raises `InvalidRetrievalSettings`.
    """

    k1: float = 1.5
    b: float = 0.75
    title_weight: int = 2
    synonyms: float = 0.0

    def __post_init__(self) -> None:
        check = Checks()
        if not 0.0 <= self.k1 <= 10.0:
            check.fail("k1", "must be from 0 to 10")
        if not 0.0 <= self.b <= 1.0:
            check.fail("b", "must be from 0 to 1")
        if not isinstance(self.title_weight, int) or not 0 <= self.title_weight <= 20:
            check.fail("title_weight", "must be a whole number from 0 to 20")
        if not 0.0 <= self.synonyms <= 1.0:
            check.fail("synonyms", "must be from 0 to 1")
        check.done(InvalidRetrievalSettings)

    @property
    def fingerprint(self) -> str:
        """The settings that the arrays depend on, as text."""
        return f"k1={self.k1!r} b={self.b!r} title={self.title_weight}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSettings(LexicalSettings):
    """The settings of the lane of words; without `stemming`, words match only as spelled."""

    stemming: bool = True
    synonyms: float = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class GramSettings(LexicalSettings):
    """The settings of the lane of word parts."""


def rarity(size: int, holders: int) -> float:
    """Return the weight of a term in `holders` of `size` passages; always above zero."""
    return log1p((size - holders + 0.5) / (holders + 0.5))


def length_norms(lengths: NDArray[np.int32], k1: float, b: float) -> NDArray[np.float64]:
    """Return for each passage the occurrences of a term that earn half of its weight."""
    total = int(lengths.sum(dtype=np.int64))
    average = total / len(lengths) if total else 1.0
    return k1 * (1.0 - b) + (k1 * b / average) * lengths.astype(np.float64)


def impacts(frequencies: NDArray[np.uint16], norms: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Return the impact of each frequency, from 0 to 1, in `STEPS`; at least one step."""
    counts = frequencies.astype(np.float64)
    norms += counts
    counts *= STEPS
    counts /= norms
    return np.maximum(np.rint(counts), 1.0).astype(np.uint32)


def lower_bound(scores: NDArray[np.float64], limit: int) -> float:
    """Return a value that at least `limit` of the scores reach, or 0 if there are fewer.

    For few scores it is the highest such value. For many it is that of the maxima of groups of
    scores, which takes one pass and is close.
    """
    if len(scores) < limit:
        return 0.0
    width = limit * _GROUPS
    if len(scores) > max(_SMALL, 2 * width):
        depth = len(scores) // width
        scores = scores[: depth * width].reshape(depth, width).max(axis=0)
    place = len(scores) - limit
    return float(np.partition(scores, place)[place])


def best(rows: NDArray[np.intp], scores: NDArray[np.float64], limit: int) -> Ranking:
    """Return the `limit` highest scores with their rows; equal scores are ordered by row."""
    chosen = np.flatnonzero(scores >= lower_bound(scores, limit))
    chosen = chosen[np.lexsort((rows[chosen], -scores[chosen]))][:limit]
    return Ranking(rows[chosen].astype(np.int64), scores[chosen])
