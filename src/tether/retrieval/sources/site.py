"""What all sources on a site share: its scope, its robots.txt, and its lists read whole."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from tether.core.errors import InputRefused, InvalidRetrievalSettings, Problem, SourceUnavailable
from tether.retrieval.sources.addresses import Scope, host_of, origin_of, page_address
from tether.retrieval.sources.fetch import Fetch, Fetched
from tether.retrieval.sources.pages import Pages
from tether.retrieval.sources.robots import MOST_BYTES, Robots
from tether.retrieval.sources.site_settings import SiteSettings


class Site:
    """The site of one address. What cannot be seen of it as a whole is a `SourceUnavailable`."""

    __slots__ = ("_robots", "pages", "settings", "url")

    def __init__(
        self, url: str, fetch: Fetch, settings: SiteSettings | None, known: Mapping[str, str] | None
    ) -> None:
        address = page_address(url)
        if address is None:
            raise InvalidRetrievalSettings(
                [Problem("url", f"must be an https:// address, not {url!r}")]
            )
        self.url = address
        self.settings = settings or SiteSettings()
        self.pages = Pages(fetch, known=known or {}, max_bytes=self.settings.max_bytes)
        self._robots: dict[str, Robots] = {}

    def scope(self, *urls: str) -> Scope:
        """Return the pages that belong to the site, also where its address redirects."""
        own = (host_of(urlsplit(url)) for url in (self.url, *urls))
        return Scope(frozenset((*own, *self.settings.hosts)), self.settings.below)

    def whole(self, url: str) -> Fetched:
        """Return a list of the site; raises `SourceUnavailable` unless it came whole."""
        answer = self.answer(url, self.settings.max_list_bytes)
        if answer.status != 200:
            raise self.unavailable(url, f"the server answered with status {answer.status}")
        return answer

    def answer(self, url: str, most: int) -> Fetched:
        """Return the server's answer; raises `SourceUnavailable` where there is none."""
        try:
            return self.pages.fetch(url, most)
        except InputRefused as refusal:
            raise self.unavailable(url, refusal.message) from refusal

    def why_forbidden(self, url: str) -> str:
        """Return that robots.txt forbids a page, "" where it does not."""
        if not self.settings.robots:
            return ""
        origin = origin_of(url)
        if origin not in self._robots:
            self._robots[origin] = self._read_robots(f"{origin}/robots.txt")
        return "" if self._robots[origin].allow(url) else "robots.txt asks not to read it"

    def unavailable(self, url: str, why: str) -> SourceUnavailable:
        """Return the error that says why the site cannot be seen."""
        return SourceUnavailable(f"{url} cannot be indexed: {why}")

    def _read_robots(self, url: str) -> Robots:
        """Return a site's rules; a server that fails may have rules that it does not show."""
        answer = self.answer(url, 10 * MOST_BYTES)
        if answer.status >= 500 or answer.status == 429:
            raise self.unavailable(url, f"the server answered with status {answer.status}")
        return Robots.of(answer.body) if answer.status == 200 else Robots()
