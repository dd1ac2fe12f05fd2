"""The stage that recalls what was learnt from the person before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tether.ask.memory.ranking import rank
from tether.ask.turn import AskTurn
from tether.batteries.budget.profiles import ModelProfile
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import MemoryRecord
from tether.core.retrievable import Retrievable
from tether.core.tokens import count_tokens
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext

KIND = "memory"

MEMORY_SHARE = 0.1
"""How much of the window memories may take: passages would have to give way to more."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Adds the memories that matter for the question.

    Only the person's own words are memories to the model. What came from elsewhere keeps its tier
    and stands among the retrieved content, where it is data; it is never evidence.
    """

    turn: AskTurn
    store: Store

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Add them, and go on."""
        turn = self.turn
        if turn.refused is None and turn.settings.memories:
            records = await self.store.memories(owner=turn.owner, state="active")
            found = rank(records, turn.resolved, limit=turn.settings.memories, now=turn.clock.now())
            found = _fitting(found, turn.model.profile)
            for record in found:
                _add(ctx, record)
            tiers = Counter(record.tier for record in found)
            turn.tell("memories", "done", f"{len(found)} memories", tiers=dict(tiers))
        await call_next()


def _fitting(ranked: Sequence[MemoryRecord], profile: ModelProfile) -> list[MemoryRecord]:
    """Return the memories that fit their share, the best first; a long one keeps no other out."""
    room, kept = int(MEMORY_SHARE * profile.window), list[MemoryRecord]()
    for record in ranked:
        cost = count_tokens(str(record.memory.content), profile.encoding)
        if cost <= room:
            room -= cost
            kept.append(record)
    return kept


def _add(ctx: TurnContext, record: MemoryRecord) -> None:
    memory = record.memory
    if record.tier == "first-party":
        ctx.turn_memories.add(memory)
        return
    ctx.turn_retrievables.add(
        Retrievable(
            id=f"memory-{memory.id}",
            content=memory.content,
            trust_tier=record.tier,
            source=record.source or None,
            kind=KIND,
            score=0.0,
            created_at=memory.created_at,
        )
    )
