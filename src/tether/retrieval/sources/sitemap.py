"""A site by its sitemap: every listed page, with the time of its last change as evidence."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tether.core.errors import LimitExceeded
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.fetch import Fetch, Fetched
from tether.retrieval.sources.site import Scope, Site, SiteSettings, page_address, skipped
from tether.retrieval.sources.sitemap_xml import (
    SitemapEntry,
    gunzipped,
    is_gzipped,
    sitemap_entries,
)

_DEEPEST = 3
_AT_ONCE = 64 * 1024

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST = 40
_DAY_IS_OVER = timedelta(days=2)
"""After this time the day has ended in every time zone."""


@dataclass(slots=True)
class _Reading:
    """The progress of one scan."""

    waiting: deque[tuple[str, int]]
    scope: Scope
    seen: set[str] = field(default_factory=set[str])
    pages: int = 0


class SitemapSource:
    """The pages of a sitemap, of the sitemaps that it lists, and of theirs, three levels down.

    A page with a usable `lastmod` is not requested before it is read; every other page is
    requested with the evidence in `known`. Pages of other hosts, and pages that robots.txt forbids,
    are skipped. Raises `SourceUnavailable` if a sitemap cannot be read whole or lists more than the
    settings allow, because then the pages that are gone are not known.
    """

    __slots__ = ("_site",)

    def __init__(
        self,
        url: str,
        fetch: Fetch,
        *,
        settings: SiteSettings | None = None,
        known: Mapping[str, str] | None = None,
    ) -> None:
        self._site = Site(url, fetch, settings, known)

    @property
    def name(self) -> str:
        """Return the URL of the sitemap."""
        return self._site.url

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Yield the pages in the order in which the sitemaps list them."""
        reading = _Reading(deque([(self.name, 1)]), self._site.scope(), {self.name})
        fetched = 0
        while reading.waiting:
            url, depth = reading.waiting.popleft()
            fetched += 1
            if fetched > self._site.settings.max_lists:
                raise self._site.unavailable(
                    self.name, "it lists too many sitemaps; raise max_lists"
                )
            answer = self._site.whole(url)
            if depth == 1:
                reading.scope = self._site.scope(answer.url)
            for entry in self._entries(url, answer):
                yield from self._listed(entry, url, depth, reading)

    def _entries(self, url: str, answer: Fetched) -> Iterator[SitemapEntry]:
        try:
            yield from entries_in(answer.body, self._site.settings.max_list_bytes)
        except (ValueError, LimitExceeded) as error:
            why = error.message if isinstance(error, LimitExceeded) else str(error)
            raise self._site.unavailable(url, why) from error

    def _listed(
        self, entry: SitemapEntry, base: str, depth: int, reading: _Reading
    ) -> Iterator[SourceItem | DocumentState]:
        address = page_address(entry.location, base)
        if address is None:
            self._count(reading)
            yield skipped(entry.location[:200] or base, "it is not the URL of a page")
        elif address not in reading.seen:
            self._count(reading)
            reading.seen.add(address)
            if (
                reason := reading.scope.why_not(address)
                if entry.kind == "page"
                else _elsewhere(reading.scope, address)
            ):
                yield skipped(address, reason)
            elif entry.kind == "page":
                yield self._page(address, entry.lastmod)
            elif depth == _DEEPEST:
                yield skipped(address, f"sitemaps are read {_DEEPEST} levels deep")
            else:
                reading.waiting.append((address, depth + 1))

    def _count(self, reading: _Reading) -> None:
        reading.pages += 1
        if reading.pages > self._site.settings.max_pages:
            most = self._site.settings.max_pages
            raise self._site.unavailable(
                self.name, f"it lists more than {most:,} addresses; raise max_pages or narrow it"
            )

    def _page(self, address: str, lastmod: str) -> SourceItem | DocumentState:
        if reason := self._site.why_forbidden(address):
            return skipped(address, reason)
        version = lastmod_version(lastmod, self._site.settings.now())
        pages = self._site.pages
        return pages.unrequested(address, version) if version else pages.requested(address)


def entries_in(body: bytes, most: int) -> Iterator[SitemapEntry]:
    """Yield the entries of a sitemap, which may be XML, gzipped XML, or one URL a line.

    Raises `ValueError` for anything else, and `LimitExceeded` if it unpacks to too many bytes.
    """
    if is_gzipped(body):
        return sitemap_entries(gunzipped(body, most))
    if body.lstrip()[:4].lower() == b"http":
        return _lines(body)
    return sitemap_entries(body[at : at + _AT_ONCE] for at in range(0, len(body), _AT_ONCE))


def _lines(body: bytes) -> Iterator[SitemapEntry]:
    lines: Iterable[str] = body.decode("utf-8", "replace").split("\n")
    return (SitemapEntry("page", line.strip(), "") for line in lines if line.strip())


def _elsewhere(scope: Scope, address: str) -> str:
    """Return why a sitemap is not read: only its host counts, not its path."""
    return Scope(scope.hosts).why_not(address)


def lastmod_version(text: str, now: datetime) -> str:
    """Return a version, "" if the text is not evidence.

    Evidence is a time in the past, or a day that has ended: a page that changes twice on one day
    has the same `lastmod` both times.
    """
    try:
        found = datetime.fromisoformat(text.strip()[:_LONGEST])
    except ValueError:
        return ""
    changed = found.replace(tzinfo=UTC) if found.tzinfo is None else found
    settled = _DAY_IS_OVER if _DAY.fullmatch(text.strip()) else timedelta()
    return f"lastmod {text.strip()}" if changed <= now - settled else ""
