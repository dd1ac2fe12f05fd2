"""The folder of an index: created empty, or given a new database in place of a damaged one."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from itertools import islice
from shutil import rmtree
from typing import TYPE_CHECKING
from uuid import uuid4

from tether.core.errors import InputRefused, TetherError
from tether.retrieval.errors import IndexMissing
from tether.retrieval.index.connection import (
    address_of,
    connect_for_writing,
    create,
    roll_back,
    translated,
)
from tether.retrieval.index.files import LOCK_NAME, PRIVATE_FILE, PRIVATE_FOLDER, writer_lock
from tether.retrieval.index.generation import GENERATIONS
from tether.retrieval.index.records import INSERTED_VECTOR, is_sound_vector
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tether.retrieval.index.files import Files

ASIDE = NAME + ".damaged"
FRESH = NAME + ".new"
JOURNAL = "-journal"
IN_STEP = "in-step"
"""A file whose time is that of the last comparison with the sources."""
VECTOR_NOTE = "vectors.json"
"""The note of the process that adds vectors, which it holds a lock on."""
OURS = {LOCK_NAME, GENERATIONS, IN_STEP, VECTOR_NOTE} | {
    name + ending for name in (NAME, ASIDE, FRESH) for ending in ("", JOURNAL)
}

AT_ONCE = 2_000
_EMBEDDERS = "SELECT id, fingerprint, dimensions FROM embedders"
_VECTORS = "SELECT embedder, digest, vector, checksum FROM embeddings"
_KEEP_EMBEDDER = "INSERT INTO embedders (id, fingerprint, dimensions) VALUES (?, ?, ?)"


def create_index(folder: Path, files: Files) -> None:
    """Create an index unless there is one; a creation that was killed is completed.

    Raises `InputRefused` for a folder with other files or of another owner.
    """
    with translated(folder / NAME, writing=True):
        _make_folder(folder, files)
        _refuse_folder(folder)
        with writer_lock(folder):
            folder.chmod(PRIVATE_FOLDER)
            (folder / GENERATIONS).mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            if not _is_there(folder):
                _new_database(folder, NAME, files)


def _make_folder(folder: Path, files: Files) -> None:
    """Make a folder and its parents, and sync their names to the disk."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    for path in made:
        files.sync_folder(path.parent)


def set_aside(folder: Path, files: Files) -> None:
    """Put an empty database in place of the old one, and keep the vectors of the old one.

    The new database is renamed when it is complete; until then the old one stays in place.
    """
    with translated(folder / NAME, writing=True), writer_lock(folder):
        (folder / GENERATIONS).mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        for ending in ("", JOURNAL):
            _remove(folder / (FRESH + ending))
        with suppress(TetherError):  # it may be too damaged for that
            roll_back(folder / NAME)
        _new_database(folder, FRESH, files)
        old = (
            NAME if (folder / NAME).exists() else ASIDE
        )  # the latter after a run that was killed below
        save_vectors(folder / old, folder / FRESH)
        _keep_old(folder)
        (folder / FRESH).replace(folder / NAME)
        files.sync_folder(folder)


def _keep_old(folder: Path) -> None:
    """Rename the old database, and its journal with it."""
    old, aside = folder / NAME, folder / ASIDE
    if old.exists():
        _remove(folder / (ASIDE + JOURNAL))
        _remove(aside)
    if old.is_dir():
        old.replace(aside)
    elif old.exists():
        try:
            aside.hardlink_to(old)
        except OSError:  # a file system without hard links
            old.replace(aside)
    with suppress(FileNotFoundError):
        (folder / (NAME + JOURNAL)).replace(folder / (ASIDE + JOURNAL))


def remove_index(folder: Path) -> None:
    """Remove an index and its folder; killed before the end, it leaves no part that answers.

    Raises `IndexLocked` while another process writes, `IndexMissing`, and `InputRefused` for a
    folder that also has other files.
    """
    if not (folder / NAME).exists():
        raise IndexMissing(f"there is no index at {str(folder)!r}")
    foreign = _foreign(folder)
    if foreign:
        found = f"{str(folder)!r} has other files too, such as {foreign[0]!r}"
        raise InputRefused(f"{found}; move them away first")
    gone = folder.with_name(f".{folder.name}.{uuid4().hex}")
    with translated(folder / NAME, writing=True):
        with writer_lock(folder):
            folder.rename(gone)
        rmtree(gone)


def _foreign(folder: Path) -> list[str]:
    """Return the names in the folder of an index that do not belong to it."""
    return sorted({path.name for path in folder.iterdir()} - OURS)


def _refuse_folder(folder: Path) -> None:
    if folder.stat().st_uid != os.geteuid():
        raise InputRefused(f"{str(folder)!r} belongs to another user; name another folder")
    foreign = _foreign(folder)
    if foreign and not (folder / NAME).exists():
        raise InputRefused(
            f"{str(folder)!r} has other files, such as {foreign[0]!r}; "
            "name a folder for the index alone"
        )


def _is_there(folder: Path) -> bool:
    try:
        connect_for_writing(folder / NAME).close()
    except IndexMissing:
        return False
    return True


def _new_database(folder: Path, name: str, files: Files) -> None:
    """Create the database; the file is made first, so that it is private whatever the umask."""
    with suppress(FileExistsError):
        os.close(os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
    used = [int(path.name) for path in (folder / GENERATIONS).iterdir() if path.name.isdecimal()]
    create(folder / name, after=max(used, default=0))
    files.sync_folder(folder)


def _remove(path: Path) -> None:
    """Remove a file, or a folder in place of a file, if there is one."""
    if path.is_dir():
        rmtree(path)
    else:
        path.unlink(missing_ok=True)


Embedder = tuple[int, str, int]
Vector = tuple[int, bytes, bytes, bytes]


def save_vectors(old: Path, new: Path) -> None:
    """Copy the sound vectors of a database, up to the place where it cannot be read further."""
    address = address_of(old, "mode=ro&immutable=1")
    with closing(connect_for_writing(new)) as target:
        try:
            source = sqlite3.connect(address, uri=True)
        except sqlite3.Error:  # there is no file, or a folder
            return
        with closing(source):
            embedders = _embedders(source)
            _insert(target, _KEEP_EMBEDDER, embedders)
            vectors = _vectors(source, {number: size for number, _, size in embedders})
            while part := list(islice(vectors, AT_ONCE)):
                _insert(target, INSERTED_VECTOR, part)


def _insert(
    target: sqlite3.Connection, statement: str, rows: list[Embedder] | list[Vector]
) -> None:
    target.execute("BEGIN IMMEDIATE")
    target.executemany(statement, rows)
    target.execute("COMMIT")


def _embedders(source: sqlite3.Connection) -> list[Embedder]:
    try:
        found = source.execute(_EMBEDDERS).fetchall()
    except sqlite3.Error:  # it is damaged: that is why it is replaced
        return []
    plain = [row for row in found if [type(value) for value in row] == [int, str, int]]
    by_name = {fingerprint: (number, fingerprint, size) for number, fingerprint, size in plain}
    return list(by_name.values())


def _vectors(source: sqlite3.Connection, sizes: dict[int, int]) -> Iterator[Vector]:
    try:
        for row in source.execute(_VECTORS):
            if is_sound_vector(row, sizes.get(row[0])):
                yield row
    except sqlite3.Error:  # the rest cannot be read
        return
