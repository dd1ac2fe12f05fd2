"""HTTP endpoints that answer in JSON: their settings, and a client that repeats requests."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

from tether.batteries.http.client import thread_client
from tether.batteries.http.limits import PASSING, TimeLimit, delay, retry_after_ms
from tether.batteries.http.redaction import Redactor, secrets_in
from tether.batteries.http.syntax import (
    address_fault,
    is_compressed,
    is_header_text,
    is_http_address,
)
from tether.core.errors import Problem, error_text
from tether.retrieval.errors import InvalidRetrievalSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import httpx2

    from tether.retrieval.errors import EmbeddingFailed, JudgeFailed, ProviderFailed

    Failure = EmbeddingFailed | JudgeFailed | ProviderFailed

MEBI = 1 << 20
LARGEST_LIMIT = 1 << 40
MOST_ATTEMPTS = 20
EXCERPT = 300
"""Characters of an answer that are quoted in an error."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The address, the key and the limits of an endpoint.

    `base_url` ends before the name of the operation (`https://api.jina.ai/v1`) and has no
    parameters. `api_key` is sent as a bearer token; `headers` are added. `timeout_seconds` is for
    one request with all its attempts. The key and the headers are never shown, and the address only
    as `place`. Raises `InvalidRetrievalSettings`.
    """

    base_url: str = field(repr=False)
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    timeout_seconds: float = 30.0
    max_response_bytes: int = 32 * MEBI
    max_attempts: int = 3
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 10.0

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise InvalidRetrievalSettings(problems)

    @property
    def place(self) -> str:
        """The address as it may be shown: without users, passwords and parameters."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"

    @property
    def digest(self) -> str:
        """A short digest of the place, for fingerprints."""
        return hashlib.sha256(self.place.encode()).hexdigest()[:16]


def _problems(endpoint: Endpoint) -> Iterator[Problem]:
    url = endpoint.base_url
    is_plain = is_http_address(url) and not urlsplit(url).query and not urlsplit(url).fragment
    fault = address_fault(url if is_plain else "", has_key=bool(endpoint.api_key))
    if fault is not None:
        yield Problem("base_url", fault)
    if not is_header_text(endpoint.api_key):
        yield Problem("api_key", "must be ASCII without line breaks: is it a whole line of a file?")
    for name, value in endpoint.headers.items():
        if not name or not is_header_text(name + value):
            yield Problem(f"headers.{name!r}", "must be ASCII without line breaks")
    if endpoint.max_attempts > MOST_ATTEMPTS:
        yield Problem("max_attempts", f"must be at most {MOST_ATTEMPTS}")
    limits: dict[str, tuple[float, float]] = {
        "timeout_seconds": (endpoint.timeout_seconds, 0.001),
        "max_response_bytes": (endpoint.max_response_bytes, 1),
        "max_attempts": (endpoint.max_attempts, 1),
        "first_wait_seconds": (endpoint.first_wait_seconds, 0),
        "longest_wait_seconds": (endpoint.longest_wait_seconds, 0),
    }
    for name, (given, least) in limits.items():
        if not least <= given <= LARGEST_LIMIT:
            yield Problem(name, f"must be from {least} to {LARGEST_LIMIT}")


class JsonRequest(NamedTuple):
    """A request below the base address, with a body or with parameters."""

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


