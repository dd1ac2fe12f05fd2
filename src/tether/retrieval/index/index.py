"""The index: plan, apply, look, go back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tether.core.canonical import parse_json_object
from tether.core.cleaning import clean_text
from tether.core.errors import (
    EmbeddingFailed,
    IndexDamaged,
    IndexLocked,
    IndexWriteFailed,
    InputRefused,
)
from tether.retrieval.index.applying import Application, states_of
from tether.retrieval.index.arrays import ArraySet
from tether.retrieval.index.checking import Damage, check_index
from tether.retrieval.index.collecting import clear_leftovers, collect
from tether.retrieval.index.creating import create_index, set_aside
from tether.retrieval.index.embedding import Embedded, Embedding, refuse_embedder
from tether.retrieval.index.failures import translated
from tether.retrieval.index.generation import Calibration, calibration_note
from tether.retrieval.index.parts import Step, unheard
from tether.retrieval.index.planning import make_plan, prefixes
from tether.retrieval.index.rows import read_rows
from tether.retrieval.index.snapshot import Snapshot
from tether.retrieval.index.status import Shown, Status, status_of
from tether.retrieval.index.store import writing
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tether.retrieval.index.generation import Generation
    from tether.retrieval.index.parts import Parts, Progress
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.store import Store
    from tether.retrieval.ports import Embedder
    from tether.retrieval.source import Source
    from tether.retrieval.state import DocumentState


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyReport:
    """What applying a plan came to.

    Every document of the plan is in `states` once. `is_new` is False where nothing had to change.
    `notes` tell what did not go as wished although the generation was switched: a calibration that
    no longer holds, embeddings that failed, files that could not be removed.
    """

    generation: int
    is_new: bool
    states: tuple[DocumentState, ...]
    documents: int
    chunks: int
    embedded: int
    notes: tuple[str, ...] = ()


class Index:
    """An index in a folder. Reading needs no lock; each writing method takes the writer lock.

    Writing raises `IndexLocked` while another process (or another object) writes, and
    `IndexWriteFailed` where the disk refuses: what was there before still answers.
    """

    def __init__(self, folder: Path, parts: Parts) -> None:
        self.folder = folder
        self._parts = parts

    @classmethod
    def open(cls, folder: Path, parts: Parts) -> Index:
        """Return the index in a folder.

        Raises `IndexMissing`, `IndexDamaged` and `IndexFormatUnsupported`.
        """
        read_rows(folder / NAME).close()
        return cls(folder, parts)

    @classmethod
    def create(cls, folder: Path, parts: Parts) -> Index:
        """Return the index in a folder, made now where there is none.

        Raises `InputRefused` for a folder that holds other things.
        """
        create_index(folder, parts.files)
        return cls.open(folder, parts)

    @classmethod
    def recreate(cls, folder: Path, parts: Parts) -> Index:
        """Return an empty index in place of one that is damaged or of another format.

        The old database stays beside it under another name. Its vectors are taken over as far as
        they can be read and are what was written: embedding is what costs most.
        """
        set_aside(folder, parts.files)
        return cls.open(folder, parts)

    def plan(
        self,
        *sources: Source,
        forget: Sequence[str] = (),
        rebuild: bool = False,
        progress: Progress = unheard,
    ) -> Plan:
        """Return what has to be done so that the index holds what the sources hold.

        Documents of sources that are not named stay; `forget` names sources whose documents go.
        `rebuild` makes the arrays anew from the texts. Raises `SourceUnavailable`.
        """
        rows = read_rows(self.folder / NAME)
        try:
            return make_plan(
                rows,
                self._parts,
                sources,
                forget=forget,
                rebuild=rebuild,
                scanned=lambda count: progress(Step(stage="scan", done=count, total=0)),
            )
        finally:
            rows.close()

    def known_versions(self, source: str) -> dict[str, str]:
        """Return the evidence by which a source's documents were last known, by their keys."""
        source = clean_text(source)
        rows = read_rows(self.folder / NAME)
        try:
            before = prefixes({*rows.sources(), source})[source]
            return {
                key.removeprefix(before): outcome.evidence
                for key, outcome in rows.outcomes().items()
                if outcome.source == source and outcome.evidence and outcome.content
            }
        finally:
            rows.close()

    def apply(
        self, plan: Plan, *, embedder: Embedder | None = None, progress: Progress = unheard
    ) -> ApplyReport:
        """Do what was planned. The lexical lanes answer before the embedding begins.

        Raises `InputRefused` where the index changed since it was planned, `EmbedderMismatch`, and
        what `progress` raises; stopped or killed at any point, the next run goes on from there.
        """
        with writing(self.folder) as store:
            if embedder is not None:
                refuse_embedder(store, embedder)
            applied = Application(store, self.folder, self._parts, plan, progress).run()
            notes = calibration_note(applied.before, applied.generation)
            embedded = applied.generation.embedded
            if embedder is not None:
                try:
                    embedding = Embedding(store, self.folder, self._parts, embedder, progress)
                    done = embedding.run()
                    embedded, notes = done.rows, notes + done.notes
                except EmbeddingFailed as error:
                    notes += (str(error),)
            notes += self._collected(store)
        return ApplyReport(
            generation=applied.generation.number,
            is_new=applied.is_new,
            states=states_of(plan, applied),
            documents=applied.generation.documents,
            chunks=applied.generation.size,
            embedded=embedded,
            notes=notes,
        )

    def embed(self, embedder: Embedder, *, progress: Progress = unheard) -> Embedded:
        """Embed what has no vector yet; raises `EmbeddingFailed` and `EmbedderMismatch`."""
        with writing(self.folder) as store:
            return self._embed(store, embedder, progress, migrate=False)

    def migrate(self, embedder: Embedder, *, progress: Progress = unheard) -> Embedded:
        """Change to another embedder: from the stored texts, without reading a document again.

        Searches use the old vectors until all new ones are there.
        """
        with writing(self.folder) as store:
            return self._embed(store, embedder, progress, migrate=True)

    def _embed(
        self, store: Store, embedder: Embedder, progress: Progress, *, migrate: bool
    ) -> Embedded:
        clear_leftovers(store, self.folder, self._parts.files)
        embedding = Embedding(store, self.folder, self._parts, embedder, progress)
        done = embedding.run(migrate=migrate)
        return replace(done, notes=done.notes + self._collected(store))

    def rollback(self) -> int:
        """Search the previous generation again, and return its number; twice goes forth again.

        Raises `InputRefused` where there is none, and `IndexDamaged` where it would not answer.
        """
        with writing(self.folder) as store:
            heads = store.heads()
            if heads is None or heads.previous is None:
                raise InputRefused("there is no previous generation to go back to")
            self._refuse_damaged(store, store.generation(heads.previous))
            with store.transaction():
                store.set_heads(heads.previous, heads.current)
            return heads.previous

    def _refuse_damaged(self, store: Store, generation: Generation) -> None:
        """Raise `IndexDamaged` where a generation would not answer."""
        store.entries_of(generation)
        ArraySet(self.folder / generation.folder, generation.manifest).close()

    def store_calibration(self, text: str, *, generation: int | None = None) -> None:
        """Keep a fitted floor with the current generation.

        Raises `InputRefused` for what is no JSON object, and where the floor was fitted on another
        `generation` than the one that is current now.
        """
        try:
            parse_json_object(text)
        except ValueError as error:
            raise InputRefused(f"a calibration {error}") from error
        with writing(self.folder) as store:
            current = store.current()
            if generation not in (None, current.number):
                raise InputRefused("the index changed while it was calibrated; calibrate again")
            calibration = Calibration(text=text, basis=current.basis, corpus=current.corpus_id)
            with store.transaction():
                store.put_generation(replace(current, calibration=calibration))

    def collect(self) -> None:
        """Remove what killed runs left, and generations that nobody reads any more."""
        with writing(self.folder) as store:
            collect(store, self.folder, self._parts.files)

    def snapshot(self) -> Snapshot:
        """Return the current generation, held open; raises `IndexMissing`, `IndexDamaged`."""
        return Snapshot(self.folder, self._parts)

    def status(self) -> Status:
        """Return what there is to say about the index."""
        rows = read_rows(self.folder / NAME)
        try:
            return status_of(rows, self.folder)
        finally:
            rows.close()

    def show(self, key: str) -> Shown:
        """Return a document with its chunks; raises `InputRefused` where it is not there."""
        with self.snapshot() as snapshot:
            return snapshot.shown(key)

    def check(self) -> tuple[Damage, ...]:
        """Return what is damaged, every byte checked; () where the index is sound."""
        return check_index(self.folder, self._parts)

    def _collected(self, store: Store) -> tuple[str, ...]:
        """Collect after a switch: what cannot be removed now does not undo it."""
        try:
            with translated(self.folder / NAME, writing=True):
                collect(store, self.folder, self._parts.files)
        except (IndexDamaged, IndexLocked, IndexWriteFailed) as error:
            return (f"older files could not be removed: {error}",)
        return ()
