"""Which hosts' pages may be shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tether.core.errors import InvalidRetrievalSettings, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
_HOST = re.compile(_NAME)
_PATTERN = re.compile(rf"(\*\.)?{_NAME}")
_ODD = re.compile(r"[\s\x00-\x1f\x7f\\]")


class AllowedHosts:
    """A list of hosts: `docs.example.com` is that host, `*.example.com` every host below it.

    Names are compared in lower case, in the ASCII form that is on the wire. Raises
    `InvalidRetrievalSettings` for a pattern of another form: `*` alone is no allow-list.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        given = [pattern.lower() for pattern in patterns]
        problems = [
            Problem(f"hosts[{place}]", f"must be a host or `*.` and a host, not {pattern!r}")
            for place, pattern in enumerate(given)
            if not _PATTERN.fullmatch(pattern)
        ]
        if problems:
            raise InvalidRetrievalSettings(problems)
        self._exact = frozenset(given)
        self._below = tuple(pattern[1:] for pattern in given if pattern.startswith("*"))

    def allow(self, url: str) -> bool:
        """Say whether a URL is one of the web's, names no user, and is on one of the hosts."""
        if _ODD.search(url):
            return False
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").removesuffix(".")
            parts.port  # noqa: B018  raises where it is no port
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or "@" in parts.netloc:
            return False
        if not _HOST.fullmatch(host):  # such as %2f, or a * that would be its own pattern
            return False
        return host in self._exact or host.endswith(self._below)
