"""Vectors: embedded in batches into a cache in the database, and written as arrays from there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.errors import EmbedderMismatch, EmbeddingFailed, IndexDamaged
from tether.retrieval.index.arrays import Draft
from tether.retrieval.index.generation import DENSE, calibration_for, calibration_note
from tether.retrieval.index.lane_arrays import row_starts
from tether.retrieval.index.parts import Step
from tether.retrieval.index.records import INSERTED_VECTOR, opened, pack_vector, seal, unpack_vector
from tether.retrieval.index.rows import chunk_in, chunk_limits
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tether.retrieval.index.connection import Row
    from tether.retrieval.index.generation import Entry, Generation
    from tether.retrieval.index.parts import Parts, Progress
    from tether.retrieval.index.rows import Rows
    from tether.retrieval.index.store import Store
    from tether.retrieval.ports import Embedder

VECTORS = "vectors"
_VECTORS = """
    SELECT c.digest, m.id, m.vector, m.checksum FROM chunks AS c
    LEFT JOIN embeddings AS m ON m.embedder = ? AND m.digest = c.digest
    WHERE c.id > ? AND c.id < ? ORDER BY c.id"""

BATCH = 16
KEPT = 64
"""Vectors written at a time; a killed run loses at most this many."""

UNIT = 1e-3
"""The tolerance for the length of a vector, which must be 1."""

_MISSING = """
    SELECT c.id, c.digest, c.record, c.checksum FROM chunks AS c
    WHERE c.id > ? AND c.id < ? AND NOT EXISTS (
        SELECT 1 FROM embeddings AS m WHERE m.embedder = ? AND m.digest = c.digest)
    ORDER BY c.id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The number of texts embedded by a run, and of rows of the generation with a vector.

    `notes` report a calibration that is no longer valid, and files that could not be removed.
    """

    generation: int
    texts: int
    rows: int
    size: int
    notes: tuple[str, ...] = ()


def refuse_embedder(store: Store, embedder: Embedder, *, migrate: bool = False) -> None:
    """Raise `EmbedderMismatch` if the vectors of an embedder do not fit those of the index."""
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
    """Brings the vectors of the current generation up to date; a stopped run can be continued."""

    def __init__(
        self, store: Store, folder: Path, parts: Parts, embedder: Embedder, progress: Progress
    ) -> None:
        self._store = store
        self._folder = folder
        self._parts = parts
        self._embedder = embedder
        self._progress = progress

    def run(self, *, migrate: bool = False) -> Embedded:
        """Embed the missing texts, then switch to a complete set of vectors.

        Raises `EmbedderMismatch` if the index has vectors of another embedder and `migrate` is not
        set, and `EmbeddingFailed`; vectors embedded until then are kept.
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
            for batch in missing_texts(self._store, entries, number):
                ready += vector_rows(self._embedder, number, batch)
                texts += len(batch)
                if len(ready) >= KEPT:
                    keep_vectors(self._store, ready)
                self._progress(Step(stage="embed", done=texts, total=total))
        finally:
            keep_vectors(self._store, ready)
        return texts


def missing_texts(
    rows: Rows, entries: Sequence[Entry], embedder: int
) -> Iterator[dict[bytes, str]]:
    """Yield the texts without a vector by digest, each once, in small batches."""
    batch: dict[bytes, str] = {}
    for entry in entries:
        limits = chunk_limits(entry.version)
        for row in rows.query(_MISSING, (*limits, embedder)):
            batch[row[1]] = chunk_in(row).indexed
            if len(batch) == BATCH:
                yield batch
                batch = {}
    if batch:
        yield batch


def keep_vectors(store: Store, ready: list[Row]) -> None:
    """Write the rows of vectors, and empty the list."""
    with store.transaction():
        store.connection.executemany(INSERTED_VECTOR, ready)
    ready.clear()


