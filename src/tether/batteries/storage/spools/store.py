"""Where large results live: what a store of spools does, and how the bytes of a turn get there."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import quote

from tether.core.artifact import LONGEST_LINE, SpoolReader
from tether.core.checks import Checks, in_short
from tether.core.errors import InputRefused, LimitExceeded, error_text
from tether.core.media import MediaReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator

    from tether.batteries.storage.spools.drafts import Content
    from tether.runtime.context import Context

LONGEST_ID = 1 << 16
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Spool(SpoolReader, MediaReader, Protocol):
    """Content that was kept: read by line as an artifact, or as a stream as media.

    `SourceSpool` is one, over any `ByteSource`.
    """

    async def byte_length(self) -> int:
        """Return the size in bytes."""
        ...

    async def line_count(self) -> int:
        """Return the number of lines."""
        ...

    def lines(
        self, start: int, end: int | None, *, longest: int = LONGEST_LINE
    ) -> AsyncIterator[str]:
        """Return the lines of a range, each cut after `longest` bytes."""
        ...

    async def text(self) -> str:
        """Return everything."""
        ...


class SpoolStore(Protocol):
    """Keeps content under ids, which may be any text.

    A reader gives the content as it was when it was handed out, whatever is written under the id
    afterwards. A write is seen as a whole or not at all. What fails raises `InputRefused`, or
    `LimitExceeded` where there is no room, with the store's own error as its cause.
    """

    async def write(self, id: str, content: Content) -> Spool:
        """Keep content, in place of what is there under the id, and return a reader of it."""
        ...

    async def read(self, id: str) -> Spool | None:
        """Return a reader of what is kept under the id, or None."""
        ...

    async def delete(self, id: str) -> bool:
        """Forget what is kept under the id; return whether there was something."""
        ...

    async def clear(self) -> None:
        """Forget everything."""
        ...

    async def ids(self) -> list[str]:
        """Return the ids under which something is kept, sorted."""
        ...

    async def size(self) -> int:
        """Return how many ids there are."""
        ...


class SpoolByteStore:
    """A spool store as the `byte_store` of a runner.

    Ids are told apart by turn and by kind (see `spool_id`), because the ids of tool calls, which
    come from the provider, repeat.
    """

    __slots__ = ("_store",)

    def __init__(self, store: SpoolStore) -> None:
        self._store = store

    async def store_artifact_bytes(self, ctx: Context, id: str, content: bytes) -> SpoolReader:
        """Keep a text and return a reader of its lines."""
        return await self._store.write(spool_id(ctx.turn_id, "artifact", id), content)

    async def store_media_bytes(self, ctx: Context, id: str, content: bytes) -> MediaReader:
        """Keep a media asset and return a reader of its bytes."""
        return await self._store.write(spool_id(ctx.turn_id, "media", id), content)


def spool_id(turn_id: str, kind: Literal["artifact", "media"], id: str) -> str:
    """Return the id under which the bytes of a turn are kept."""
    return f"{quote(turn_id, safe='', errors='surrogatepass')}/{kind}/{id}"


def checked_id(id: str) -> str:
    """Return the id; raises `InputRefused` if it is not text, or is too long."""
    if not isinstance(id, str):
        raise InputRefused(f"the id of a spool is text, not {in_short(id)}")
    if len(id) > LONGEST_ID:
        raise LimitExceeded(f"the id of a spool has at most {LONGEST_ID:,} characters: {len(id):,}")
    return id


def check_max_bytes(checks: Checks, value: int | None) -> None:
    """Note a limit of size that is none."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and (not is_number or value < 0):
        checks.refuse("max_bytes", value, "a number of bytes that is not negative, or None")


def spool_name(id: str) -> str:
    """Return a name for the id that is safe in every folder; raises as `checked_id` does.

    A hash: ids may differ by case or Unicode form only, be long, or mean something as a path.
    """
    return sha256(checked_id(id).encode(errors="surrogatepass")).hexdigest()


@contextmanager
def reported(action: str) -> Generator[None]:
    """Raise what a store raises where the system refuses something: it may work another time."""
    try:
        yield
    except OSError as error:
        message = f"{action} failed: {error.strerror or error_text(error)}"
        if error.errno in FULL:
            message = f"{message}. Make room and try again"
            raise LimitExceeded(message, status=507, retryable=True) from error
        raise InputRefused(message, status=503, retryable=True) from error
