"""What is in a folder, in an order that is the same everywhere."""

from __future__ import annotations

import os
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

EntryKind = Literal["file", "folder", "link"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of a folder. A "file" is all that is neither a folder nor a link."""

    name: bytes
    kind: EntryKind


def entries_of(folder: int) -> list[Entry]:
    """Return everything in an open folder, by name; raises `OSError`."""
    with os.scandir(folder) as found:
        entries = [Entry(os.fsencode(entry.name), _kind(entry)) for entry in found]
    return sorted(entries, key=attrgetter("name"))


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return "link"
    return "folder" if entry.is_dir(follow_symlinks=False) else "file"
