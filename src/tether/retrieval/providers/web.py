"""Passages from a web search, restricted to allowed hosts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tether.core.clean_text import clean_text
from tether.core.errors import Problem
from tether.retrieval.chunk import Passage
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.hit import LeftOut
from tether.retrieval.providers.provider import Supply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tether.retrieval.query import Query

_NAME = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
_HOST = re.compile(_NAME)
_PATTERN = re.compile(rf"(\*\.)?{_NAME}")
_ODD = re.compile(r"[\s\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebResult:
    """One page as a search endpoint describes it: foreign text, every field of it."""

    url: str
    title: str
    text: str


WebSearch = Callable[[str, int], Sequence[WebResult]]
"""Takes a question and the maximum number of results; raises `ProviderFailed`."""


class WebProvider:
    """Supplies the results of a web search on allowed hosts, as text of the open web.

    Results from other hosts are dropped, and their number is reported: the operator, not the
    endpoint, decides which hosts are shown. Raises `InvalidRetrievalSettings` for an invalid host.
    """

    def __init__(self, search: WebSearch, *, hosts: Iterable[str], name: str = "web") -> None:
        self.name = name
        self._search = search
        self._hosts = AllowedHosts(hosts)

    def passages(self, query: Query, limit: int) -> Supply:
        """Return the results for the question, or for its rewrite if there is one."""
        results = self._search(query.rewrite.strip() or query.question, limit)
        allowed = [result for result in results if self._hosts.allow(result.url)]
        found = {result.url: result for result in reversed(allowed) if result.text.strip()}
        kept = list(reversed(found.values()))[:limit]
        supplied = tuple(self._passage(result, place) for place, result in enumerate(kept, 1))
        return Supply(passages=supplied, left_out=self._left_out(len(results) - len(allowed)))

    def _left_out(self, outside: int) -> tuple[LeftOut, ...]:
        reason = f"{outside} results were on hosts that are not allowed"
        return (LeftOut(part=self.name, reason=reason),) if outside else ()

    def _passage(self, result: WebResult, place: int) -> Passage:
        digest = sha256(result.url.encode("utf-8", "surrogatepass")).hexdigest()
        return Passage(
            id=f"web-{digest[:16]}",
            text=clean_text(result.text),
            label=clean_text(result.title).strip() or result.url,
            identifier=result.url,
            provider=self.name,
            trust_tier="third-party-public",
            score=1 / place,
        )


class AllowedHosts:
    """A list of hosts: `docs.example.com` is that host, `*.example.com` every host below it.

    Names are compared in lower case, in the ASCII form of requests. Raises
    `InvalidRetrievalSettings` for a pattern of another form, such as `*` alone.
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
        """Return whether a URL is http or https, without a user, and on one of the hosts."""
        if _ODD.search(url):
            return False
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").removesuffix(".")
            parts.port  # noqa: B018  raises for an invalid port
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or "@" in parts.netloc:
            return False
        if not _HOST.fullmatch(host):  # such as %2f, or a * that would be its own pattern
            return False
        return host in self._exact or host.endswith(self._below)
