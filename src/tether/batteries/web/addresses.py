"""Addresses: a table of those on the public internet, and a checked lookup of a host's.

`ipaddress` calls 100.64.0.1 not private and the NAT64 form of 127.0.0.1 global, and its answers
change between Python versions. The table is IANA's two registries of special-purpose addresses,
plus multicast, reserved space and withdrawn addresses.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from tether.batteries.http.limits import Patience
    from tether.batteries.web.urls import SafeUrl

Address = IPv4Address | IPv6Address

DENIED_IPV4: dict[str, str] = {
    "0.0.0.0/8": "this network (RFC 791)",
    "10.0.0.0/8": "private use (RFC 1918)",
    "100.64.0.0/10": "shared by carriers (RFC 6598)",
    "127.0.0.0/8": "loopback (RFC 1122)",
    "169.254.0.0/16": "link-local, where clouds keep their metadata (RFC 3927)",
    "172.16.0.0/12": "private use (RFC 1918)",
    "192.0.0.0/24": "protocol assignments (RFC 6890)",
    "192.0.2.0/24": "documentation (RFC 5737)",
    "192.88.99.0/24": "6to4 relays, withdrawn (RFC 7526)",
    "192.168.0.0/16": "private use (RFC 1918)",
    "198.18.0.0/15": "benchmarks (RFC 2544)",
    "198.51.100.0/24": "documentation (RFC 5737)",
    "203.0.113.0/24": "documentation (RFC 5737)",
    "224.0.0.0/4": "multicast (RFC 5771)",
    "240.0.0.0/4": "reserved, and broadcast (RFC 1112, RFC 919)",
}

DENIED_IPV6: dict[str, str] = {
    "::/96": "IPv4-compatible, withdrawn (RFC 4291)",
    "::/128": "unspecified (RFC 4291)",
    "::1/128": "loopback (RFC 4291)",
    "::ffff:0:0:0/96": "IPv4 translated by a host (RFC 2765)",
    "64:ff9b:1::/48": "a network's own NAT64: the place of the IPv4 part is unknown (RFC 8215)",
    "100::/64": "discarded (RFC 6666)",
    "2001::/23": "protocol assignments, among them Teredo (RFC 2928)",
    "2001:db8::/32": "documentation (RFC 3849)",
    "3fff::/20": "documentation (RFC 9637)",
    "5f00::/16": "segment routing (RFC 9602)",
    "fc00::/7": "private use (RFC 4193)",
    "fe80::/10": "link-local (RFC 4291)",
    "fec0::/10": "site-local, withdrawn (RFC 3879)",
    "ff00::/8": "multicast (RFC 4291)",
}

_IPV4_NETWORKS = tuple(IPv4Network(text) for text in DENIED_IPV4)
_IPV6_NETWORKS = tuple(IPv6Network(text) for text in DENIED_IPV6)

_GLOBAL_UNICAST = IPv6Network("2000::/3")
"""The part of IPv6 that is assigned to the public (RFC 4291); the rest is refused."""

_WRAPPERS: dict[IPv6Network, int] = {
    IPv6Network("::ffff:0:0/96"): 0,  # IPv4-mapped (RFC 4291)
    IPv6Network("64:ff9b::/96"): 0,  # NAT64 (RFC 6052)
    IPv6Network("2002::/16"): 80,  # 6to4 (RFC 3056)
}
"""Networks whose addresses contain an IPv4 address, and the number of bits after it."""

Resolver = Callable[[str, int], Awaitable[Iterable[str]]]
"""Finds the addresses of a host; raises `OSError` if there are none."""


def is_public(address: Address | str) -> bool:
    """Say whether an address belongs to the public internet.

    An IPv4 address inside an IPv6 one is judged by itself. Text that is not an address in its usual
    form is not public, and neither is one with a scope (`fe80::1%eth0`).
    """
    parsed = parse_address(str(address))
    if parsed is None:
        return False
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in _IPV4_NETWORKS)
    wrapped = _wrapped(parsed)
    if wrapped is not None:
        return is_public(wrapped)
    denied = any(parsed in network for network in _IPV6_NETWORKS)
    return parsed in _GLOBAL_UNICAST and not denied


def parse_address(text: str) -> Address | None:
    """Return the address in `text` if it has the usual form and no scope, or None."""
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    scoped = isinstance(parsed, IPv6Address) and parsed.scope_id is not None
    return None if scoped else parsed


def _wrapped(address: IPv6Address) -> IPv4Address | None:
    for network, shift in _WRAPPERS.items():
        if address in network:
            return IPv4Address(int(address) >> shift & 0xFFFF_FFFF)
    return None


async def system_resolver(host: str, port: int) -> list[str]:
    """Ask the operating system."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for *_, sockaddr in found]


async def checked_addresses(
    url: SafeUrl, resolver: Resolver, *, may_be_private: bool, seconds: float, patience: Patience
) -> list[str]:
    """Return the numeric addresses of a URL's host.

    One bad address refuses them all: an attacker who can add an address to a name could add a
    private one and wait until it is used. Raises `InputRefused` and `LimitExceeded`.
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
