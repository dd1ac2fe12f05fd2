"""The best source for an address that a person types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from tether.core.errors import InputRefused, LimitExceeded, Problem
from tether.retrieval.errors import InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.source import DocumentState, Source, SourceItem
from tether.retrieval.sources.fetch import Fetch, Fetched, PatientFetch
from tether.retrieval.sources.file import FileSource
from tether.retrieval.sources.folder import FolderSource
from tether.retrieval.sources.folder_settings import FolderSettings
from tether.retrieval.sources.llms import FULL, LIST, LlmsTxtSource, looks_like_html
from tether.retrieval.sources.site import Site, SiteSettings, page_address
from tether.retrieval.sources.sitemap import SitemapSource, entries_in
from tether.retrieval.sources.url import UrlSource

SITEMAP = "sitemap.xml"
_ABSENT = frozenset({401, 403, 404, 410})


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredSource:
    """A site under the address that a person typed, whichever of its files serves best today.

    An index identifies a source by its name. With the name of the file, a site that replaces its
    `llms.txt` by a sitemap would become a second source.
    """

    name: str
    source: Source

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Scan the source that was found."""
        return self.source.scan()


def source_name(address: str) -> str:
    """Return the name that `source_for` gives to the source of an address on the web.

    With it an index finds the `known` versions of the source. A local path stays as it is.
    """
    return (page_address(address) or address) if _is_on_the_web(address) else address


def source_for(
    address: str,
    fetch: Fetch | None = None,
    *,
    folder: FolderSettings | None = None,
    site: SiteSettings | None = None,
    known: Mapping[str, str] | None = None,
) -> Source:
    """Return the source for a local path or a URL.

    A URL of a sitemap, an `llms.txt` or a page is used as given. One that ends in a slash, or is a
    host alone, is a site. Its `llms-full.txt` is tried first, then its `llms.txt`, then its
    sitemap, each below the URL and the sitemap also at the root of the host, then the page itself.
    Only a clear "not found" leads to the next: raises `SourceUnavailable` if the server fails to
    answer, and `InputRefused` without a `fetch`.
    """
    if not _is_on_the_web(address):
        return _local(Path(address), folder)
    if fetch is None:
        raise InputRefused(f"reading {address[:200]} needs the web, which is not set up here.")
    url = page_address(address)
    if url is None:
        raise InvalidRetrievalSettings(
            [Problem("address", f"must be a URL, not {address[:200]!r}")]
        )
    patient = fetch if isinstance(fetch, PatientFetch) else PatientFetch(fetch)
    return _on_the_web(url, patient, site or SiteSettings(), known)


def _is_on_the_web(address: str) -> bool:
    return address.lower().startswith(("https://", "http://"))


def _local(path: Path, settings: FolderSettings | None) -> Source:
    if path.is_dir():
        return FolderSource(path, settings)
    return FileSource(path, settings)


def _on_the_web(
    url: str, fetch: Fetch, settings: SiteSettings, known: Mapping[str, str] | None
) -> Source:
    path = urlsplit(url).path
    last = path.rpartition("/")[2].lower()
    if last in (FULL, LIST):
        return LlmsTxtSource(url, fetch, settings=settings, known=known)
    if "sitemap" in last and last.endswith((".xml", ".xml.gz", ".txt")):
        return SitemapSource(url, fetch, settings=settings, known=known)
    if not last:
        return DiscoveredSource(name=url, source=_discovered(url, fetch, settings, known))
    return UrlSource(url, fetch, settings=settings, known=known)


def _discovered(
    url: str, fetch: Fetch, settings: SiteSettings, known: Mapping[str, str] | None
) -> Source:
    path = urlsplit(url).path
    within = settings if settings.below or path == "/" else replace(settings, below=path)
    site = Site(url, fetch, settings, known)
    for name in (FULL, LIST):
        answer = _there(site, found := urljoin(url, name))
        if answer is not None and not looks_like_html(answer):
            return LlmsTxtSource(found, fetch, settings=within, known=known)
    for found in dict.fromkeys((urljoin(url, SITEMAP), urljoin(url, f"/{SITEMAP}"))):
        answer = _there(site, found)
        if answer is not None and _is_sitemap(answer, settings):
            return SitemapSource(found, fetch, settings=within, known=known)
    return UrlSource(url, fetch, settings=settings, known=known)


def _there(site: Site, url: str) -> Fetched | None:
    """Return the answer for a URL, None if the server says that there is no such page."""
    answer = site.answer(url, site.settings.max_list_bytes)
    if answer.status in _ABSENT:
        return None
    if answer.status != 200:
        raise SourceUnavailable(f"{url} answered with status {answer.status}; try again later")
    return answer


def _is_sitemap(answer: Fetched, settings: SiteSettings) -> bool:
    """Return whether the beginning of an answer can be read as a sitemap."""
    if looks_like_html(answer):
        return False
    try:
        next(entries_in(answer.body, settings.max_list_bytes), None)
    except (ValueError, LimitExceeded):
        return False
    return True
