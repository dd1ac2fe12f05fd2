"""`--offline`: every connection in Python to an address that is not configured is an error.

An audit hook sees every use of `socket`, in any package. It does not see connections made by a C
library (libpq connects only to the configured server) or by another process: this package starts
only those that read documents, which open no connections, and those that add vectors, which have
the same rule. Loopback is not an exception: a local server may forward data.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Collection, Generator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tether.app.errors import OfflineRefused
from tether.app.settings.values import Settings

Address = tuple[str, int]
"""Host and port; for a Unix socket its path and 0."""

POSTGRES_PORT = 5432
WEB_PORTS = {"http": 80, "https": 443}


class Offline:
    """The rule from `go_offline` until `lift`, in all threads."""

    def __init__(self, allowed: Collection[Address]) -> None:
        self._allowed = frozenset((host.lower() if port else host, port) for host, port in allowed)
        self._resolved: set[Address] = set()
        self._holds = True

    def lift(self) -> None:
        """Allow everything again. An audit hook cannot be removed, so it stays and does nothing."""
        self._holds = False

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise `OfflineRefused` if an event would reach an address that is not allowed."""
        if not event.startswith("socket.") or not self._holds:
            return
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            self._connecting(arguments[1])
        elif event == "socket.getaddrinfo":
            self._resolving(arguments[0], arguments[1])
        elif event in ("socket.gethostbyname", "socket.gethostbyaddr"):
            self._resolving(arguments[0], None)
        elif event == "socket.getnameinfo":
            self._connecting(arguments[0])

    def _connecting(self, address: Any) -> None:
        """Check an address; None is that of a socket whose connection was already checked."""
        if address is None or self._is_allowed(_place(address)):
            return
        raise _refused(_place(address))

    def _is_allowed(self, place: Address) -> bool:
        if place in self._allowed or place in self._resolved:
            return True
        names = [host for host, port in self._allowed if port == place[1] != 0]
        for host in names:
            self._resolved |= _looked_up(host, place[1])
        return place in self._resolved

    def _resolving(self, host: Any, port: Any) -> None:
        name = _text(host).lower()
        ports = {allowed for known, allowed in self._allowed if known == name}
        if ports and (port is None or _number(port) in ports):
            return
        self._connecting((name, _number(port)))  # IP addresses are looked up, too


def go_offline(allowed: Collection[Address]) -> Offline:
    """Refuse every connection of this process except to `allowed`; return the rule.

    Allowed hosts may be looked up, and their IP addresses may be connected to at the same port.
    Anything else raises `OfflineRefused`.
    """
    rule = Offline(allowed)
    sys.addaudithook(rule.hear)
    return rule


@contextmanager
def offline_where_set(settings: Settings) -> Generator[None]:
    """Apply the rule in a block, if the settings say so."""
    if not settings.offline:
        yield
        return
    rule = go_offline(configured_addresses(settings))
    try:
        yield
    finally:
        rule.lift()


def configured_addresses(settings: Settings) -> frozenset[Address]:
    """Return the addresses of the settings: the endpoints of the models, the collector of the
    telemetry, and the store's server."""
    found: set[Address] = set()
    remote = (settings.embedder.url, settings.reranker.url, settings.telemetry.url)
    for url in (settings.model if settings.is_endpoint else "", *remote):
        if not url:
            continue
        parts = urlsplit(url)
        found.add((parts.hostname or "", parts.port or WEB_PORTS[parts.scheme.lower()]))
    if settings.is_postgres:
        found |= _postgres_addresses(settings.store)
    return frozenset(found)


def _postgres_addresses(store: str) -> set[Address]:
    """Return the server of an address in one of the usual forms."""
    parts = urlsplit(store)
    query = parse_qs(parts.query)
    host = (query.get("host") or [unquote(parts.hostname or "")])[0]
    port = int((query.get("port") or [str(parts.port or POSTGRES_PORT)])[0])
    return {(f"{host}/.s.PGSQL.{port}", 0)} if host.startswith("/") else {(host, port)}


def _place(address: Any) -> Address:
    if isinstance(address, tuple) and len(address) >= 2:
        return _text(address[0]).lower().partition("%")[0], _number(address[1])
    return _text(address), 0


def _looked_up(host: str, port: int) -> set[Address]:
    """Return the current addresses of an allowed host."""
    with suppress(OSError):
        found = socket.getaddrinfo(host, port)
        return {_place(entry[4]) for entry in found}
    return set()


def _text(host: Any) -> str:
    return host.decode("utf-8", "replace") if isinstance(host, bytes) else str(host)


def _number(port: Any) -> int:
    try:
        return int(port)
    except (TypeError, ValueError):
        return WEB_PORTS.get(_text(port), 0)


def _refused(place: Address) -> OfflineRefused:
    host, port = place
    where = f"{host} port {port}" if port else host
    return OfflineRefused(
        f"--offline forbids a connection to {where}",
        help="Configure it as the model or the store, or go without --offline.",
    )
