"""The place behind `ObjectSpools`: what it holds, and the way in."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import pairwise
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from tether.batteries.storage.spools.object_files import StoredObject
from tether.batteries.storage.spools.object_versions import (
    Folder,
    Version,
    content_of,
    draft_name,
    started,
)
from tether.batteries.storage.spools.store import reported, spool_name
from tether.core.checks import in_short
from tether.core.errors import InputRefused
from tether.core.spool import SourceSpool

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

    from tether.batteries.storage.spools.object_files import ObjectFiles
    from tether.runtime.clock import Clock

BLOCK_BYTES = 1 << 20
"""A request to a far store costs more than the rest of a mebibyte that is not needed."""


class ObjectPlace:
    """What `ObjectSpools` does, blocking. `OSError` leaves it as what `reported` makes of it."""

    def __init__(self, files: ObjectFiles, root: str, clock: Clock) -> None:
        self.files = files
        self._root = root and f"{root.rstrip('/')}/"
        self._clock = clock

    def read(self, id: str) -> SourceSpool | None:
        """Return a reader of the version that counts, or None."""
        with reported(f"reading the spool {in_short(id)}"):
            folder = self.folder(spool_name(id))
        return self.reader(folder.name, folder.versions[-1]) if folder.versions else None

    def delete(self, id: str) -> bool:
        """Remove all versions; return whether there was one."""
        with reported(f"deleting the spool {in_short(id)}"):
            folder = self.folder(spool_name(id))
            self._remove(folder.name, folder.versions)
        return bool(folder.versions)

    def clear(self) -> None:
        """Remove all versions of everything."""
        with reported("clearing the spools"):
            for folder in self._folders():
                self._remove(folder.name, folder.versions)

    def ids(self) -> list[str]:
        """Return the ids, which stand after the contents, sorted."""
        with reported("listing the spools"):
            newest = [
                (self.path(folder.name, folder.versions[-1].content), folder.versions[-1].length)
                for folder in self._folders()
                if folder.versions
            ]
            ends = self.files.ends(newest)
        return sorted(id for end in ends if (id := _id_in(end)) is not None)

    def size(self) -> int:
        """Return how many ids there are."""
        with reported("counting the spools"):
            return sum(bool(folder.versions) for folder in self._folders())

    def sweep(self, older_than: timedelta) -> int:
        """Remove what was replaced, or begun and not finished, so long ago; return how many."""
        before = self.milliseconds() - older_than.total_seconds() * 1000
        removed = 0
        with reported("sweeping the spools"):
            for folder in self._folders():
                pairs = pairwise(folder.versions)
                replaced = [old for old, new in pairs if started(new.draft) <= before]
                unfinished = [draft for draft in folder.drafts if started(draft) <= before]
                self._remove(folder.name, replaced, unfinished)
                removed += len(replaced) + len(unfinished)
        return removed

    def folder(self, name: str) -> Folder:
        """Return what there is under the id of that name."""
        return Folder.of(name, self.files.names_in(self.path(name)))

    def reader(self, name: str, version: Version) -> SourceSpool:
        """Return a reader of a version."""
        source = StoredObject(self.files, self.path(name, version.content), version.length)
        return SourceSpool(source, block_bytes=BLOCK_BYTES)

    def path(self, *names: str) -> str:
        """Return the path of a folder, or of an object in one."""
        return self._root + "/".join(names)

    def milliseconds(self) -> int:
        """Return the time."""
        return round(self._clock.now().timestamp() * 1000)

    def _folders(self) -> list[Folder]:
        folders: dict[str, list[str]] = {}
        for path in self.files.paths_below(self.path()):
            folder, _, name = path.partition("/")  # a name with a slash belongs to another store
            folders.setdefault(folder, []).append(name)
        return [Folder.of(name, objects) for name, objects in folders.items()]

    def _remove(self, name: str, versions: list[Version], drafts: Iterable[str] = ()) -> None:
        marks = [version.mark for version in versions]  # oldest first: no older one comes to count
        contents = [version.content for version in versions]
        for object in [*marks, *contents, *(content_of(draft) for draft in drafts)]:
            self.files.remove(self.path(name, object))


class ObjectDraft:
    """A version on its way into a place."""

    def __init__(self, place: ObjectPlace, id: str) -> None:
        self._place = place
        self._files = place.files
        self._id = id
        self._action = f"writing the spool {in_short(id)}"
        self._folder = spool_name(id)
        self._draft = draft_name(place.milliseconds(), token_hex(16))
        self._file: Any = None
        self._length = 0
        self._mark: str | None = None
        self._is_published = False

    def open(self) -> None:
        """Start an object."""
        with reported(self._action):
            folder = self._place.path(self._folder)
            self._file = self._files.create(folder, content_of(self._draft))

    def write(self, piece: bytes) -> None:
        """Add to the object."""
        with reported(self._action):
            self._files.append(self._file, piece)
        self._length += len(piece)

    def finish(self) -> None:
        """Write the id after the content, and close the object."""
        with reported(self._action):
            self._files.append(self._file, json.dumps(self._id).encode("ascii"))
            self._files.close(self._file)

    def publish(self) -> SourceSpool:
        """Mark the object, and return a reader of it."""
        with reported(self._action):
            folder = self._place.folder(self._folder)
            if self._draft not in folder.drafts:
                raise InputRefused(
                    f"{self._action} took so long that its content was swept", retryable=True
                )
            version = Version(folder.next_number, self._draft, self._length)
            self._mark = self._path(version.mark)
            self._files.make_empty(self._mark)
        self._is_published = True
        return self._place.reader(self._folder, version)

    def abandon(self) -> None:
        """Remove the mark and then the object, or leave it to a sweeper where that fails."""
        if self._is_published:
            return
        with suppress(OSError):
            if self._file is not None:
                self._files.close(self._file)
        with suppress(OSError):
            if self._mark is not None:  # whether it was made is not known
                self._files.remove(self._mark)
            self._files.remove(self._path(content_of(self._draft)))

    def _path(self, object: str) -> str:
        return self._place.path(self._folder, object)


def _id_in(end: bytes) -> str | None:
    """Return the id after a content; None where there is none."""
    try:
        return str(json.loads(end)) if end.startswith(b'"') else None
    except ValueError:
        return None
