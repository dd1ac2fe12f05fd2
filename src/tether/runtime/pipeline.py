"""Middleware pipelines: functions around a stage, each with a part before and a part after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tether.core.checks import in_short
from tether.core.errors import RunError, error_text
from tether.runtime.abort import carry_out, is_abort
from tether.runtime.errors import PipelineShortCircuited

if TYPE_CHECKING:
    from tether.runtime.abort import AbortSignal


class Abortable(Protocol):
    """A context that can be aborted."""

    @property
    def abort_signal(self) -> AbortSignal:
        """The signal that skips the remaining middlewares."""
        ...


C = TypeVar("C", bound=Abortable)
AnyContext = TypeVar("AnyContext")

CallNext = Callable[[], Coroutine[Any, Any, None]]
"""Runs the rest of the pipeline. Never raises for failures there; a second call does nothing."""

Middleware = Callable[[AnyContext, CallNext], Awaitable[None]]
"""`async def middleware(ctx, call_next)`: it runs code before and after `await call_next()`."""


class Pipeline(Generic[C]):
    """Middlewares in the order written, the name of their seam, the error they fail with."""

    __slots__ = ("_error", "_middlewares", "seam")

    def __init__(
        self, seam: str, middlewares: Sequence[Middleware[C]], error: type[RunError]
    ) -> None:
        self.seam = seam
        self._middlewares = tuple(middlewares)
        self._error = error

    async def run(self, ctx: C, *, may_stop: Callable[[], bool]) -> RunError | None:
        """Run the pipeline once and return its failure, if any.

        If a middleware raises, no further one starts, but those before it still finish. One that
        returns without `call_next` is reported as `PipelineShortCircuited`, unless the context was
        aborted or `may_stop` allows it. After an abort the remaining middlewares are skipped.
        Cancellation is passed on unchanged.
        """
        if not self._middlewares:
            return None
        walk = _Walk(self._middlewares, ctx)
        await walk.step(0)
        walk.close()
        if walk.error is not None:
            return self._failure(walk.error, ctx.abort_signal)
        if walk.reached_end or ctx.abort_signal.aborted or may_stop():
            return None
        return PipelineShortCircuited(self.seam)

    def _failure(self, error: Exception, signal: AbortSignal) -> RunError | None:
        failure = carry_out(error, signal)
        if failure is None:
            return None
        text = f"{type(failure).__name__}: {error_text(failure)}"
        message = f"a middleware of the {self.seam} pipeline raised {text}"
        return self._error(message, cause=failure)


class _Walk(Generic[C]):
    """One run through a pipeline."""

    __slots__ = ("_ctx", "_end", "_entered", "_middlewares", "_signal", "error", "reached_end")

    def __init__(self, middlewares: tuple[Middleware[C], ...], ctx: C) -> None:
        self._middlewares = middlewares
        self._ctx = ctx
        self._signal = ctx.abort_signal
        self._entered = -1
        self._end = len(middlewares)
        self.reached_end = False
        self.error: Exception | None = None

    async def step(self, position: int) -> None:
        """Run the middleware at `position` and, through `call_next`, all that follow; once."""
        if position <= self._entered:
            return
        self._entered = position
        if position == self._end or self._signal.aborted:
            self.reached_end = True
            return
        try:
            await self._middlewares[position](self._ctx, partial(self.step, position + 1))
        except Exception as error:  # noqa: BLE001  # foreign code; reported as an event
            self._note(error)

    def close(self) -> None:
        """End the run: a `call_next` that was kept for later does nothing."""
        self._entered = self._end

    def _note(self, error: Exception) -> None:
        """Keep the first failure, in preference to an abort; add a later one as a note."""
        if self.error is None or (
            is_abort(self.error, self._signal) and not is_abort(error, self._signal)
        ):
            self.error = error
        else:
            self.error.add_note(f"On the way out another middleware raised {in_short(error)}.")
