"""What of a site is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from tether.core.checks import Checks
from tether.core.errors import InvalidRetrievalSettings
from tether.retrieval.sources.fetch import MOST_PAGE_BYTES


def now_in_utc() -> datetime:
    """Return the time of this machine."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteSettings:
    """What a source on the web takes and what it leaves.

    Pages are read from the host of the source's address and from `hosts`, each written as in a URL
    (`docs.example.org`, `localhost:8000`). With `below`, only pages whose path begins so are read.
    `robots` obeys the site's `robots.txt`. `max_pages` and `max_list_bytes` bound what a sitemap or
    an `llms.txt` may list, and `max_lists` how many sitemaps there may be.
    Raises `InvalidRetrievalSettings`.
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
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                check.refuse(name, value, "a whole number from 1 up")
        check.function("now", self.now)
        check.done(InvalidRetrievalSettings)
