"""One attempt to get a reply: a request, and its answer read to the end."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tether.batteries.models.wire.failures import READING, WAITING, Failures, Progress
from tether.batteries.models.wire.reading import event_object
from tether.batteries.models.wire.reply import TextDelta
from tether.batteries.models.wire.sse import SseParser
from tether.core.errors import LimitExceeded, ModelHttpError, ModelStreamError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from contextlib import AbstractAsyncContextManager

    import httpx2

    from tether.batteries.models.wire.failures import Failure
    from tether.batteries.models.wire.port import ReplyReader
    from tether.batteries.models.wire.question import Question
    from tether.batteries.models.wire.reply import Reply
    from tether.batteries.models.wire.sse import SseEvent

MOST_OF_AN_ERROR = 64 * 1024
"""How much of an error's body is read."""

MOST_SKIPS_TOLD = 100
"""How many unreadable events of one stream are logged: there may be millions."""

GRACE = 0.02
"""Seconds that an answer is given to end after its last word: only a connection that was read to
the end can be used again."""


class Attempt:
    """Makes one request; use it once, inside a running loop."""

    __slots__ = (
        "_failures",
        "_idle",
        "_idle_seconds",
        "_options",
        "_progress",
        "_question",
        "_whole",
    )

    def __init__(self, question: Question) -> None:
        self._question = question
        self._options = question.options
        self._progress = Progress()
        self._failures = Failures(question, self._progress)
        self._whole = asyncio.timeout(_seconds(question.options.request_timeout_ms))
        self._idle = asyncio.timeout(None)
        self._idle_seconds = _seconds(question.options.stream_idle_timeout_ms)

    async def outcome(self, client: httpx2.AsyncClient, *, is_own: bool) -> Reply | Failure:
        """Return the reply, or why there is none; `is_own` says that the client is not the user's.

        A failure is returned and not raised, so that no foreign error, whose text may hold a key,
        hangs on to the error that is raised for it.
        """
        import httpx2  # noqa: PLC0415  # only with tether[models]

        try:
            async with self._whole, self._idle, self._sent(client, is_own) as response:
                return await self._read(response)
        except TimeoutError:
            if self._idle.expired():
                return self._failures.stalled()
            if self._whole.expired():
                return self._failures.timed_out(self._options.request_timeout_ms)
            raise  # somebody else's
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return self._failures.broken(error)
        except (ModelHttpError, ModelStreamError) as error:
            return self._failures.told(error)

    def _sent(
        self, client: httpx2.AsyncClient, is_own: bool
    ) -> AbstractAsyncContextManager[httpx2.Response]:
        """Send the request. The library logs addresses: the query goes another way past its log.

        Not with a client of the user's, whose transport need not know that way.
        """
        import httpx2  # noqa: PLC0415  # only with tether[models]

        url, extensions = self._question.url, dict[str, Any](trace=self._follow)
        if is_own and urlsplit(url).query:
            extensions["target"] = httpx2.URL(url).raw_path
            url = self._question.place
        return client.stream(
            "POST",
            url,
            content=self._question.content,
            headers=self._question.headers,
            timeout=httpx2.Timeout(None, connect=_seconds(self._options.connect_timeout_ms)),
            extensions=extensions,
            follow_redirects=False,
        )

    async def _follow(self, event: str, _: Mapping[str, Any]) -> None:
        """Take note of what the connection does; from the question on, silence is counted."""
        if event.endswith("send_request_headers.started"):
            self._progress.phase = WAITING
        elif event.endswith("send_request_body.complete"):
            self._idle.reschedule(_from_now(self._idle_seconds))

    async def _read(self, response: httpx2.Response) -> Reply | Failure:
        progress = self._progress
        progress.phase = READING
        progress.status = response.status_code
        progress.headers = response.headers
        kind = progress.content_type
        async with aclosing(self._pieces(response)) as pieces:
            if progress.is_error:
                return await self._read_error(pieces)
            if not self._options.stream or kind == "application/json" or kind.endswith("+json"):
                return await self._read_whole(pieces)
            if kind in ("text/event-stream", ""):
                return await self._read_stream(pieces)
            return await self._read_error(pieces)

    async def _pieces(self, response: httpx2.Response) -> AsyncGenerator[bytes, None]:
        """Yield the answer's bytes, counted, and put the idle limit off with every piece."""
        left = self._options.max_response_bytes
        async with aclosing(response.aiter_bytes()) as pieces:
            while True:
                self._idle.reschedule(_from_now(self._idle_seconds))
                piece = await anext(pieces, None)
                if piece is None:
                    return
                left -= len(piece)
                if left < 0:
                    most = self._options.max_response_bytes
                    raise self._stream_error(f"the answer is larger than {most} bytes")
                yield piece

    async def _read_error(self, pieces: AsyncGenerator[bytes, None]) -> Failure:
        excerpt = self._progress.excerpt
        async for piece in pieces:
            excerpt += piece[: MOST_OF_AN_ERROR - len(excerpt)]
            if len(excerpt) >= MOST_OF_AN_ERROR:
                break
        return self._failures.answered()

    async def _read_whole(self, pieces: AsyncGenerator[bytes, None]) -> Reply | Failure:
        content = b"".join([piece async for piece in pieces])
        try:
            body = event_object(content)
        except ValueError:
            self._progress.excerpt += content[:MOST_OF_AN_ERROR]
            return self._failures.answered()
        return self._question.wire.reply(self._options, body)

    async def _read_stream(self, pieces: AsyncGenerator[bytes, None]) -> Reply:
        reader = self._question.wire.reader(self._options)
        parser = SseParser(self._options.max_line_bytes)
        async for piece in pieces:
            self._progress.is_used = True
            if self._feed(reader, self._events(parser, piece)):
                await self._await_end(pieces)
                return reader.reply()
        if not self._feed(reader, parser.finish()) and not reader.is_done:
            message = f"the stream of {self._question.place} ended without its end marker"
            self._question.log.warn("sse-eof-without-done", message)
        return reader.reply()

    def _events(self, parser: SseParser, piece: bytes) -> list[SseEvent]:
        try:
            return parser.feed(piece)
        except LimitExceeded as error:
            message = error.message
        raise self._stream_error(message)

    def _feed(self, reader: ReplyReader, events: list[SseEvent]) -> bool:
        """Give events to the reader and show what is new; say whether it has seen the end."""
        for event in events:
            try:
                deltas = list(reader.feed(event.event, event.data))
            except (ValueError, RecursionError) as error:
                self._skip(event, error)
                continue
            for delta in deltas:
                if isinstance(delta, TextDelta):
                    self._progress.said.append(delta.text)
                self._question.on_delta(delta)
            if reader.is_done:
                return True
        return False

    def _skip(self, event: SseEvent, error: Exception) -> None:
        self._progress.skipped += 1
        if self._progress.skipped > MOST_SKIPS_TOLD:
            return
        shown = self._question.shown
        self._question.log.trace(
            "sse-parse-failure",
            "an event of the stream could not be read and was skipped",
            {"data": shown(event.data), "error": shown(str(error))},
        )

    async def _await_end(self, pieces: AsyncGenerator[bytes, None]) -> None:
        """Read to the end of the answer if it is near; what comes in place of it is dropped."""
        import httpx2  # noqa: PLC0415  # only with tether[models]

        self._whole.reschedule(None)
        self._idle_seconds = None
        with suppress(TimeoutError, httpx2.HTTPError, ModelStreamError):
            async with asyncio.timeout(GRACE):
                await anext(pieces, None)

    def _stream_error(self, message: str) -> ModelStreamError:
        return self._question.wire.errors.stream(message)


def _seconds(milliseconds: int) -> float | None:
    return milliseconds / 1000 if milliseconds else None


def _from_now(seconds: float | None) -> float | None:
    return None if seconds is None else asyncio.get_running_loop().time() + seconds
