"""Checked URLs: one strict reading that two parsers agree on, and the list of allowed hosts.

A URL is dangerous if the code that checks it and the code that opens it parse it differently. So
everything on which parsers are known to differ is refused: backslashes, `@`, control characters,
numbers as hosts, empty labels. The rest is opened from the checked parts, never from the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from tether.batteries.web.addresses import parse_address
from tether.core.checks import Checks, in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_URL = 2_048
DEFAULT_PORTS = {"http": 80, "https": 443}

_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:%]+)(?::([1-9][0-9]{0,4}))?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")

_HOST_AND_PORT = re.compile(r"(.+):([1-9][0-9]{0,4})")
_HIGHEST_PORT = 65_535
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeUrl:
    """The parts of a URL that passed every check; only `check_url` makes them."""

    scheme: str
    host: str
    """In lower case and ASCII; an IPv6 address without its brackets."""

    port: int
    target: str
    """The path and the query, percent-encoded; the fragment is gone."""

    @property
    def authority(self) -> str:
        """The host, with the port unless it is the default: the value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def query(self) -> str:
        """The part after the question mark."""
        return self.target.partition("?")[2]

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def check_url(text: str, rules: UrlRules) -> SafeUrl:
    """Return the parts of a URL that may be read under `rules`, without a lookup.

    Raises `InputRefused` for a URL that parsers could read in two ways, or that the rules do not
    allow, and `LimitExceeded` for one that is too long.
    """
    if not isinstance(text, str):
        raise InputRefused(f"a URL is text, not {in_short(text)}.")
    check_characters(text)
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise InputRefused(f"{in_short(text)} is not a URL: {error}") from None
    rules.check_scheme(parts.scheme)
    authority = _AUTHORITY.fullmatch(parts.netloc)
    if authority is None:
        raise InputRefused(
            f"the part of {in_short(text)} after {parts.scheme}:// must be a host, optionally with "
            "a port number: https://example.org/page"
        )
    host = canonical_host(authority[1])
    port = int(authority[2] or DEFAULT_PORTS[parts.scheme])
    target = _agreed_target(text, (parts.scheme, host, port))
    rules.check_host(host, port)
    return SafeUrl(scheme=parts.scheme, host=host, port=port, target=target)


def check_redirect(current: SafeUrl, location: str, rules: UrlRules) -> SafeUrl:
    """Return the target of a redirect, after all the checks of `check_url`.

    Raises `InputRefused`, also for a redirect from https to http.
    """
    try:
        check_characters(location)
        following = check_url(urljoin(str(current), location), rules)
    except (InputRefused, ValueError) as error:
        why = error.message if isinstance(error, InputRefused) else str(error)
        raise InputRefused(f"{current.host} redirects to a place that is refused: {why}") from None
    if current.scheme == "https" and following.scheme == "http":
        raise InputRefused(f"{current.host} redirects from https to http, which is not followed.")
    return following


def check_characters(text: str) -> None:
    """Refuse the characters that no URL needs and that parsers treat differently."""
    if len(text) > LONGEST_URL:
        raise LimitExceeded(
            f"a URL may have {LONGEST_URL:,} characters; this one has {len(text):,}."
        )
    for character in text:
        if character in " \\@" or not character.isprintable():
            raise InputRefused(
                f"the URL {in_short(text)} contains {character!a}, which is not accepted; "
                "leave out names and passwords, and write it as %XX in a path or query."
            )


def canonical_host(text: str) -> str:
    """Return a host in the form used for comparison; raise `InputRefused`.

    Names are in lower case and ASCII, without a dot at the end. Other scripts pass through IDNA
    (UTS 46, non-transitional, with the letter rules of STD 3). An address has its usual form.
    """
    if text.startswith("["):
        return _usual_address(text[1:-1])
    name = _ascii_name(text)
    return _usual_address(name) if _NUMBER.fullmatch(name.rpartition(".")[2]) else name


def _ascii_name(text: str) -> str:
    import idna  # noqa: PLC0415

    try:
        name = idna.encode(text, uts46=True, std3_rules=True).decode("ascii")
    except UnicodeError as error:
        raise InputRefused(f"{in_short(text)} is not the name of a host: {error}") from None
    if name.endswith("."):
        raise InputRefused(f"write the host {in_short(text)} without the dot at its end.")
    return name


def _usual_address(text: str) -> str:
    """Return an address in its usual form: some parsers take `127.1` and `0x7f000001` for names."""
    address = parse_address(text)
    if address is None:
        raise InputRefused(
            f"the host {in_short(text)} is a number in an unusual form; give a name, for instance "
            "example.org."
        )
    return str(address)


