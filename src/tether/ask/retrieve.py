"""The stages that search, once in a turn, and decide whether the passages suffice."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from tether.ask.parts import Parts
from tether.ask.reporter import Reporter
from tether.ask.values import Found, Prepared, Refusal
from tether.retrieval.hit import Findings, Hit
from tether.runtime.pipeline import Abortable
from tether.text.numbers import counted

SEARCHED = 2
"""How many hits are requested for each passage that may be shown: some say the same."""


@dataclass(frozen=True, slots=True)
class Retrieve:
    """Searches the library with all forms of the question."""

    parts: Parts
    reporter: Reporter

    async def __call__(self, prepared: Prepared, ctx: Abortable) -> Found:
        """Return the hits."""
        limit = self.parts.settings.most_passages * SEARCHED
        search = asyncio.to_thread(self.parts.library.search, prepared.query, limit)
        findings = await ctx.abort_signal.guard(search)
        self._report(findings)
        return Found(prepared=prepared, findings=findings)

    def _report(self, findings: Findings) -> None:
        self.reporter.step(
            "search",
            "done",
            counted(len(findings.hits), "passage"),
            forms=list(findings.query.forms),
            hypothetical=findings.query.hypothetical,
            hits=[_hit(hit) for hit in findings.hits],
            left_out=[{"part": it.part, "reason": it.reason} for it in findings.left_out],
        )


@dataclass(frozen=True, slots=True)
class Suffice:
    """The floor: refuses where the search says that its passages do not suffice.

    With `is_read`, somebody reads the units of an answer beside the question before they are shown,
    and questions that the floor doubts are left to that.
    """

    reporter: Reporter
    is_read: bool = False

    async def __call__(self, found: Found, ctx: Abortable) -> Found | Refusal:
        """Return the same hits, or a refusal."""
        findings = found.findings
        verdict = findings.verdict
        is_left = self.is_read and found.in_doubt
        enough = (
            "suffice" if findings.sufficient else "may suffice" if is_left else "do not suffice"
        )
        self.reporter.step(
            "floor",
            "skipped" if verdict is None else "done",
            "no floor was fitted" if verdict is None else f"the passages {enough}",
            in_doubt=is_left,
            sufficient=findings.sufficient,
            probability=None if verdict is None else verdict.probability,
            threshold=None if verdict is None else verdict.threshold,
            features={} if verdict is None else dict(verdict.features),
        )
        if findings.refusal is None or is_left:
            return found
        return Refusal(reason=findings.refusal.reason, nearest=found.nearest)


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "chunk": hit.chunk.id,
        "title": hit.chunk.title,
        "link": hit.chunk.link,
        "score": hit.score,
        "lanes": {vote.lane: vote.rank for vote in hit.votes},
        "coverage": hit.coverage,
        "cosine": hit.cosine,
        "judge": hit.judge,
    }
