"""The results of lanes and searches: rankings, hits, and the findings for a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tether.retrieval.chunk import Chunk
from tether.retrieval.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LaneName = Literal["words", "grams", "dense"]
LANES: tuple[LaneName, ...] = ("words", "grams", "dense")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneVote:
    """The rank (from 1) and the score of a passage in one lane."""

    lane: LaneName
    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with its rank in the result and every number that led to it.

    `score`, from 0 to 1, orders the hits and does not compare across questions; never show it as a
    percentage. `fused` is the sum of reciprocal ranks, `boost` the factor of its page (1 to 1.25).
    `cosine` and the lexical scores are set even if the lane did not list the passage; `judge` is
    None if the judge did not read it. `coverage` is the share of the words of the question,
    weighted by rarity, that the passage contains. `named` is the share of the question that the
    title of the page is; `news` are release notes that the question does not ask for.
    """

    chunk: Chunk
    rank: int
    score: float
    fused: float
    boost: float
    votes: tuple[LaneVote, ...]
    words: float = 0.0
    grams: float = 0.0
    coverage: float = 0.0
    cosine: float | None = None
    judge: float | None = None
    named: float = 0.0
    news: bool = False

    @property
    def lanes(self) -> tuple[LaneName, ...]:
        """The lanes that found it."""
        return tuple(vote.lane for vote in self.votes)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPage:
    """A page near the question, offered if there is no answer."""

    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A part of the pipeline that was left out of a search, and the reason."""

    part: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Rows of the index and their scores, best first; equal scores are ordered by row."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)


LEAST_ODDS = 0.135
"""The share of the threshold's odds from which on a verdict is in doubt: two logits below it."""


def _odds(probability: float) -> float:
    return probability / max(1 - probability, 1e-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the hits are likely to answer, by the floor that was fitted to this index.

    `probability` is on the scale of the floor: compare it only with `threshold`. `features` are the
    numbers it was computed from, by name.
    """

    sufficient: bool
    probability: float
    threshold: float
    features: tuple[tuple[str, float], ...] = ()

    @property
    def in_doubt(self) -> bool:
        """Whether the hits do not suffice by so little that somebody who reads them may decide.

        Questions about something else are nearly always further below the threshold.
        """
        odds, least = _odds(self.probability), _odds(self.threshold)
        return not self.sufficient and odds >= least * LEAST_ODDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The reason why the documents do not cover a question, and the nearest pages."""

    reason: Literal["nothing-found", "below-floor"]
    nearest: tuple[NearPage, ...]
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Hits, best first. `left_out` has every part that did not vote, with the reason.

    `verdict` is None without a fitted floor. `refusal` replaces an answer; it is None if there are
    hits and no floor refuses them.
    """

    query: Query
    hits: tuple[Hit, ...]
    left_out: tuple[LeftOut, ...] = ()
    verdict: Verdict | None = None
    refusal: Refusal | None = None

    @property
    def sufficient(self) -> bool:
        """Whether an answer may be written from the hits."""
        return self.refusal is None


def nearest_pages(hits: tuple[Hit, ...], *, limit: int = 3) -> tuple[NearPage, ...]:
    """Return the first pages among the hits, each address once."""
    pages: dict[str, NearPage] = {}
    for hit in hits:
        url = hit.chunk.url or hit.chunk.document
        pages.setdefault(url, NearPage(title=hit.chunk.title, url=url))
    return tuple(pages.values())[:limit]
