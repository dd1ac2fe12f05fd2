"""The files of `DiskSpools`: a line that names the id, then the content."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from stat import S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.storage.spools.store import LONGEST_ID
from tether.core.errors import LimitExceeded
from tether.core.spool import BLOCK_BYTES, BytesSpool, SourceSpool

if TYPE_CHECKING:
    from pathlib import Path

    from tether.core.byte_sources import OpenFile

SPOOL = ".spool"
DRAFT = ".draft"
MAGIC = b"tether-spool 1 "
HEADER_LENGTHS = (4096, len(MAGIC) + 12 * LONGEST_ID + 3)
"""Where the end of the first line is looked for: where it nearly always is, and at the most."""

READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
WRITING = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Kept(NamedTuple):
    """One spool of a folder; `written` is in nanoseconds."""

    written: int
    name: str
    size: int


class Listing(NamedTuple):
    """What a folder held when it was looked through: its spools, and the names of its drafts."""

    spools: list[Kept]
    drafts: list[str]


def listing(folder: Path) -> Listing:
    """Look a folder through once, without opening anything in it."""
    found = Listing([], [])
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(DRAFT):
                found.drafts.append(entry.name)
            elif entry.name.endswith(SPOOL):
                with suppress(FileNotFoundError):  # another process may have removed it
                    status = entry.stat(follow_symlinks=False)
                    if S_ISREG(status.st_mode):
                        found.spools.append(Kept(status.st_mtime_ns, entry.name, status.st_size))
    return found


def header(id: str) -> bytes:
    """Return the first line of a spool; the id is JSON, because it may hold anything."""
    return MAGIC + json.dumps(id).encode("ascii") + b"\n"


def id_in(path: Path) -> str | None:
    """Return the id in a spool's first line; None if there is no such file, or no such line."""
    try:
        descriptor = os.open(path, READING)
    except FileNotFoundError:
        return None
    try:
        line = _first_line(descriptor)
    finally:
        os.close(descriptor)
    if not line.startswith(MAGIC + b'"'):
        return None
    try:
        id = str(json.loads(line[len(MAGIC) :]))
    except ValueError:
        return None
    return id if header(id) == line else None


def reader_of(file: OpenFile) -> SourceSpool:
    """Return a reader: what fits into a block is read at once, and holds no file open."""
    if file.length > BLOCK_BYTES:
        return SourceSpool(file)
    return BytesSpool(file.read_at_once(0, file.length))


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def no_room(most_bytes: int) -> LimitExceeded:
    """Return what to raise where a spool does not fit."""
    return LimitExceeded(
        f"there is room for {max(0, most_bytes):,} bytes in the spools. Delete some, or keep less",
        status=507,
    )


def _first_line(descriptor: int) -> bytes:
    line = b""
    for length in HEADER_LENGTHS:
        line, newline, _ = os.pread(descriptor, length, 0).partition(b"\n")
        if newline:
            return line + newline
    return line
