"""The last stage: it learns from the person's own words, by rules, after the answer is stored."""

from __future__ import annotations

from dataclasses import dataclass

from tether.ask.memory.extraction import Candidate, extract
from tether.ask.parts import Parts
from tether.ask.reporter import Reporter
from tether.ask.values import Asked
from tether.batteries.storage.errors import MemoryRefused, StoreFailed
from tether.batteries.storage.records import MemoryRecord
from tether.core.ids import new_id
from tether.core.memory import Memory


@dataclass(frozen=True, slots=True)
class Remember:
    """Keeps memories from the person's own words; a standing instruction is only proposed.

    A wrong memory costs a few tokens, a wrong instruction changes every later turn: that is why an
    instruction waits for a person. A turn that failed or was stopped teaches nothing, and nothing
    is learnt from documents, models or tools.
    """

    parts: Parts
    reporter: Reporter

    async def __call__(self, asked: Asked) -> None:
        """Learn from a question whose answer is stored; a failure is reported and stops nothing."""
        if not self.parts.settings.remember:
            return
        for candidate in extract(asked.question):
            try:
                await self._keep(asked, candidate)
            except (MemoryRefused, StoreFailed) as error:
                self.reporter.step("remember", "failed", error.message, text=candidate.text)

    async def _keep(self, asked: Asked, candidate: Candidate) -> None:
        report = self.reporter.step
        if candidate.kind == "instruction":
            proposed = await self.parts.store.propose_instruction(candidate.text, owner=asked.owner)
            report("propose", "done", proposed.text, id=proposed.id, text=proposed.text)
            return
        kept = await self.parts.store.remember(self._record(asked, candidate))
        report("remember", "done", candidate.text, id=kept.memory.id, text=candidate.text)

    def _record(self, asked: Asked, candidate: Candidate) -> MemoryRecord:
        return MemoryRecord(
            memory=Memory(
                id=new_id(),
                content=candidate.text,
                confidence=candidate.confidence,
                importance=candidate.importance,
                created_at=self.parts.clock.now(),
            ),
            owner=asked.owner,
            tier="first-party",
            origin="person",
            conversation=asked.conversation,
            turn=asked.id,
        )
