"""The admission of passages to a prompt, best first, until the budget is used."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tether.retrieval.assembly.assembly import (
    Admitted,
    Assembly,
    AssemblySettings,
    Dropped,
    DropReason,
)
from tether.retrieval.assembly.duplicates import Group, citations, grouped
from tether.retrieval.assembly.envelope import Cost, cost_of, frame_of, joined
from tether.retrieval.estimates import counting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tether.retrieval.chunk import Passage

_MOST_TRIED = 3
"""The number of equivalent passages that are tried if the first does not fit."""


def assemble(
    passages: Sequence[Passage],
    *,
    settings: AssemblySettings | None = None,
    budget: int | None = None,
    frame: str | None = None,
) -> Assembly:
    """Admit passages in the given order, each with its citation, as long as they fit.

    A passage that does not fit is dropped as a whole; smaller ones after it may still be admitted.
    The same passages always give the same assembly. `budget` overrides that of the settings;
    `frame` is the text around the passages, by default that of `numbered_block`. The rendered text
    is counted once more as a whole, and the last passages are dropped if it costs more than its
    parts. Raises `InvalidRetrievalSettings` for an invalid budget, and for an estimator whose
    result is not a count.
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
    """The budget that is left while passages are admitted."""

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
        """Record that a group is left out."""
        first, *others = group
        self._dropped.append(
            Dropped(passage=first, tokens=tokens, reason=reason, also=citations(others))
        )

    def assembly(self) -> Assembly:
        """Return the assembly, without the last passages if the whole exceeds the budget."""
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
        """Return the cost of the rendered whole beyond its parts, 0 with most estimators."""
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


class Span(NamedTuple):
    """A range of characters of one document."""

    document: str
    start: int
    end: int


def span_of(passage: Passage) -> Span | None:
    """Return the range of the text of the passage, from its metadata `document`, `start`, `end`.

    None without this metadata, and if the range is not as long as the text.
    """
    said = dict(passage.metadata)
    start, end = said.get("start", ""), said.get("end", "")
    if "document" not in said or not (start.isdecimal() and end.isdecimal()):
        return None
    if int(end) - int(start) != len(passage.text):
        return None
    return Span(said["document"], int(start), int(end))


def without_overlap(passage: Passage, shown: Iterable[Span]) -> Passage:
    """Return the passage without a beginning or an end that is already shown.

    The rest is still a range of its document, and its metadata says which. A passage inside a shown
    range, or around it, stays as it is.
    """
    span = span_of(passage)
    if span is None:
        return passage
    start, end = span.start, span.end
    for other in shown:
        if other.document != span.document:
            continue
        if other.start <= start < other.end < end:
            start = other.end
        elif start < other.start < end <= other.end:
            end = other.start
    text = passage.text[start - span.start : end - span.start]
    return _cut(passage, start, end) if text.strip() else passage


def _cut(passage: Passage, start: int, end: int) -> Passage:
    said = dict(passage.metadata)
    first = int(said["start"])
    places = {**said, "start": str(start), "end": str(end)}
    text = passage.text[start - first : end - first]
    return replace(passage, text=text, metadata=tuple(places.items()))
