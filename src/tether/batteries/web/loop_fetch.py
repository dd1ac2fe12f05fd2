"""Web access for code in a thread: each request runs in the event loop, through the one door."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError, Future, wait
from threading import Event, Lock
from typing import TYPE_CHECKING

from tether.batteries.web.response import TEXT_TYPES
from tether.core.errors import Aborted, InputRefused
from tether.retrieval.sources.fetch import Fetched, FetchRequest

if TYPE_CHECKING:
    from types import TracebackType

    from tether.batteries.web.access import WebAccess
    from tether.batteries.web.response import WebResponse

SITE_TYPES = (
    *TEXT_TYPES,
    *("application/gzip", "application/x-gzip", "application/octet-stream"),
    *("application/pdf", "application/x-ipynb+json"),
)
"""The `content_types` for reading whole sites: pages and compressed sitemaps."""

_LOOK_AFTER = 0.5
"""Seconds between two checks that the loop still runs: a stopped loop never answers."""


class LoopFetch:
    """A `Fetch` of `tether.retrieval` over a `WebAccess`, for a worker thread of the loop.

        with LoopFetch(access, asyncio.get_running_loop()) as fetch:
            await asyncio.to_thread(scan, SitemapSource(url, fetch))

    Leaving the block ends every running request: its thread gets `Aborted`, and so does every later
    call, including `sleep`. Raises as the port says, and `InputRefused` when it is called in the
    loop's own thread, which would wait for itself.
    """

    __slots__ = ("_access", "_closed", "_lock", "_loop", "_running")

    def __init__(self, access: WebAccess, loop: asyncio.AbstractEventLoop) -> None:
        self._access = access
        self._loop = loop
        self._closed = Event()
        self._lock = Lock()
        self._running: set[Future[Fetched]] = set()

    def __enter__(self) -> LoopFetch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __call__(self, request: FetchRequest) -> Fetched:
        """Read a page whole and return it."""
        if _is_running_here(self._loop):
            raise InputRefused("a LoopFetch waits for its loop; call it in another thread.")
        reading = self._begin(request)
        try:
            return self._result(reading)
        except CancelledError:
            raise _stopped() from None
        finally:
            reading.cancel()
            with self._lock:
                self._running.discard(reading)

    def sleep(self, seconds: float) -> None:
        """Wait, for instance as a server requested; raises `Aborted` as soon as this is closed."""
        if self._closed.wait(seconds):
            raise _stopped()

    def close(self) -> None:
        """End every running request, and refuse new ones."""
        with self._lock:
            self._closed.set()
            running = tuple(self._running)
        for reading in running:
            reading.cancel()

    def _begin(self, request: FetchRequest) -> Future[Fetched]:
        work = self._read(request)
        with self._lock:
            try:
                if self._closed.is_set():
                    raise _stopped()
                reading = asyncio.run_coroutine_threadsafe(work, self._loop)
            except (Aborted, RuntimeError):  # the second: the loop is closed
                work.close()
                raise _stopped() from None
            self._running.add(reading)
            return reading

    def _result(self, reading: Future[Fetched]) -> Fetched:
        while not wait((reading,), timeout=_LOOK_AFTER).done:
            if not self._loop.is_running():
                raise _stopped()
        return reading.result()

    async def _read(self, request: FetchRequest) -> Fetched:
        opened = self._access.open(
            request.url, etag=request.etag, last_modified=request.last_modified
        )
        async with opened as response:
            if _is_still_good(request, response):
                return _fetched(response, status=304)
            return _fetched(response, body=await response.read(request.max_bytes))


def _is_running_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _is_still_good(request: FetchRequest, response: WebResponse) -> bool:
    """Say whether a page is the caller's copy, by its headers.

    Many servers send the whole page in spite of a conditional request; its body need not be read.
    """
    etag, modified = (response.headers.get(name, "") for name in ("etag", "last-modified"))
    if response.status != 200:
        return False
    if request.etag:
        return request.etag == etag
    return bool(request.last_modified) and request.last_modified == modified


def _fetched(response: WebResponse, *, status: int = 0, body: bytes = b"") -> Fetched:
    return Fetched(
        status=status or response.status, url=response.url, headers=response.headers, body=body
    )


def _stopped() -> Aborted:
    return Aborted("reading the web was stopped.")
