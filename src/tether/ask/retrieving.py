"""The stage that searches, once in a turn."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from tether.ask.turn import AskTurn
from tether.retrieval.hit import Hit
from tether.retrieval.search.findings import Findings
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext

SEARCHED = 2
"""How many hits are asked for, for each passage that may be shown: some say the same."""


@dataclass(frozen=True, slots=True)
class Retrieve:
    """Asks the library, with all forms of the question; an empty one is not asked."""

    turn: AskTurn

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Search, and go on."""
        turn = self.turn
        if turn.library.is_empty:
            turn.refuse("index-empty")
        else:
            limit = turn.settings.passages * SEARCHED
            search = asyncio.to_thread(turn.library.search, turn.query, limit)
            turn.findings = await ctx.abort_signal.guard(search)
            _tell(turn, turn.findings)
        await call_next()


def _tell(turn: AskTurn, findings: Findings) -> None:
    turn.tell(
        "search",
        "done",
        f"{len(findings.hits)} passages",
        forms=list(findings.query.forms),
        hypothetical=findings.query.hypothetical,
        hits=[_hit(hit) for hit in findings.hits],
        left_out=[{"part": it.part, "reason": it.reason} for it in findings.left_out],
    )


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
