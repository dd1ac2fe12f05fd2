"""A snapshot: one generation of an index, kept open, with the same answers until it is closed."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from time import sleep
from typing import TYPE_CHECKING, cast

from tether.core.errors import InputRefused
from tether.retrieval.errors import IndexDamaged, IndexFormatUnsupported
from tether.retrieval.index.arrays import MANIFEST, ArraySet
from tether.retrieval.index.connection import translated
from tether.retrieval.index.guards import GuardedDense, GuardedLexical, named
from tether.retrieval.index.rows import chunk_row, read_rows
from tether.retrieval.index.status import Shown, state_of
from tether.retrieval.index.tables import NAME
from tether.retrieval.index.vectors import VECTORS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from tether.retrieval.chunk import Chunk
    from tether.retrieval.index.generation import Generation
    from tether.retrieval.index.parts import Parts
    from tether.retrieval.index.records import IndexedDocument
    from tether.retrieval.index.rows import Rows
    from tether.retrieval.ports import LexicalLane

TRIES = 50
PAUSE = 0.01


class Snapshot:
    """The generation that was current when the snapshot was taken, whatever writers do.

    Row `i` is the same chunk in every lane, document `n` the same in `pages` and `links`. Several
    threads may share it. Close it, or use it as a context manager: its files are kept until then.
    Texts are checked when they are read, arrays when they are verified; `problems` lists the parts
    that could not be opened. Raises `IndexMissing`, `IndexDamaged`, `IndexFormatUnsupported`.
    """

    def __init__(self, folder: Path, parts: Parts) -> None:
        self._parts = parts
        self._rows = read_rows(folder / NAME)
        self._held: Held | None = None
        try:
            with translated(folder / NAME):
                self._held = held = hold(folder, self._rows)
                self._generation, self._arrays = held.generation, held.arrays
                self._dense = held.dense
                self._open_rows()
        except BaseException:
            self.close()
            raise
        self.problems: tuple[str, ...] = (held.problem,) if held.problem else ()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the generation."""
        if self._held is not None:
            self._held.close()
        self._rows.close()

    def _open_rows(self) -> None:
        """Map rows to documents, and check every byte: citations are made from them."""
        self._starts = cast("NDArray[np.int32]", self._arrays.verify("rows.starts"))
        self._pages = cast("NDArray[np.int32]", self._arrays.verify("rows.pages"))

    @property
    def generation(self) -> int:
        """The number of the generation."""
        return self._generation.number

    @property
    def size(self) -> int:
        """The number of rows."""
        return self._generation.size

    @property
    def embedder(self) -> str:
        """The fingerprint of the embedder of the vectors; "" without vectors."""
        return self._generation.embedder

    @property
    def embedded(self) -> int:
        """The number of rows with a vector."""
        return self._generation.embedded

    @property
    def chunker(self) -> str:
        """The fingerprint of the chunker."""
        return self._generation.chunker

    @property
    def corpus_id(self) -> str:
        """The hash of the content."""
        return self._generation.corpus_id

    @property
    def calibration(self) -> str | None:
        """The calibration stored for this generation, or None."""
        found = self._generation.calibration
        return None if found is None else found.text

    @property
    def pages(self) -> NDArray[np.int32]:
        """The number of the document of each row."""
        return self._pages

    @property
    def words(self) -> GuardedLexical:
        """The lane over words."""
        return self._words

    @cached_property
    def _words(self) -> GuardedLexical:
        return self._lane("words", self._parts.words)

    @property
    def grams(self) -> GuardedLexical:
        """The lane over parts of words."""
        return self._grams

    @cached_property
    def _grams(self) -> GuardedLexical:
        return self._lane("grams", self._parts.grams)

    def _lane(self, name: str, lane: LexicalLane) -> GuardedLexical:
        built = self._generation.lanes.get(name)
        if built != lane.fingerprint:
            raise IndexFormatUnsupported(
                f"the lane {name!r} was built with {built!r}, not with {lane.fingerprint!r}",
                help="Run `tether index apply`, or go back to the settings it was built with.",
            )
        with named(name):
            searcher = lane.open(self._arrays.under(name))
        return GuardedLexical(lane=name, size=self.size, searcher=searcher)

    @property
    def dense(self) -> GuardedDense | None:
        """The lane over vectors; None without vectors, and if they are damaged."""
        return self._dense_lane

    @cached_property
    def _dense_lane(self) -> GuardedDense | None:
        if self._dense is None:
            return None
        with named("dense"):
            vectors = self._dense.array(VECTORS)
            searcher = self._parts.dense.open(vectors, self._dense.under("dense"))
        return GuardedDense(size=self.size, searcher=searcher)

    def chunk(self, row: int) -> Chunk:
        """Return the chunk of a row; raises `InputRefused` for a row that does not exist."""
        return self.chunks([row])[0]

    def chunks(self, rows: Sequence[int]) -> list[Chunk]:
        """Return the chunks of some rows, in their order."""
        for row in rows:
            if not 0 <= row < self.size:
                raise InputRefused(f"row {row} is not one of {self.size}")
        numbers = [int(self._pages[row]) for row in rows]
        entries = self._rows.entries_at(self.generation, numbers)
        places = [
            chunk_row(entries[number].version, row - int(self._starts[number]) + 1)
            for row, number in zip(rows, numbers, strict=True)
        ]
        found = self._rows.chunks_at(places)
        return [found[place] for place in places]

    def rows_of(self, number: int) -> range:
        """Return the rows of a document."""
        self._refuse_number(number)
        return range(int(self._starts[number]), int(self._starts[number + 1]))

    def document_keys(self) -> tuple[str, ...]:
        """Return the keys of the documents by number."""
        return tuple(entry.key for entry in self._rows.entries_of(self._generation))

    def document_number(self, key: str) -> int | None:
        """Return the number of a document; None if this generation does not contain it."""
        found = self._rows.find(self.generation, key)
        return None if found is None else found[0]

    def document(self, key: str) -> IndexedDocument:
        """Return a document with its text; raises `InputRefused` for an unknown key."""
        found = self._rows.find(self.generation, key)
        if found is None:
            raise InputRefused(f"the index has no document {key!r}")
        return self._rows.document(found[1].version)

    def shown(self, key: str) -> Shown:
        """Return a document with its chunks; raises `InputRefused` for an unknown key."""
        document = self.document(key)
        rows = self.rows_of(cast("int", self.document_number(key)))
        outcome = self._rows.outcome(key)
        return Shown(
            document=document,
            chunks=tuple(self.chunks(rows)),
            state=None if outcome is None else state_of(outcome),
        )

    def links(self, number: int) -> NDArray[np.int32]:
        """Return the numbers of the documents that a document links to."""
        self._refuse_number(number)
        starts, targets = self._linked
        with named("links"):
            return targets[starts[number] : starts[number + 1]]

    @cached_property
    def _linked(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        starts, targets = (self._arrays.verify(f"links.{name}") for name in ("starts", "targets"))
        return starts, targets

    def _refuse_number(self, number: int) -> None:
        if not 0 <= number < self._generation.documents:
            raise InputRefused(f"document {number} is not one of {self._generation.documents}")

    def checksums(self) -> tuple[tuple[str, str], ...]:
        """Return the names and checksums of all arrays, which are equal for equal contents."""
        sets = [arrays.listed for arrays in (self._arrays, self._dense) if arrays is not None]
        return tuple((name, listed[name].checksum) for listed in sets for name in sorted(listed))

    def verify(self) -> None:
        """Check every byte of the arrays; raises `IndexDamaged` with the name of the file."""
        for arrays in (self._arrays, self._dense):
            if arrays is not None:
                for name in arrays.listed:
                    arrays.verify(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A generation with its arrays, which are locked against removal.

    `dense` is None without vectors, and if they cannot be used; then `problem` says why.
    """

    generation: Generation
    arrays: ArraySet
    dense: ArraySet | None
    problem: str = ""

    def close(self) -> None:
        """Release all arrays."""
        self.arrays.close()
        if self.dense is not None:
            self.dense.close()


def hold(folder: Path, rows: Rows) -> Held:
    """Lock and return the current generation; raises `IndexMissing` and `IndexDamaged`.

    A writer may remove the generation before it is locked; then the next current one is taken.
    """
    for _ in range(TRIES):
        generation = rows.current()
        try:
            arrays = ArraySet(folder / generation.folder, generation.manifest)
        except FileNotFoundError:
            sleep(PAUSE)
            continue
        with ExitStack() as undo:
            undo.callback(arrays.close)
            held = _with_vectors(folder, rows, generation.number, arrays)
            if held is not None:
                undo.pop_all()
                return held
    name = f"{rows.current().folder}/{MANIFEST}"
    raise IndexDamaged(f"{name} is missing", file=name)


def _with_vectors(folder: Path, rows: Rows, number: int, arrays: ArraySet) -> Held | None:
    """Return a generation with locked arrays; None if it or its vectors were removed before."""
    if not rows.has_generation(number):
        return None
    generation = rows.generation(number)
    try:
        dense = dense_set(folder, generation)
    except FileNotFoundError as error:
        if rows.generation(number).dense != generation.dense:
            return None
        return Held(generation=generation, arrays=arrays, dense=None, problem=f"dense: {error}")
    except IndexDamaged as error:
        return Held(generation=generation, arrays=arrays, dense=None, problem=f"dense: {error}")
    return Held(generation=generation, arrays=arrays, dense=dense)


def dense_set(folder: Path, generation: Generation) -> ArraySet | None:
    """Return the locked vectors of a generation; raises `FileNotFoundError` and `IndexDamaged`."""
    if not generation.dense:
        return None
    return ArraySet(folder / generation.folder / generation.dense, generation.dense_manifest)