class EndpointClient:
    """Sends requests to one endpoint and returns the JSON of its answers.

    Status 429, a server's failure and a broken connection are retried after a wait that doubles; a
    Retry-After can extend it up to the longest wait. Redirects are not followed, proxies and
    passwords of the environment are not used, compressed and too large answers are refused. Every
    failure is raised as `failure`, and its text contains no secret.
    """

    __slots__ = ("_chance", "_endpoint", "_failure", "_redactor", "_sleep")

    def __init__(
        self,
        endpoint: Endpoint,
        failure: type[Failure],
        *,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._endpoint = endpoint
        self._failure = failure
        self._sleep = sleep
        self._chance = chance
        secrets = secrets_in(self._headers(), endpoint.base_url, endpoint.headers)
        self._redactor = Redactor(secrets)

    def ask(self, request: JsonRequest) -> Any:
        """Return the answer's JSON."""
        endpoint = self._endpoint
        deadline = time.monotonic() + endpoint.timeout_seconds
        try:
            opened = thread_client(self._headers())
        except ImportError as error:
            message = "an HTTP endpoint needs httpx2: pip install 'tether[models]'"
            raise self._failure(message, retryable=False) from error
        with opened as client:
            attempt = 1
            while True:
                try:
                    return self._json(self._attempt(client, request, deadline))
                except _Passing as passing:
                    wait = delay(
                        attempt,
                        first=endpoint.first_wait_seconds,
                        longest=endpoint.longest_wait_seconds,
                        asked=passing.wait_seconds,
                        chance=self._chance(),
                    )
                    is_last = attempt == endpoint.max_attempts
                    if is_last or time.monotonic() + wait >= deadline:
                        raise passing.failure from None
                self._sleep(wait)
                attempt += 1

    def _headers(self) -> dict[str, str]:
        key = self._endpoint.api_key
        bearer = {"authorization": f"Bearer {key}"} if key else {}
        return {"accept-encoding": "identity", **bearer, **self._endpoint.headers}

    def _attempt(self, client: httpx2.Client, request: JsonRequest, deadline: float) -> bytes:
        import httpx2  # noqa: PLC0415  # only with tether[models]

        left = max(deadline - time.monotonic(), 0.001)
        limit = TimeLimit(left)
        try:
            with limit, self._stream(client, request, left, limit) as response:
                data = self._read(response)
                if limit.is_over:  # the data may look whole, and was cut
                    raise self._failed("took too long")
                return self._checked(response, data)
        except (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.TimeoutException) as error:
            if limit.is_over or isinstance(error, httpx2.TimeoutException):
                raise self._failed("took too long") from None
            raise _Passing(self._failed(f"gave no answer: {error_text(error)}")) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise self._failed(f"cannot be called: {error_text(error)}") from None

    def _stream(
        self, client: httpx2.Client, request: JsonRequest, seconds: float, limit: TimeLimit
    ) -> AbstractContextManager[httpx2.Response]:
        return client.stream(
            request.method,
            f"{self._endpoint.base_url.rstrip('/')}{request.path}",
            json=request.body,
            params=request.parameters,
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
            excerpt = self._redactor.excerpt(data.decode("utf-8", "replace"), EXCERPT)
            is_passing = status in PASSING
            failure = self._failed(f"answered {status}: {excerpt}", retryable=is_passing)
            if is_passing:
                header = response.headers.get("retry-after")
                raise _Passing(failure, retry_after_ms(header, datetime.now(UTC)) / 1000)
            raise failure
        if is_compressed(response.headers.get("content-encoding", "")):
            raise self._failed("sent a compressed answer without a request for it", retryable=False)
        return data

    def _json(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise self._failed("answered with something that is not JSON") from None

    def _failed(self, what: str, *, retryable: bool = True) -> Failure:
        message = self._redactor.redact(f"{self._endpoint.place} {what}")
        return self._failure(message, retryable=retryable)


def clean(text: str) -> str:
    """Return the text without lone surrogates, which endpoints refuse."""
    return text.encode("utf-8", "replace").decode()


def number(value: object) -> float | None:
    """Return a finite number, None for any other JSON value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if abs(found) <= 3e38 else None


def in_order(
    entries: object, expected: int, field: str, read: Callable[[object], T | None]
) -> list[T]:
    """Return `read` of each entry's `field`, in the order of the entries' indexes.

    Raises `ValueError` with the reason unless every index from 0 occurs once and each value can be
    read.
    """
    if not isinstance(entries, list):
        raise ValueError("did not send a list of results")
    found: dict[int, T] = {}
    for entry in entries:
        index, value = _pair(entry, field)
        if type(index) is not int or not 0 <= index < expected or index in found:
            raise ValueError(f"sent {_shown(index)} among those of {expected} texts")
        read_value = read(value)
        if read_value is None:
            raise ValueError(f"sent a {field} that cannot be used, for text {index}")
        found[index] = read_value
    if len(found) < expected:
        raise ValueError(f"sent {len(found)} results for {expected} texts")
    return [found[index] for index in range(expected)]


def _shown(index: object) -> str:
    """Return the index for a message: text of an endpoint can be long, or contain a secret."""
    return f"the index {index}" if type(index) is int and abs(index) < 1e9 else "an odd index"


def _pair(entry: object, field: str) -> tuple[object, object]:
    if not isinstance(entry, dict):
        raise ValueError("sent a result that is not an object")
    known = cast("dict[str, object]", entry)
    return known.get("index"), known.get(field)
