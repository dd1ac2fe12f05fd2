"""The stage that chooses the passages which the model is shown and may cite."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from tether.ask.evidence import Citable, Evidence
from tether.ask.history import answer_of
from tether.ask.parts import Parts
from tether.ask.reporter import Reporter
from tether.ask.values import Found, Gathered, Prepared, Refusal, Talk
from tether.core.tokens import count_tokens
from tether.retrieval.assembly.admission import assemble
from tether.retrieval.assembly.assembly import Assembly, AssemblySettings
from tether.retrieval.chunk import Chunk
from tether.retrieval.providers.index import passage_of
from tether.runtime.pipeline import Abortable
from tether.text.numbers import counted

NOTHING_FITS = "no passage fits the window of the model"

MOST_CARRIED = 3
"""How many passages of the previous answer come along."""

LEAST_ROOM = 256
ENVELOPES = 0.85
"""How much of the room passages may fill; their envelopes take the rest."""


@dataclass(frozen=True, slots=True)
class Gather:
    """Fills the room with hits, best first, and among them the passages of the previous answer.

    Refuses where no passage fits.
    """

    parts: Parts
    citable: Citable
    reporter: Reporter

    async def __call__(self, found: Found, ctx: Abortable) -> Gathered | Refusal:
        """Return the chosen passages, numbered."""
        work = asyncio.to_thread(self._chosen, found)
        passages, assembly, carried = await ctx.abort_signal.guard(work)
        self._report(passages, assembly, carried)
        if not passages:
            return Refusal(reason="not-supported", nearest=found.nearest, notes=(NOTHING_FITS,))
        return Gathered(found=found, passages=passages)

    def _chosen(self, found: Found) -> tuple[tuple[Evidence, ...], Assembly, list[Chunk]]:
        """Assemble the candidates and make those that are admitted citable; runs in a thread."""
        carried = self._carried(found.prepared.talk)
        hits = [hit.chunk for hit in found.findings.hits]
        candidates = _merged(hits, carried, self.parts.settings.passages)
        tier, encoding = self.parts.settings.tier, self.parts.model.profile.encoding
        assembly = assemble(
            [passage_of(chunk, provider="documents", trust_tier=tier) for chunk in candidates],
            settings=AssemblySettings(
                budget=self._budget(found.prepared),
                buffer=0,
                estimator=lambda text: count_tokens(text, encoding),
            ),
            frame="",
        )
        by_id = {chunk.id: chunk for chunk in candidates}
        admitted = [by_id[item.passage.id] for item in assembly.admitted]
        return self.citable.add(admitted, tier), assembly, carried

    def _carried(self, talk: Talk) -> list[Chunk]:
        """Return the passages that the previous answer cited and that are still there."""
        previous = answer_of(talk.history[-1]) if talk.history else None
        if previous is None or not self.parts.settings.follow_ups:
            return []
        cited = dict.fromkeys((it.document, it.chunk) for it in previous.citations)
        return self.parts.library.chunks(list(cited)[:MOST_CARRIED])

    def _budget(self, prepared: Prepared) -> int:
        """Return the tokens that passages may take: the rest of the prompt comes first."""
        profile, talk = self.parts.model.profile, prepared.talk
        messages = (*talk.messages, prepared.message)
        texts = [
            self.parts.system_prompt,
            *talk.instructions,
            *(str(it.content) for it in messages),
        ]
        spent = sum(count_tokens(text, profile.encoding) for text in texts)
        room = max(int((profile.window - profile.reserve - spent) * ENVELOPES), LEAST_ROOM)
        wanted = self.parts.settings.evidence_tokens
        return min(wanted, room) if wanted else room

    def _report(
        self, passages: tuple[Evidence, ...], assembly: Assembly, carried: list[Chunk]
    ) -> None:
        self.reporter.step(
            "evidence",
            "done" if passages else "failed",
            counted(len(passages), "passage"),
            passages=[
                {"number": it.number, "chunk": it.chunk.id, "title": it.title, "link": it.link}
                for it in passages
            ],
            carried=[chunk.id for chunk in carried],
            dropped=[{"chunk": it.passage.id, "reason": it.reason} for it in assembly.dropped],
            tokens=assembly.spent,
            budget=assembly.budget,
        )


def _merged(hits: list[Chunk], carried: list[Chunk], most: int) -> list[Chunk]:
    """Return each candidate once: the better half of the hits, the carried ones, the other hits."""
    half = (most + 1) // 2
    ordered = [*hits[:half], *carried, *hits[half:]]
    return list({chunk.id: chunk for chunk in reversed(ordered)}.values())[::-1][:most]
