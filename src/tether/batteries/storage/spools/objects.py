"""Spools wherever fsspec reaches: S3 and what speaks like it, other clouds, memory, a folder."""

from __future__ import annotations

from asyncio import to_thread
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tether.batteries.storage.spools.drafts import fill, off_loop
from tether.batteries.storage.spools.object_files import ObjectFiles
from tether.batteries.storage.spools.object_place import ObjectDraft, ObjectPlace
from tether.core.checks import has_methods, in_short
from tether.core.errors import InputRefused, error_text
from tether.runtime.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsspec import AbstractFileSystem  # type: ignore[import-untyped]

    from tether.batteries.storage.spools.drafts import Content
    from tether.core.spool import SourceSpool
    from tether.runtime.clock import Clock

DAY = timedelta(days=1)


class ObjectSpools:
    """A spool store on an fsspec file system, under a prefix that is its own.

    The place is a file system, or a URL with the options that its file system takes. For S3 and
    what speaks like it, install s3fs beside this package::

        ObjectSpools(
            "s3://bucket/spools",
            storage_options={"key": …, "secret": …, "endpoint_url": "https://minio.example:9000"},
        )

    Nothing is kept here: stores over one place see each other's writes. A write makes new objects
    and readers keep to theirs, so replaced content stays until `sweep` removes it. `delete` and
    `clear` remove it at once, and a reader of it then raises `InputRefused`. Limits of size and age
    are the bucket's own. Use `DiskSpools` for a folder: this one brings nothing to the disk and
    keeps no file private.

    Raises `InputRefused` where fsspec is missing or the place is none, and where the store fails:
    then it is retryable, and its cause is an `OSError` that holds what the driver raised.
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
        """Keep content in place of what is there under the id."""
        return await fill(ObjectDraft(self._place, id), content)

    async def read(self, id: str) -> SourceSpool | None:
        """Return a reader of what is kept under the id, or None."""
        return await to_thread(self._place.read, id)

    async def delete(self, id: str) -> bool:
        """Forget what is kept under the id; return whether there was something."""
        return await off_loop(self._place.delete, id)

    async def clear(self) -> None:
        """Forget everything."""
        await off_loop(self._place.clear)

    async def ids(self) -> list[str]:
        """Return the ids under which something is kept, sorted; each costs a small request."""
        return await to_thread(self._place.ids)

    async def size(self) -> int:
        """Return how many ids there are."""
        return await to_thread(self._place.size)

    async def sweep(self, older_than: timedelta = DAY) -> int:
        """Remove what was replaced that long ago, and what was begun then and is not finished.

        Returns how many contents went. Choose more than a write takes, and than a reader lives.
        """
        return await off_loop(self._place.sweep, older_than)


def _opened(
    place: str | AbstractFileSystem, options: Mapping[str, Any]
) -> tuple[AbstractFileSystem, str]:
    """Return a file system, and the path in it that the place names."""
    if isinstance(place, str):
        files, root = _at(place, options)
    elif options:
        raise InputRefused("storage options go with a URL; a file system has taken its own")
    else:
        files, root = place, ""
    usable = has_methods(files, "ls", "find", "open", "cat_file")
    if not usable or getattr(files, "asynchronous", False):
        raise InputRefused(
            f"spools are kept at a URL or in a file system of fsspec that was made without "
            f"asynchronous=True, not in {in_short(files)}"
        )
    return files, root


def _at(url: str, options: Mapping[str, Any]) -> tuple[AbstractFileSystem, str]:
    try:
        # Wanted by this store only, and without types.
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
