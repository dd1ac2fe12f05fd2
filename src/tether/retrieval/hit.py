"""What a search found, and why each passage is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tether.retrieval.chunk import Chunk

LaneName = Literal["words", "grams", "dense"]
LANES: tuple[LaneName, ...] = ("words", "grams", "dense")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneVote:
    """That a lane found a passage: at which rank, counted from 1, and with which score."""

    lane: LaneName
    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage with its place in the result and every number that put it there.

    `score` orders the hits and means nothing across questions; never show it as a percentage.
    `fused` is the sum of reciprocal ranks, `boost` the factor of its page (1 to 1.5), `cosine` and
    the lexical scores are there even where the lane did not list the passage, `judge` is None
    where the judge did not read it. `coverage` is the share of the question's words, weighed by
    rarity, that the passage holds.
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

    @property
    def lanes(self) -> tuple[LaneName, ...]:
        """The lanes that found it."""
        return tuple(vote.lane for vote in self.votes)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPage:
    """A page that comes closest, offered where no answer is."""

    title: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A part of the pipeline that did not take part in this search, and why."""

    part: str
    reason: str
