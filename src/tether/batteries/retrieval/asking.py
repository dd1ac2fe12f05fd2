"""Asking an endpoint a question in JSON: one exchange, made again where that may help."""

from __future__ import annotations

import json
import random
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tether.batteries.models.wire.redaction import Redactor, secrets_in
from tether.batteries.models.wire.retrying import retry_after_ms
from tether.batteries.retrieval.time_limit import TimeLimit
from tether.core.errors import error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from contextlib import AbstractContextManager
    from ssl import SSLContext

    import httpx2

    from tether.batteries.retrieval.endpoint import Endpoint
    from tether.core.errors import EmbeddingFailed, JudgeFailed, ProviderFailed

    Failure = EmbeddingFailed | JudgeFailed | ProviderFailed

EXCERPT = 300
"""Characters of an answer that are quoted in an error."""

PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
"""Statuses after which the same question may be answered."""


class Question(NamedTuple):
    """What is asked: below the base address, with a body or with parameters."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    parameters: Mapping[str, str] | None = None


class _Passing(Exception):
    """An attempt failed, and another one may succeed."""

    def __init__(self, failure: Failure, wait_seconds: float = 0.0) -> None:
        super().__init__()
        self.failure = failure
        self.wait_seconds = wait_seconds


class Asking:
    """Asks one endpoint and returns the JSON of its answer.

    An answer of 429 or of a server's failure, and a connection that breaks, are tried again after
    a wait that doubles; a Retry-After can make it longer up to the longest. Redirects are not
    followed, proxies and passwords of the environment not used, compressed and too large answers
    refused. Whatever goes wrong is raised as `failure`, and no text of it holds a secret.
    """

    __slots__ = ("_chance", "_clock", "_endpoint", "_failure", "_redactor", "_sleep")

    def __init__(
        self,
        endpoint: Endpoint,
        failure: type[Failure],
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._endpoint = endpoint
        self._failure = failure
        self._sleep = sleep
        self._clock = clock
        self._chance = chance
        secrets = secrets_in(self._headers(), endpoint.base_url, endpoint.headers)
        self._redactor = Redactor(secrets)

    def ask(self, question: Question) -> Any:
        """Return the answer's JSON."""
        deadline = self._clock() + self._endpoint.timeout_seconds
        with self._client() as client:
            attempt = 1
            while True:
                try:
                    return self._json(self._attempt(client, question, deadline))
                except _Passing as passing:
                    wait = max(self._wait(attempt), passing.wait_seconds)
                    is_last = attempt == self._endpoint.max_attempts
                    if is_last or self._clock() + wait >= deadline:
                        raise passing.failure from None
                self._sleep(wait)
                attempt += 1

    def _headers(self) -> dict[str, str]:
        key = self._endpoint.api_key
        bearer = {"authorization": f"Bearer {key}"} if key else {}
        return {"accept-encoding": "identity", **bearer, **self._endpoint.headers}

    @contextmanager
    def _client(self) -> Generator[httpx2.Client, None, None]:
        try:
            import httpx2  # noqa: PLC0415  # only with tether[models]
        except ImportError as error:
            message = "asking an endpoint needs httpx2: pip install 'tether[models]'"
            raise self._failure(message, retryable=False) from error
        with httpx2.Client(
            trust_env=False, verify=_certificates(), headers=self._headers()
        ) as client:
            yield client

    def _attempt(self, client: httpx2.Client, question: Question, deadline: float) -> bytes:
        import httpx2  # noqa: PLC0415  # only with tether[models]

        left = max(deadline - self._clock(), 0.001)
        limit = TimeLimit(left)
        try:
            with limit, self._stream(client, question, left, limit) as response:
                data = self._read(response)
                if limit.is_over:  # what came may look whole, and was cut
                    raise self._failed("took too long")
                return self._checked(response, data)
        except (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.TimeoutException) as error:
            if limit.is_over or isinstance(error, httpx2.TimeoutException):
                raise self._failed("took too long") from None
            raise _Passing(self._failed(f"gave no answer: {error_text(error)}")) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise self._failed(f"cannot be asked: {error_text(error)}") from None

    def _stream(
        self, client: httpx2.Client, question: Question, seconds: float, limit: TimeLimit
    ) -> AbstractContextManager[httpx2.Response]:
        return client.stream(
            question.method,
            f"{self._endpoint.base_url.rstrip('/')}{question.path}",
            json=question.body,
            params=question.parameters,
            timeout=seconds,
            extensions={"trace": limit.trace},
        )

    def _read(self, response: httpx2.Response) -> bytes:
        data = bytearray()
        for piece in response.iter_raw():
            data += piece
            if len(data) > self._endpoint.max_response_bytes:
                limit = self._endpoint.max_response_bytes
                raise self._failed(f"sent more than {limit} bytes", retryable=False)
        return bytes(data)

    def _checked(self, response: httpx2.Response, data: bytes) -> bytes:
        status = response.status_code
        if not 200 <= status < 300:
            excerpt = self._redactor.redact(data.decode("utf-8", "replace"))[:EXCERPT]
            is_passing = status in PASSING
            failure = self._failed(f"answered {status}: {excerpt}", retryable=is_passing)
            if is_passing:
                header = response.headers.get("retry-after")
                asked = retry_after_ms(header, datetime.now(UTC)) / 1000
                raise _Passing(failure, min(asked, self._endpoint.longest_wait_seconds))
            raise failure
        if response.headers.get("content-encoding", "identity") != "identity":
            raise self._failed("sent a compressed answer that was not asked for", retryable=False)
        return data

    def _json(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise self._failed("answered with something that is not JSON") from None

    def _wait(self, attempt: int) -> float:
        endpoint = self._endpoint
        doubled = endpoint.first_wait_seconds * (1 << (attempt - 1))
        return min(doubled * (0.9 + 0.2 * self._chance()), endpoint.longest_wait_seconds)

    def _failed(self, what: str, *, retryable: bool = True) -> Failure:
        message = self._redactor.redact(f"{self._endpoint.place} {what}")
        return self._failure(message, retryable=retryable)


@cache
def _certificates() -> SSLContext:
    """Return whom to trust; read once, because that takes longer than a question."""
    import httpx2  # noqa: PLC0415  # only with tether[models]

    return httpx2.create_ssl_context(trust_env=False)


def clean(text: str) -> str:
    """Return the text without lone surrogates, which endpoints refuse."""
    return text.encode("utf-8", "replace").decode()


def number(value: object) -> float | None:
    """Return a finite number, None for anything else that JSON may hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if abs(found) <= 3e38 else None
