"""The vectors of a generation as arrays, taken from the cache of all vectors in the database."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import IndexDamaged
from tether.retrieval.index.arrays import Draft
from tether.retrieval.index.building import row_starts
from tether.retrieval.index.generation import DENSE
from tether.retrieval.index.records import opened, unpack_vector
from tether.retrieval.index.rows import chunk_limits
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tether.retrieval.index.generation import Entry, Generation
    from tether.retrieval.index.parts import Parts
    from tether.retrieval.index.store import Store

VECTORS = "vectors"
_VECTORS = """
    SELECT c.digest, m.id, m.vector, m.checksum FROM chunks AS c
    LEFT JOIN embeddings AS m ON m.embedder = ? AND m.digest = c.digest
    WHERE c.id > ? AND c.id < ? ORDER BY c.id"""


class VectorWriter:
    """Writes the vectors of a generation, as far as they are known, into a set of their own."""

    def __init__(self, store: Store, folder: Path, parts: Parts) -> None:
        self._store = store
        self._folder = folder
        self._parts = parts
        self._embedded = 0
        self._damaged: list[int] = []

    def write(
        self, generation: Generation, entries: Sequence[Entry], fingerprint: str
    ) -> Generation:
        """Return the generation with its vectors; without, where not one is known.

        A row whose text was not embedded yet has the vector 0, which no search finds. A vector
        that is damaged in the cache is dropped from it and counts as not embedded.
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
            rows = self._store.ask(_VECTORS, (embedder, *limits))
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
        if len(values) != len(vector):  # the vector is what was written: its size is not
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
