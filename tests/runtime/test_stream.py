"""runner.stream(): the same events, as an async iterator."""

from __future__ import annotations

import asyncio
import gc
from contextlib import aclosing
from typing import Any

import pytest

from support.turns import TURN, Ran, add, ran
from tether import CallNext, Context, Event, event_name
from tether.batteries.testing import Call, Recorder, Say, ScriptedModel
from tether.runtime.errors import InvalidTurnContext

MODEL = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("It is 3.")]], chunk_size=3)


async def test_it_yields_the_events_that_listeners_hear_in_the_same_order() -> None:
    run = Ran(MODEL, tools=[add])
    streamed: list[Event] = [event async for event in run.runner.stream(TURN)]
    assert streamed == run.recorder.events
    plain = await ran(MODEL, tools=[add])
    again = Recorder()
    again.events = streamed
    assert again.trace == plain.recorder.trace


async def test_events_arrive_while_the_turn_runs() -> None:
    released = asyncio.Event()

    async def wait(ctx: Context, call_next: CallNext) -> None:
        await released.wait()
        await call_next()

    run = Ran(ScriptedModel([[Say("Hi.")]]), turn_input_pipeline=[wait])
    seen: list[str] = []
    async for event in run.runner.stream(TURN):
        seen.append(event_name(event))
        released.set()
    assert seen[0] == "turn_start"
    assert seen[-1] == "turn_end"


async def test_streams_of_concurrent_turns_see_only_their_own_events() -> None:
    run = Ran(MODEL, tools=[add])

    async def turn_ids() -> set[str]:
        return {event.turn_id async for event in run.runner.stream(TURN)}

    first, second = await asyncio.gather(turn_ids(), turn_ids())
    assert len(first) == len(second) == 1
    assert first != second


async def test_leaving_the_iteration_cancels_the_turn_and_waits_for_its_end() -> None:
    notes, started = list[str](), asyncio.Event()

    async def slow(ctx: Context, call_next: CallNext) -> None:
        try:
            started.set()
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            notes.append("cleaned up")

    run = Ran(turn_input_pipeline=[slow])
    async with aclosing(run.runner.stream(TURN)) as events:
        async for _ in events:
            await started.wait()
            break
    assert run.names == ["turn_start", "turn_end"]
    assert notes == ["cleaned up"]
    assert len(asyncio.all_tasks()) == 1


async def test_cancelling_the_reader_cancels_the_turn() -> None:
    run = Ran(turn_input_pipeline=[_sleep])

    async def read() -> list[Event]:
        return [event async for event in run.runner.stream(TURN)]

    reader = asyncio.create_task(read())
    await asyncio.sleep(0.01)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    await asyncio.sleep(0.01)
    assert run.names == ["turn_start", "turn_end"]
    assert len(asyncio.all_tasks()) == 1


async def _sleep(ctx: Context, call_next: CallNext) -> None:
    await asyncio.sleep(60)


async def test_what_run_would_raise_is_raised_by_the_iteration() -> None:
    turn: Any = "not a turn"
    with pytest.raises(InvalidTurnContext):
        await anext(Ran().runner.stream(turn))


@pytest.mark.parametrize("ticks", range(6))
async def test_a_turn_that_fails_while_its_reader_leaves_is_no_unseen_error(
    ticks: int, caplog: pytest.LogCaptureFixture
) -> None:
    turn: Any = "not a turn"
    reader = asyncio.ensure_future(anext(Ran().runner.stream(turn)))
    for _ in range(ticks):
        await asyncio.sleep(0)
    reader.cancel()
    with pytest.raises((asyncio.CancelledError, InvalidTurnContext)):
        await reader
    await asyncio.sleep(0)
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_a_reader_that_is_cancelled_twice_still_waits_for_the_turn_to_end() -> None:
    notes, started = list[str](), asyncio.Event()

    async def slow(ctx: Context, call_next: CallNext) -> None:
        try:
            started.set()
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.02)
            notes.append("cleaned up")

    run = Ran(turn_input_pipeline=[slow])

    async def read() -> None:
        async with aclosing(run.runner.stream(TURN)) as events:
            async for _ in events:
                await started.wait()

    reader = asyncio.create_task(read())
    await started.wait()
    await asyncio.sleep(0)
    reader.cancel()
    await asyncio.sleep(0.005)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert notes == ["cleaned up"]
    assert run.names[-1] == "turn_end"
