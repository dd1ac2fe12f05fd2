"""What an operator allows to be read: hosts, schemes and ports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import TYPE_CHECKING

from tether.batteries.web.addresses import parse_address
from tether.batteries.web.urls import DEFAULT_PORTS, canonical_host
from tether.core.checks import Checks, in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOST_AND_PORT = re.compile(r"(.+):([1-9][0-9]{0,4})")
_HIGHEST_PORT = 65_535
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlRules:
    """A list of what may be read; whatever is not on it may not."""

    hosts: frozenset[str]
    """Exact hosts, in the form of `canonical_host`."""

    suffixes: tuple[str, ...]
    """`.example.org` for every host below example.org, but not for example.org itself."""

    private: frozenset[tuple[str, int]]
    """Hosts and ports that may be reached at any address, also one inside the own network."""

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
        """Read what an operator wrote, telling `check` about every bad entry.

        A host is a name or an address. `*.example.org` stands for one or more labels in place of
        the star, and needs two labels after it: `*.org` would be a whole registry. A private host
        is written with its port.
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
        """Say whether this host may be inside the own network."""
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
