"""Web pages that a person named one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tether.core.checks import Checks
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.fetch import Fetch
from tether.retrieval.sources.pages import Pages
from tether.retrieval.sources.site import SiteSettings, page_address


class UrlSource:
    """One page or several, each requested with the evidence in `known`; an unchanged page is not
    sent again.

    A page that cannot be read is a failed state, so that an index keeps its version. A person named
    the pages, so `robots.txt` does not apply. Raises `InvalidRetrievalSettings` for a text that is
    not a URL.
    """

    __slots__ = ("_pages", "_urls")

    def __init__(
        self,
        urls: str | Iterable[str],
        fetch: Fetch,
        *,
        settings: SiteSettings | None = None,
        known: Mapping[str, str] | None = None,
    ) -> None:
        given = (urls,) if isinstance(urls, str) else tuple(urls)
        check = Checks()
        found = {text: page_address(text) for text in given}
        for text, address in found.items():
            if address is None:
                check.refuse("urls", text, "an https:// address")
        if not given:
            check.fail("urls", "must name at least one page")
        check.done(InvalidRetrievalSettings)
        self._urls = tuple(dict.fromkeys(url for url in found.values() if url))
        settings = settings or SiteSettings()
        self._pages = Pages(fetch, known=known or {}, max_bytes=settings.max_bytes)

    @property
    def name(self) -> str:
        """Return the URLs."""
        return " ".join(self._urls)

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Request each page in turn."""
        for url in self._urls:
            yield self._pages.requested(url)
