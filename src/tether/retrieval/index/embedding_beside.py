"""Vectors that are added beside the work of others: the writer lock is held only to store them."""

from __future__ import annotations

from contextlib import closing
from time import sleep
from typing import TYPE_CHECKING, TypeVar

from tether.retrieval.errors import IndexLocked
from tether.retrieval.index.parts import Step
from tether.retrieval.index.rows import read_rows
from tether.retrieval.index.store import writing
from tether.retrieval.index.tables import NAME
from tether.retrieval.index.vectors import (
    KEPT,
    keep_vectors,
    missing_texts,
    refuse_embedder,
    vector_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tether.retrieval.index.connection import Row
    from tether.retrieval.index.parts import Progress
    from tether.retrieval.ports import Embedder

T = TypeVar("T")

PAUSE = 0.2
"""Seconds between two attempts to get the lock, which another writer may hold for minutes."""


class EmbeddingBeside:
    """Fills the cache of vectors for the current generation; a stopped run can be continued."""

    def __init__(self, folder: Path, embedder: Embedder, progress: Progress) -> None:
        self._folder = folder
        self._embedder = embedder
        self._progress = progress
        self._step = Step(stage="embed", done=0, total=0)

    def run(self) -> None:
        """Embed until no text lacks a vector, even if others add documents meanwhile.

        Raises `EmbeddingFailed`, `EmbedderMismatch`, and whatever `progress` raises; vectors
        embedded until then are kept.
        """
        number = self.patiently(self._number)
        while self._fill(number):
            pass

    def patiently(self, work: Callable[[], T]) -> T:
        """Return the result of some work that writes, when no other process writes."""
        while True:
            try:
                return work()
            except IndexLocked:
                self._progress(self._step)
                sleep(PAUSE)

    def _number(self) -> int:
        with writing(self._folder) as store:
            refuse_embedder(store, self._embedder)
            with store.transaction():
                return store.add_embedder(self._embedder.fingerprint, self._embedder.dimensions)

    def _fill(self, number: int) -> int:
        """Embed what the current generation lacks, and return the number of texts."""
        with closing(read_rows(self._folder / NAME)) as rows:
            entries = rows.entries_of(rows.current())
            self._hear(0, rows.count_missing(number, entries))
            ready: list[Row] = []
            try:
                for batch in missing_texts(rows, entries, number):
                    ready += vector_rows(self._embedder, number, batch)
                    if len(ready) >= KEPT:
                        self._keep(ready)
                    self._hear(self._step.done + len(batch), self._step.total)
            finally:
                self._keep(ready)
        return self._step.done

    def _hear(self, done: int, total: int) -> None:
        self._step = Step(stage="embed", done=done, total=total)
        self._progress(self._step)

    def _keep(self, ready: list[Row]) -> None:
        def keep() -> None:
            with writing(self._folder) as store:
                keep_vectors(store, ready)

        self.patiently(keep)
