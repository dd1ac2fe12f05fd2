"""Asking again when a server says later, for as long as is reasonable and no longer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tether.core.errors import InputRefused
from tether.retrieval.sources.fetch import Fetch, Fetched, FetchRequest

SHORTEST_WAIT = 1.0
LONGEST_WAIT = 300.0

_LATER = frozenset({429, 503})
_SECONDS = re.compile(r"[0-9]{1,6}")


class PatientFetch:
    """A `Fetch` that waits and asks again after 429, 503 and what may pass.

    A server's `Retry-After` counts from one second to five minutes, whatever it says; without one
    the waits double from one second. `attempts` bounds one request, and `patience` the seconds
    that all requests together may be made to wait: after that the answer is taken as it is.
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
        """Return the first answer that does not say later, or the last one."""
        for attempt in range(1, self._attempts):
            try:
                answer = self._fetch(request)
            except InputRefused as refusal:
                if not refusal.retryable:
                    raise
                seconds = _doubling(attempt)
            else:
                if answer.status not in _LATER:
                    return answer
                seconds = self._wait_for(answer, attempt)
            if seconds > self._left:
                break
            self._left -= seconds
            self._sleep(seconds)
        return self._fetch(request)

    def _wait_for(self, answer: Fetched, attempt: int) -> float:
        header = answer.headers.get("retry-after")
        return _doubling(attempt) if header is None else retry_after(header, self._now())


def retry_after(header: str, now: datetime) -> float:
    """Return how many seconds to wait by a `Retry-After` header: a number, or a date to wait for.

    What makes no sense counts as the shortest wait.
    """
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return _clamped(float(text))
    if text.isascii() and text.isdigit():
        return LONGEST_WAIT
    try:
        then = parsedate_to_datetime(text[:64])
    except ValueError:
        return SHORTEST_WAIT
    return _clamped(((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds())


def _clamped(seconds: float) -> float:
    return min(max(seconds, SHORTEST_WAIT), LONGEST_WAIT)


def _doubling(attempt: int) -> float:
    return _clamped(SHORTEST_WAIT * 2 ** (attempt - 1))
