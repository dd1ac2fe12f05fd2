"""The port of a spool store, which keeps large results; the byte store of a runner; and drafts."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterable
from contextlib import aclosing, contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar
from urllib.parse import quote

from tether.batteries.storage.threads import off_loop
from tether.core.artifact import LONGEST_LINE, SpoolReader
from tether.core.checks import Checks, in_short
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, LimitExceeded, error_text
from tether.core.media import MediaReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator

    from tether.core.spool import SourceSpool
    from tether.runtime.context import Context

LONGEST_ID = 1 << 16
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

T = TypeVar("T")
Buffer: TypeAlias = bytes | bytearray | memoryview
Content: TypeAlias = Buffer | str | AsyncIterable[Buffer]
"""Bytes are kept as they are, text is cleaned and encoded as UTF-8, a stream is read to its end."""

PIECE_BYTES = 1 << 20
LONGEST_WAIT = 30.0
"""How many seconds a step is retried while others hold the lock."""

PAUSES = (0.001, 0.1)
"""The first and the longest pause in seconds; each pause is twice the one before."""


class Spool(SpoolReader, MediaReader, Protocol):
    """Stored content, read by line as an artifact, or as a stream as media.

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
        """Yield the lines of a range, each cut after `longest` bytes."""
        ...

    async def text(self) -> str:
        """Return everything."""
        ...


class SpoolStore(Protocol):
    """Keeps content under ids, which may be any text.

    A reader returns the content as it was when the reader was made, whatever is written under the
    id later. Writes are atomic. A failure raises `InputRefused`, or `LimitExceeded` if there is not
    enough room, with the store's own error as its cause.
    """

    async def write(self, id: str, content: Content) -> Spool:
        """Keep content under the id, replacing the previous content, and return a reader of it."""
        ...

    async def read(self, id: str) -> Spool | None:
        """Return a reader of the content under the id, or None."""
        ...

    async def delete(self, id: str) -> bool:
        """Delete the content under the id; return whether there was any."""
        ...

    async def clear(self) -> None:
        """Delete everything."""
        ...

    async def ids(self) -> list[str]:
        """Return the ids in use, sorted."""
        ...

    async def size(self) -> int:
        """Return how many ids there are."""
        ...


class SpoolByteStore:
    """A spool store as the `byte_store` of a runner.

    Ids include turn and kind (see `spool_id`), because the ids of tool calls come from the provider
    and repeat.
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
    """Return the id; raises `InputRefused` if it is not text, or too long."""
    if not isinstance(id, str):
        raise InputRefused(f"the id of a spool is text, not {in_short(id)}")
    if len(id) > LONGEST_ID:
        raise LimitExceeded(f"the id of a spool has at most {LONGEST_ID:,} characters: {len(id):,}")
    return id


def check_max_bytes(checks: Checks, value: int | None) -> None:
    """Refuse a limit that is not a number of bytes."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and (not is_number or value < 0):
        checks.refuse("max_bytes", value, "a number of bytes that is not negative, or None")


def spool_name(id: str) -> str:
    """Return a file name for the id; raises the errors of `checked_id`.

    It is a hash: ids may differ only by case or Unicode form, be long, or look like paths.
    """
    return sha256(checked_id(id).encode(errors="surrogatepass")).hexdigest()


@contextmanager
def reported(action: str) -> Generator[None]:
    """Translate an `OSError` into a retryable error of a spool store."""
    try:
        yield
    except OSError as error:
        message = f"{action} failed: {error.strerror or error_text(error)}"
        if error.errno in FULL:
            message = f"{message}. Make room and try again"
            raise LimitExceeded(message, status=507, retryable=True) from error
        raise InputRefused(message, status=503, retryable=True) from error


class Busy(Exception):
    """Others hold the lock that a step needs: it did nothing, and can be tried again."""


class Draft(Protocol):
    """Content that is being written into a store, in five blocking steps.

    `open` and `publish` may raise `Busy`.
    """

    def open(self) -> None:
        """Create a hidden place."""
        ...

    def write(self, piece: bytes) -> None:
        """Append to it."""
        ...

    def finish(self) -> None:
        """Flush it to the disk or the store."""
        ...

    def publish(self) -> SourceSpool:
        """Make it visible, and return a reader of it."""
        ...

    def abandon(self) -> None:
        """Clean up after any of the steps; published content stays."""
        ...


async def fill(draft: Draft, content: Content) -> SourceSpool:
    """Write content and publish it; after a failure or a cancellation nothing is left of it.

    Raises `InputRefused` for content of another kind, and the errors of a stream.
    """
    try:
        await when_free(draft.open)
        async with aclosing(pieces(content)) as stream:
            async for piece in stream:
                await off_loop(draft.write, piece)
        await off_loop(draft.finish)
        return await when_free(draft.publish)
    except (Exception, asyncio.CancelledError):
        await off_loop(draft.abandon)
        raise


async def when_free(step: Callable[[], T]) -> T:
    """Run a blocking step with `off_loop`, and retry while it raises `Busy`.

    The pauses can be cancelled. Raises a retryable `InputRefused` if others hold the lock for
    `LONGEST_WAIT` seconds.
    """
    time = asyncio.get_running_loop().time
    last_try = time() + LONGEST_WAIT
    pause, longest_pause = PAUSES
    while True:
        try:
            return await off_loop(step)
        except Busy as busy:
            if time() >= last_try:
                message = f"others have locked the spools for {LONGEST_WAIT:g} seconds"
                raise InputRefused(message, status=503, retryable=True) from busy
        await asyncio.sleep(pause)
        pause = min(2 * pause, longest_pause)


async def pieces(content: Content) -> AsyncGenerator[bytes, None]:
    """Yield content as bytes in pieces of about a mebibyte."""
    if isinstance(content, str):
        content = clean_text(content).encode()
    if isinstance(content, Buffer):
        for start in range(0, len(content), PIECE_BYTES):
            yield bytes(content[start : start + PIECE_BYTES])
        return
    if not isinstance(content, AsyncIterable):
        raise InputRefused(
            f"a spool is written from bytes, text or an async iterator of bytes, not from "
            f"{in_short(content)}"
        )
    waiting = bytearray()
    async for piece in content:
        if not isinstance(piece, Buffer):
            raise InputRefused(f"a stream into a spool gives bytes, not {in_short(piece)}")
        waiting += piece
        if len(waiting) >= PIECE_BYTES:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)
