"""One dispatch, inside a turn or alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tether.core.checks import in_short
from tether.core.errors import DispatchPipelineError, InvalidLlmDispatchInput, Problem
from tether.core.ids import new_id
from tether.runtime.abort import AbortSignal
from tether.runtime.bus import Buses, Listener
from tether.runtime.clock import Clock, SystemClock, is_clock
from tether.runtime.deltas import Collections
from tether.runtime.dispatch_context import DispatchContext, DispatchState
from tether.runtime.gates import TurnGates
from tether.runtime.loop import DispatchLoop, Executor
from tether.runtime.pipeline import Middleware, Pipeline
from tether.runtime.raw_dispatch import RawDispatch
from tether.runtime.services import Services
from tether.runtime.signatures import complaint_about
from tether.runtime.turn_context import TurnContext

DispatchMiddleware = Middleware[DispatchContext]


class DispatchRunner:
    """The loop as an entry point of its own.

    A turn runner dispatches once per turn. Called directly, it is the way to run a planner, a
    summariser or a replay without a turn.
    """

    @staticmethod
    async def dispatch(
        *,
        executor: Executor,
        source: TurnContext | None = None,
        raw: RawDispatch | None = None,
        input_pipeline: Sequence[DispatchMiddleware] = (),
        output_pipeline: Sequence[DispatchMiddleware] = (),
        hooks: Mapping[str, Listener] | None = None,
        observers: Mapping[str, Listener] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Run one dispatch from a turn (`source`) or from nothing (`raw`): exactly one of them.

        From a turn, what is written reaches the turn, and events reach its listeners as well as
        `hooks` and `observers`; alone, those two are the only listeners. Returns on ack and abort.
        Raises `InvalidLlmDispatchInput`, or the error that the dispatch failed or was nacked with.
        """
        _check(executor, source, raw, input_pipeline, output_pipeline)
        _check_surroundings(source, hooks, observers, clock)
        listeners = Buses(hooks, observers)
        gates: TurnGates | None = None
        if source is not None:
            ctx, state = source.derive(listeners)
        else:
            time = SystemClock() if clock is None else clock
            ctx, state, gates = _alone(cast("RawDispatch", raw), listeners, time)
        loop = DispatchLoop(
            ctx, state, executor, input_seam(input_pipeline), output_seam(output_pipeline)
        )
        try:
            error = await loop.run()
        finally:
            if gates is not None:
                gates.close_all()
            ctx.abort_signal.detach()
        if error is not None:
            raise error


def input_seam(middlewares: Sequence[DispatchMiddleware]) -> Pipeline[DispatchContext]:
    """Return the pipeline before the executor."""
    return Pipeline("dispatch-input", middlewares, DispatchPipelineError)


def output_seam(middlewares: Sequence[DispatchMiddleware]) -> Pipeline[DispatchContext]:
    """Return the pipeline after the executor."""
    return Pipeline("dispatch-output", middlewares, DispatchPipelineError)


def middleware_problems(path: str, middlewares: object) -> list[Problem]:
    """Return what is wrong with a list of middlewares."""
    if isinstance(middlewares, (str, bytes)) or not isinstance(middlewares, Sequence):
        return [Problem(path, f"must be a list of middlewares, not {in_short(middlewares)}")]
    complaints = enumerate(complaint_about(item, "ctx", "call_next") for item in middlewares)
    return [Problem(f"{path}[{i}]", complaint) for i, complaint in complaints if complaint]


def executor_problems(executor: object) -> list[Problem]:
    """Return what is wrong with an executor."""
    complaint = complaint_about(executor, "ctx", "helpers")
    return [Problem("executor", complaint)] if complaint else []


def _check(
    executor: object, source: object, raw: object, input_pipeline: object, output_pipeline: object
) -> None:
    problems = executor_problems(executor)
    problems += middleware_problems("input_pipeline", input_pipeline)
    problems += middleware_problems("output_pipeline", output_pipeline)
    if (source is None) == (raw is None):
        given = "neither" if source is None else "both"
        problems.append(Problem("source, raw", f"give exactly one of them, not {given}"))
    if source is not None and not isinstance(source, TurnContext):
        problems.append(Problem("source", f"must be a TurnContext, not {in_short(source)}"))
    if raw is not None and not isinstance(raw, RawDispatch):
        problems.append(Problem("raw", f"must be a RawDispatch, not {in_short(raw)}"))
    if problems:
        raise InvalidLlmDispatchInput(problems)


def _check_surroundings(source: object, hooks: object, observers: object, clock: object) -> None:
    problems: list[Problem] = []
    for name, listeners in (("hooks", hooks), ("observers", observers)):
        if listeners is not None and not isinstance(listeners, Mapping):
            shown = in_short(listeners)
            problems.append(Problem(name, f"must be a dictionary of listeners, not {shown}"))
    if clock is not None and source is not None:
        problems.append(Problem("clock", "is the turn's where the dispatch has a source"))
    elif clock is not None and not is_clock(clock):
        problems.append(Problem("clock", f"must be a Clock, not {in_short(clock)}"))
    if problems:
        raise InvalidLlmDispatchInput(problems)


def _alone(
    raw: RawDispatch, listeners: Buses, clock: Clock
) -> tuple[DispatchContext, DispatchState, TurnGates | None]:
    collections = Collections()
    collections.messages.update(raw.messages)
    collections.memories.update(raw.memories)
    collections.retrievables.update(raw.retrievables)
    collections.thoughts.update(raw.thoughts)
    collections.tool_calls.update(raw.tool_calls)
    collections.standing_instructions.update(raw.standing_instructions)
    identifier = new_id()
    state = DispatchState(None)
    signal = AbortSignal() if raw.abort_signal is None else raw.abort_signal.child()
    gates = TurnGates(identifier, signal, clock) if raw.gates else None
    ctx = DispatchContext(
        id=identifier,
        turn_id=identifier,
        system_prompt=raw.system_prompt,
        stash=raw.stash.clone(),
        collections=collections,
        tools=raw.tools.copy(),
        abort_signal=signal,
        services=Services(raw.storage, raw.byte_store, listeners, clock, gates),
        state=state,
    )
    return ctx, state, gates
