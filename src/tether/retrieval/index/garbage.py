"""The removal of unused data: older generations, leftovers of killed runs, and their rows."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tether.retrieval.index.arrays import DRAFT, MANIFEST
from tether.retrieval.index.files import lock_for_removing
from tether.retrieval.index.generation import DENSE, GENERATIONS
from tether.retrieval.index.rows import chunk_limits

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tether.retrieval.index.files import Files
    from tether.retrieval.index.store import Store

BATCH = 500
VECTORS_AT_ONCE = 5_000
VACUUM_PAGES = 2_000
ROOM = 4
"""The database file is shrunk if more than one page in this many is unused."""

_SET = re.compile(rf"(\d+|{DENSE}\d+)({re.escape(DRAFT)})?")
_UNUSED = "SELECT id FROM embeddings WHERE digest NOT IN (SELECT digest FROM chunks)"


def clear_leftovers(store: Store, folder: Path, files: Files) -> None:
    """Remove sets that no generation refers to: drafts, and sets that were never switched to."""
    numbers = {str(number): number for number in store.numbers()}
    for path in _sets(folder / GENERATIONS):
        if path.name not in numbers:
            _remove(path, files)
            continue
        named = store.generation(numbers[path.name]).dense
        for inner in _sets(path):
            if inner.name != named:
                _remove(inner, files)


def _sets(folder: Path) -> list[Path]:
    """Return the sets and drafts in a folder; other files are left alone."""
    found = (path for path in folder.iterdir() if _SET.fullmatch(path.name))
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def collect(store: Store, folder: Path, files: Files) -> None:
    """Remove all generations but the current, the previous, and those still being read."""
    heads = store.heads()
    for number in store.numbers():
        if heads is not None and number in (heads.current, heads.previous):
            continue
        path = folder / GENERATIONS / str(number)
        with _unread(path) as free:
            if free:
                store.drop_generation(number)
                if path.exists():
                    files.remove_folder(path)
    clear_leftovers(store, folder, files)
    if _drop_versions(store) or store.query("SELECT 1 FROM embedders WHERE retired = 1"):
        _drop_vectors(store)
    _shrink(store)


def _remove(path: Path, files: Files) -> None:
    with _unread(path) as free:
        if free:
            files.remove_folder(path)


@contextmanager
def _unread(path: Path) -> Generator[bool]:
    """Yield whether no process reads a set; until the end of the block, none can start to."""
    manifest = path / MANIFEST
    if not manifest.exists():
        yield True
        return
    descriptor = lock_for_removing(manifest)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _drop_versions(store: Store) -> int:
    """Remove the versions that no generation contains, and return their number."""
    found = store.query("SELECT id FROM versions WHERE id NOT IN (SELECT version FROM entries)")
    for start in range(0, len(found), BATCH):
        with store.transaction():
            for (version,) in found[start : start + BATCH]:
                limits = chunk_limits(version)
                store.connection.execute("DELETE FROM chunks WHERE id > ? AND id < ?", limits)
                store.connection.execute("DELETE FROM versions WHERE id = ?", (version,))
    return len(found)


def _drop_vectors(store: Store) -> None:
    """Remove the vectors of texts that no version contains, and of retired embedders.

    Several transactions keep the memory small: one would hold all changed pages.
    """
    _drop_in_parts(store, _UNUSED, ())
    used = {store.generation(number).embedder for number in store.numbers()}
    for number, fingerprint in store.query(
        "SELECT id, fingerprint FROM embedders WHERE retired = 1"
    ):
        if fingerprint not in used:
            _drop_in_parts(store, "SELECT id FROM embeddings WHERE embedder = ?", (number,))
            with store.transaction():
                store.connection.execute("DELETE FROM embedders WHERE id = ?", (number,))


def _drop_in_parts(store: Store, statement: str, values: tuple[object, ...]) -> None:
    found = store.query(statement, values)
    for start in range(0, len(found), VECTORS_AT_ONCE):
        with store.transaction():
            store.connection.executemany(
                "DELETE FROM embeddings WHERE id = ?", found[start : start + VECTORS_AT_ONCE]
            )


def _shrink(store: Store) -> None:
    """Return unused pages of the database file to the system if they are many."""
    pages, unused = (
        store.query(f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count")
    )
    if unused * ROOM > pages:
        for _ in range(unused // VACUUM_PAGES + 1):
            store.connection.executescript(f"PRAGMA incremental_vacuum({VACUUM_PAGES})")
