"""Asking a model's endpoint: patiently, within limits, and without giving away a secret."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tether.batteries.models.wire.attempt import Attempt
from tether.batteries.models.wire.failures import Failure
from tether.batteries.models.wire.http_client import HttpClients
from tether.batteries.models.wire.question import question
from tether.batteries.models.wire.retrying import delay_ms, retry_after_ms
from tether.core.errors import ModelHttpError, ModelRequestTimeout, Problem, RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx2

    from tether.batteries.models.wire.options import ModelOptions
    from tether.batteries.models.wire.port import Wire
    from tether.batteries.models.wire.question import Question
    from tether.batteries.models.wire.reply import Delta, Reply
    from tether.runtime.abort import AbortSignal
    from tether.runtime.reporting import Log


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _problems(client: object, max_concurrency: object) -> Iterator[Problem]:
    if client is not None and not callable(getattr(client, "stream", None)):
        yield Problem("client", f"must be an httpx2.AsyncClient, not a {type(client).__name__}")
    most = 1 if max_concurrency is None else max_concurrency
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        yield Problem("max_concurrency", "must be a whole number from 1")


class Exchange:
    """Asks one wire's endpoint, on any event loop, and from several tasks at once.

    A `client` that is given stays the giver's to close. `max_concurrency` limits the requests that
    are open at once on a loop; who waits is served in turn. `chance` (0 to 1) spreads the waits
    between attempts, `now` reads the dates of Retry-After.
    """

    __slots__ = ("_chance", "_clients", "_now", "_wire")

    def __init__(
        self,
        wire: Wire,
        *,
        client: httpx2.AsyncClient | None = None,
        max_concurrency: int | None = None,
        chance: Callable[[], float] = random.random,
        now: Callable[[], datetime] = _utc_now,
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
        """Return the endpoint's whole reply; what it says on the way goes to `on_delta`.

        Raises `Aborted` as soon as the signal is on, with the connection closed, and otherwise the
        wire's errors. A failure is tried again, as the options allow, only before any byte of a
        streamed reply was used. The limits of time hold for each attempt.
        """
        asked = question(self._wire, options, body, log=log, on_delta=on_delta)
        try:
            return await signal.guard(self._insist(asked))
        except RunError:
            signal.raise_if_aborted()
            raise

    async def aclose(self) -> None:
        """Close the connections that were opened on the running loop."""
        await self._clients.aclose()

    async def _insist(self, asked: Question) -> Reply:
        attempts = 1
        while True:
            async with self._clients.slot() as client:
                outcome = await Attempt(asked).outcome(client, is_own=self._clients.are_own)
            if not isinstance(outcome, Failure):
                return replace(asked.named(outcome), attempts=attempts)
            error = outcome.error
            if isinstance(error, (ModelHttpError, ModelRequestTimeout)):
                error.attempts = attempts
            if not outcome.may_retry or attempts >= asked.options.retry.max_attempts:
                asked.log.error(outcome.kind, error.message, {"attempts": attempts})
                raise error
            await self._wait(asked, outcome, attempts)
            attempts += 1

    async def _wait(self, asked: Question, failure: Failure, attempt: int) -> None:
        retry = asked.options.retry
        asked_ms = retry_after_ms(failure.retry_after, self._now())
        wait = delay_ms(retry, attempt, asked_ms=asked_ms, chance=self._chance())
        asked.log.warn(
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
