"""From a host to the addresses at which it may be reached: asked once, and all of them checked."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from tether.batteries.web.addresses import is_public, parse_address
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from tether.batteries.web.limits import Patience
    from tether.batteries.web.urls import SafeUrl

Resolver = Callable[[str, int], Awaitable[Iterable[str]]]
"""Finds the addresses of a host; raises `OSError` where there are none."""


async def system_resolver(host: str, port: int) -> list[str]:
    """Ask the operating system."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for *_, sockaddr in found]


async def checked_addresses(
    url: SafeUrl, resolver: Resolver, *, may_be_private: bool, seconds: float, patience: Patience
) -> list[str]:
    """Return the addresses of a URL's host, in numbers.

    One bad address spoils them all: whoever can add an address to a name could add a private one
    and wait until it is taken. Raises `InputRefused` and `LimitExceeded`.
    """
    if parse_address(url.host) is not None:
        found = [url.host]
    else:
        found = await _resolved(url, resolver, seconds, patience)
    if not all(
        parse_address(address) if may_be_private else is_public(address) for address in found
    ):
        raise InputRefused(
            f"{url.host} leads to an address that is not on the public internet, and is not read."
        )
    return found


async def _resolved(
    url: SafeUrl, resolver: Resolver, seconds: float, patience: Patience
) -> list[str]:
    try:
        async with patience.wait(seconds):
            found = [str(address) for address in await resolver(url.host, url.port)]
    except TimeoutError as error:
        message = f"the address of {url.host} was not found in the time allowed."
        raise LimitExceeded(message, status=504, retryable=True) from error
    except OSError as error:
        unknown = error.errno == socket.EAI_NONAME
        message = (
            f"there is no host {url.host}."
            if unknown
            else f"the address of {url.host} cannot be found now."
        )
        raise InputRefused(message, status=502, retryable=not unknown) from error
    if not found:
        raise InputRefused(f"there is no host {url.host}.", status=502)
    return found
