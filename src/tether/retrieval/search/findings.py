"""The result of a search: passages with their reasons, and whether they suffice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tether.retrieval.hit import Hit, LeftOut, NearPage
from tether.retrieval.query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether what was found is likely to answer, by the floor that was fitted to this index.

    `probability` is the floor's own scale: it is compared with `threshold` and with nothing else.
    `features` are the numbers it was computed from, by name.
    """

    sufficient: bool
    probability: float
    threshold: float
    features: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """That the documents do not cover a question, with the pages that come nearest."""

    reason: Literal["nothing-found", "below-floor"]
    nearest: tuple[NearPage, ...]
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Hits best first. `left_out` names every part that did not vote, and why.

    `verdict` is None where no floor was fitted. `refusal` is what to say instead of an answer, and
    None where there are hits and no floor refuses them.
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
    """Return the first pages among the hits, each once."""
    pages: dict[str, NearPage] = {}
    for hit in hits:
        chunk = hit.chunk
        pages.setdefault(
            chunk.document, NearPage(title=chunk.title, url=chunk.url or chunk.document)
        )
    return tuple(pages.values())[:limit]
