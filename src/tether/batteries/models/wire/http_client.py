"""The HTTP clients of one exchange: one per event loop, because connections belong to a loop."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import asynccontextmanager
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, NamedTuple

from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from ssl import SSLContext

    import httpx2

KEEP_ALIVE = 4.0
"""Seconds for which an idle connection is kept: less than the 5 after which many servers hang up,
because a request that crosses a hang-up fails."""


class _Place(NamedTuple):
    """What an exchange holds on one loop."""

    client: httpx2.AsyncClient
    lifetime: AsyncGenerator[httpx2.AsyncClient, None] | None
    slots: asyncio.Semaphore | None


class HttpClients:
    """Gives out a client, and a slot where requests are limited: first come, first served.

    A client of ours is closed by `aclose`, and in any case when this object is forgotten or the
    event loop ends: it lives in an asynchronous generator, and a loop finishes those that nobody
    did. A client that was given is used on every loop and left open.
    """

    __slots__ = ("__weakref__", "_given", "_most", "_places")

    def __init__(self, given: httpx2.AsyncClient | None, max_concurrency: int | None) -> None:
        self._given = given
        self._most = max_concurrency
        self._places: dict[asyncio.AbstractEventLoop, _Place] = {}

    @property
    def are_own(self) -> bool:
        """Whether the clients are ours, and so is how they send."""
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
            for other in tuple(self._places):  # a copy: other threads have loops of their own
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
    """Yield a client that asks the environment nothing (proxies, passwords) and keeps no cookies:
    one executor may ask with several keys."""
    try:
        import httpx2  # noqa: PLC0415  # only with tether[models]
    except ImportError as error:
        message = "asking a model's endpoint needs httpx2: pip install 'tether[models]'"
        raise InputRefused(message) from error
    limits = httpx2.Limits(max_connections=None, keepalive_expiry=KEEP_ALIVE)
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    client = httpx2.AsyncClient(
        verify=_certificates(), trust_env=False, limits=limits, cookies=no_cookies
    )
    try:
        yield client
    finally:
        await client.aclose()


@cache
def _certificates() -> SSLContext:
    """Return whom to trust; read once, because that takes longer than a request."""
    import httpx2  # noqa: PLC0415  # only with tether[models]

    return httpx2.create_ssl_context(trust_env=False)


def _end(
    loop: asyncio.AbstractEventLoop, lifetime: AsyncGenerator[httpx2.AsyncClient, None]
) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(asyncio.ensure_future, lifetime.aclose())
