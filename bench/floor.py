"""The floor: the same turn as a bare loop, written by hand, with nothing that a library would add.

It walks the same middlewares at the same four places, runs the same iterations, calls the same tool
and emits the same events in the same order (`bench.check` makes sure of it). It does not validate,
handle errors, make ids, take times, copy state or survive an abort. No runtime that does can be as
fast, so the distance to the floor is the price of those things. It is as fast as plain code gets:
pipelines are folded once, when the loop is set up, into one coroutine per middleware.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from bench import work

Event = dict[str, Any]
Emit = Callable[[Event], object]


class Turn:
    """The state of one turn."""

    __slots__ = ("done", "emit", "iteration", "messages", "system_prompt", "tool_calls")

    def __init__(self, system_prompt: str, emit: Emit) -> None:
        self.system_prompt = system_prompt
        self.emit = emit
        self.iteration = 0
        self.messages: list[Event] = []
        self.tool_calls: list[Event] = []
        self.done = False


Stage = Callable[[Turn], Awaitable[None]]


def fold(middlewares: Sequence[work.Middleware]) -> Stage:
    """Return one function that runs the middlewares inside each other, the first outermost."""
    chain: Stage = _end
    for middleware in reversed(middlewares):
        chain = _around(middleware, chain)
    return chain


def _around(middleware: work.Middleware, rest: Stage) -> Stage:
    return lambda turn: middleware(turn, lambda: rest(turn))


async def _end(turn: Turn) -> None:
    pass


class Loop:
    """Input pipeline, iterations until the executor says that it is done, output pipeline."""

    def __init__(
        self, executor: Stage, pipelines: Sequence[Sequence[work.Middleware]] = ()
    ) -> None:
        self.executor = executor
        self.bare = not pipelines
        folded = [fold(pipeline) for pipeline in pipelines or ((), (), (), ())]
        self.turn_input, self.dispatch_input, self.dispatch_output, self.turn_output = folded

    async def run(self, system_prompt: str, emit: Emit) -> None:
        """Run one turn; a loop without middlewares does not even pass through empty pipelines."""
        turn = Turn(system_prompt, emit)
        emit({"name": "turn_start"})
        if not self.bare:
            await self.turn_input(turn)
        await self.iterate(turn, emit)
        if not self.bare:
            await self.turn_output(turn)
        emit({"name": "turn_end"})

    async def iterate(self, turn: Turn, emit: Emit) -> None:
        emit({"name": "dispatch_start"})
        while True:
            emit({"name": "iteration_start", "iteration": turn.iteration})
            if not self.bare:
                await self.dispatch_input(turn)
            await self.executor(turn)
            if turn.done:
                break
            if not self.bare:
                await self.dispatch_output(turn)
            emit({"name": "iteration_end", "iteration": turn.iteration})
            turn.iteration += 1
        emit({"name": "dispatch_end"})

    async def stream(self, system_prompt: str) -> AsyncIterator[Event]:
        """Run one turn beside its reader: a task, a queue, and None for the end."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self.run(system_prompt, queue.put_nowait))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        while (event := await queue.get()) is not None:
            yield event
        await task


async def say(turn: Turn) -> None:
    """Show the reply in one piece, keep it, and be done."""
    text = work.REPLY
    turn.emit({"name": "message", "id": work.MESSAGE_ID, "delta": text, "full": text})
    turn.messages.append({"id": work.MESSAGE_ID, "role": "assistant", "content": text})
    turn.done = True


async def say_in_chunks(turn: Turn) -> None:
    """Show the reply in 200 pieces, keep it, and be done."""
    full = ""
    for chunk in work.CHUNKS:
        full += chunk
        turn.emit({"name": "message", "id": work.MESSAGE_ID, "delta": chunk, "full": full})
    turn.messages.append({"id": work.MESSAGE_ID, "role": "assistant", "content": full})
    turn.done = True


async def call_then_say(turn: Turn) -> None:
    """Call the tool in the first iteration, and answer in the second."""
    if turn.iteration:
        await say(turn)
        return
    emit = turn.emit
    args = json.loads(work.ARGUMENTS)
    emit({"name": "tool_call", "id": work.CALL_ID, "tool": work.TOOL, "args": args})
    emit({"name": "tool_execution_start", "tool": work.TOOL, "args": args})
    results = await work.forecast(**args)
    emit({"name": "tool_execution_end", "tool": work.TOOL})
    emit({"name": "tool_call", "id": work.CALL_ID, "results": results})
    turn.tool_calls.append(
        {"id": work.CALL_ID, "tool": work.TOOL, "args": args, "results": results}
    )


async def call_then_say_politely(turn: Turn) -> None:
    """The same, giving way once per iteration as a request to a model would."""
    await asyncio.sleep(0)
    await call_then_say(turn)
