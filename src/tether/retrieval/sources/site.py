"""A site: the settings of its sources, URLs in one form, its scope and its robots.txt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import SplitResult, urljoin, urlsplit

from tether.core.checks import Checks
from tether.core.errors import InputRefused, Problem
from tether.retrieval.errors import InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.source import DocumentState
from tether.retrieval.sources.fetch import MOST_PAGE_BYTES, Fetch, Fetched
from tether.retrieval.sources.pages import Pages
from tether.retrieval.sources.robots import MOST_BYTES, Robots

_LONGEST = 2_048
_USUAL_PORTS = {"http": ":80", "https": ":443"}


def now_in_utc() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """The pages that a source on the web reads.

    Pages are read from the host of the source and from `hosts`, each written as in a URL
    (`docs.example.org`, `localhost:8000`). With `below`, only pages whose path begins so are read.
    `robots` obeys the `robots.txt` of the site. `max_pages` and `max_list_bytes` limit the size of
    a sitemap or an `llms.txt`, and `max_lists` the number of sitemaps. Raises
    `InvalidRetrievalSettings`.
    """

    hosts: tuple[str, ...] = ()
    below: str = ""
    robots: bool = True
    max_pages: int = 50_000
    max_lists: int = 1_000
    max_list_bytes: int = 50_000_000
    max_bytes: int = MOST_PAGE_BYTES
    now: Callable[[], datetime] = now_in_utc

    def __post_init__(self) -> None:
        check = Checks()
        for host in check.instances("hosts", self.hosts, str, "hosts"):
            if isinstance(host, str) and ("/" in host or host != host.lower() or not host):
                check.refuse("hosts", host, "a host in lower case such as 'docs.example.org'")
        if not isinstance(self.below, str) or (self.below and not self.below.startswith("/")):
            check.refuse("below", self.below, "the beginning of a path such as '/docs/'")
        check.flag("robots", self.robots)
        for name in ("max_pages", "max_lists", "max_list_bytes", "max_bytes"):
            check.whole_number(name, getattr(self, name))
        check.function("now", self.now)
        check.done(InvalidRetrievalSettings)


def page_address(text: str, base: str = "") -> str | None:
    """Return a URL of a page without its fragment, with its host in lower case, or None.

    Only the form is checked here; the `Fetch` decides whether the page may be read.
    """
    try:
        parts = urlsplit(urljoin(base, text.strip()))
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or len(text) > _LONGEST:
        return None
    return parts._replace(netloc=host_of(parts), path=parts.path or "/", fragment="").geturl()


def host_of(parts: SplitResult) -> str:
    """Return the host in lower case, with its port unless it is the default."""
    return parts.netloc.lower().removesuffix(_USUAL_PORTS.get(parts.scheme, ":"))


def origin_of(url: str) -> str:
    """Return the scheme and host of a URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{host_of(parts)}"


@dataclass(frozen=True, slots=True)
class Scope:
    """The pages that belong to a source: by host, and by how their path begins."""

    hosts: frozenset[str]
    below: str = ""

    def why_not(self, url: str) -> str:
        """Return the reason why a page does not belong to the source, "" if it does."""
        parts = urlsplit(url)
        if host_of(parts) not in self.hosts:
            return f"it is on the host {host_of(parts)[:100]}, which is not one of this source"
        if not parts.path.startswith(self.below):
            return f"it is not below {self.below}"
        return ""


class Site:
    """The site of one URL; raises `SourceUnavailable` if a list of pages cannot be read whole."""

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
        """Return the scope of the site, including the hosts that its URL redirects to."""
        own = (host_of(urlsplit(url)) for url in (self.url, *urls))
        return Scope(frozenset((*own, *self.settings.hosts)), self.settings.below)

    def whole(self, url: str) -> Fetched:
        """Return a list of pages; raises `SourceUnavailable` unless its status is 200."""
        answer = self.answer(url, self.settings.max_list_bytes)
        if answer.status != 200:
            raise self.unavailable(url, f"the server answered with status {answer.status}")
        return answer

    def answer(self, url: str, most: int) -> Fetched:
        """Return the answer of the server; raises `SourceUnavailable` without one."""
        try:
            return self.pages.fetch(url, most)
        except InputRefused as refusal:
            raise self.unavailable(url, refusal.message) from refusal

    def why_forbidden(self, url: str) -> str:
        """Return the reason if robots.txt forbids a page, "" otherwise."""
        if not self.settings.robots:
            return ""
        origin = origin_of(url)
        if origin not in self._robots:
            self._robots[origin] = self._read_robots(f"{origin}/robots.txt")
        return "" if self._robots[origin].allow(url) else "robots.txt asks not to read it"

    def unavailable(self, url: str, why: str) -> SourceUnavailable:
        """Return the error for a site that cannot be read."""
        return SourceUnavailable(f"{url} cannot be indexed: {why}")

    def _read_robots(self, url: str) -> Robots:
        """Return the rules of a site; raises `SourceUnavailable` if the server fails."""
        answer = self.answer(url, 10 * MOST_BYTES)
        if answer.status >= 500 or answer.status == 429:
            raise self.unavailable(url, f"the server answered with status {answer.status}")
        return Robots.of(answer.body) if answer.status == 200 else Robots()


def skipped(key: str, reason: str) -> DocumentState:
    """Return the state of a page that is left out."""
    return DocumentState(key=key, state="skipped", reason=reason)


class SiteSource:
    """A source that reads one file of a site, and the pages that the file lists."""

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
        """The URL of the file."""
        return self._site.url
