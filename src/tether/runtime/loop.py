"""The dispatch loop, which ends only on a signal."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from tether.core.errors import TetherError, UsageError, error_text
from tether.core.events import DispatchEnd, DispatchStart, ErrorRaised, IterationEnd, IterationStart
from tether.runtime.abort import carry_out
from tether.runtime.clock import Stopwatch
from tether.runtime.decide import (
    Verdict,
    after_output,
    before_output,
    end_status,
    is_worth_a_warning,
)
from tether.runtime.dispatch_context import DispatchContext, DispatchState
from tether.runtime.errors import LlmExecutionExecutorError, LlmExecutionNacked
from tether.runtime.forge import ForgedTools
from tether.runtime.reports import Helpers

if TYPE_CHECKING:
    from tether.runtime.pipeline import Pipeline

Executor = Callable[[DispatchContext, Helpers], Awaitable[None]]
"""Called once per iteration: show, store, and signal with `ctx.ack()` or `ctx.nack(error)`, or
return without a signal to be called again."""


NOT_SIGNALLED = "dispatch-not-signalled"
"""The kind of the log entry for a dispatch that goes on without an end in sight."""

ADVICE = "does the executor have auto_ack=True, or a middleware that calls ctx.ack()?"


class DispatchLoop:
    """Runs one dispatch: input pipeline, executor, output pipeline, until there is a signal."""

    __slots__ = (
        "_clock",
        "_ctx",
        "_current",
        "_executor",
        "_forged",
        "_helpers",
        "_input",
        "_output",
        "_signal",
        "_state",
        "_unsignalled",
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
        self._signal = ctx.abort_signal
        self._clock = ctx.clock
        self._executor = executor
        self._input = input
        self._output = output
        self._helpers = Helpers(ctx)
        self._forged = ForgedTools()
        self._current = 0
        self._unsignalled = 0

    async def run(self) -> Exception | None:
        """Run to the end and return the error it failed with, already reported to the observers.

        `dispatch_end` fires on every way out. Cancellation counts as an abort and is passed on.
        """
        ctx, state, watch = self._ctx, self._state, Stopwatch(self._clock)
        ctx.record(DispatchStart(ctx.turn_id, ctx.id, watch.started_at))
        error: Exception | None = None
        cancelled = True
        try:
            error = await self._iterate_until_signalled()
            cancelled = False
        except BaseException as stop:
            self._signal.abort_for(stop)
            raise
        finally:
            state.discard()
            status = end_status(failed=error is not None, acked=state.acked, cancelled=cancelled)
            ctx.record(
                DispatchEnd(ctx.turn_id, ctx.id, status, state.iteration, error, *watch.read())
            )
        return error

    async def _iterate_until_signalled(self) -> Exception | None:
        state, signal = self._state, self._signal
        while not signal.aborted and not state.acked and state.nack_error is None:
            failure = await self._iterate()
            if failure is not None:
                self._tell(failure)
                return failure
        if state.nack_error is not None:
            self._tell(state.nack_error)
        return state.nack_error

    async def _iterate(self) -> TetherError | None:
        """Run one iteration, ended early by a signal; return its failure."""
        ctx, state, watch = self._ctx, self._state, Stopwatch(self._clock)
        self._current = state.iteration
        ctx.record(IterationStart(ctx.turn_id, ctx.id, state.iteration, watch.started_at))
        failure: TetherError | None = self._offer_artifact_tools()
        if failure is None:
            failure = await self._input.run(ctx, may_stop=self._is_signalled)
        if failure is not None or self._ends_here():
            return failure
        failure = await self._execute()
        if failure is not None or self._ends_here():
            return failure
        failure = await self._output.run(ctx, may_stop=self._is_signalled)
        if failure is not None or after_output(aborted=self._signal.aborted) is not Verdict.GO_ON:
            return failure
        self._look_for_a_signal()
        state.flush()
        ctx.record(IterationEnd(ctx.turn_id, ctx.id, state.iteration, *watch.read()))
        state.iteration += 1
        return None

    def _look_for_a_signal(self) -> None:
        """Warn if iteration after iteration ends without one; the loop never guesses its end.

        An iteration that stored a tool call has something new for the next one to read.
        """
        called = any(delta.collection == "tool_calls" for delta in self._state.deltas)
        self._unsignalled = 0 if called or self._is_signalled() else self._unsignalled + 1
        if is_worth_a_warning(self._unsignalled):
            count = self._unsignalled
            message = f"{count} iterations in a row without ack or nack, and without a tool call"
            self._helpers.log.warn(NOT_SIGNALLED, f"{message}: {ADVICE}", {"iterations": count})
            logging.getLogger("tether").warning("%s: %s", message, ADVICE)

    def _offer_artifact_tools(self) -> TetherError | None:
        try:
            self._forged.refresh(self._ctx)
        except UsageError as mistake:  # of an artifact class or an id, which appear in mid-turn
            return mistake
        return None

    def _ends_here(self) -> bool:
        """Carry out the decision after the input pipeline and after the executor."""
        state = self._state
        verdict = before_output(self._signal.aborted, state.acked, state.nack_error is not None)
        if verdict is Verdict.STOP_AND_FLUSH:
            state.flush()
        return verdict is not Verdict.GO_ON

    async def _execute(self) -> TetherError | None:
        try:
            await self._executor(self._ctx, self._helpers)
        except Exception as error:  # noqa: BLE001  # foreign code; reported as an event
            failure = carry_out(error, self._signal)
        else:
            return None
        if failure is None:
            return None
        text = f"the executor raised {type(failure).__name__}: {error_text(failure)}"
        return LlmExecutionExecutorError(text, cause=failure)

    def _is_signalled(self) -> bool:
        return self._ctx.is_signalled

    def _tell(self, error: Exception) -> None:
        ctx = self._ctx
        shown = (
            error
            if isinstance(error, TetherError)
            else LlmExecutionNacked(error_text(error), cause=error)
        )
        ctx.record(ErrorRaised(ctx.turn_id, ctx.id, self._current, shown, self._clock.now()))
