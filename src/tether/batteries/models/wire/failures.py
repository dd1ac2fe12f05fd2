"""The failures of one attempt, as errors of its wire."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tether.batteries.http.syntax import media_type
from tether.batteries.models.errors import ModelHttpError, ModelStreamError

if TYPE_CHECKING:
    from tether.batteries.models.errors import ModelRequestTimeout
    from tether.batteries.models.wire.exchange import WireRequest

CONNECTING = "connecting"
WAITING = "waiting for the answer"
READING = "reading the answer"


class Failure(NamedTuple):
    """A failed attempt. `kind` is for the log, `retry_after` the endpoint's header."""

    error: ModelHttpError | ModelStreamError | ModelRequestTimeout
    kind: str
    may_retry: bool = False
    retry_after: str | None = None


@dataclass(slots=True)
class Progress:
    """The progress of an attempt. `is_used` says that a byte of a streamed reply was used."""

    phase: str = CONNECTING
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    excerpt: bytearray = field(default_factory=bytearray)
    is_used: bool = False
    skipped: int = 0
    texts: list[str] = field(default_factory=list[str])

    @property
    def is_error(self) -> bool:
        """Whether the endpoint has answered with a status other than success."""
        return self.status != 0 and not 200 <= self.status < 300

    @property
    def content_type(self) -> str:
        """The answer's type without parameters; empty if it has none."""
        return media_type(self.headers.get("content-type", ""))


class Failures:
    """Builds the failures of one attempt. No message contains a secret."""

    __slots__ = ("_errors", "_place", "_progress", "_request")

    def __init__(self, request: WireRequest, progress: Progress) -> None:
        self._request = request
        self._errors = request.wire.errors
        self._place = request.place
        self._progress = progress

    def answered(self) -> Failure:
        """Return the failure of an answer that is not a reply: an error, or something else."""
        progress, shown = self._progress, self._request.shown
        status = progress.status
        excerpt = shown(progress.excerpt.decode("utf-8", "replace")) or "(no text)"
        location = progress.headers.get("location")
        if not progress.is_error:
            kind = shown(progress.content_type) or "no content-type"
            message = f"{self._place} answered with {kind} instead of a reply: {excerpt}"
        elif location is not None and 300 <= status < 400:
            where = shown(location)
            message = f"{self._place} answered {status}, a redirect to {where}; set base_url"
        else:
            message = f"{self._place} answered {status}: {excerpt}"
        may_retry = status in self._request.options.retry.retriable_statuses
        error = self._errors.http(message, http_status=status, retryable=may_retry)
        return Failure(error, "http-error", may_retry, progress.headers.get("retry-after"))

    def timed_out(self, limit_ms: int) -> Failure:
        """Return the failure of an attempt that took too long."""
        progress = self._progress
        if progress.is_error:
            return self.answered()
        message = f"{self._place} took longer than {limit_ms} ms: {progress.phase}"
        error = self._errors.timeout(message, phase=progress.phase)
        return Failure(error, "request-timeout", may_retry=not progress.is_used)

    def stalled(self) -> Failure:
        """Return the failure of an answer that stalled or never came."""
        if self._progress.is_error:
            return self.answered()
        limit, phase = self._request.options.stream_idle_timeout_ms, self._progress.phase
        message = f"{self._place} sent nothing for {limit} ms: {phase}"
        return Failure(
            self._errors.stalled(message, partial=self._partial()), "stream-idle-timeout"
        )

    def broken(self, error: Exception) -> Failure:
        """Return the failure of a connection, before or during an answer."""
        import httpx2  # noqa: PLC0415  # only with tether[models]

        if self._progress.is_error:
            return self.answered()
        if isinstance(error, httpx2.ConnectTimeout):
            return self.timed_out(self._request.options.connect_timeout_ms)
        why = self._request.shown(_why(error))
        if self._progress.status:
            message = f"the answer of {self._place} broke off: {why}"
            return Failure(self._errors.stream(message, partial=self._partial()), "stream-error")
        is_passing = isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError))
        may_retry = is_passing and not _is_about_a_certificate(error)
        message = f"{self._place} gave no answer: {why}"
        failed = self._errors.http(message, retryable=may_retry)
        return Failure(failed, "transport-error", may_retry)

    def found(self, error: ModelHttpError | ModelStreamError) -> Failure:
        """Return the failure that the wire found in an answer, with a text that may be shown."""
        error.message = self._request.shown(error.message)
        error.args = (error.message,)
        error.__cause__ = error.__context__ = None
        if isinstance(error, ModelStreamError):
            error.partial = error.partial or self._partial()
            return Failure(error, "stream-error")
        error.http_status = error.http_status or self._progress.status
        return Failure(error, "http-error")

    def _partial(self) -> str:
        return "".join(self._progress.texts)


def _why(error: BaseException) -> str:
    """Return the first text in the chain of an error and its causes."""
    return next((text for text in map(str, _chain(error)) if text), type(error).__name__)


def _is_about_a_certificate(error: BaseException) -> bool:
    return any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
