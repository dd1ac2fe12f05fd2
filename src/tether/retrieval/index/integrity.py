"""The check of a whole index, byte by byte, which reports all damage and not only the first."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tether.retrieval.errors import IndexDamaged
from tether.retrieval.index.arrays import ArraySet
from tether.retrieval.index.generation import corpus_id
from tether.retrieval.index.guards import named
from tether.retrieval.index.records import is_sound_vector
from tether.retrieval.index.rows import Rows, read_rows
from tether.retrieval.index.snapshot import dense_set
from tether.retrieval.index.tables import NAME
from tether.retrieval.index.vectors import VECTORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tether.retrieval.index.generation import Entry, Generation
    from tether.retrieval.index.parts import Parts

SHOWN = 100
_EMBEDDINGS = """
    SELECT id, embedder, digest, vector, checksum FROM embeddings WHERE id > ? ORDER BY id"""

_KNOWN = "SELECT 1 FROM embedders WHERE fingerprint = ?"
_COUNTED = """
    WITH given (name, number) AS (
        SELECT 'versions', max(id) FROM versions
        UNION ALL SELECT 'generations', max(number) FROM generations)
    SELECT g.name, g.number FROM given AS g LEFT JOIN sqlite_sequence AS s ON s.name = g.name
    WHERE g.number > coalesce(s.seq, 0)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A damaged file, and a description of the damage."""

    file: str
    what: str


def check_index(folder: Path, parts: Parts) -> tuple[Damage, ...]:
    """Return the damage of an index, at most 100 entries; () for a sound index.

    Raises `IndexMissing`, `IndexFormatUnsupported` and `IndexLocked`, which are not damage. A
    writer may work at the same time; files that it replaces do not count as damaged.
    """
    try:
        rows = read_rows(folder / NAME)
    except IndexDamaged as error:
        return (Damage(file=error.file, what=error.message),)
    with closing(rows):
        return tuple(islice(Checks(folder, parts, rows).all(), SHOWN))


class Checks:
    """The conditions that a sound index meets."""

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
        yield from self._attempt(self._counted())
        yield from self._attempt(self._remembered())
        seen: set[int] = set()
        for number in numbers:
            yield from self._attempt(self._generation(number, seen))

    def _attempt(self, check: Iterator[Damage]) -> Iterator[Damage]:
        """Yield the damage that a check finds, and the error that ends it early."""
        try:
            yield from check
        except IndexDamaged as error:
            yield Damage(file=error.file, what=error.message)
        except OSError as error:
            path = Path(str(error.filename))
            yield Damage(file=f"{path.parent.name}/{path.name}", what=str(error))

    def _database(self) -> Iterator[Damage]:
        for (line,) in self._rows.query("PRAGMA integrity_check(20)"):
            if line != "ok":
                yield Damage(file=NAME, what=str(line))
        for row in self._rows.query("PRAGMA foreign_key_check"):
            yield Damage(file=NAME, what=f"a row of {row[0]} refers to nothing")

    def _embeddings(self) -> Iterator[Damage]:
        sizes = {
            number: dimensions
            for number, dimensions in self._rows.query("SELECT id, dimensions FROM embedders")
            if isinstance(dimensions, int)
        }
        for number, *row in self._rows.walk(_EMBEDDINGS, ()):
            if not is_sound_vector(tuple(row), sizes.get(row[0])):
                yield Damage(file=NAME, what=f"vector {number} was changed after it was written")

    def _heads(self, numbers: list[int]) -> Iterator[Damage]:
        heads = self._rows.heads()
        numbers += [number for number in heads or () if number is not None]
        yield from ()

    def _counted(self) -> Iterator[Damage]:
        for table, number in self._rows.query(_COUNTED):
            yield Damage(file=NAME, what=f"number {number} of {table} would be given again")

    def _remembered(self) -> Iterator[Damage]:
        self._rows.sources()
        self._rows.outcomes()
        yield from ()

    def _generation(self, number: int, seen: set[int]) -> Iterator[Damage]:
        """Yield the damage of a generation, unless a writer removed it in the meantime."""
        with ExitStack() as held:
            found = list(islice(self._looked(number, seen, held), SHOWN))
        if not found or not self._is_gone(number):
            yield from found

    def _is_gone(self, number: int) -> bool:
        heads = self._rows.heads()
        return number not in (heads or ()) and not self._rows.has_generation(number)

    def _looked(self, number: int, seen: set[int], held: ExitStack) -> Iterator[Damage]:
        sets: list[ArraySet] = []
        found: list[tuple[Generation, list[Entry]]] = []
        yield from self._attempt(self._hold(number, sets, held))
        yield from self._attempt(self._facts(number, found))
        for generation, entries in found:
            for entry in entries:
                if entry.version not in seen:
                    seen.add(entry.version)
                    yield from self._attempt(self._document(entry))
            for arrays in sets:
                yield from self._attempt(self._arrays(arrays, generation, entries))
            yield from self._attempt(self._vectors(generation))

    def _hold(self, number: int, sets: list[ArraySet], held: ExitStack) -> Iterator[Damage]:
        """Lock the generation, so that no writer removes its files during the check."""
        generation = self._rows.generation(number)
        arrays = ArraySet(self._folder / generation.folder, generation.manifest)
        held.callback(arrays.close)
        sets.append(arrays)
        yield from ()

    def _facts(self, number: int, found: list[tuple[Generation, list[Entry]]]) -> Iterator[Damage]:
        with self._rows.together():
            generation = self._rows.generation(number)
            known = self._rows.query(_KNOWN, (generation.embedder,))
        entries = self._rows.entries(number)
        found.append((generation, entries))
        size = sum(entry.chunks for entry in entries)
        counts = (len(entries), size, corpus_id(entries))
        if counts != (generation.documents, generation.size, generation.corpus_id):
            yield Damage(file=NAME, what=f"generation {number} does not add up")
        if generation.embedder and not known:
            yield Damage(file=NAME, what=f"the embedder of generation {number} is missing")

    def _document(self, entry: Entry) -> Iterator[Damage]:
        document = self._rows.document(entry.version)
        for at, chunk in enumerate(self._rows.chunks_of(entry), start=1):
            is_there = document.text[chunk.start : chunk.end] == chunk.text
            if not is_there or (chunk.document, chunk.number) != (entry.key, at):
                yield Damage(file=NAME, what=f"chunk {chunk.id!r} is not in its document")

    def _arrays(
        self, arrays: ArraySet, generation: Generation, entries: list[Entry]
    ) -> Iterator[Damage]:
        yield from self._verified(arrays)
        counts = np.array([entry.chunks for entry in entries], dtype=np.int64)
        if not np.array_equal(np.diff(arrays.array("rows.starts")), counts):
            yield Damage(file=f"{generation.folder}/rows.starts.array", what="counts otherwise")
        for name, lane in self._parts.lanes.items():
            if generation.lanes[name] == lane.fingerprint:
                with named(name):
                    lane.open(arrays.under(name)).search("a", limit=1)

    def _vectors(self, generation: Generation) -> Iterator[Damage]:
        try:
            arrays = dense_set(self._folder, generation)
        except FileNotFoundError:
            newer = self._rows.generation(generation.number)
            if newer.dense == generation.dense:
                raise
            yield from self._vectors(newer)
            return
        if arrays is not None:
            with closing(arrays):
                yield from self._verified_vectors(generation, arrays)

    def _verified_vectors(self, generation: Generation, arrays: ArraySet) -> Iterator[Damage]:
        yield from self._verified(arrays)
        vectors = arrays.array(VECTORS)
        if len(vectors) != generation.size:
            yield Damage(file=f"{generation.dense}/{VECTORS}.array", what="has other rows")
        with named("dense"):
            self._parts.dense.open(vectors, arrays.under("dense"))

    def _verified(self, arrays: ArraySet) -> Iterator[Damage]:
        for name in arrays.listed:
            try:
                arrays.verify(name)
            except IndexDamaged as error:
                yield Damage(file=error.file, what=error.message)
