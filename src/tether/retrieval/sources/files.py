"""Files and folders below a root, opened without leaving the root and without blocking.

A path is opened name by name from the descriptor of the root, and no step follows a link. The type
is checked after opening: a pipe or a device that replaced a file is not read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Literal

from tether.retrieval.errors import DocumentUnreadable

_NEVER_LED_AWAY = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_FOLDER = _NEVER_LED_AWAY | os.O_DIRECTORY
_FILE = _NEVER_LED_AWAY | os.O_NONBLOCK | os.O_NOCTTY
_AT_ONCE = 1 << 20

KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


@contextmanager
def opened_root(path: Path) -> Generator[int, None, None]:
    """Open a folder that a person named; links on the way to it are followed. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_folder(root: int, names: Sequence[bytes]) -> Generator[int, None, None]:
    """Open a folder below another one; raises `OSError`, also for a link on the way."""
    descriptor = os.dup(root)
    try:
        for name in names:
            following = os.open(name, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = following
        yield descriptor
    finally:
        os.close(descriptor)


def read_file(folder: int, name: bytes, most: int) -> bytes:
    """Return the content of a file in an open folder.

    Raises `OSError`, and `DocumentUnreadable` for anything but a file, for one larger than `most`,
    and for one that changes while it is read.
    """
    descriptor = os.open(name, _FILE, dir_fd=folder)
    try:
        return _read_whole(descriptor, most)
    finally:
        os.close(descriptor)


def first_bytes(folder: int, name: bytes, most: int) -> bytes:
    """Return how a file in an open folder begins; b"" where it is not a file that can be opened."""
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except OSError:
        return b""
    try:
        return os.read(descriptor, most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)


def file_version(status: os.stat_result) -> str:
    """Return the evidence that a file did not change.

    The time of the last change to the file itself is part of it, because any program can set the
    time of the last modification back. A copy of the file has another one, and is compared by its
    bytes.
    """
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def too_large(size: int, most: int) -> str:
    """Return the reason for a file that is too large, with advice."""
    return f"it has {size:,} bytes, and at most {most:,} are read; split it into smaller files"


def _read_whole(descriptor: int, most: int) -> bytes:
    before = os.fstat(descriptor)
    kind = stat.S_IFMT(before.st_mode)
    if kind != stat.S_IFREG:
        raise DocumentUnreadable(f"it is {KINDS[kind]}, not a file")
    if before.st_size > most:
        raise DocumentUnreadable(too_large(before.st_size, most))
    data = _read_up_to(descriptor, before.st_size + 1)
    after = os.fstat(descriptor)
    if len(data) != before.st_size or file_version(after) != file_version(before):
        raise DocumentUnreadable("it changed while it was read; index again", retryable=True)
    return data


def _read_up_to(descriptor: int, most: int) -> bytes:
    pieces: list[bytes] = []
    left = most
    while left > 0 and (piece := os.read(descriptor, min(left, _AT_ONCE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


EntryKind = Literal["file", "folder", "link"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder. A "file" is anything but a folder or a link."""

    name: bytes
    kind: EntryKind


def entries_of(folder: int) -> list[Entry]:
    """Return the entries of an open folder by name; raises `OSError`."""
    with os.scandir(folder) as found:
        entries = [Entry(os.fsencode(entry.name), _kind(entry)) for entry in found]
    return sorted(entries, key=attrgetter("name"))


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return "link"
    return "folder" if entry.is_dir(follow_symlinks=False) else "file"
