"""Where large bytes go: two conduits that take content and give back a reader.

They are no part of the 25 storage operations, because they keep no records: a conduit touches no
collection and queues no delta. Without one, bytes stay in memory for as long as their reader does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tether.core.errors import Problem
from tether.core.media_readers import BytesReader
from tether.core.spool import BytesSpool
from tether.runtime.signatures import complaint_about

if TYPE_CHECKING:
    from tether.core.artifact import SpoolReader
    from tether.core.media import MediaReader
    from tether.runtime.context import Context


class ByteStore(Protocol):
    """Keeps bytes under an id and returns a reader of them."""

    async def store_artifact_bytes(self, ctx: Context, id: str, content: bytes, /) -> SpoolReader:
        """Keep a text, given as UTF-8, and return a reader of its lines."""
        ...

    async def store_media_bytes(self, ctx: Context, id: str, content: bytes, /) -> MediaReader:
        """Keep a media asset and return a reader of its bytes."""
        ...


class ByteMemory:
    """Keeps bytes nowhere but in the readers it returns."""

    __slots__ = ()

    async def store_artifact_bytes(self, ctx: Context, id: str, content: bytes) -> SpoolReader:
        """Return a reader of the text."""
        return BytesSpool(content)

    async def store_media_bytes(self, ctx: Context, id: str, content: bytes) -> MediaReader:
        """Return a reader of the bytes."""
        return BytesReader(content)


def byte_store_problems(store: object) -> list[Problem]:
    """Return what is wrong with a byte store."""
    problems: list[Problem] = []
    for name in ("store_artifact_bytes", "store_media_bytes"):
        operation = getattr(store, name, None)
        complaint = (
            "is missing"
            if operation is None
            else complaint_about(operation, "ctx", "id", "content")
        )
        if complaint:
            problems.append(Problem(f"byte_store.{name}", complaint))
    return problems
