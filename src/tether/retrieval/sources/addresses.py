"""Addresses of pages: one form for each, and whether a page belongs to a source."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

_LONGEST = 2_048
_USUAL_PORTS = {"http": ":80", "https": ":443"}


def page_address(text: str, base: str = "") -> str | None:
    """Return an address without its fragment, its host in lower case; None where it is none.

    Whether it may be read is for the `Fetch` to decide; here it only has to be one address.
    """
    try:
        parts = urlsplit(urljoin(base, text.strip()))
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or len(text) > _LONGEST:
        return None
    return parts._replace(netloc=host_of(parts), path=parts.path or "/", fragment="").geturl()


def host_of(parts: SplitResult) -> str:
    """Return the host in lower case, with its port where it is not the usual one."""
    return parts.netloc.lower().removesuffix(_USUAL_PORTS.get(parts.scheme, ":"))


def origin_of(url: str) -> str:
    """Return the beginning of an address, up to its host."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{host_of(parts)}"


@dataclass(frozen=True, slots=True)
class Scope:
    """The pages that belong to a source: by host, and by how their path begins."""

    hosts: frozenset[str]
    below: str = ""

    def why_not(self, url: str) -> str:
        """Return why a page does not belong, "" where it does."""
        parts = urlsplit(url)
        if host_of(parts) not in self.hosts:
            return f"it is on the host {host_of(parts)[:100]}, which is not one of this source"
        if not parts.path.startswith(self.below):
            return f"it is not below {self.below}"
        return ""
