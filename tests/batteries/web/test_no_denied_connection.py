"""Whatever the URL, the resolver or the redirect: no socket is ever pointed at a denied address."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import pytest

from batteries.web.loopback import PUBLIC, Resolver, Spy, redirect, reply, serving
from batteries.web.networks import IPV4, IPV6
from tether.batteries.web import WebAccess
from tether.core.errors import InputRefused


def samples(text: str) -> list[IPv4Address]:
    network = IPv4Network(text)
    size = network.num_addresses
    return [network[position] for position in sorted({0, min(1, size - 1), size // 2, size - 1})]


def ipv6_forms(address: IPv4Address) -> list[IPv6Address]:
    """Return an IPv4 address in every dress that IPv6 has for it."""
    number = int(address)
    return [
        IPv6Address(number),  # IPv4-compatible
        IPv6Address((0xFFFF << 32) + number),  # IPv4-mapped
        IPv6Address((0xFFFF << 48) + number),  # IPv4-translated
        IPv6Address((0x64_FF9B << 96) + number),  # NAT64
        IPv6Address((0x64_FF9B_0001 << 80) + number),  # a network's own NAT64
        IPv6Address((0x2002 << 112) + (number << 80)),  # 6to4
        IPv6Address((0x2001 << 112) + (number ^ 0xFFFF_FFFF)),  # Teredo
    ]


def spellings(address: IPv4Address) -> Iterator[str]:
    """Yield the ways in which inet_aton(3) and browsers let an IPv4 address be written."""
    number = int(address)
    a, b, c, d = address.packed
    yield str(address)
    yield f"{address}."
    yield str(number)
    yield f"0x{number:x}"
    yield f"0X{number:08X}"
    yield f"0{number:o}"
    yield f"0{a:o}.0{b:o}.0{c:o}.0{d:o}"
    yield f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}"
    yield f"0{a:o}.{b}.0x{c:x}.{d}"
    yield f"{a}.{number & 0xFFFFFF}"
    yield f"{a}.{b}.{number & 0xFFFF}"
    yield f"{a:03}.{b:03}.{c:03}.{d:03}"
    yield "".join(
        chr(ord("\uff10") + int(digit)) if digit.isdigit() else digit for digit in str(address)
    )
    yield str(address).replace(".", "。")
    yield str(address).replace(".", "%2e")
    yield from (f"[{form}]" for form in ipv6_forms(address))
    yield f"[::ffff:{address}]"
    yield f"[64:ff9b::{address}]"


def hosts() -> Iterator[str]:
    for network in IPV4:
        for address in samples(network):
            yield from spellings(address)
    for text in IPV6:
        first = IPv6Network(text)[0]
        yield f"[{first}]"
        yield f"[{first.exploded}]"
        yield f"[{IPv6Network(text)[-1]}]"
        yield f"[{first}%25eth0]"
        yield f"[{first}%eth0]"


def tricks(host: str) -> Iterator[str]:
    """Yield URLs in which one reader sees a listed host, and another one this host."""
    yield f"https://{host}/"
    yield f"http://{host}:80/"
    yield f"https://allowed.example@{host}/"
    yield f"https://allowed.example\\@{host}/"
    yield f"https://{host}\\@allowed.example/"
    yield f"https://allowed.example#@{host}/"
    yield f"https://{host}#@allowed.example/"
    yield f"https://{host}?.allowed.example/"
    yield f"https://allowed.example\t@{host}/"


HOSTS = sorted(set(hosts()))
URLS = [url for host in HOSTS for url in tricks(host)]
LOOK_ALIKES = (
    "https://allowed.example.evil.com/",
    "https://evil.com/allowed.example",
    "https://allowed.example:81/",
    "https://allowed.example./",
    "https://\u0430llowed.example/",  # a Cyrillic letter
    "https://user:p@allowed.example/",
    "https://allowed..example/",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST:443/",
    "https://metadata.google.internal/",
    "https://127.0.0.1.nip.io/",
    "https://allowed.example%00.evil.com/",
)


async def refused(access: WebAccess, url: str) -> None:
    with pytest.raises(InputRefused):
        await access.fetch(url)


@pytest.mark.unmeasured
# Case 61, F13, case 65.
async def test_no_url_leads_to_a_denied_address(monkeypatch: pytest.MonkeyPatch) -> None:
    spy, resolver = Spy(monkeypatch), Resolver(["127.0.0.1"])
    access = WebAccess(hosts=["allowed.example"], schemes=["https", "http"], resolver=resolver)
    assert len(URLS) > 10_000
    for url in [*URLS, *LOOK_ALIKES]:
        await refused(access, url)
    assert spy.attempts == []
    assert resolver.asked == []  # all of them before anything was looked up


# Case 61: not even where the operator lists the address.
async def test_a_listed_address_is_not_reached_unless_it_is_public(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spy = Spy(monkeypatch)
    literals = [str(address) for network in IPV4 for address in samples(network)]
    literals += [f"[{IPv6Network(network)[0]}]" for network in IPV6]
    literals += [f"[{form}]" for text in IPV4 for form in ipv6_forms(samples(text)[0])]
    access = WebAccess(hosts=literals, schemes=["https", "http"])
    for literal in literals:
        await refused(access, f"http://{literal}/")
    assert spy.attempts == []


# Case 62: the name is listed, but its address is not public.
async def test_no_resolver_leads_to_a_denied_address(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)
    found = [str(address) for network in IPV4 for address in samples(network)]
    found += [str(form) for text in IPV4 for form in ipv6_forms(samples(text)[0])]
    found += [str(IPv6Network(network)[-1]) for network in IPV6]
    found += ["fe80::1%eth0", "2606:4700:4700::1111%eth0", "localhost", "127.1", "", "0x7f000001"]
    resolver = Resolver()
    access = WebAccess(hosts=["allowed.example"], resolver=resolver)
    for address in found:
        for answer in ([address], [PUBLIC, address], [address, PUBLIC]):
            resolver.answers = [answer]
            with pytest.raises(InputRefused, match="not on the public internet"):
                await access.fetch("https://allowed.example/")
    assert len(found) * 3 > 400
    assert spy.attempts == []


# Case 62: public while it is checked, private a moment later.
async def test_an_address_that_flips_is_pinned_and_then_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spy, resolver = Spy(monkeypatch), Resolver([PUBLIC], ["127.0.0.1"])
    async with serving({"/": reply("public"), "/again": redirect("/")}) as server:
        spy.lead(PUBLIC, server)
        access = WebAccess(hosts=["allowed.example"], schemes=["http"], resolver=resolver)
        assert (await access.fetch("http://allowed.example/")).text == "public"
        assert resolver.asked == ["allowed.example"]  # once, and the socket got the same answer
        await refused(access, "http://allowed.example/")
        resolver.answers = [[PUBLIC], ["169.254.169.254"]]
        await refused(access, "http://allowed.example/again")  # flips between two hops
    assert spy.attempts == [(PUBLIC, 80), (PUBLIC, 80)]


# Cases 61 and 63: redirects to each kind of address, from a server that is allowed.
async def test_no_redirect_leads_to_a_denied_address(monkeypatch: pytest.MonkeyPatch) -> None:
    spy, resolver = Spy(monkeypatch), Resolver([PUBLIC])
    targets = [
        f"http://{host}/latest/meta-data/"
        for network in IPV4
        for host in spellings(samples(network)[1 % len(samples(network))])
    ]
    targets += [f"//[{IPv6Network(network)[0]}]/" for network in IPV6]
    targets += ["http://localhost/", "//allowed.example@127.0.0.1/", "\\\\127.0.0.1\\"]
    assert len(targets) > 400
    routes = {f"/{number}": redirect(target) for number, target in enumerate(targets)}
    async with serving(routes) as server:
        spy.lead(PUBLIC, server)
        access = WebAccess(hosts=["allowed.example"], schemes=["http"], resolver=resolver)
        for number in range(len(targets)):
            with pytest.raises(InputRefused, match="redirects"):
                await access.fetch(f"http://allowed.example/{number}")
    assert set(spy.attempts) == {(PUBLIC, 80)}
    assert len(spy.attempts) == server.connections == len(targets)


async def test_a_listed_redirect_that_resolves_to_a_denied_address_is_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spy = Spy(monkeypatch)

    async def resolver(host: str, port: int) -> list[str]:
        return [PUBLIC] if host == "allowed.example" else ["10.0.0.1"]

    async with serving({"/": redirect("http://other.example/")}) as server:
        spy.lead(PUBLIC, server)
        access = WebAccess(
            hosts=["allowed.example", "other.example"], schemes=["http"], resolver=resolver
        )
        with pytest.raises(InputRefused, match=r"other\.example leads to an address"):
            await access.fetch("http://allowed.example/")
    assert spy.attempts == [(PUBLIC, 80)]
