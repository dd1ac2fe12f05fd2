"""The stage that chooses the passages which the model is shown and may cite."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from tether.ask.hydrating import answer_of
from tether.ask.shedding import NOTHING_FITS
from tether.ask.turn import AskTurn
from tether.core.tokens import count_tokens
from tether.retrieval.assembly.assembling import assemble
from tether.retrieval.assembly.assembly import Assembly
from tether.retrieval.assembly.settings import AssemblySettings
from tether.retrieval.chunk import Chunk
from tether.retrieval.providers.chunk_passage import passage_of
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext

MOST_CARRIED = 3
"""How many passages of the previous answer come along."""

LEAST_ROOM = 256
ENVELOPES = 0.85
"""How much of the room passages may fill; their envelopes take the rest."""


@dataclass(frozen=True, slots=True)
class Gather:
    """Fills the room with hits, best first, and what the previous answer cited among them."""

    turn: AskTurn

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Choose, number and go on; where nothing fits, there is nothing to answer from."""
        turn = self.turn
        if turn.refused is None:
            spent = _spent(ctx, turn)
            work = asyncio.to_thread(_gathered, turn, spent)
            assembly, carried = await ctx.abort_signal.guard(work)
            _tell(turn, assembly, carried)
            if not turn.evidence:
                turn.refuse("not-supported", NOTHING_FITS)
        await call_next()


def _spent(ctx: TurnContext, turn: AskTurn) -> int:
    """Return what the prompt costs without any passage."""
    texts = [str(ctx.system_prompt)]
    texts += [str(text) for text in ctx.standing_instructions]
    texts += [str(message.content) for message in ctx.turn_messages]
    return sum(count_tokens(text, turn.model.profile.encoding) for text in texts)


def _gathered(turn: AskTurn, spent: int) -> tuple[Assembly, list[Chunk]]:
    """Assemble the candidates and make evidence of what is admitted; runs in a thread."""
    hits = [hit.chunk for hit in turn.findings.hits] if turn.findings is not None else []
    carried = _carried(turn)
    candidates = _merged(hits, carried, turn.settings.passages)
    tier = turn.settings.tier
    passages = [passage_of(chunk, provider="documents", trust_tier=tier) for chunk in candidates]
    encoding = turn.model.profile.encoding
    settings = AssemblySettings(
        budget=_budget(turn, spent), buffer=0, estimator=lambda text: count_tokens(text, encoding)
    )
    assembly = assemble(passages, settings=settings, frame="")
    by_id = {chunk.id: chunk for chunk in candidates}
    turn.add_evidence((by_id[item.passage.id] for item in assembly.admitted), tier)
    return assembly, carried


def _carried(turn: AskTurn) -> list[Chunk]:
    """Return what the previous answer cited, as far as it is still there."""
    previous = answer_of(turn.history[-1]) if turn.history else None
    if previous is None or not turn.settings.follow_ups:
        return []
    cited = dict.fromkeys((it.document, it.chunk) for it in previous.citations)
    return turn.library.chunks(list(cited)[:MOST_CARRIED])


def _merged(hits: list[Chunk], carried: list[Chunk], most: int) -> list[Chunk]:
    """Return the candidates, each once: the better half of the hits, what is carried, the rest."""
    half = (most + 1) // 2
    ordered = [*hits[:half], *carried, *hits[half:]]
    return list({chunk.id: chunk for chunk in reversed(ordered)}.values())[::-1][:most]


def _budget(turn: AskTurn, spent: int) -> int:
    profile = turn.model.profile
    left = int((profile.window - profile.reserve - spent) * ENVELOPES)
    room = max(left, LEAST_ROOM)
    wanted = turn.settings.evidence_tokens
    return min(wanted, room) if wanted else room


def _tell(turn: AskTurn, assembly: Assembly, carried: list[Chunk]) -> None:
    turn.tell(
        "evidence",
        "done" if turn.evidence else "failed",
        f"{len(turn.evidence)} passages",
        passages=[
            {"number": it.number, "chunk": it.chunk.id, "title": it.title, "link": it.link}
            for it in turn.evidence
        ],
        carried=[chunk.id for chunk in carried],
        dropped=[{"chunk": it.passage.id, "reason": it.reason} for it in assembly.dropped],
        tokens=assembly.spent,
        budget=assembly.budget,
    )
