"""Fills a prompt's room with passages, best first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tether.retrieval.assembly.assembly import Admitted, Assembly, Dropped, DropReason
from tether.retrieval.assembly.envelope import Cost, cost_of
from tether.retrieval.assembly.estimating import counting
from tether.retrieval.assembly.groups import Group, citations, grouped
from tether.retrieval.assembly.numbered import frame_of, joined
from tether.retrieval.assembly.settings import AssemblySettings
from tether.retrieval.assembly.trimming import Span, span_of, without_overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.retrieval.passage import Passage

_MOST_TRIED = 3
"""Of passages that say the same, how many are tried where the first does not fit."""


def assemble(
    passages: Sequence[Passage],
    *,
    settings: AssemblySettings | None = None,
    budget: int | None = None,
    frame: str | None = None,
) -> Assembly:
    """Admit passages in the given order, each with its citation, as long as there is room.

    A passage that does not fit is dropped, whole, and smaller ones after it may still be admitted.
    The same passages always give the same assembly. `budget` overrides that of the settings for
    this call; `frame` is the text around the passages, by default that of `numbered_block`. What
    is rendered is counted once more as a whole, and the last passages are dropped where it costs
    more than its parts. Raises `InvalidRetrievalSettings` for a budget that is none, and for an
    estimator that returns something that is no count.
    """
    chosen = settings or AssemblySettings()
    if budget is not None:
        chosen = replace(chosen, budget=budget)
    around = frame_of(len(passages)) if frame is None else frame
    filling = _Filling(chosen, around)
    for passage in passages:
        if not passage.text.strip():
            filling.drop((passage,), 0, "empty")
    readable = (passage for passage in passages if passage.text.strip())
    for group in grouped(readable, chosen.similarity):
        filling.take(group)
    return filling.assembly()


class _Filling:
    """The room that is left while passages are admitted."""

    def __init__(self, settings: AssemblySettings, around: str) -> None:
        self._settings = settings
        self._estimate = counting(settings.estimator)
        self._buffer = min(settings.buffer, settings.budget)
        self._around = around
        self._frame = self._estimate(around)
        self._room = settings.budget - self._buffer - self._frame
        self._admitted: list[Admitted] = []
        self._dropped: list[Dropped] = []
        self._shown: list[Span] = []
        self._by_page: Counter[str] = Counter()

    def take(self, group: Group) -> None:
        """Admit the first passage of the group that fits, or drop them all."""
        tried: list[tuple[Cost, DropReason]] = []
        for passage in group[:_MOST_TRIED]:
            shown = without_overlap(passage, self._shown)
            also = citations(other for other in group if other is not passage)
            number = len(self._admitted) + 1
            cost = cost_of(number, shown, also, self._estimate)
            reason = self._refusal(shown, cost)
            if reason is None:
                self._admit(
                    Admitted(
                        number=number,
                        passage=shown,
                        tokens=cost.tokens,
                        envelope=cost.envelope,
                        also=also,
                    )
                )
                return
            tried.append((cost, reason))
        cost, reason = tried[0]
        self.drop(group, cost.total, reason)

    def drop(self, group: Group, tokens: int, reason: DropReason) -> None:
        """Note that a group is left out."""
        first, *others = group
        self._dropped.append(
            Dropped(passage=first, tokens=tokens, reason=reason, also=citations(others))
        )

    def assembly(self) -> Assembly:
        """Return what came out, without the last passages where the whole is over the budget."""
        while (excess := self._excess()) > max(self._room, 0) and self._admitted:
            item = self._admitted.pop()
            cost = item.tokens + item.envelope
            self._room += cost
            self._dropped.append(
                Dropped(passage=item.passage, tokens=cost, reason="budget", also=item.also)
            )
        return Assembly(
            admitted=tuple(self._admitted),
            dropped=tuple(self._dropped),
            budget=self._settings.budget,
            buffer=self._buffer,
            frame=self._frame + excess if self._admitted else 0,
        )

    def _excess(self) -> int:
        """Return how much more than its parts the rendered whole costs: by most estimators, 0."""
        if not self._admitted:
            return 0
        whole = self._estimate(self._around + joined(self._admitted))
        parts = sum(item.tokens + item.envelope for item in self._admitted)
        return max(whole - parts - self._frame, 0)

    def _refusal(self, passage: Passage, cost: Cost) -> DropReason | None:
        if cost.total > self._room:
            return "budget"
        share = self._settings.source_share * self._settings.budget
        return "source" if self._by_page[_page(passage)] + cost.total > share else None

    def _admit(self, item: Admitted) -> None:
        cost = item.tokens + item.envelope
        self._room -= cost
        self._by_page[_page(item.passage)] += cost
        self._admitted.append(item)
        span = span_of(item.passage)
        if span is not None:
            self._shown.append(span)


def _page(passage: Passage) -> str:
    return passage.identifier.partition("#")[0]
