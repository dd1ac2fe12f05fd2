"""Carry out a plan: read the changed documents, build a new generation beside the old one, switch.

Before the switch, the update only adds rows and files that no search sees. Killed at any point, it
leaves an index that answers as before, and the next run does not read a document again that was
already read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused
from tether.retrieval.index.garbage import clear_leftovers
from tether.retrieval.index.generation import (
    GENERATIONS,
    Entry,
    Generation,
    calibration_for,
    corpus_id,
)
from tether.retrieval.index.intake import Intake
from tether.retrieval.index.lane_arrays import Builder, carried_over, row_starts
from tether.retrieval.index.records import Outcome
from tether.retrieval.index.status import state_of
from tether.retrieval.index.vectors import VectorWriter
from tether.retrieval.source import DocumentState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tether.retrieval.index.parts import Parts, Progress
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.store import Store

STAYS = "; the version that was indexed before stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The current generation, whether it is new, and the outcome of every document."""

    generation: Generation
    before: Generation | None
    is_new: bool
    outcomes: tuple[Outcome, ...]
    entries: tuple[Entry, ...]


class Application:
    """Carries out one plan, under the writer lock."""

    def __init__(
        self, store: Store, folder: Path, parts: Parts, plan: Plan, progress: Progress
    ) -> None:
        self._store = store
        self._folder = folder
        self._parts = parts
        self._plan = plan
        self._progress = progress
        heads = store.heads()
        if (heads.current if heads else None) != plan.base:
            raise InputRefused("the index changed since this was planned; plan again")
        self._before = store.generation(heads.current) if heads else None
        self._old = store.entries_of(self._before) if self._before else []

    def run(self) -> Applied:
        """Carry out the plan; raises whatever `progress` raises."""
        clear_leftovers(self._store, self._folder, self._parts.files)
        results = Intake(self._store, self._parts, self._progress).run(
            [*self._plan.added, *self._plan.changed]
        )
        entries = {entry.key: entry for entry in self._old}
        outcomes = {outcome.key: outcome for outcome in self._plan.outcomes}
        for key in self._plan.removed:
            entries.pop(key, None)
        for outcome, entry in results:
            outcomes[outcome.key] = outcome
            if entry is not None:
                entries[entry.key] = entry
            elif outcome.state != "failed":
                entries.pop(outcome.key, None)
        settled = [_settled(outcome, entries) for outcome in outcomes.values()]
        return self._switch([entries[key] for key in sorted(entries)], settled)

    def _switch(self, entries: list[Entry], outcomes: list[Outcome]) -> Applied:
        same = self._before is not None and not self._plan.lanes and entries == self._old
        generation = self._before if same and self._before else self._built(entries)
        with self._store.transaction():
            self._note(outcomes)
            if not same:
                self._store.add_generation(generation, entries)
        return Applied(
            generation=generation,
            before=self._before,
            is_new=not same,
            outcomes=tuple(outcomes),
            entries=tuple(entries),
        )

    def _built(self, entries: list[Entry]) -> Generation:
        """Write the arrays of a new generation and return it; nothing refers to it yet."""
        number = self._store.next_generation()
        folder = self._folder / GENERATIONS / str(number)
        before = self._before
        carried = None
        if before is not None:
            carried = carried_over(before, self._folder / before.folder, self._old, entries)
        builder = Builder(self._store, self._parts, entries, carried)
        manifest = builder.write(folder, rebuilt=self._plan.lanes, progress=self._progress)
        generation = Generation(
            number=number,
            created=self._parts.clock(),
            corpus_id=corpus_id(entries),
            documents=len(entries),
            size=int(row_starts(entries)[-1]),
            chunker=self._parts.chunker.fingerprint,
            lanes={name: lane.fingerprint for name, lane in self._parts.lanes.items()},
            manifest=manifest,
        )
        if before is None:
            return generation
        writer = VectorWriter(self._store, self._folder, self._parts)
        generation = writer.write(generation, entries, before.embedder)
        return replace(generation, calibration=calibration_for(generation, before.calibration))

    def _note(self, outcomes: Iterable[Outcome]) -> None:
        """Record the outcomes that changed, and forget documents that are gone."""
        plan = self._plan
        known = self._store.outcomes()
        seen = {*plan.unchanged, *(outcome.key for outcome in outcomes)}
        scanned = {*plan.sources, *plan.forget}
        gone = [
            key
            for key, was in known.items()
            if was.source in scanned and key not in seen and not key.startswith(plan.shut)
        ]
        self._store.put_outcomes(new for new in outcomes if known.get(new.key) != new)
        self._store.drop_outcomes(gone)
        self._store.put_sources(plan.sources, plan.forget)


def _settled(outcome: Outcome, entries: dict[str, Entry]) -> Outcome:
    """Return the outcome as text that can be stored; a failure says if an older version stays."""
    reason = clean_text(outcome.reason)
    if outcome.state == "failed" and outcome.key in entries and not reason.endswith(STAYS):
        reason += STAYS
    notes = tuple(clean_text(note) for note in outcome.notes)
    return replace(outcome, reason=reason, notes=notes)


def states_of(plan: Plan, applied: Applied) -> tuple[DocumentState, ...]:
    """Return one state for each document, ordered by key."""
    same = set(plan.unchanged)
    found = {
        outcome.key: state_of(outcome, unchanged=outcome.key in same)
        for outcome in applied.outcomes
    }
    found |= {
        entry.key: DocumentState(key=entry.key, state="unchanged", chunks=entry.chunks)
        for entry in applied.entries
        if entry.key in same and entry.key not in found
    }
    return tuple(found[key] for key in sorted(found))
