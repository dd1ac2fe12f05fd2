"""The dispatch loop: it ends on a signal, and on nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from tether.core.errors import LlmExecutionExecutorError, LlmExecutionNacked, TetherError
from tether.core.events import DispatchEnd, DispatchStart, ErrorRaised, IterationEnd, IterationStart
from tether.runtime.abort import is_abort
from tether.runtime.decide import Verdict, after_output, before_output, end_status
from tether.runtime.dispatch_context import DispatchContext, DispatchState
from tether.runtime.forge import ForgedTools
from tether.runtime.reporting import Helpers

if TYPE_CHECKING:
    from tether.runtime.pipeline import Pipeline

Executor = Callable[[DispatchContext, Helpers], Awaitable[None]]
"""Called once per iteration: show, store, and signal with `ctx.ack()` or `ctx.nack(error)`, or
return without a signal to be called again."""


class DispatchLoop:
    """Runs one dispatch, once: input pipeline, executor, output pipeline, until somebody signals."""

    __slots__ = (
        "_ctx",
        "_executor",
        "_forged",
        "_helpers",
        "_input",
        "_iterations",
        "_output",
        "_state",
    )

    def __init__(
        self,
        ctx: DispatchContext,
        state: DispatchState,
        executor: Executor,
        input: Pipeline[DispatchContext],
        output: Pipeline[DispatchContext],
    ) -> None:
        self._ctx = ctx
        self._state = state
        self._executor = executor
        self._input = input
        self._output = output
        self._helpers = Helpers(ctx)
        self._forged = ForgedTools()
        self._iterations = 0

    async def run(self) -> Exception | None:
        """Run to the end and return the error it failed with, already told to the observers.

        `dispatch_end` fires on every way out. Cancellation counts as an abort and is passed on.
        """
        ctx = self._ctx
        started_at, started = ctx.clock.now(), ctx.clock.monotonic()
        ctx.record(DispatchStart(ctx.turn_id, ctx.id, started_at))
        error: Exception | None = None
        cancelled = True
        try:
            error = await self._iterate_until_signalled()
            cancelled = False
        except BaseException as stop:
            ctx.abort(stop)
            raise
        finally:
            self._state.discard()
            ctx.record(
                DispatchEnd(
                    ctx.turn_id,
                    ctx.id,
                    end_status(failed=error is not None, acked=ctx.is_acked, cancelled=cancelled),
                    self._iterations,
                    error,
                    started_at,
                    ctx.clock.now(),
                    (ctx.clock.monotonic() - started) * 1000,
                )
            )
        return error

    async def _iterate_until_signalled(self) -> Exception | None:
        ctx = self._ctx
        while not ctx.aborted and not ctx.is_signalled:
            failure = await self._iterate()
            if failure is not None:
                self._tell(failure)
                return failure
        if ctx.nack_error is not None:
            self._tell(ctx.nack_error)
        return ctx.nack_error

    async def _iterate(self) -> TetherError | None:
        """Run one iteration, ended early by a signal; return what failed in it."""
        ctx = self._ctx
        started_at, started = ctx.clock.now(), ctx.clock.monotonic()
        ctx.record(IterationStart(ctx.turn_id, ctx.id, ctx.iteration, started_at))
        self._forged.refresh(ctx)
        failure: TetherError | None = await self._input.run(ctx, may_stop=self._is_signalled)
        if failure is not None or self._ends_here():
            return failure
        failure = await self._execute()
        if failure is not None or self._ends_here():
            return failure
        failure = await self._output.run(ctx, may_stop=self._is_signalled)
        if failure is not None or after_output(aborted=ctx.aborted) is not Verdict.GO_ON:
            return failure
        self._state.flush()
        ended_at, duration = ctx.clock.now(), (ctx.clock.monotonic() - started) * 1000
        ctx.record(IterationEnd(ctx.turn_id, ctx.id, ctx.iteration, started_at, ended_at, duration))
        self._iterations += 1
        self._state.iteration += 1
        return None

    def _ends_here(self) -> bool:
        """Carry out the decision after the input pipeline and after the executor."""
        ctx = self._ctx
        verdict = before_output(
            aborted=ctx.aborted, acked=ctx.is_acked, nacked=ctx.nack_error is not None
        )
        if verdict is Verdict.STOP_AND_FLUSH:
            self._state.flush()
        return verdict is not Verdict.GO_ON

    async def _execute(self) -> TetherError | None:
        ctx = self._ctx
        try:
            await self._executor(ctx, self._helpers)
        except Exception as error:  # noqa: BLE001  # somebody else's code; reported as an event
            if is_abort(error, ctx.abort_signal):
                ctx.abort(getattr(error, "reason", None) or error)
                return None
            return LlmExecutionExecutorError(
                f"the executor raised {type(error).__name__}: {error}", cause=error
            )
        return None

    def _is_signalled(self) -> bool:
        return self._ctx.is_signalled

    def _tell(self, error: Exception) -> None:
        ctx = self._ctx
        shown = (
            error if isinstance(error, TetherError) else LlmExecutionNacked(str(error), cause=error)
        )
        ctx.record(ErrorRaised(ctx.turn_id, ctx.id, ctx.iteration, shown, ctx.clock.now()))
