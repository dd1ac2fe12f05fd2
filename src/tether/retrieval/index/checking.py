"""Checking an index, every byte of it: what is damaged is named, and nothing stops at the first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tether.core.errors import IndexDamaged
from tether.retrieval.index.arrays import ArraySet
from tether.retrieval.index.generation import corpus_id
from tether.retrieval.index.guarded import named
from tether.retrieval.index.records import opened
from tether.retrieval.index.rows import Rows, read_rows
from tether.retrieval.index.schema import NAME
from tether.retrieval.index.vectors import VECTORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.index.generation import Entry, Generation
    from tether.retrieval.index.parts import Parts

SHOWN = 100
_EMBEDDINGS = """
    SELECT id, embedder, digest, vector, checksum FROM embeddings WHERE id > ? ORDER BY id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A file that is not what was written, and how that was noticed."""

    file: str
    what: str


def check_index(folder: Path, parts: Parts) -> tuple[Damage, ...]:
    """Return the damage of an index, at most a hundred; () where it is sound.

    Raises `IndexMissing`, `IndexFormatUnsupported` and `IndexLocked`: those say nothing of damage.
    While a writer works, a generation that it removes may be reported as missing.
    """
    try:
        rows = read_rows(folder / NAME)
    except IndexDamaged as error:
        return (Damage(file=error.file, what=error.message),)
    try:
        return tuple(_first(Checks(folder, parts, rows).all()))
    finally:
        rows.close()


def _first(found: Iterator[Damage]) -> Iterator[Damage]:
    for _, damage in zip(range(SHOWN), found, strict=False):
        yield damage


class Checks:
    """Everything that holds for a sound index."""

    def __init__(self, folder: Path, parts: Parts, rows: Rows) -> None:
        self._folder = folder
        self._parts = parts
        self._rows = rows

    def all(self) -> Iterator[Damage]:
        """Yield the damage of the database, then that of each generation."""
        yield from self._attempt(self._database())
        yield from self._attempt(self._embeddings())
        numbers: list[int] = []
        yield from self._attempt(self._heads(numbers))
        seen: set[int] = set()
        for number in numbers:
            yield from self._generation(number, seen)

    def _attempt(self, check: Iterator[Damage]) -> Iterator[Damage]:
        """Yield what a check finds, and what keeps it from going on."""
        try:
            yield from check
        except IndexDamaged as error:
            yield Damage(file=error.file, what=error.message)
        except OSError as error:
            path = Path(str(error.filename))
            yield Damage(file=f"{path.parent.name}/{path.name}", what=str(error))

    def _database(self) -> Iterator[Damage]:
        for (line,) in self._rows.ask("PRAGMA integrity_check(20)"):
            if line != "ok":
                yield Damage(file=NAME, what=str(line))
        for row in self._rows.ask("PRAGMA foreign_key_check"):
            yield Damage(file=NAME, what=f"a row of {row[0]} refers to nothing")

    def _embeddings(self) -> Iterator[Damage]:
        for number, embedder, digest, vector, checksum in self._rows.walk(_EMBEDDINGS, ()):
            try:
                opened(vector, checksum, "vector", embedder, digest)
            except IndexDamaged:
                yield Damage(file=NAME, what=f"vector {number} is not what was written")

    def _heads(self, numbers: list[int]) -> Iterator[Damage]:
        heads = self._rows.heads()
        if heads is not None:
            numbers += [number for number in heads if number is not None]
        yield from ()

    def _generation(self, number: int, seen: set[int]) -> Iterator[Damage]:
        found: list[tuple[Generation, list[Entry]]] = []
        yield from self._attempt(self._facts(number, found))
        for generation, entries in found:
            for entry in entries:
                if entry.version not in seen:
                    seen.add(entry.version)
                    yield from self._attempt(self._document(entry))
            yield from self._attempt(self._arrays(generation, entries))
            if generation.dense:
                yield from self._attempt(self._vectors(generation))

    def _facts(self, number: int, found: list[tuple[Generation, list[Entry]]]) -> Iterator[Damage]:
        generation = self._rows.generation(number)
        entries = self._rows.entries(number)
        found.append((generation, entries))
        size = sum(entry.chunks for entry in entries)
        counts = (len(entries), size, corpus_id(entries))
        if counts != (generation.documents, generation.size, generation.corpus_id):
            yield Damage(file=NAME, what=f"generation {number} does not add up")

    def _document(self, entry: Entry) -> Iterator[Damage]:
        document = self._rows.document(entry.version)
        for at, chunk in enumerate(self._rows.chunks_of(entry), start=1):
            is_there = document.text[chunk.start : chunk.end] == chunk.text
            if not is_there or (chunk.document, chunk.number) != (entry.key, at):
                yield Damage(file=NAME, what=f"chunk {chunk.id!r} is not in its document")

    def _arrays(self, generation: Generation, entries: list[Entry]) -> Iterator[Damage]:
        arrays = ArraySet(self._folder / generation.folder, generation.manifest)
        try:
            yield from self._verified(arrays)
            counts = np.array([entry.chunks for entry in entries], dtype=np.int64)
            if not np.array_equal(np.diff(arrays.array("rows.starts")), counts):
                yield Damage(file=f"{generation.folder}/rows.starts.array", what="counts otherwise")
            for name, lane in self._parts.lanes.items():
                if generation.lanes[name] == lane.fingerprint:
                    with named(name):
                        lane.open(arrays.under(name)).search("a", limit=1)
        finally:
            arrays.close()

    def _vectors(self, generation: Generation) -> Iterator[Damage]:
        folder = self._folder / generation.folder / generation.dense
        arrays = ArraySet(folder, generation.dense_manifest)
        try:
            yield from self._verified(arrays)
            vectors = arrays.array(VECTORS)
            if len(vectors) != generation.size:
                yield Damage(file=f"{generation.dense}/{VECTORS}.array", what="has other rows")
            with named("dense"):
                self._parts.dense.open(vectors, arrays.under("dense"))
        finally:
            arrays.close()

    def _verified(self, arrays: ArraySet) -> Iterator[Damage]:
        for name in arrays.listed:
            try:
                arrays.verify(name)
            except IndexDamaged as error:
                yield Damage(file=error.file, what=error.message)
