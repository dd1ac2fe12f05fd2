"""The stage that learns from what the person said, by rules, after the exchange is stored."""

from __future__ import annotations

from dataclasses import dataclass

from tether.ask.memory.extraction import Candidate, extract
from tether.ask.turn import AskTurn
from tether.batteries.storage.port import Store
from tether.batteries.storage.records import MemoryRecord
from tether.core.errors import MemoryRefused, StoreFailed
from tether.core.ids import new_id
from tether.core.memory import Memory
from tether.runtime.pipeline import CallNext
from tether.runtime.turn_context import TurnContext


@dataclass(frozen=True, slots=True)
class Remember:
    """Keeps memories from the person's own words; a standing instruction is only proposed.

    A wrong memory costs a few tokens, a wrong instruction changes every later turn: so that one
    waits for a person. It works on the way out, when the exchange is stored: a turn that failed or
    was stopped teaches nothing. Nothing is learnt from documents, models or tools.
    """

    turn: AskTurn
    store: Store

    async def __call__(self, ctx: TurnContext, call_next: CallNext) -> None:
        """Go on first, then learn."""
        await call_next()
        turn = self.turn
        if turn.answer is None or not turn.settings.remember:
            return
        for candidate in extract(turn.question):
            try:
                await self._keep(candidate)
            except (MemoryRefused, StoreFailed) as error:  # the answer is stored and stands
                turn.tell("remember", "failed", error.message, text=candidate.text)

    async def _keep(self, candidate: Candidate) -> None:
        turn = self.turn
        if candidate.kind == "instruction":
            proposed = await self.store.propose_instruction(candidate.text, owner=turn.owner)
            turn.tell("propose", "done", proposed.text, id=proposed.id, text=proposed.text)
            return
        kept = await self.store.remember(_record(turn, candidate))
        turn.tell("remember", "done", candidate.text, id=kept.memory.id, text=candidate.text)


def _record(turn: AskTurn, candidate: Candidate) -> MemoryRecord:
    return MemoryRecord(
        memory=Memory(
            id=new_id(),
            content=candidate.text,
            confidence=candidate.confidence,
            importance=candidate.importance,
            created_at=turn.clock.now(),
        ),
        owner=turn.owner,
        tier="first-party",
        origin="person",
        conversation=turn.conversation,
        turn=turn.id,
    )
