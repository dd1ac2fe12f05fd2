"""The port through which a source reads the web: one request, one complete answer.

The implementation decides which hosts may be reached, refuses private addresses, follows redirects
under the same rules, and ends requests that take too long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tether.core.errors import InputRefused
from tether.core.retry_after import retry_after

MOST_PAGE_BYTES = 20_000_000

SHORTEST_WAIT = 1.0
LONGEST_WAIT = 300.0
_LATER = frozenset({429, 503})


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """A page to request; `etag` and `last_modified` are those of a copy that is already here."""

    url: str
    etag: str = ""
    last_modified: str = ""
    max_bytes: int = MOST_PAGE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The answer of a server. `url` is the final one, after redirects.

    `headers` has lower-case names; of `content-type`, `etag`, `last-modified` and `retry-after` it
    has those that the server sent. Status 304 means that the copy with the `etag` or
    `last_modified` of the request is still valid; it has no body.
    """

    status: int
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = field(default=b"", repr=False)

    @property
    def content_type(self) -> str:
        """The type without parameters, in lower case; "" if the server sent none."""
        return bare_type(self.headers.get("content-type", ""))


def bare_type(header: str) -> str:
    """Return a content type without its parameters, in lower case."""
    return header.partition(";")[0].strip().lower()


Fetch = Callable[[FetchRequest], Fetched]
"""Sends a request and waits. Raises `InputRefused` for a page that may not be read or did not
arrive, `LimitExceeded` for one that is longer than `max_bytes` or takes too long; `retryable` says
whether another attempt may help. An answer with an error status is returned, not raised."""


class PatientFetch:
    """A `Fetch` that waits and tries again after 429, 503 and temporary failures.

    The `Retry-After` of a server is limited to between one second and five minutes; without one
    the waits double from one second. `attempts` limits one request, and `patience` the seconds that
    all requests together may wait; after that the answer is returned as it is.
    """

    __slots__ = ("_attempts", "_fetch", "_left", "_now", "_sleep")

    def __init__(
        self,
        fetch: Fetch,
        *,
        attempts: int = 3,
        patience: float = 900.0,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._fetch = fetch
        self._attempts = attempts
        self._left = patience
        self._sleep = sleep
        self._now = now

    def __call__(self, request: FetchRequest) -> Fetched:
        """Return the first answer that does not ask for a later attempt, or the last one."""
        for attempt in range(1, self._attempts):
            header = None
            try:
                answer = self._fetch(request)
            except InputRefused as refusal:
                if not refusal.retryable:
                    raise
            else:
                if answer.status not in _LATER:
                    return answer
                header = answer.headers.get("retry-after")
            seconds = wait_for(header, attempt, self._now())
            if seconds > self._left:
                break
            self._left -= seconds
            self._sleep(seconds)
        return self._fetch(request)


def wait_for(header: str | None, attempt: int, now: datetime) -> float:
    """Return the seconds to wait after an attempt, by the `Retry-After` header if there is one."""
    doubled = SHORTEST_WAIT * 2 ** (attempt - 1)
    seconds = doubled if header is None else retry_after(header, now) or SHORTEST_WAIT
    return min(max(seconds, SHORTEST_WAIT), LONGEST_WAIT)