def vector_rows(embedder: Embedder, number: int, batch: dict[bytes, str]) -> list[Row]:
    """Embed a batch and return the rows of its vectors; raises `EmbeddingFailed`."""
    vectors = _vectors(embedder, list(batch.values()))
    packed = zip(batch, map(pack_vector, vectors), strict=True)
    return [
        (number, digest, payload, seal(payload, "vector", number, digest))
        for digest, payload in packed
    ]


def _vectors(embedder: Embedder, texts: list[str]) -> NDArray[np.float32]:
    vectors = np.asarray(embedder.embed_passages(texts), dtype=np.float32)
    if vectors.shape != (len(texts), embedder.dimensions):
        raise EmbeddingFailed(
            f"{len(texts)} texts gave vectors of the shape {vectors.shape}, "
            f"not {(len(texts), embedder.dimensions)}"
        )
    if not np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < UNIT):
        raise EmbeddingFailed("the embedder gave a vector whose length is not 1")
    return vectors


class VectorWriter:
    """Writes the cached vectors of a generation into a set of arrays."""

    def __init__(self, store: Store, folder: Path, parts: Parts) -> None:
        self._store = store
        self._folder = folder
        self._parts = parts
        self._embedded = 0
        self._damaged: list[int] = []

    def write(
        self, generation: Generation, entries: Sequence[Entry], fingerprint: str
    ) -> Generation:
        """Return the generation with its vectors, or unchanged if the embedder is unknown.

        A row whose text is not embedded has the vector 0, which no search finds. A vector that is
        damaged in the cache is removed and counts as not embedded.
        """
        found = self._store.embedder(fingerprint)
        if found is None:
            return generation
        embedder, dimensions = found
        name = self._free_name(self._folder / generation.folder)
        draft = Draft(self._parts.files, self._folder / generation.folder / name)
        draft.add_blocks(
            VECTORS,
            self._blocks(entries, embedder, dimensions),
            dtype=np.dtype("<f4"),
            shape=(int(row_starts(entries)[-1]), dimensions),
        )
        self._drop_damaged()
        for part, array in self._parts.dense.build(draft.mapped(VECTORS)).items():
            draft.add(f"dense.{part}", array)
        manifest = draft.finish({"embedder": fingerprint})
        return replace(
            generation,
            embedder=fingerprint,
            embedded=self._embedded,
            dense=name,
            dense_manifest=manifest,
        )

    def _free_name(self, folder: Path) -> str:
        taken = {path.name for path in folder.iterdir()}
        return next(
            name for at in range(1, len(taken) + 2) if (name := f"{DENSE}{at}") not in taken
        )

    def _blocks(
        self, entries: Sequence[Entry], embedder: int, dimensions: int
    ) -> Iterator[NDArray[np.float32]]:
        for entry in entries:
            block = np.zeros((entry.chunks, dimensions), dtype=np.float32)
            limits = chunk_limits(entry.version)
            rows = self._store.query(_VECTORS, (embedder, *limits))
            if len(rows) != entry.chunks:
                raise IndexDamaged(f"{entry.key!r} has lost chunks", file=NAME)
            for vector, row in zip(block, rows, strict=True):
                self._fill(vector, embedder, row)
            yield block

    def _fill(self, vector: NDArray[np.float32], embedder: int, row: tuple[object, ...]) -> None:
        digest, number, payload, checksum = row
        if not isinstance(number, int):
            return
        try:
            values = unpack_vector(opened(payload, checksum, "vector", embedder, digest))
        except IndexDamaged:
            self._damaged.append(number)
            return
        if len(values) != len(vector):  # the seal is valid, but the size is wrong
            raise IndexDamaged(
                f"a vector has {len(values)} dimensions where all have {len(vector)}", file=NAME
            )
        vector[:] = values
        self._embedded += 1

    def _drop_damaged(self) -> None:
        with self._store.transaction():
            self._store.connection.executemany(
                "DELETE FROM embeddings WHERE id = ?", ((number,) for number in self._damaged)
            )
