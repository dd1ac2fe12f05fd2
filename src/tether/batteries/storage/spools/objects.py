"""Spools wherever fsspec reaches: S3 and what speaks like it, other clouds, memory, a folder."""

from __future__ import annotations

import json
from asyncio import to_thread
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from tether.batteries.storage.spools.object_files import (
    Folder,
    ObjectFiles,
    StoredObject,
    Version,
    content_of,
    draft_name,
    started,
)
from tether.batteries.storage.spools.store import fill, reported, spool_name
from tether.batteries.storage.threads import off_loop
from tether.core.checks import has_methods, in_short
from tether.core.errors import InputRefused, error_text
from tether.core.spool import SourceSpool
from tether.runtime.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fsspec import AbstractFileSystem  # type: ignore[import-untyped]

    from tether.batteries.storage.spools.store import Content
    from tether.runtime.clock import Clock

DAY = timedelta(days=1)

BLOCK_BYTES = 1 << 20
"""A request to a remote store costs more than reading the rest of a mebibyte."""


class ObjectSpools:
    """A spool store on an fsspec file system, under its own prefix.

    The place is a file system, or a URL with the options of its file system. For S3 and compatible
    services, install s3fs as well::

        ObjectSpools(
            "s3://bucket/spools",
            storage_options={"key": …, "secret": …, "endpoint_url": "https://minio.example:9000"},
        )

    Nothing is cached: stores over one place see each other's writes. A write creates new objects
    and readers keep using theirs, so replaced content stays until `sweep` removes it. `delete` and
    `clear` remove it at once, and a reader of it then raises `InputRefused`. Limits of size and age
    are up to the bucket. Use `DiskSpools` for a folder: this store does not flush to the disk and
    does not keep files private.

    Raises `InputRefused` if fsspec is missing or the place is invalid, and, retryable, if the store
    fails: its cause is an `OSError` with the error of the driver.
    """

    def __init__(
        self,
        place: str | AbstractFileSystem,
        prefix: str = "",
        *,
        storage_options: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
    ) -> None:
        files, root = _opened(place, {} if storage_options is None else storage_options)
        root = f"{root.rstrip('/')}/{prefix.lstrip('/')}" if root and prefix else root or prefix
        time = SystemClock() if clock is None else clock
        self._place = ObjectPlace(ObjectFiles(files), root, time)

    async def write(self, id: str, content: Content) -> SourceSpool:
        """Keep content under the id, replacing the previous content."""
        return await fill(ObjectDraft(self._place, id), content)

    async def read(self, id: str) -> SourceSpool | None:
        """Return a reader of the content under the id, or None."""
        return await to_thread(self._place.read, id)

    async def delete(self, id: str) -> bool:
        """Delete the content under the id; return whether there was any."""
        return await off_loop(self._place.delete, id)

    async def clear(self) -> None:
        """Delete everything."""
        await off_loop(self._place.clear)

    async def ids(self) -> list[str]:
        """Return the ids in use, sorted; each costs a small request."""
        return await to_thread(self._place.ids)

    async def size(self) -> int:
        """Return how many ids there are."""
        return await to_thread(self._place.size)

    async def sweep(self, older_than: timedelta = DAY) -> int:
        """Remove content that was replaced that long ago, and unfinished writes of that age.

        Returns how many were removed. Choose more than a write takes, and than a reader lives.
        """
        return await off_loop(self._place.sweep, older_than)


def _opened(
    place: str | AbstractFileSystem, options: Mapping[str, Any]
) -> tuple[AbstractFileSystem, str]:
    """Return a file system, and the path in it that the place names."""
    if isinstance(place, str):
        files, root = _at(place, options)
    elif options:
        raise InputRefused("storage options need a URL; a file system already has its own")
    else:
        files, root = place, ""
    usable = has_methods(files, "ls", "find", "open", "cat_file")
    if not usable or getattr(files, "asynchronous", False):
        raise InputRefused(
            f"object spools need a URL or a file system of fsspec made without "
            f"asynchronous=True, not {in_short(files)}"
        )
    return files, root


def _at(url: str, options: Mapping[str, Any]) -> tuple[AbstractFileSystem, str]:
    try:
        # Used by this store only, and without types.
        from fsspec.core import (  # type: ignore[import-untyped]  # noqa: PLC0415
            url_to_fs,  # pyright: ignore[reportMissingTypeStubs]
        )
    except ModuleNotFoundError as error:
        raise InputRefused("object spools need fsspec: pip install 'tether[spool]'") from error
    try:
        files, root = url_to_fs(url, **options)
    except (ImportError, TypeError, ValueError) as error:
        raise InputRefused(f"{in_short(url)} cannot be opened: {error_text(error)}") from error
    return files, root


class ObjectPlace:
    """The blocking operations of `ObjectSpools`; `reported` translates every `OSError`."""

    def __init__(self, files: ObjectFiles, root: str, clock: Clock) -> None:
        self.files = files
        self._root = root and f"{root.rstrip('/')}/"
        self._clock = clock

    def read(self, id: str) -> SourceSpool | None:
        """Return a reader of the current version, or None."""
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
        """Return the ids, which are stored after the contents, sorted."""
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
        """Remove old replaced versions and unfinished drafts; return how many."""
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
        """Return the objects under the id of that name."""
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
        marks = [
            version.mark for version in versions
        ]  # oldest first: no older version becomes current
        contents = [version.content for version in versions]
        for object in [*marks, *contents, *(content_of(draft) for draft in drafts)]:
            self.files.remove(self.path(name, object))


class ObjectDraft:
    """A version that is being written."""

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
        """Append to the object."""
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
        """Remove the mark and then the object, or leave them to `sweep` if that fails."""
        if self._is_published:
            return
        with suppress(OSError):
            if self._file is not None:
                self._files.close(self._file)
        with suppress(OSError):
            if self._mark is not None:  # it may or may not exist
                self._files.remove(self._mark)
            self._files.remove(self._path(content_of(self._draft)))

    def _path(self, object: str) -> str:
        return self._place.path(self._folder, object)


def _id_in(end: bytes) -> str | None:
    """Return the id stored after a content, or None."""
    try:
        return str(json.loads(end)) if end.startswith(b'"') else None
    except ValueError:
        return None
