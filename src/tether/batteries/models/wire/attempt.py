"""One attempt to get a reply: send the request, and read its answer to the end."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tether.batteries.http.limits import Timeouts, seconds
from tether.batteries.http.syntax import is_compressed_twice
from tether.batteries.models.errors import ModelHttpError, ModelStreamError
from tether.batteries.models.wire.failures import READING, WAITING, Failures, Progress
from tether.batteries.models.wire.reply import TextDelta, event_object
from tether.batteries.models.wire.sse import SseParser
from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from contextlib import AbstractAsyncContextManager

    import httpx2

    from tether.batteries.models.wire.exchange import WireRequest
    from tether.batteries.models.wire.failures import Failure
    from tether.batteries.models.wire.port import ReplyReader
    from tether.batteries.models.wire.reply import Reply
    from tether.batteries.models.wire.sse import SseEvent

MOST_OF_AN_ERROR = 64 * 1024
"""Bytes of an error's body that are read."""

MOST_SKIPS_TOLD = 100
"""Unreadable events of one stream that are logged: there may be millions."""

AT_ONCE = 64 * 1024
"""Bytes that are read between two looks at the time limits: a few compressed ones may become many,
and reading those never waits."""

GRACE = 0.02
"""Seconds for an answer to end after its last event: only a connection that was read to the end can
be used again."""


class Attempt:
    """Makes one request; use it once, inside a running loop.

    It takes at most `most_ms`, whatever the options say.
    """

    __slots__ = ("_failures", "_options", "_progress", "_request", "_timeouts", "_whole_ms")

    def __init__(self, request: WireRequest, *, most_ms: float = inf) -> None:
        self._request = request
        self._options = options = request.options
        self._progress = Progress()
        self._failures = Failures(request, self._progress)
        limit = min(options.request_timeout_ms or inf, most_ms)
        self._whole_ms = 0 if limit == inf else max(round(limit), 1)
        self._timeouts = Timeouts(whole_ms=self._whole_ms, idle_ms=options.stream_idle_timeout_ms)

    async def outcome(self, client: httpx2.AsyncClient, *, is_own: bool) -> Reply | Failure:
        """Return the reply or the failure; `is_own` says that the client is not the user's.

        A failure is returned and not raised, so that the error raised for it does not refer to a
        foreign error, whose text may contain a key.
        """
        import httpx2  # noqa: PLC0415  # only with tether[models]

        try:
            async with self._timeouts.running(), self._sent(client, is_own) as response:
                return await self._read(response)
        except TimeoutError:
            if self._timeouts.is_stalled:
                return self._failures.stalled()
            if self._timeouts.is_over:
                return self._failures.timed_out(self._whole_ms)
            raise  # from a time-out outside
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return self._failures.broken(error)
        except (ModelHttpError, ModelStreamError) as error:
            return self._failures.found(error)

    def _sent(
        self, client: httpx2.AsyncClient, is_own: bool
    ) -> AbstractAsyncContextManager[httpx2.Response]:
        """Send the request. The library logs addresses, so the query is passed as an extension.

        A client of the user's gets the whole address: its transport may not know the extension.
        """
        import httpx2  # noqa: PLC0415  # only with tether[models]

        url, extensions = self._request.url, dict[str, Any](trace=self._follow)
        if is_own and urlsplit(url).query:
            extensions["target"] = httpx2.URL(url).raw_path
            url = self._request.place
        return client.stream(
            "POST",
            url,
            content=self._request.content,
            headers=self._request.headers,
            timeout=httpx2.Timeout(None, connect=seconds(self._options.connect_timeout_ms)),
            extensions=extensions,
            follow_redirects=False,
        )

    async def _follow(self, event: str, _: Mapping[str, Any]) -> None:
        """Note the progress of the connection; once the request is sent, idle time counts."""
        if event.endswith("send_request_headers.started"):
            self._progress.phase = WAITING
        elif event.endswith("send_request_body.complete"):
            self._timeouts.restart_idle()

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
        """Yield the answer's bytes up to the limit, and restart the idle time with every piece.

        The library unpacks one step at a time. Several codings over each other are refused: the
        inner ones may be endless without a byte to yield.
        """
        import httpx2  # noqa: PLC0415  # only with tether[models]

        if is_compressed_twice(self._progress.headers.get("content-encoding", "")):
            raise httpx2.DecodingError("it is compressed several times over")
        left = self._options.max_response_bytes
        async with aclosing(response.aiter_bytes()) as pieces:
            while True:
                self._timeouts.restart_idle()
                piece = await anext(pieces, None)
                if piece is None:
                    return
                left -= len(piece)
                if left < 0:
                    most = self._options.max_response_bytes
                    raise self._stream_error(f"the answer is larger than {most} bytes")
                for start in range(0, len(piece), AT_ONCE):
                    yield piece[start : start + AT_ONCE]
                    self._timeouts.restart_idle()
                    await asyncio.sleep(0)  # a time limit can end the task only where it waits

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
        return self._request.wire.reply(self._options, body)

    async def _read_stream(self, pieces: AsyncGenerator[bytes, None]) -> Reply:
        reader = self._request.wire.reader(self._options)
        parser = SseParser(self._options.max_line_bytes)
        async for piece in pieces:
            self._progress.is_used = True
            if self._feed(reader, self._events(parser, piece)):
                await self._await_end(pieces)
                return reader.reply()
        if not self._feed(reader, parser.finish()) and not reader.is_done:
            message = f"the stream of {self._request.place} ended without its end marker"
            self._request.log.warn("sse-eof-without-done", message)
        return reader.reply()

    def _events(self, parser: SseParser, piece: bytes) -> list[SseEvent]:
        try:
            return parser.feed(piece)
        except LimitExceeded as error:
            message = error.message
        raise self._stream_error(message)

    def _feed(self, reader: ReplyReader, events: list[SseEvent]) -> bool:
        """Feed events to the reader and pass on its deltas; say whether it has seen the end."""
        for event in events:
            try:
                deltas = list(reader.feed(event.event, event.data))
            except (ValueError, RecursionError) as error:
                self._skip(event, error)
                continue
            for delta in deltas:
                if isinstance(delta, TextDelta):
                    self._progress.texts.append(delta.text)
                self._request.on_delta(delta)
            if reader.is_done:
                return True
        return False

    def _skip(self, event: SseEvent, error: Exception) -> None:
        self._progress.skipped += 1
        if self._progress.skipped > MOST_SKIPS_TOLD:
            return
        shown = self._request.shown
        self._request.log.trace(
            "sse-parse-failure",
            "an event of the stream could not be read and was skipped",
            {"data": shown(event.data), "error": shown(str(error))},
        )

    async def _await_end(self, pieces: AsyncGenerator[bytes, None]) -> None:
        """Read to the end of the answer if it is near; drop anything else that comes."""
        import httpx2  # noqa: PLC0415  # only with tether[models]

        self._timeouts.lift()
        with suppress(TimeoutError, httpx2.HTTPError, ModelStreamError):
            async with asyncio.timeout(GRACE):
                await anext(pieces, None)

    def _stream_error(self, message: str) -> ModelStreamError:
        return self._request.wire.errors.stream(message)
