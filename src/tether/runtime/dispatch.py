"""One dispatch, inside a turn or alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tether.core.checks import Checks, freeze, in_short, refuses_with
from tether.core.errors import Problem
from tether.core.ids import new_id
from tether.core.memory import Memory
from tether.core.message import Message
from tether.core.registry import Registry
from tether.core.retrievable import Retrievable
from tether.core.thought import Thought
from tether.core.tokenizable import TextInput, Tokenizable, text_field
from tether.core.tool_call import ToolCall
from tether.runtime.abort import AbortSignal
from tether.runtime.bus import Buses, Listener
from tether.runtime.clock import Clock, SystemClock, is_clock
from tether.runtime.context import Services
from tether.runtime.deltas import Collections
from tether.runtime.dispatch_context import DispatchContext, DispatchState
from tether.runtime.errors import (
    DispatchPipelineError,
    InvalidLlmDispatchInput,
    InvalidLlmExecutionContext,
)
from tether.runtime.gate import TurnGates
from tether.runtime.loop import DispatchLoop, Executor
from tether.runtime.pipeline import Middleware, Pipeline
from tether.runtime.storage import (
    ByteMemory,
    ByteStore,
    Storage,
    bind_storage,
    byte_store_problems,
    complaint_about,
)
from tether.runtime.tool import Tool
from tether.runtime.tool_registry import ToolRegistry, registry_field
from tether.runtime.turn_context import TurnContext, texts_field

DispatchMiddleware = Middleware[DispatchContext]


class DispatchRunner:
    """The loop as a separate entry point.

    A turn runner dispatches once per turn. Called directly, it runs a planner, a summariser or a
    replay without a turn.
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

        From a turn, writes reach the turn, and events reach its listeners as well as
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


@refuses_with(InvalidLlmExecutionContext)
@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class RawDispatch:
    """The whole state of a dispatch without a turn around it: for planners, summarisers, replays.

    `storage` is required, as it is for a runner. Gates can be opened only if `gates` is set:
    an observer has to settle them. Raises `InvalidLlmExecutionContext`.
    """

    system_prompt: Tokenizable
    storage: Storage
    standing_instructions: tuple[Tokenizable, ...]
    messages: tuple[Message, ...]
    memories: tuple[Memory, ...]
    retrievables: tuple[Retrievable, ...]
    thoughts: tuple[Thought, ...]
    tool_calls: tuple[ToolCall, ...]
    tools: ToolRegistry
    stash: Registry
    abort_signal: AbortSignal | None
    byte_store: ByteStore
    gates: bool

    def __init__(
        self,
        *,
        system_prompt: TextInput,
        storage: Storage,
        standing_instructions: Iterable[TextInput] = (),
        messages: Iterable[Message] = (),
        memories: Iterable[Memory] = (),
        retrievables: Iterable[Retrievable] = (),
        thoughts: Iterable[Thought] = (),
        tool_calls: Iterable[ToolCall] = (),
        tools: Iterable[Tool] = (),
        stash: Mapping[str, Any] | None = None,
        abort_signal: AbortSignal | None = None,
        byte_store: ByteStore | None = None,
        gates: bool = False,
    ) -> None:
        check = Checks()
        if abort_signal is not None:
            check.instance("abort_signal", abort_signal, AbortSignal, "an AbortSignal")
        check.problems += [] if byte_store is None else byte_store_problems(byte_store)
        for name, complaint in bind_storage(storage, {})[1]:
            check.fail(f"storage.{name}", complaint)
        freeze(
            self,
            system_prompt=text_field(check, "system_prompt", system_prompt, may_be_empty=True),
            storage=storage,
            standing_instructions=texts_field(
                check, "standing_instructions", standing_instructions
            ),
            messages=check.instances("messages", messages, Message, "Message"),
            memories=check.instances("memories", memories, Memory, "Memory"),
            retrievables=check.instances("retrievables", retrievables, Retrievable, "Retrievable"),
            thoughts=check.instances("thoughts", thoughts, Thought, "Thought"),
            tool_calls=check.instances("tool_calls", tool_calls, ToolCall, "ToolCall"),
            tools=registry_field(check, "tools", tools),
            stash=check.made("stash", Registry, stash),
            abort_signal=abort_signal,
            byte_store=ByteMemory() if byte_store is None else byte_store,
            gates=check.flag("gates", gates),
        )
        check.done(InvalidLlmExecutionContext)


def input_seam(middlewares: Sequence[DispatchMiddleware]) -> Pipeline[DispatchContext]:
    """Return the pipeline before the executor."""
    return Pipeline("dispatch-input", middlewares, DispatchPipelineError)


def output_seam(middlewares: Sequence[DispatchMiddleware]) -> Pipeline[DispatchContext]:
    """Return the pipeline after the executor."""
    return Pipeline("dispatch-output", middlewares, DispatchPipelineError)


def middleware_problems(path: str, middlewares: object) -> list[Problem]:
    """Return the problems with a list of middlewares."""
    if isinstance(middlewares, (str, bytes)) or not isinstance(middlewares, Sequence):
        return [Problem(path, f"must be a list of middlewares, not {in_short(middlewares)}")]
    complaints = enumerate(complaint_about(item, "ctx", "call_next") for item in middlewares)
    return [Problem(f"{path}[{i}]", complaint) for i, complaint in complaints if complaint]


def executor_problems(executor: object) -> list[Problem]:
    """Return the problems with an executor."""
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
