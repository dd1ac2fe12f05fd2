"""The port through which a source reads the web: one request, one whole answer.

Whoever provides it decides which hosts may be reached, keeps private addresses out, follows
redirects under the same rules, and ends what takes too long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MOST_PAGE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """A page to ask for; `etag` and `last_modified` are those of a copy that is already here."""

    url: str
    etag: str = ""
    last_modified: str = ""
    max_bytes: int = MOST_PAGE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A server's answer. `url` is where it came from in the end, after redirects.

    `headers` has lower-case names, at least those that came of `content-type`, `etag`,
    `last-modified` and `retry-after`. Status 304 says that the copy with the request's `etag` or
    `last_modified` is still good; it has no body.
    """

    status: int
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = field(default=b"", repr=False)

    @property
    def content_type(self) -> str:
        """The type alone, in lower case, "" where the server named none."""
        return bare_type(self.headers.get("content-type", ""))


def bare_type(header: str) -> str:
    """Return a content type without its parameters, in lower case."""
    return header.partition(";")[0].strip().lower()


Fetch = Callable[[FetchRequest], Fetched]
"""Asks and waits. Raises `InputRefused` for what may not be read or did not arrive, `LimitExceeded`
for what is longer than `max_bytes` or takes too long; `retryable` says whether asking again may
help. An answer with an error status is an answer."""
