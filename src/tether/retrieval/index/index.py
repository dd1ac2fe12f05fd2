"""The index: plan, apply, search, roll back."""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused
from tether.core.plain_data import parse_json_object
from tether.retrieval.errors import EmbeddingFailed, IndexDamaged, IndexLocked, IndexWriteFailed
from tether.retrieval.index.arrays import ArraySet
from tether.retrieval.index.connection import translated
from tether.retrieval.index.embedding_beside import EmbeddingBeside
from tether.retrieval.index.files import PRIVATE_FILE
from tether.retrieval.index.folder import IN_STEP, create_index, remove_index, set_aside
from tether.retrieval.index.garbage import clear_leftovers, collect
from tether.retrieval.index.generation import Calibration, calibration_note
from tether.retrieval.index.integrity import Damage, check_index
from tether.retrieval.index.parts import Step, unheard
from tether.retrieval.index.plan import make_plan, prefixes
from tether.retrieval.index.rows import read_rows
from tether.retrieval.index.snapshot import Snapshot
from tether.retrieval.index.status import Shown, Status, status_of
from tether.retrieval.index.store import writing
from tether.retrieval.index.tables import NAME
from tether.retrieval.index.update import Application, states_of
from tether.retrieval.index.vectors import Embedded, Embedding, refuse_embedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tether.retrieval.index.generation import Generation
    from tether.retrieval.index.parts import Parts, Progress
    from tether.retrieval.index.plan import Plan
    from tether.retrieval.index.store import Store
    from tether.retrieval.ports import Embedder
    from tether.retrieval.source import DocumentState, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyReport:
    """The result of applying a plan.

    Every document of the plan is in `states` once. `is_new` is False if nothing had to change.
    `notes` report problems that did not stop the switch of the generation: a calibration that is no
    longer valid, embeddings that failed, files that could not be removed.
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
    `IndexWriteFailed` if the disk refuses; the index still answers as before.
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
        """Return the index in a folder, created if there is none.

        Raises `InputRefused` for a folder with other files.
        """
        create_index(folder, parts.files)
        return cls.open(folder, parts)

    @classmethod
    def recreate(cls, folder: Path, parts: Parts) -> Index:
        """Return an empty index in place of one that is damaged or of another format.

        The old database is kept under another name. Its vectors are copied if they can be read and
        are undamaged, because embedding is the most expensive step.
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
        """Return the changes that make the index hold the documents of the sources.

        Documents of other sources stay; `forget` names sources whose documents are removed.
        `rebuild` builds the arrays again from the texts. Raises `SourceUnavailable`.
        """
        with closing(read_rows(self.folder / NAME)) as rows:
            return make_plan(
                rows,
                self._parts,
                sources,
                forget=forget,
                rebuild=rebuild,
                scanned=lambda count: progress(Step(stage="scan", done=count, total=0)),
            )

    def known_versions(self, source: str) -> dict[str, str]:
        """Return the last known evidence of the documents of a source, by key."""
        source = clean_text(source)
        with closing(read_rows(self.folder / NAME)) as rows:
            before = prefixes({*rows.sources(), source})[source]
            return {
                key.removeprefix(before): outcome.evidence
                for key, outcome in rows.outcomes().items()
                if outcome.source == source and outcome.evidence and outcome.content
            }

    def apply(
        self,
        plan: Plan,
        *,
        embedder: Embedder | None = None,
        most: int | None = None,
        progress: Progress = unheard,
    ) -> ApplyReport:
        """Carry out a plan. The lexical lanes answer before the embedding begins.

        If more than `most` passages lack a vector, none is embedded: the next `embed` does it.
        Raises `InputRefused` if the index changed since the plan was made, `EmbedderMismatch`, and
        whatever `progress` raises. Stopped or killed at any point, the next run continues there.
        """
        with writing(self.folder) as store:
            if embedder is not None:
                refuse_embedder(store, embedder)
            applied = Application(store, self.folder, self._parts, plan, progress).run()
            notes = calibration_note(applied.before, applied.generation)
            embedded = applied.generation.embedded
            missing = applied.generation.size - embedded
            if embedder is not None and (most is None or missing <= most):
                try:
                    embedding = Embedding(store, self.folder, self._parts, embedder, progress)
                    done = embedding.run()
                    embedded, notes = done.rows, notes + done.notes
                except EmbeddingFailed as error:
                    notes += (str(error),)
            notes += self._collected(store)
            self.mark_in_step()
        return ApplyReport(
            generation=applied.generation.number,
            is_new=applied.is_new,
            states=states_of(plan, applied),
            documents=applied.generation.documents,
            chunks=applied.generation.size,
            embedded=embedded,
            notes=notes,
        )

    def mark_in_step(self) -> None:
        """Note that the index was compared with its sources just now; it answers without, too."""
        with suppress(OSError):
            (self.folder / IN_STEP).touch(mode=PRIVATE_FILE)

    def remove(self) -> None:
        """Remove the index with its folder; raises `IndexLocked` and `InputRefused`."""
        remove_index(self.folder)

    def embed_beside(self, embedder: Embedder, *, progress: Progress = unheard) -> Embedded:
        """Embed as `embed` does, but let others write meanwhile; searches see all or nothing.

        Waits while another process writes. Raises `EmbeddingFailed` and `EmbedderMismatch`.
        """
        beside = EmbeddingBeside(self.folder, embedder, progress)
        beside.run()
        return beside.patiently(lambda: self.embed(embedder, progress=progress))

    def embed(self, embedder: Embedder, *, progress: Progress = unheard) -> Embedded:
        """Embed the texts without a vector; raises `EmbeddingFailed` and `EmbedderMismatch`."""
        with writing(self.folder) as store:
            return self._embed(store, embedder, progress, migrate=False)

    def migrate(self, embedder: Embedder, *, progress: Progress = unheard) -> Embedded:
        """Change to another embedder, using the stored texts: no document is read again.

        Searches use the old vectors until all new ones are stored.
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
        """Make the previous generation current and return its number; a second call undoes it.

        Raises `InputRefused` if there is none, and `IndexDamaged` if it cannot answer.
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
        """Raise `IndexDamaged` if a generation cannot answer."""
        store.entries_of(generation)
        ArraySet(self.folder / generation.folder, generation.manifest).close()

    def store_calibration(self, text: str, *, generation: int | None = None) -> None:
        """Store a fitted floor with the current generation.

        Raises `InputRefused` for text that is not a JSON object, and if the floor was fitted on a
        `generation` that is no longer current.
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
        """Remove the leftovers of killed runs, and generations that are no longer read."""
        with writing(self.folder) as store:
            collect(store, self.folder, self._parts.files)

    def snapshot(self) -> Snapshot:
        """Return the current generation, kept open; raises `IndexMissing`, `IndexDamaged`."""
        return Snapshot(self.folder, self._parts)

    def status(self) -> Status:
        """Return the state of the index; raises `IndexMissing` before the first generation."""
        with closing(read_rows(self.folder / NAME)) as rows:
            return status_of(rows, self.folder)

    def sources_of(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the sources of some documents; all sources if a document is not there."""
        with closing(read_rows(self.folder / NAME)) as rows, rows.together():
            number = rows.current().number
            found = [rows.find(number, key) for key in keys]
            known = {entry[1].source for entry in found if entry is not None}
            return tuple(rows.sources() if None in found else sorted(known))

    def generation(self) -> Generation:
        """Return the facts of the current generation; raises `IndexMissing` before the first."""
        with closing(read_rows(self.folder / NAME)) as rows:
            return rows.current()

    def show(self, key: str) -> Shown:
        """Return a document with its chunks; raises `InputRefused` for an unknown key."""
        with self.snapshot() as snapshot:
            return snapshot.shown(key)

    def check(self) -> tuple[Damage, ...]:
        """Check every byte and return the damage; () for a sound index."""
        return check_index(self.folder, self._parts)

    def _collected(self, store: Store) -> tuple[str, ...]:
        """Remove unused data after a switch; a failure is a note and does not undo the switch."""
        try:
            with translated(self.folder / NAME, writing=True):
                collect(store, self.folder, self._parts.files)
        except (IndexDamaged, IndexLocked, IndexWriteFailed) as error:
            return (f"older files could not be removed: {error}",)
        return ()
