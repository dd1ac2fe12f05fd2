"""HTTP clients that ignore the environment: one for each event loop, or one for a thread."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import asynccontextmanager
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, NamedTuple

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from ssl import SSLContext

    import httpx2

KEEP_ALIVE = 4.0
"""Seconds for which an idle connection is kept: less than the 5 after which many servers hang up,
because a request that crosses a hang-up fails."""


@cache
def certificates() -> SSLContext:
    """Return the authorities to trust, whatever the environment names; loading them is slow."""
    import httpx2  # noqa: PLC0415  # only with tether[models] or tether[tools]

    return httpx2.create_ssl_context(trust_env=False)


def thread_client(headers: Mapping[str, str]) -> httpx2.Client:
    """Return a client for code in a thread, to be closed by the caller; raises `ImportError`."""
    import httpx2  # noqa: PLC0415  # only with tether[models]

    return httpx2.Client(trust_env=False, verify=certificates(), headers=headers)


class _Place(NamedTuple):
    """A client on one loop, and its limit of requests."""

    client: httpx2.AsyncClient
    lifetime: AsyncGenerator[httpx2.AsyncClient, None] | None
    slots: asyncio.Semaphore | None


class HttpClients:
    """One client per event loop, because connections belong to a loop.

    `max_concurrency` limits the open requests on a loop: first come, first served. Our own client
    is closed by `aclose`, and at the latest when this object is garbage-collected or the event loop
    ends: it lives in an asynchronous generator, which the loop closes if nothing else did. A client
    that was given is used on every loop and left open.
    """

    __slots__ = ("__weakref__", "_given", "_most", "_places")

    def __init__(self, given: httpx2.AsyncClient | None, max_concurrency: int | None) -> None:
        self._given = given
        self._most = max_concurrency
        self._places: dict[asyncio.AbstractEventLoop, _Place] = {}

    @property
    def are_own(self) -> bool:
        """Whether the clients are our own, with a transport that we know."""
        return self._given is None

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[httpx2.AsyncClient, None]:
        """Wait for a slot, and hold it while the client is used."""
        place = await self._place()
        if place.slots is None:
            yield place.client
            return
        async with place.slots:
            yield place.client

    async def aclose(self) -> None:
        """Close the running loop's client and its connections; the next request opens a new one."""
        place = self._places.pop(asyncio.get_running_loop(), None)
        if place is not None and place.lifetime is not None:
            await place.lifetime.aclose()

    async def _place(self) -> _Place:
        loop = asyncio.get_running_loop()
        place = self._places.get(loop)
        if place is None:
            for other in tuple(self._places):  # a copy: other threads add their own loops
                if other.is_closed():
                    self._places.pop(other, None)
            slots = None if self._most is None else asyncio.Semaphore(self._most)
            if self._given is not None:
                place = _Place(self._given, None, slots)
            else:
                lifetime = _client()
                place = _Place(await anext(lifetime), lifetime, slots)
                weakref.finalize(self, _end, loop, lifetime).atexit = False
            self._places[loop] = place
        return place


async def _client() -> AsyncGenerator[httpx2.AsyncClient, None]:
    """Yield a client that ignores the environment (proxies, passwords) and keeps no cookies: one
    executor may send several keys."""
    try:
        import httpx2  # noqa: PLC0415  # only with tether[models]
    except ImportError as error:
        message = "a model's endpoint needs httpx2: pip install 'tether[models]'"
        raise InputRefused(message) from error
    limits = httpx2.Limits(max_connections=None, keepalive_expiry=KEEP_ALIVE)
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    client = httpx2.AsyncClient(
        verify=certificates(), trust_env=False, limits=limits, cookies=no_cookies
    )
    try:
        yield client
    finally:
        await client.aclose()


def _end(
    loop: asyncio.AbstractEventLoop, lifetime: AsyncGenerator[httpx2.AsyncClient, None]
) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(asyncio.ensure_future, lifetime.aclose())
