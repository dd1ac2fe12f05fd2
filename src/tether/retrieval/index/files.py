"""Every change to a file of an index that SQLite does not make itself.

One small object, so that a test can make any single operation fail, or kill the process there.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from shutil import rmtree
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class Files:
    """Creates, writes, syncs, renames and removes; `OSError` leaves it as it is.

    A sync that failed is never tried again: what the system holds of the file afterwards is
    unknown, so the whole draft is given up.
    """

    def make_folder(self, path: Path) -> None:
        """Make a folder that only its owner may enter."""
        path.mkdir(mode=PRIVATE_FOLDER)

    @contextmanager
    def new(self, path: Path) -> Generator[int]:
        """Yield the descriptor of a file that was not there before; sync and close it after."""
        descriptor = self.create(path)
        try:
            yield descriptor
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def create(self, path: Path) -> int:
        """Return the descriptor of a new private file."""
        return os.open(path, NEW, PRIVATE_FILE)

    def write(self, descriptor: int, data: bytes | memoryview) -> None:
        """Write all of the data."""
        left = memoryview(data).cast("B")
        while left:
            left = left[os.write(descriptor, left) :]

    def sync(self, descriptor: int) -> None:
        """Return when the file is on the disk."""
        os.fsync(descriptor)

    def sync_folder(self, path: Path) -> None:
        """Return when the names in a folder are on the disk."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self.sync(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        """Give a finished draft its name, and return when the name is on the disk."""
        source.replace(target)
        self.sync_folder(target.parent)

    def remove_folder(self, path: Path) -> None:
        """Remove a folder with what is in it."""
        rmtree(path)
