"""The same turns on Tether, written as a user would write them, and every case with its floor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from bench import floor, work

from tether import (
    DispatchContext,
    Executor,
    Helpers,
    Message,
    NoopStorage,
    Tokenizable,
    ToolCall,
    TurnInput,
    TurnRunner,
    tool,
)
from tether.batteries.models.scripted import Call, Say, ScriptedModel

FUNCTIONAL = ("message", "thought", "tool_call")
OBSERVABILITY = (
    "turn_start",
    "turn_end",
    "dispatch_start",
    "dispatch_end",
    "iteration_start",
    "iteration_end",
    "turn_gate_open",
    "turn_gate_closed",
    "tool_execution_start",
    "tool_execution_end",
    "log",
    "error",
    "budget",
)

Work = Callable[[], Awaitable[None]]


class Case(NamedTuple):
    """One thing to do again and again on either side, and how many units of work it is."""

    name: str
    tether: Work
    floor: Work
    units: int = 1


async def say(ctx: DispatchContext, helpers: Helpers) -> None:
    """Report the reply in one chunk, store it and ack."""
    helpers.report_message(work.MESSAGE_ID, work.REPLY, is_complete=True)
    await _store(ctx, work.REPLY)
    ctx.ack()


async def say_in_chunks(ctx: DispatchContext, helpers: Helpers) -> None:
    """Report the reply in 200 chunks, store it and ack."""
    last = len(work.CHUNKS) - 1
    for position, chunk in enumerate(work.CHUNKS):
        helpers.report_message(work.MESSAGE_ID, chunk, is_complete=position == last)
    await _store(ctx, "".join(work.CHUNKS))
    ctx.ack()


async def call_then_say(ctx: DispatchContext, helpers: Helpers) -> None:
    """Call the tool in the first iteration and store the call; answer in the second."""
    if ctx.iteration:
        await say(ctx, helpers)
        return
    created_at = ctx.clock.now()
    args = json.loads(work.ARGUMENTS)
    helpers.report_tool_call(work.CALL_ID, tool=work.TOOL, args=args)
    found = ctx.tools.get(work.TOOL)
    if found is None:
        raise LookupError(work.TOOL)
    results = Tokenizable(str(await found.executor(ctx)(args)))
    helpers.report_tool_call(work.CALL_ID, results=results, is_complete=True)
    await ctx.store_tool_call(
        ToolCall(
            id=work.CALL_ID,
            tool=work.TOOL,
            args=args,
            results=results,
            created_at=created_at,
            completed_at=ctx.clock.now(),
        )
    )


async def call_then_say_politely(ctx: DispatchContext, helpers: Helpers) -> None:
    """The same, giving way once per iteration as a request to a model would."""
    await asyncio.sleep(0)
    await call_then_say(ctx, helpers)


async def _store(ctx: DispatchContext, text: str) -> None:
    await ctx.store_message(
        Message(id=work.MESSAGE_ID, role="assistant", content=text, created_at=ctx.clock.now())
    )


def runner(executor: Executor, pipelines: Sequence[Sequence[work.Middleware]] = ()) -> TurnRunner:
    """Return a runner with the tool, these pipelines, and a listener for each of the 15 events."""
    into_turn, into_dispatch, out_of_dispatch, out_of_turn = pipelines or ((), (), (), ())
    made = TurnRunner(
        executor=executor,
        storage=NoopStorage(),
        tools=[tool(work.forecast)],
        turn_input_pipeline=into_turn,
        dispatch_input_pipeline=into_dispatch,
        dispatch_output_pipeline=out_of_dispatch,
        turn_output_pipeline=out_of_turn,
    )
    for name in FUNCTIONAL:
        made.on(name, work.ignore)
    for name in OBSERVABILITY:
        made.observe(name, work.ignore)
    return made


def pipelines() -> list[list[work.Middleware]]:
    """Return five middlewares for each of the four pipelines."""
    return [work.middlewares(work.Tally()) for _ in range(4)]


def scripted() -> ScriptedModel:
    """Return the tool turn as a script; its tool results become artifacts, as in the quickstart."""
    call = Call(work.TOOL, json.loads(work.ARGUMENTS), id=work.CALL_ID)
    return ScriptedModel([[call], [Say(work.REPLY, id=work.MESSAGE_ID)]])


def all_cases() -> list[Case]:
    """Return every case. Both sides build their input for each turn: that is part of a turn."""
    bare, tools = floor.Loop(floor.say), floor.Loop(floor.call_then_say, pipelines())
    chunks = floor.Loop(floor.say_in_chunks)
    polite = floor.Loop(floor.call_then_say_politely, pipelines())
    streaming = runner(say_in_chunks)
    size, together = len(work.CHUNKS), work.CONCURRENT_TURNS
    return [
        Case("plain turn", _turn(runner(say)), _by_hand(bare)),
        Case("tool turn", _turn(runner(call_then_say, pipelines())), _by_hand(tools)),
        Case("tool turn, ScriptedModel", _turn(runner(scripted(), pipelines())), _by_hand(tools)),
        Case("streamed chunk", _turn(streaming), _by_hand(chunks), size),
        Case("streamed chunk, stream()", _read(streaming), _read_by_hand(chunks), size),
        Case(
            "concurrent tool turns",
            _at_once(_turn(runner(call_then_say_politely, pipelines()))),
            _at_once(_by_hand(polite)),
            together,
        ),
    ]


def _turn(made: TurnRunner) -> Work:
    return lambda: made.run(TurnInput(system_prompt=work.SYSTEM_PROMPT))


def _by_hand(loop: floor.Loop) -> Work:
    return lambda: loop.run(work.SYSTEM_PROMPT, work.ignore)


def _read(made: TurnRunner) -> Work:
    async def read() -> None:
        async for event in made.stream(TurnInput(system_prompt=work.SYSTEM_PROMPT)):
            work.ignore(event)

    return read


def _read_by_hand(loop: floor.Loop) -> Work:
    async def read() -> None:
        async for event in loop.stream(work.SYSTEM_PROMPT):
            work.ignore(event)

    return read


def _at_once(turn: Work) -> Work:
    async def run() -> None:
        await asyncio.gather(*(turn() for _ in range(work.CONCURRENT_TURNS)))

    return run
