"""Making the folder of an index, and putting a new database in the place of a damaged one."""

from __future__ import annotations

import os
from contextlib import suppress
from shutil import rmtree
from typing import TYPE_CHECKING

from tether.core.errors import IndexMissing, InputRefused
from tether.retrieval.index.files import PRIVATE_FILE, PRIVATE_FOLDER
from tether.retrieval.index.generation import GENERATIONS
from tether.retrieval.index.lock import NAME as LOCK
from tether.retrieval.index.lock import writer_lock
from tether.retrieval.index.salvaging import save_vectors
from tether.retrieval.index.schema import (
    NAME,
    connect_for_writing,
    create,
    translated,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tether.retrieval.index.files import Files

ASIDE = NAME + ".damaged"
JOURNAL = "-journal"
OURS = {NAME, NAME + JOURNAL, LOCK, GENERATIONS, ASIDE, ASIDE + JOURNAL}


def create_index(folder: Path, files: Files) -> None:
    """Make an index where there is none; a run that was killed here is completed.

    Raises `InputRefused` for a folder of other things or of another owner.
    """
    with translated(folder / NAME, writing=True):
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        _refuse_folder(folder)
        with writer_lock(folder):
            folder.chmod(PRIVATE_FOLDER)
            (folder / GENERATIONS).mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
            if not _is_there(folder):
                _new_database(folder, files)


def set_aside(folder: Path, files: Files) -> None:
    """Put an empty database in the place of the one that is there, and keep what it embedded."""
    with translated(folder / NAME, writing=True), writer_lock(folder):
        (folder / GENERATIONS).mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        for ending in ("", JOURNAL):  # a journal belongs to the database that goes
            _move(folder / (NAME + ending), folder / (ASIDE + ending))
        _new_database(folder, files)
        save_vectors(folder / ASIDE, folder / NAME)


def _refuse_folder(folder: Path) -> None:
    if folder.stat().st_uid != os.geteuid():
        raise InputRefused(f"{str(folder)!r} belongs to somebody else; name another folder")
    foreign = sorted({path.name for path in folder.iterdir()} - OURS)
    if foreign:
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


def _new_database(folder: Path, files: Files) -> None:
    """Make the file first, so that it is private from the start whatever the umask."""
    with suppress(FileExistsError):
        os.close(os.open(folder / NAME, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))
    used = [int(path.name) for path in (folder / GENERATIONS).iterdir() if path.name.isdecimal()]
    create(folder / NAME, after=max(used, default=0))
    files.sync_folder(folder)


def _move(source: Path, target: Path) -> None:
    """Move what is there, also a folder where a file should be, over what was moved before."""
    if target.is_dir():
        rmtree(target)
    with suppress(FileNotFoundError):
        source.replace(target)
