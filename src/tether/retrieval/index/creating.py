"""Making the folder of an index, and putting a new database in the place of a damaged one."""

from __future__ import annotations

import os
from contextlib import suppress
from shutil import rmtree
from typing import TYPE_CHECKING

from tether.core.errors import IndexMissing, InputRefused, TetherError
from tether.retrieval.index.failures import translated
from tether.retrieval.index.files import PRIVATE_FILE, PRIVATE_FOLDER
from tether.retrieval.index.generation import GENERATIONS
from tether.retrieval.index.lock import NAME as LOCK
from tether.retrieval.index.lock import writer_lock
from tether.retrieval.index.salvaging import save_vectors
from tether.retrieval.index.schema import connect_for_writing, create, roll_back
from tether.retrieval.index.tables import NAME

if TYPE_CHECKING:
    from pathlib import Path

    from tether.retrieval.index.files import Files

ASIDE = NAME + ".damaged"
FRESH = NAME + ".new"
JOURNAL = "-journal"
OURS = {LOCK, GENERATIONS} | {
    name + ending for name in (NAME, ASIDE, FRESH) for ending in ("", JOURNAL)
}


def create_index(folder: Path, files: Files) -> None:
    """Make an index where there is none; a run that was killed here is completed.

    Raises `InputRefused` for a folder of other things or of another owner.
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
    """Make a folder with those above it, all of their names on the disk."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    for path in made:
        files.sync_folder(path.parent)


def set_aside(folder: Path, files: Files) -> None:
    """Put an empty database in the place of the one that is there, and keep what it embedded.

    The new one gets its name when it is whole: stopped before that, the old one is still there.
    """
    with translated(folder / NAME, writing=True), writer_lock(folder):
        (folder / GENERATIONS).mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        for ending in ("", JOURNAL):
            _remove(folder / (FRESH + ending))
        with suppress(TetherError):  # it may be too damaged to be completed
            roll_back(folder / NAME)
        _new_database(folder, FRESH, files)
        old = NAME if (folder / NAME).exists() else ASIDE  # the latter after a stop just below
        save_vectors(folder / old, folder / FRESH)
        _keep_old(folder)
        (folder / FRESH).replace(folder / NAME)
        files.sync_folder(folder)


def _keep_old(folder: Path) -> None:
    """Give the old database its second name, and take its journal away from the first."""
    old, aside = folder / NAME, folder / ASIDE
    if old.exists():
        _remove(folder / (ASIDE + JOURNAL))
        _remove(aside)
    if old.is_dir():
        old.replace(aside)
    elif old.exists():
        try:
            aside.hardlink_to(old)
        except OSError:  # a disk where a file has one name only
            old.replace(aside)
    with suppress(FileNotFoundError):
        (folder / (NAME + JOURNAL)).replace(folder / (ASIDE + JOURNAL))


def _refuse_folder(folder: Path) -> None:
    if folder.stat().st_uid != os.geteuid():
        raise InputRefused(f"{str(folder)!r} belongs to somebody else; name another folder")
    names = {path.name for path in folder.iterdir()}
    foreign = sorted(names - OURS)
    if foreign and NAME not in names:
        raise InputRefused(
            f"{str(folder)!r} holds other things, such as {foreign[0]!r}; "
            "name a folder for the index alone"
        )


def _is_there(folder: Path) -> bool:
    try:
        connect_for_writing(folder / NAME).close()
    except IndexMissing:
        return False
    return True


def _new_database(folder: Path, name: str, files: Files) -> None:
    """Make the file first, so that it is private from the start whatever the umask."""
    with suppress(FileExistsError):
        os.close(os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
    used = [int(path.name) for path in (folder / GENERATIONS).iterdir() if path.name.isdecimal()]
    create(folder / name, after=max(used, default=0))
    files.sync_folder(folder)


def _remove(path: Path) -> None:
    """Remove what is there, also a folder where a file should be."""
    if path.is_dir():
        rmtree(path)
    else:
        path.unlink(missing_ok=True)
