"""The turn runner: one `run()` is one turn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from tether.core.checks import MISSING, Checks, in_short, refuses_with
from tether.core.errors import Problem
from tether.core.events import ErrorRaised, TurnEnd, TurnStart
from tether.core.ids import new_id
from tether.runtime.abort import AbortSignal
from tether.runtime.bus import Buses, FanOut, Listening
from tether.runtime.clock import Clock, Stopwatch, SystemClock, is_clock
from tether.runtime.context import Services
from tether.runtime.deltas import Collections
from tether.runtime.dispatch import (
    DispatchMiddleware,
    executor_problems,
    input_seam,
    middleware_problems,
    output_seam,
)
from tether.runtime.errors import (
    InputPipelineError,
    InvalidTurnContext,
    InvalidTurnRunnerConfig,
    OutputPipelineError,
)
from tether.runtime.gate import TurnGates
from tether.runtime.loop import DispatchLoop, Executor
from tether.runtime.pipeline import Middleware, Pipeline
from tether.runtime.storage import (
    ByteMemory,
    ByteStore,
    Storage,
    StorageCallbacks,
    bind_storage,
    byte_store_problems,
)
from tether.runtime.tool import Tool
from tether.runtime.tool_registry import registry_field
from tether.runtime.turn_context import TurnContext, TurnInput

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

    from tether.core.errors import TetherError
    from tether.runtime.bus import Event, EventSink, FunctionalEvent, ObservabilityEvent


T = TypeVar("T")

TurnMiddleware = Middleware[TurnContext]


@refuses_with(InvalidTurnRunnerConfig)
class TurnRunner(Listening):
    """Runs turns: input pipeline, dispatch, output pipeline. Holds no state between them.

    `storage` and `executor` are required. Each of the 25 storage operations can be overridden by a
    keyword of its name. Everything is checked here: a runner that exists is complete, and
    `InvalidTurnRunnerConfig` names all problems at once.

    `byte_store` keeps content that is too large for a record (tool output, media); without one it
    stays in memory. `run()` may be called repeatedly, also concurrently.
    """

    def __init__(
        self,
        *,
        executor: Executor,
        storage: Storage | None = None,
        byte_store: ByteStore | None = None,
        tools: Iterable[Tool] = (),
        turn_input_pipeline: Sequence[TurnMiddleware] = (),
        turn_output_pipeline: Sequence[TurnMiddleware] = (),
        dispatch_input_pipeline: Sequence[DispatchMiddleware] = (),
        dispatch_output_pipeline: Sequence[DispatchMiddleware] = (),
        clock: Clock | None = None,
        **operations: Unpack[StorageCallbacks],
    ) -> None:
        check = Checks()
        if executor is MISSING:
            check.fail("executor", "is required")
        else:
            check.problems += executor_problems(executor)
        self._storage, complaints = bind_storage(storage, operations)
        check.problems += complaints
        check.problems += middleware_problems("turn_input_pipeline", turn_input_pipeline)
        check.problems += middleware_problems("turn_output_pipeline", turn_output_pipeline)
        check.problems += middleware_problems("dispatch_input_pipeline", dispatch_input_pipeline)
        check.problems += middleware_problems("dispatch_output_pipeline", dispatch_output_pipeline)
        check.problems += [] if byte_store is None else byte_store_problems(byte_store)
        if clock is not None and not is_clock(clock):
            check.refuse("clock", clock, "a Clock")
        self._tools = registry_field(check, "tools", tools)
        check.done(InvalidTurnRunnerConfig)
        super().__init__(Buses())
        self._executor = executor
        self._byte_store = ByteMemory() if byte_store is None else byte_store
        self._clock = SystemClock() if clock is None else clock
        self._turn_input: Pipeline[TurnContext] = Pipeline(
            "turn-input", turn_input_pipeline, InputPipelineError
        )
        self._turn_output: Pipeline[TurnContext] = Pipeline(
            "turn-output", turn_output_pipeline, OutputPipelineError
        )
        self._dispatch_input = input_seam(dispatch_input_pipeline)
        self._dispatch_output = output_seam(dispatch_output_pipeline)

    async def run(self, turn: TurnInput) -> None:
        """Run one turn to its end. Output goes to the buses.

        Failures inside the turn are events, not exceptions: subscribe to `error`. It raises only
        `InvalidTurnContext`, before the turn starts, and cancellation, after `turn_end`.
        """
        await self._run(turn, self._buses)

    def stream(self, turn: TurnInput) -> AsyncGenerator[Event, None]:
        """Run one turn and iterate over its events, of both buses, in order.

        Leaving the iteration early cancels the turn as soon as the iterator is closed: if it is
        kept in a variable, wrap it in `contextlib.aclosing`. Raises the errors of `run`.
        """
        return streamed(lambda put: self._run(turn, FanOut(self._buses, _Tap(put))))

    async def _run(self, turn: TurnInput, sink: EventSink) -> None:
        gates, ctx = self._begin(turn, sink)
        watch = Stopwatch(self._clock)
        sink.record(TurnStart(ctx.id, watch.started_at))
        try:
            await self._stages(ctx, sink)
        except BaseException as stop:
            ctx.abort_signal.abort_for(stop)
            raise
        finally:
            gates.close_all()
            ctx.abort_signal.detach()
            sink.record(TurnEnd(ctx.id, *watch.read()))

    def _begin(self, turn: TurnInput, sink: EventSink) -> tuple[TurnGates, TurnContext]:
        if not isinstance(turn, TurnInput):
            raise InvalidTurnContext(
                [Problem("turn", f"must be a TurnInput, not {in_short(turn)}")]
            )
        identifier = new_id()
        signal = AbortSignal() if turn.abort_signal is None else turn.abort_signal.child()
        gates = TurnGates(identifier, signal, self._clock)
        collections = Collections()
        collections.standing_instructions.update(turn.standing_instructions)
        return gates, TurnContext(
            id=identifier,
            system_prompt=turn.system_prompt,
            stash=turn.stash.clone(),
            collections=collections,
            tools=self._tools.copy(),
            abort_signal=signal,
            services=Services(self._storage, self._byte_store, sink, self._clock, gates),
        )

    async def _stages(self, ctx: TurnContext, sink: EventSink) -> None:
        """Run the three stages; a failure or an abort ends the turn where it happens."""
        failure: TetherError | None = await self._turn_input.run(ctx, may_stop=_never)
        if failure is None and not ctx.aborted:
            if await self._dispatch(ctx) is not None or ctx.aborted:
                return
            failure = await self._turn_output.run(ctx, may_stop=_never)
        if failure is not None:
            sink.record(ErrorRaised(ctx.id, None, None, failure, self._clock.now()))

    async def _dispatch(self, turn: TurnContext) -> Exception | None:
        ctx, state = turn.derive()
        loop = DispatchLoop(ctx, state, self._executor, self._dispatch_input, self._dispatch_output)
        try:
            return await loop.run()
        finally:
            ctx.abort_signal.detach()


async def streamed(
    run: Callable[[Callable[[T], None]], Coroutine[Any, Any, object]],
) -> AsyncGenerator[T, None]:
    """Run work beside its reader, and yield the events that it puts out.

    The work runs in its own task, which never outlives the iteration: leaving early cancels it and
    waits for its end. An error of the work is raised here, after its last event.
    """
    queue: asyncio.Queue[T | None] = asyncio.Queue()
    task = asyncio.create_task(run(queue.put_nowait))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await _ended(task)
        if not task.cancelled():
            task.exception()  # marks it as retrieved, if the reader left before it failed


def _never() -> bool:
    return False


class _Tap:
    """A sink that passes all events on to one reader."""

    __slots__ = ("_put",)

    def __init__(self, put: Callable[[Event], None]) -> None:
        self._put = put

    def deliver(self, event: FunctionalEvent) -> None:
        self._put(event)

    def record(self, event: ObservabilityEvent) -> None:
        self._put(event)


async def _ended(task: asyncio.Task[object]) -> None:
    """Wait for the end of a task through any number of cancellations, then pass the last one on."""
    interrupted: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as cancellation:
            interrupted = cancellation
    if interrupted is not None:
        raise interrupted
