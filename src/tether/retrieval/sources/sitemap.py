"""A site by its sitemap: every listed page, with the time of its last change as evidence."""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from tether.core.errors import LimitExceeded
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.fetch import Fetched
from tether.retrieval.sources.site import (
    Scope,
    SiteSource,
    page_address,
    skipped,
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


class SitemapSource(SiteSource):
    """The pages of a sitemap, of the sitemaps that it lists, and of theirs, three levels down.

    A page with a usable `lastmod` is not requested before it is read; every other page is
    requested with the evidence in `known`. Pages of other hosts, and pages that robots.txt forbids,
    are skipped. Raises `SourceUnavailable` if a sitemap cannot be read whole or lists more than the
    settings allow, because then the pages that are gone are not known.
    """

    __slots__ = ()

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


_LONGEST_TEXT = 4_096
_DEEPEST_XML = 16
_KINDS: dict[str, Literal["page", "sitemap"]] = {"url": "page", "sitemap": "sitemap"}
_ROOTS = frozenset({"urlset", "sitemapindex"})

_MAGIC = b"\x1f\x8b"
_HIGHEST_RATIO = 100
_FREE_BYTES = 1_000_000
"""Small files may grow by more than the ratio: a short sitemap repeats itself."""


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """An entry of a sitemap: a page, or another sitemap."""

    kind: Literal["page", "sitemap"]
    location: str
    lastmod: str


def sitemap_entries(pieces: Iterable[bytes]) -> Iterator[SitemapEntry]:
    """Yield the entries of a sitemap; raises `ValueError` for other or dangerous XML."""
    listed = _Listed()
    parser = DefusedXMLParser(target=listed, forbid_dtd=True)
    try:
        for piece in pieces:
            parser.feed(piece)
            yield from listed.take()
        parser.close()
    except DefusedXmlException:
        raise ValueError("it declares a document type or entities, which is not read") from None
    except (ParseError, LookupError, UnicodeError) as error:  # the last two: odd encodings
        raise ValueError(f"it is not XML ({error})") from None
    yield from listed.take()


class _Listed:
    """A parser target that collects entries until they are taken."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._texts: dict[str, list[str]] = {}
        self._room = 0
        self._found: list[SitemapEntry] = []

    def take(self) -> list[SitemapEntry]:
        """Return the entries completed since the last call."""
        found, self._found = self._found, []
        return found

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        name = tag.rpartition("}")[2]
        if not self._path and name not in _ROOTS:
            raise ValueError(f"its root is <{name[:50]}>, not <urlset> or <sitemapindex>")
        if len(self._path) == _DEEPEST_XML:
            raise ValueError("its elements are nested too deep")
        self._path.append(name)
        if len(self._path) == 2:
            self._texts = {}
            self._room = _LONGEST_TEXT

    def data(self, text: str) -> None:
        """Some text, which may be part of a longer one."""
        if len(self._path) == 3 and self._path[-1] in ("loc", "lastmod"):
            self._texts.setdefault(self._path[-1], []).append(text[: self._room])
            self._room -= min(len(text), self._room)

    def end(self, tag: str) -> None:
        """An element is over."""
        name = self._path.pop()
        if len(self._path) == 1 and name in _KINDS and "loc" in self._texts:
            location, lastmod = (
                "".join(self._texts.get(part, ())).strip() for part in ("loc", "lastmod")
            )
            self._found.append(SitemapEntry(_KINDS[name], location, lastmod))

    def close(self) -> None:
        """The document is over."""


def is_gzipped(data: bytes) -> bool:
    """Return whether data begins like gzip."""
    return data.startswith(_MAGIC)


def gunzipped(data: bytes, most: int) -> Iterator[bytes]:
    """Yield the content in pieces; raises `LimitExceeded` if it is too long, or `ValueError`.

    Only the first member is read: sitemaps have no others, and each could be a bomb.
    """
    most = min(most, len(data) * _HIGHEST_RATIO + _FREE_BYTES)
    written = 0
    for piece in _unpacked(data):
        written += len(piece)
        if written > most:
            raise LimitExceeded(f"it unpacks to more than {most:,} bytes.")
        yield piece


def _unpacked(data: bytes) -> Iterator[bytes]:
    unpack = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    left = data
    while not unpack.eof:
        try:
            piece = unpack.decompress(left, _AT_ONCE)
        except zlib.error as error:
            raise ValueError(f"the gzip data is damaged ({error})") from error
        left = unpack.unconsumed_tail
        if not piece and not left and not unpack.eof:
            raise ValueError("the gzip data breaks off")
        yield piece
