"""Taking hold of the current generation while a writer goes on."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from time import sleep
from typing import TYPE_CHECKING

from tether.core.errors import IndexDamaged
from tether.retrieval.index.arrays import MANIFEST, ArraySet

if TYPE_CHECKING:
    from pathlib import Path

    from tether.retrieval.index.generation import Generation
    from tether.retrieval.index.rows import Rows

TRIES = 50
PAUSE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A generation with its arrays, which nobody removes while they are held.

    `dense` is None where there are no vectors, or where `problem` says why they cannot be used.
    """

    generation: Generation
    arrays: ArraySet
    dense: ArraySet | None
    problem: str = ""

    def close(self) -> None:
        """Let go of all arrays."""
        self.arrays.close()
        if self.dense is not None:
            self.dense.close()


def hold(folder: Path, rows: Rows) -> Held:
    """Return the current generation, held.

    Between reading what is current and locking it, a writer may have gone on and removed it: then
    what came after is taken. Raises `IndexMissing` and `IndexDamaged`.
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
    """Return a generation whose arrays are locked; None where it or its vectors went before."""
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
    """Return the vectors of a generation, held; raises `FileNotFoundError` and `IndexDamaged`."""
    if not generation.dense:
        return None
    return ArraySet(folder / generation.folder / generation.dense, generation.dense_manifest)