def _agreed_target(text: str, parts: tuple[str, str, int]) -> str:
    """Return the path and query from a second parser, if it agrees on everything else."""
    import httpx2  # noqa: PLC0415

    try:
        second = httpx2.URL(text)
        seen = second.scheme, second.raw_host.decode("ascii"), second.port or parts[2]
    except httpx2.InvalidURL as error:
        raise InputRefused(f"{in_short(text)} is not a URL: {error}") from None
    if seen != parts:
        raise InputRefused(f"{in_short(text)} can be read in two ways; write its host plainly.")
    return second.raw_path.decode("ascii")


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlRules:
    """The hosts, schemes and ports that an operator allows; everything else is refused."""

    hosts: frozenset[str]
    """Exact hosts, in the form of `canonical_host`."""

    suffixes: tuple[str, ...]
    """`.example.org` for every host below example.org, but not for example.org itself."""

    private: frozenset[tuple[str, int]]
    """Hosts and ports that may be reached at any address, including private ones."""

    schemes: frozenset[str]
    ports: frozenset[int]

    @classmethod
    def of(
        cls,
        check: Checks,
        *,
        hosts: Iterable[str],
        private_hosts: Iterable[str],
        schemes: Iterable[str],
        ports: Iterable[int],
    ) -> UrlRules:
        """Parse an operator's settings, reporting every bad entry to `check`.

        A host is a name or an address. The star in `*.example.org` stands for one or more labels,
        and needs two labels after it: `*.org` would be a whole registry. A private host is written
        with its port.
        """
        names = _texts(check, "hosts", hosts)
        services = _texts(check, "private_hosts", private_hosts)
        if not names and not services and not check.problems:
            check.fail("hosts", "must name at least one host, or nothing can be read")
        return cls(
            hosts=frozenset(_host(check, "hosts", name) for name in names if name[:2] != "*."),
            suffixes=tuple(_suffix(check, name) for name in names if name[:2] == "*."),
            private=frozenset(_service(check, text) for text in services),
            schemes=_schemes(check, schemes),
            ports=_ports(check, ports),
        )

    def check_scheme(self, scheme: str) -> None:
        """Raise `InputRefused` unless URLs of this kind may be read."""
        if scheme not in self.schemes:
            allowed = " or ".join(f"{name}://" for name in sorted(self.schemes, reverse=True))
            raise InputRefused(f"a URL must begin with {allowed}, not with {in_short(scheme)}.")

    def check_host(self, host: str, port: int) -> None:
        """Raise `InputRefused` unless this host may be read at this port."""
        if self.is_private(host, port):
            return
        if host not in self.hosts and not host.endswith(self.suffixes):
            raise InputRefused(
                f"the host {in_short(host)} is not on the list of those that may be read: "
                f"{self._shown()}."
            )
        if port not in self.ports:
            raise InputRefused(f"the port {port} may not be used; leave it out of the URL.")

    def is_private(self, host: str, port: int) -> bool:
        """Say whether this host may have a private address."""
        return (host, port) in self.private

    def _shown(self) -> str:
        below = (f"*{suffix}" for suffix in self.suffixes)
        private = (f"{host}:{port}" for host, port in self.private)
        names = sorted([*self.hosts, *below, *private])
        return ", ".join([*names[:_MOST_SHOWN], *(["…"] if len(names) > _MOST_SHOWN else [])])


def _texts(check: Checks, field: str, given: Iterable[str]) -> tuple[str, ...]:
    texts = check.instances(field, given, str, "names")
    return tuple(text for text in texts if isinstance(text, str))


def _host(check: Checks, field: str, text: str) -> str:
    if isinstance(parse_address(text), IPv6Address):
        check.fail(field, f"{in_short(text)}: an IPv6 address is written in brackets, as in [::1]")
        return text
    try:
        return canonical_host(text)
    except InputRefused as refusal:
        check.fail(field, refusal.message)
        return text


def _suffix(check: Checks, text: str) -> str:
    name = _host(check, "hosts", text[2:])
    if "." not in name:
        check.fail("hosts", f"{in_short(text)} needs two names after the star")
    return f".{name}"


def _service(check: Checks, text: str) -> tuple[str, int]:
    found = _HOST_AND_PORT.fullmatch(text)
    if found is None or int(found[2]) > _HIGHEST_PORT:
        check.fail("private_hosts", f"{in_short(text)} must be a host and a port: 127.0.0.1:8080")
        return text, 0
    return _host(check, "private_hosts", found[1]), int(found[2])


def _schemes(check: Checks, given: Iterable[str]) -> frozenset[str]:
    schemes = frozenset(_texts(check, "schemes", given))
    if not schemes or schemes - DEFAULT_PORTS.keys():
        check.fail("schemes", "must be 'https', 'http' or both")
    return schemes


def _ports(check: Checks, given: Iterable[int]) -> frozenset[int]:
    ports = frozenset(check.instances("ports", given, int, "numbers"))
    if not ports and not any(problem.path == "ports" for problem in check.problems):
        check.fail("ports", "must name at least one port, or no host can be read")
    if not all(isinstance(port, int) and 0 < port <= _HIGHEST_PORT for port in ports):
        check.fail("ports", f"must be from 1 to {_HIGHEST_PORT}")
    return ports
