"""The stage that chooses the passages which the model is shown and may cite."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import NamedTuple

from tether.ask.evidence import Citable, Evidence
from tether.ask.history import answer_of
from tether.ask.parts import Parts
from tether.ask.prompt import passage_text, text_of
from tether.ask.reporter import Reporter
from tether.ask.values import Found, Gathered, Prepared, Refusal, Talk
from tether.core.tokens import count_tokens
from tether.retrieval.assembly.admission import assemble
from tether.retrieval.assembly.assembly import Assembly, AssemblySettings
from tether.retrieval.chunk import Chunk, Passage
from tether.retrieval.providers.index import passage_of
from tether.runtime.pipeline import Abortable
from tether.text.numbers import counted

NOTHING_FITS = "no passage fits the window of the model"

MOST_CARRIED = 3
"""How many passages of the previous answer come along."""

LEAST_ROOM = 256
"""Tokens that passages get, however slow the model and however full the window is."""

SURE = 0.9
"""How much of the window is filled, as counts are inexact."""


def evidence_room(
    *, limit: int, spent: int, wanted: int, speed: float | None, patience: float
) -> int:
    """Return the tokens that passages may take in the prompt of one attempt.

    The prompt may have `limit` tokens, of which the rest takes `spent`. A model that reads `speed`
    tokens in a second is expected to read the whole prompt within `patience` seconds; None or 0: it
    may take any time. `wanted` bounds the passages alone (0: not at all).
    """
    most = limit * SURE
    if speed is not None and patience:
        most = min(most, speed * patience)
    room = max(int(most) - spent, LEAST_ROOM)
    return min(wanted, room) if wanted else room


class Added(NamedTuple):
    """Candidates that no lane found: those of the previous answer, and neighbours of hits."""

    carried: list[Chunk]
    neighbours: list[Chunk]


@dataclass(frozen=True, slots=True)
class Gather:
    """Fills the room with hits, best first, and among them the passages of the previous answer and
    the neighbours of the best hits.

    A model that reads too slowly for any of them is shown the best one. Refuses where no passage
    fits the window.
    """

    parts: Parts
    citable: Citable
    reporter: Reporter

    async def __call__(self, found: Found, ctx: Abortable) -> Gathered | Refusal:
        """Return the chosen passages, numbered."""
        speed = await ctx.abort_signal.guard(self._speed())
        work = asyncio.to_thread(self._chosen, found, speed)
        gathered, assembly, added = await ctx.abort_signal.guard(work)
        self._report(gathered.passages, assembly, added, speed)
        if not gathered.passages:
            return Refusal(reason="not-supported", nearest=found.nearest, notes=(NOTHING_FITS,))
        return gathered

    async def _speed(self) -> float | None:
        """Return how fast the model reads, by reading the beginning of every prompt."""
        if not self.parts.settings.patience:
            return None
        parts = self.parts
        return await parts.model.reading_speed(parts.system_prompt, self.reporter.work)

    def _chosen(self, found: Found, speed: float | None) -> tuple[Gathered, Assembly, Added]:
        """Assemble the candidates and make those that are admitted citable; runs in a thread."""
        added = Added(self._carried(found.prepared.talk), self._neighbours(found))
        hits = [hit.chunk for hit in found.findings.hits]
        joining = [*added.carried, *added.neighbours]
        candidates = _merged(hits, joining, self.parts.settings.most_passages)
        assembly = self._assembled(candidates, self._budget(found.prepared, speed))
        dropped = [it.passage.id for it in assembly.dropped if it.reason == "budget"]
        if not assembly.admitted and speed is not None:
            assembly = self._assembled(candidates[:1], self._budget(found.prepared, None))
        by_id = {chunk.id: chunk for chunk in candidates}
        admitted = [by_id[item.passage.id] for item in assembly.admitted]
        passages = self.citable.add(admitted, self.parts.settings.tier)
        others = [by_id[one] for one in dropped if by_id[one] not in admitted]
        return Gathered(found=found, passages=passages, others=tuple(others)), assembly, added

    def _assembled(self, candidates: list[Chunk], budget: int) -> Assembly:
        encoding = self.parts.model.profile.encoding
        settings = AssemblySettings(
            budget=budget, buffer=0, estimator=lambda text: count_tokens(text, encoding)
        )
        return assemble([self._shown(it) for it in candidates], settings=settings, frame="")

    def _shown(self, chunk: Chunk) -> Passage:
        """Return a chunk as it will be shown, for counting."""
        passage = passage_of(chunk, provider="documents", trust_tier=self.parts.settings.tier)
        style = self.parts.model.style
        if style == "points":
            item = Evidence(number=1, chunk=chunk, version="")
            return replace(passage, text=passage_text(item, style))
        return passage if style == "quotes" else replace(passage, text=text_of(chunk))

    def _neighbours(self, found: Found) -> list[Chunk]:
        """Return the passages beside the best hits, if some are wanted."""
        count = self.parts.settings.neighbours
        return self.parts.library.neighbours(found.findings, count) if count else []

    def _carried(self, talk: Talk) -> list[Chunk]:
        """Return the passages that the previous answer cited and that are still there."""
        previous = answer_of(talk.history[-1]) if talk.history else None
        if previous is None or not self.parts.settings.follow_ups:
            return []
        cited = dict.fromkeys((it.document, it.chunk) for it in previous.citations)
        return self.parts.library.chunks(list(cited)[:MOST_CARRIED])

    def _budget(self, prepared: Prepared, speed: float | None) -> int:
        """Return the tokens that passages may take: the rest of the prompt comes first."""
        profile, talk = self.parts.model.profile, prepared.talk
        messages = (*talk.messages, prepared.message)
        texts = [
            self.parts.system_prompt,
            *talk.instructions,
            *(str(it.content) for it in messages),
        ]
        spent = sum(count_tokens(text, profile.encoding) for text in texts)
        return evidence_room(
            limit=profile.window - profile.reserve,
            spent=spent,
            wanted=self.parts.settings.evidence_tokens,
            speed=speed,
            patience=self.parts.settings.patience,
        )

    def _report(
        self,
        passages: tuple[Evidence, ...],
        assembly: Assembly,
        added: Added,
        speed: float | None,
    ) -> None:
        self.reporter.step(
            "evidence",
            "done" if passages else "failed",
            counted(len(passages), "passage"),
            passages=[
                {"number": it.number, "chunk": it.chunk.id, "title": it.title, "link": it.link}
                for it in passages
            ],
            carried=[chunk.id for chunk in added.carried],
            neighbours=[chunk.id for chunk in added.neighbours],
            dropped=[{"chunk": it.passage.id, "reason": it.reason} for it in assembly.dropped],
            tokens=assembly.spent,
            budget=assembly.budget,
            reading_speed=speed,
        )


def _merged(hits: list[Chunk], joining: list[Chunk], most: int) -> list[Chunk]:
    """Return each candidate once: the better half of the hits, the joining ones, other hits."""
    half = (most + 1) // 2
    ordered = [*hits[:half], *joining, *hits[half:]]
    return list({chunk.id: chunk for chunk in reversed(ordered)}.values())[::-1][:most]
