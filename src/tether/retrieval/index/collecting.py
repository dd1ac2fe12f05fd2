"""Removing what nobody needs: older generations, leftovers of killed runs, rows of both."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tether.retrieval.index.arrays import MANIFEST
from tether.retrieval.index.generation import DENSE, GENERATIONS
from tether.retrieval.index.lock import lock_for_removing
from tether.retrieval.index.rows import chunk_limits

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tether.retrieval.index.files import Files
    from tether.retrieval.index.store import Store

BATCH = 500
VACUUM_PAGES = 2_000
ROOM = 4
"""The file is made smaller when more than one page in so many is unused."""


def clear_leftovers(store: Store, folder: Path, files: Files) -> None:
    """Remove folders that no generation names: drafts, and sets that were never switched to."""
    numbers = {str(number): number for number in store.numbers()}
    for path in sorted((folder / GENERATIONS).iterdir()):
        if path.name not in numbers:
            _remove(path, files)
            continue
        named = store.generation(numbers[path.name]).dense
        for inner in sorted(path.iterdir()):
            if inner.name.startswith(DENSE) and inner.name != named:
                _remove(inner, files)


def collect(store: Store, folder: Path, files: Files) -> None:
    """Keep the current and the previous generation, and those that somebody still reads."""
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
    if _drop_versions(store) or store.ask("SELECT 1 FROM embedders WHERE retired = 1"):
        store.drop_unused_vectors()
    _shrink(store)


def _remove(path: Path, files: Files) -> None:
    with _unread(path) as free:
        if free:
            files.remove_folder(path)


@contextmanager
def _unread(path: Path) -> Generator[bool]:
    """Yield whether nobody reads a set, and let nobody begin to."""
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
    """Remove the versions that no generation holds, and return how many."""
    found = store.ask("SELECT id FROM versions WHERE id NOT IN (SELECT version FROM entries)")
    for start in range(0, len(found), BATCH):
        with store.transaction():
            for (version,) in found[start : start + BATCH]:
                limits = chunk_limits(version)
                store.connection.execute("DELETE FROM chunks WHERE id > ? AND id < ?", limits)
                store.connection.execute("DELETE FROM versions WHERE id = ?", (version,))
    return len(found)


def _shrink(store: Store) -> None:
    """Give unused room in the database's file back where it is much."""
    pages, unused = (store.ask(f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count"))
    if unused * ROOM > pages:
        for _ in range(unused // VACUUM_PAGES + 1):
            store.connection.executescript(f"PRAGMA incremental_vacuum({VACUUM_PAGES})")
