"""Files that are written whole or not at all, and the folder for what the program remembers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from tether.core.errors import InputRefused


def state_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the user's folder for what the program remembers; None without a home."""
    given = environ.get("XDG_STATE_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "tether"
    home = environ.get("HOME", "")
    return Path(home) / ".local" / "state" / "tether" if home else None


def write_new(path: Path, text: str) -> None:
    """Write a new file: into a temporary one, flushed to the disk, then linked to its name.

    Raises `InputRefused` if the name exists, even if another process has just created it, and for
    an error of the disk; then nothing is left.
    """
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.") as draft:
            draft.write(text.encode("utf-8"))
            draft.flush()
            os.fchmod(draft.fileno(), 0o644)
            os.fsync(draft.fileno())
            os.link(draft.name, path)  # unlike a rename, it never replaces anything
        _sync_folder(path.parent)
    except FileExistsError as error:
        raise InputRefused(f"{path} exists; edit it, or move it away first") from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputRefused(f"{path} cannot be written: {why}") from error


def replace_private(path: Path, text: str) -> None:
    """Write a file that only this user can read, in place of an earlier one, whole or not at all.

    Its folder is made if it is missing. Raises `InputRefused` for an error of the disk; then the
    earlier file is as it was.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as draft:
            try:  # it is private from birth
                draft.write(text.encode("utf-8"))
                draft.flush()
                os.fsync(draft.fileno())
                Path(draft.name).replace(path)
            except BaseException:
                Path(draft.name).unlink(missing_ok=True)
                raise
        _sync_folder(path.parent)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputRefused(f"{path} cannot be written: {why}") from error


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
