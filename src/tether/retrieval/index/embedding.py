"""Embedding what has no vector yet: in small batches, each kept for good as soon as it is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import EmbedderMismatch, EmbeddingFailed
from tether.retrieval.index.generation import calibration_for, calibration_note
from tether.retrieval.index.parts import Step
from tether.retrieval.index.records import pack_vector, seal
from tether.retrieval.index.rows import chunk_in, chunk_limits
from tether.retrieval.index.vectors import VectorWriter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from tether.retrieval.index.asking import Row
    from tether.retrieval.index.generation import Entry, Generation
    from tether.retrieval.index.parts import Parts, Progress
    from tether.retrieval.index.store import Store
    from tether.retrieval.ports import Embedder

BATCH = 16
KEPT = 64
"""So many vectors are written at a time; a kill costs at most that many."""

UNIT = 1e-3
"""How far from 1 the length of a vector may be."""

_MISSING = """
    SELECT c.id, c.digest, c.record, c.checksum FROM chunks AS c
    WHERE c.id > ? AND c.id < ? AND NOT EXISTS (
        SELECT 1 FROM embeddings AS m WHERE m.embedder = ? AND m.digest = c.digest)
    ORDER BY c.id"""
_INSERT = "INSERT OR IGNORE INTO embeddings (embedder, digest, vector, checksum) VALUES (?,?,?,?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """How many texts were embedded now, and how many rows of the generation have vectors.

    `notes` tell what else happened: a calibration that no longer holds, files that stayed.
    """

    generation: int
    texts: int
    rows: int
    size: int
    notes: tuple[str, ...] = ()


def refuse_embedder(store: Store, embedder: Embedder, *, migrate: bool = False) -> None:
    """Raise `EmbedderMismatch` where an embedder's vectors cannot stand beside those there are."""
    built = store.current().embedder if store.heads() else ""
    if built not in ("", embedder.fingerprint) and not migrate:
        raise EmbedderMismatch(
            f"the index was embedded by {built!r}, not by {embedder.fingerprint!r}"
        )
    found = store.embedder(embedder.fingerprint)
    if found is not None and found[1] != embedder.dimensions:
        raise EmbedderMismatch(
            f"the vectors of {embedder.fingerprint!r} had {found[1]} dimensions "
            f"and now have {embedder.dimensions}",
            help="Give the changed embedder another fingerprint, and run `tether index migrate`.",
        )


class Embedding:
    """Brings the vectors of the current generation up to date; can be stopped and goes on."""

    def __init__(
        self, store: Store, folder: Path, parts: Parts, embedder: Embedder, progress: Progress
    ) -> None:
        self._store = store
        self._folder = folder
        self._parts = parts
        self._embedder = embedder
        self._progress = progress

    def run(self, *, migrate: bool = False) -> Embedded:
        """Embed what is missing, then switch to a set of vectors that holds it.

        Raises `EmbedderMismatch` where the index has vectors of another embedder and this is no
        migration, and `EmbeddingFailed`; what was embedded until then is kept.
        """
        generation = self._store.current()
        fingerprint = self._embedder.fingerprint
        refuse_embedder(self._store, self._embedder, migrate=migrate)
        entries = self._store.entries_of(generation)
        texts = self._fill_cache(entries)
        done = generation
        if texts or generation.embedder != fingerprint or generation.embedded < generation.size:
            done = self._switch(generation, entries)
        return Embedded(
            generation=done.number,
            texts=texts,
            rows=done.embedded,
            size=done.size,
            notes=calibration_note(generation, done),
        )

    def _switch(self, generation: Generation, entries: list[Entry]) -> Generation:
        writer = VectorWriter(self._store, self._folder, self._parts)
        done = writer.write(generation, entries, self._embedder.fingerprint)
        done = replace(done, calibration=calibration_for(done, generation.calibration))
        with self._store.transaction():
            self._store.put_generation(done)
            if generation.embedder not in ("", done.embedder):
                self._store.retire_embedder(generation.embedder)
        return done

    def _fill_cache(self, entries: list[Entry]) -> int:
        with self._store.transaction():
            number = self._store.add_embedder(self._embedder.fingerprint, self._embedder.dimensions)
        total = self._store.count_missing(number, entries)
        texts = 0
        ready: list[Row] = []
        try:
            for batch in self._batches(entries, number):
                ready += _rows(number, batch, self._vectors(list(batch.values())))
                texts += len(batch)
                if len(ready) >= KEPT:
                    self._keep(ready)
                self._progress(Step(stage="embed", done=texts, total=total))
        finally:
            self._keep(ready)
        return texts

    def _keep(self, ready: list[Row]) -> None:
        with self._store.transaction():
            self._store.connection.executemany(_INSERT, ready)
        ready.clear()

    def _batches(self, entries: list[Entry], embedder: int) -> Iterator[dict[bytes, str]]:
        """Yield texts that have no vector, by digest, a few at a time and none twice."""
        batch: dict[bytes, str] = {}
        for entry in entries:
            limits = chunk_limits(entry.version)
            for row in self._store.ask(_MISSING, (*limits, embedder)):
                batch[row[1]] = chunk_in(row).indexed
                if len(batch) == BATCH:
                    yield batch
                    batch = {}
        if batch:
            yield batch

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        vectors = np.asarray(self._embedder.embed_passages(texts), dtype=np.float32)
        if vectors.shape != (len(texts), self._embedder.dimensions):
            raise EmbeddingFailed(
                f"{len(texts)} texts gave vectors of the shape {vectors.shape}, "
                f"not {(len(texts), self._embedder.dimensions)}"
            )
        if not np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < UNIT):
            raise EmbeddingFailed("the embedder gave a vector whose length is not 1")
        return vectors


def _rows(embedder: int, batch: dict[bytes, str], vectors: NDArray[np.float32]) -> Iterator[Row]:
    for digest, vector in zip(batch, vectors, strict=True):
        payload = pack_vector(vector)
        yield embedder, digest, payload, seal(payload, "vector", embedder, digest)
