"""The arrays of a generation that need no embedder: rows, links and the lexical lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tether.retrieval.errors import IndexDamaged
from tether.retrieval.index.arrays import ArraySet, Draft
from tether.retrieval.index.links import link_arrays
from tether.retrieval.index.parts import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.index.generation import Entry, Generation
    from tether.retrieval.index.parts import Parts, Progress
    from tether.retrieval.index.store import Store
    from tether.retrieval.ports import LexicalLane


def row_starts(entries: Sequence[Entry]) -> NDArray[np.int32]:
    """Return the first row of each document, followed by the number of rows."""
    starts = np.zeros(len(entries) + 1, dtype=np.int32)
    np.cumsum([entry.chunks for entry in entries], out=starts[1:])
    return starts


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """The previous generation, and in `kept` the new number of each of its rows, or -1."""

    generation: Generation
    folder: Path
    kept: NDArray[np.int32]


def carried_over(
    before: Generation, folder: Path, old: Sequence[Entry], new: Sequence[Entry]
) -> Carried:
    """Return the rows of the previous generation that are kept, with their new numbers."""
    starts, old_starts = row_starts(new), row_starts(old)
    places = {entry.version: at for at, entry in enumerate(new)}
    kept = np.full(int(old_starts[-1]), -1, dtype=np.int32)
    for at, entry in enumerate(old):
        place = places.get(entry.version)
        if place is not None:
            kept[old_starts[at] : old_starts[at + 1]] = np.arange(
                starts[place], starts[place + 1], dtype=np.int32
            )
    return Carried(generation=before, folder=folder, kept=kept)


class Builder:
    """Writes the arrays of one generation: rows, links and the lexical lanes."""

    def __init__(
        self, store: Store, parts: Parts, entries: Sequence[Entry], carried: Carried | None
    ) -> None:
        self._store = store
        self._parts = parts
        self._entries = entries
        self._carried = carried
        self._starts = row_starts(entries)

    def write(self, folder: Path, *, rebuilt: Sequence[str], progress: Progress) -> str:
        """Write the set and return the checksum of its manifest."""
        draft = Draft(self._parts.files, folder)
        draft.add("rows.starts", self._starts)
        counts = np.diff(self._starts)
        draft.add("rows.pages", np.repeat(np.arange(len(counts), dtype=np.int32), counts))
        for name, array in self._links().items():
            draft.add(f"links.{name}", array)
        for name, lane in self._parts.lanes.items():
            for part, array in self._lane(name, lane, name in rebuilt, progress).items():
                draft.add(f"{name}.{part}", array)
        lanes = {name: lane.fingerprint for name, lane in self._parts.lanes.items()}
        progress(Step(stage="write", done=1, total=1))
        return draft.finish({"lanes": lanes, "size": int(self._starts[-1])})

    def _links(self) -> dict[str, NDArray[np.int32]]:
        links = [self._store.links_of(entry.version) for entry in self._entries]
        return link_arrays([entry.key for entry in self._entries], links)

    def _lane(
        self, name: str, lane: LexicalLane, rebuilt: bool, progress: Progress
    ) -> dict[str, NDArray[Any]]:
        size = int(self._starts[-1])
        previous = None if rebuilt else self._previous(name, lane)
        if previous is None or self._carried is None:
            fresh = self._chunks(np.ones(size, dtype=np.bool_), name, progress)
            return lane.build(size=size, fresh=fresh)
        new = np.ones(size, dtype=np.bool_)
        kept = self._carried.kept
        new[kept[kept >= 0]] = False
        fresh = self._chunks(new, name, progress)
        return lane.build(size=size, fresh=fresh, previous=previous, kept=kept)

    def _previous(self, name: str, lane: LexicalLane) -> dict[str, NDArray[Any]] | None:
        """Return the previous arrays of the lane after checking every byte; None if damaged."""
        carried = self._carried
        if carried is None or carried.generation.lanes.get(name) != lane.fingerprint:
            return None
        try:
            arrays = ArraySet(carried.folder, carried.generation.manifest)
        except (IndexDamaged, FileNotFoundError):
            return None
        try:
            listed = [at for at in arrays.listed if at.startswith(f"{name}.")]
            return {at[len(name) + 1 :]: arrays.verify(at) for at in listed}
        except IndexDamaged:
            return None
        finally:
            arrays.close()

    def _chunks(
        self, wanted: NDArray[np.bool_], stage: str, progress: Progress
    ) -> Iterator[tuple[int, Chunk]]:
        total, done = int(wanted.sum()), 0
        for at, entry in enumerate(self._entries):
            first = int(self._starts[at])
            if entry.chunks and wanted[first]:
                yield from enumerate(self._store.chunks_of(entry), start=first)
                done += entry.chunks
                progress(Step(stage=stage, done=done, total=total))
