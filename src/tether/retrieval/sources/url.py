"""Pages of the web that a person named one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tether.core.checks import Checks
from tether.core.errors import InvalidRetrievalSettings
from tether.retrieval.source import SourceItem
from tether.retrieval.sources.addresses import page_address
from tether.retrieval.sources.fetch import Fetch
from tether.retrieval.sources.pages import Pages
from tether.retrieval.sources.site_settings import SiteSettings
from tether.retrieval.state import DocumentState


class UrlSource:
    """One page or several. Each is asked for with the evidence in `known`; what did not change is
    not sent again.

    A page that cannot be read is a failed state, so that an index keeps what it has. A person named
    the pages, so `robots.txt` is not asked. Raises `InvalidRetrievalSettings` for what is no
    address.
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
        """Return the addresses."""
        return " ".join(self._urls)

    def scan(self) -> Iterator[SourceItem | DocumentState]:
        """Ask for each page in turn."""
        for url in self._urls:
            yield self._pages.asked(url)
