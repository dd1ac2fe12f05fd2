"""Writing content that others see as a whole or not at all, whatever happens on the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from contextlib import aclosing
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeAlias, TypeVar

from tether.core.checks import in_short
from tether.core.cleaning import clean_text
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from tether.core.spool import SourceSpool

T = TypeVar("T")
P = ParamSpec("P")

Buffer: TypeAlias = bytes | bytearray | memoryview
Content: TypeAlias = Buffer | str | AsyncIterable[Buffer]
"""Bytes are kept as they are, text is cleaned and encoded as UTF-8, a stream is read to its end."""

PIECE_BYTES = 1 << 20
LONGEST_WAIT = 30.0
"""For how many seconds a step is tried again while others are at work."""

PAUSES = (0.001, 0.1)
"""Seconds before the second try, and at the most: each pause is twice the one before."""


class Busy(Exception):
    """Others hold the lock that a blocking step needs: it did nothing, and may be tried again."""


class Draft(Protocol):
    """Content on its way into a store: five blocking steps.

    `open` and `publish` may raise `Busy`.
    """

    def open(self) -> None:
        """Prepare a place that nobody else sees."""
        ...

    def write(self, piece: bytes) -> None:
        """Add to it."""
        ...

    def finish(self) -> None:
        """Bring what was written to where it lasts."""
        ...

    def publish(self) -> SourceSpool:
        """Make it what others see, and return a reader of it."""
        ...

    def abandon(self) -> None:
        """Clean up after any of the steps; nothing happens to what was published."""
        ...


async def fill(draft: Draft, content: Content) -> SourceSpool:
    """Write content and publish it; where anything fails, or is cancelled, nothing is left of it.

    What a stream raises is passed on. Raises `InputRefused` if the content is of another kind.
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
    """Run a blocking step as `off_loop` does, and again for as long as it raises `Busy`.

    The pauses in between can be cancelled. Raises `InputRefused`, retryable, when others have been
    at work for `LONGEST_WAIT` seconds.
    """
    time = asyncio.get_running_loop().time
    last_try = time() + LONGEST_WAIT
    pause, longest_pause = PAUSES
    while True:
        try:
            return await off_loop(step)
        except Busy as busy:
            if time() >= last_try:
                message = f"others keep the spools locked, for {LONGEST_WAIT:g} seconds now"
                raise InputRefused(message, status=503, retryable=True) from busy
        await asyncio.sleep(pause)
        pause = min(2 * pause, longest_pause)


async def off_loop(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a thread; if cancelled, say so only when the work has ended.

    A thread cannot be stopped. Without waiting for it, its file would be closed and removed while
    it still writes.
    """
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError as error:
            cancelled = error
    failure = work.exception()
    if cancelled is not None:
        raise cancelled from failure
    return work.result()


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
