"""The exchange with a model's endpoint: requests with retries, within limits, without secrets."""

from __future__ import annotations

import asyncio
import json
import random
from base64 import b64encode
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tether.batteries.http.client import HttpClients
from tether.batteries.http.limits import retry_after_ms, seconds
from tether.batteries.http.redaction import Redactor, secrets_in
from tether.batteries.models.errors import ModelHttpError, ModelRequestTimeout
from tether.batteries.models.wire.attempt import Attempt
from tether.batteries.models.wire.failures import Failure
from tether.core.errors import InputRefused, Problem, RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from urllib.parse import SplitResult

    import httpx2

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Wire
    from tether.batteries.models.wire.reply import Delta, Reply
    from tether.runtime.abort import AbortSignal
    from tether.runtime.reports import Log

MOST_SHOWN = 500
"""Characters of an endpoint's words that a message quotes."""

LONGEST_NAME = 200
"""Characters of a name that an endpoint gives: of a reply, a model, a reason."""


class Exchange:
    """Sends requests to one wire's endpoint, on any event loop and from several tasks at once.

    The caller closes a `client` that it passed in. `max_concurrency` limits the open requests on a
    loop; further ones wait in turn. `chance` (0 to 1) spreads the waits between attempts, `now` is
    the clock for dates in Retry-After.
    """

    __slots__ = ("_chance", "_clients", "_now", "_wire")

    def __init__(
        self,
        wire: Wire,
        *,
        client: httpx2.AsyncClient | None = None,
        max_concurrency: int | None = None,
        chance: Callable[[], float] = random.random,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        problems = [*_problems(client, max_concurrency)]
        if problems:
            raise wire.errors.options(problems)
        self._wire = wire
        self._clients = HttpClients(client, max_concurrency)
        self._chance = chance
        self._now = now

    async def ask(
        self,
        options: ModelOptions,
        body: Mapping[str, Any],
        *,
        signal: AbortSignal,
        log: Log,
        on_delta: Callable[[Delta], None],
    ) -> Reply:
        """Return the endpoint's whole reply; deltas go to `on_delta` as they arrive.

        Raises `Aborted` as soon as the signal is set, with the connection closed, and otherwise the
        wire's errors. A failed request is repeated, as the options allow, only before any byte of a
        streamed reply was used. Time limits apply to each attempt, `total_timeout_ms` to all of
        them with the waits between.
        """
        request = wire_request(self._wire, options, body, log=log, on_delta=on_delta)
        try:
            return await signal.guard(self._insist(request))
        except RunError:
            signal.raise_if_aborted()
            raise

    async def aclose(self) -> None:
        """Close the connections that were opened on the running loop."""
        await self._clients.aclose()

    async def _insist(self, request: WireRequest) -> Reply:
        attempts, until = 1, inf
        while True:
            async with self._clients.slot() as client:
                until = _end_of(request.options) if attempts == 1 else until
                attempt = Attempt(request, most_ms=_left_ms(until))
                outcome = await attempt.outcome(client, is_own=self._clients.are_own)
            if not isinstance(outcome, Failure):
                return replace(request.named(outcome), attempts=attempts)
            error = outcome.error
            if isinstance(error, (ModelHttpError, ModelRequestTimeout)):
                error.attempts = attempts
            if not outcome.may_retry or attempts >= request.options.retry.max_attempts:
                request.log.error(outcome.kind, error.message, {"attempts": attempts})
                raise error
            await self._wait(request, outcome, attempts, _left_ms(until))
            attempts += 1

    async def _wait(
        self, request: WireRequest, failure: Failure, attempt: int, left_ms: float
    ) -> None:
        """Wait before the next attempt; raises the failure's error if too little time is left.

        The endpoint's own request counts in full then, whatever the longest wait: an attempt that
        comes early fails again.
        """
        retry = request.options.retry
        asked_ms = retry_after_ms(failure.retry_after, self._now())
        wait = retry.delay_ms(attempt, asked_ms=asked_ms, chance=self._chance())
        if max(wait, asked_ms if retry.honor_retry_after else 0) >= left_ms:
            raise _out_of_time(request, failure, attempt, asked_ms, left_ms)
        request.log.warn(
            "retry-attempt",
            f"attempt {attempt} of {retry.max_attempts} failed; the next is in {wait:.0f} ms",
            {
                "attempt": attempt,
                "delay_ms": wait,
                "why": failure.kind,
                "error": failure.error.message,
            },
        )
        await asyncio.sleep(wait / 1000)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WireRequest:
    """One request, ready to be sent repeatedly, with its log and its receiver of deltas.

    `url` is the address without its user, which is in the headers; `place` also lacks the query and
    may be shown.
    """

    wire: Wire
    options: ModelOptions
    url: str
    place: str
    headers: Mapping[str, str]
    content: bytes
    redactor: Redactor
    log: Log
    on_delta: Callable[[Delta], None]

    def shown(self, text: str, most: int = MOST_SHOWN) -> str:
        """Return foreign words as a message may quote them."""
        return self.redactor.excerpt(text, most)

    def named(self, reply: Reply) -> Reply:
        """Return a reply whose names can be shown and stored.

        An unfit id is dropped: its remains may equal those of another reply.
        """
        id, model, reason = reply.response_id, reply.model, reply.finish_reason
        return replace(
            reply,
            response_id=id if id and id == self.shown(id, LONGEST_NAME) else None,
            model=model and self.shown(model, LONGEST_NAME),
            finish_reason=reason and self.shown(reason, LONGEST_NAME),
        )


def wire_request(
    wire: Wire,
    options: ModelOptions,
    body: Mapping[str, Any],
    *,
    log: Log,
    on_delta: Callable[[Delta], None],
) -> WireRequest:
    """Build a request; raises `InputRefused` for a body that JSON cannot express."""
    address = urlsplit(wire.url(options))
    headers = _headers(wire, options, address)
    bare = address._replace(netloc=address.netloc.rpartition("@")[2])
    secrets = secrets_in(headers, address.geturl(), options.headers)
    return WireRequest(
        wire=wire,
        options=options,
        url=bare.geturl(),
        place=bare._replace(query="").geturl(),
        headers=headers,
        content=_content(body),
        redactor=Redactor([options.key(), *secrets]),
        log=log,
        on_delta=on_delta,
    )


def _end_of(options: ModelOptions) -> float:
    """Return when all attempts together have to end, on the loop's clock."""
    whole = seconds(options.total_timeout_ms)
    return inf if whole is None else asyncio.get_running_loop().time() + whole


def _left_ms(until: float) -> float:
    return max(until - asyncio.get_running_loop().time(), 0.0) * 1000


def _out_of_time(
    request: WireRequest, failure: Failure, attempt: int, asked_ms: float, left_ms: float
) -> RunError:
    """Return the error of a failure after which there is no time to try again, and log it."""
    error = failure.error
    if left_ms:
        asked = f"it asked for a wait of {asked_ms / 1000:,.0f} s, but " if asked_ms else ""
        error.message += f"; {asked}only {left_ms / 1000:,.1f} s are left for another attempt"
        error.args = (error.message,)
    request.log.error(failure.kind, error.message, {"attempts": attempt})
    return error


def _content(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        why = "a record or an option contains NaN, an infinity, or too many levels"
        raise InputRefused(f"the request cannot be written as JSON: {why}") from None
    return text.encode("utf-8", "replace")


def _headers(wire: Wire, options: ModelOptions, address: SplitResult) -> dict[str, str]:
    """Return the wire's headers overridden by the user's; names are case-insensitive."""
    accepted = "text/event-stream" if options.stream else "application/json"
    own = {"Accept": accepted, "Content-Type": "application/json", "User-Agent": "tether"}
    merged: dict[str, tuple[str, str]] = {}
    for layer in (own, _basic(address), wire.headers(options), options.headers):
        merged |= {name.lower(): (name, value) for name, value in layer.items()}
    return dict(merged.values())


def _basic(address: SplitResult) -> dict[str, str]:
    """Return the header for the user in an address: libraries log addresses, not headers."""
    if "@" not in address.netloc:
        return {}
    user = f"{unquote(address.username or '')}:{unquote(address.password or '')}"
    return {"Authorization": f"Basic {b64encode(user.encode()).decode()}"}


def _problems(client: object, max_concurrency: object) -> Iterator[Problem]:
    if client is not None and not callable(getattr(client, "stream", None)):
        yield Problem("client", f"must be an httpx2.AsyncClient, not a {type(client).__name__}")
    most = 1 if max_concurrency is None else max_concurrency
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        yield Problem("max_concurrency", "must be a whole number from 1")
