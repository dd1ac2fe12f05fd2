"""Many turns on one runner: no shared state, flat memory."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest

from support.turns import TURN, add
from tether import (
    AbortSignal,
    CallNext,
    Context,
    DispatchContext,
    Helpers,
    Message,
    MessageChunk,
    TurnInput,
    TurnRunner,
)
from tether.batteries.testing import Call, MemoryStorage, Recorder, Say, ScriptedModel
from tether.runtime.storage import NoopStorage


async def echo(ctx: DispatchContext, helpers: Helpers) -> None:
    """Answer with the number of the turn, with pauses in which other turns run."""
    await asyncio.sleep(0)
    if ctx.iteration < ctx.stash.get("number") % 3:
        ctx.stash.set("rounds", ctx.stash.get("rounds", 0) + 1)
        return
    (question,) = ctx.turn_messages
    reply = f"{question.content} answered after {ctx.stash.get('rounds', 0)}"
    for word in reply.split(" "):
        await asyncio.sleep(0)
        helpers.report_message("reply", f"{word} ")
    helpers.report_message("reply", "", is_complete=True)
    await ctx.store_message(Message.assistant(reply))
    ctx.ack()


async def ask(ctx: Context, call_next: CallNext) -> None:
    ctx.turn_messages.add(Message.user(f"question {ctx.stash.get('number')}"))
    await asyncio.sleep(0)
    await call_next()
    ctx.stash.set("own", ctx.stash.get("number"))


async def test_200_concurrent_turns_do_not_share_state() -> None:
    storage = MemoryStorage(session_of=lambda ctx: str(ctx.stash.get("number")))
    runner = TurnRunner(executor=echo, storage=storage, turn_input_pipeline=[ask])
    texts: dict[str, str] = {}
    runner.on(MessageChunk, lambda chunk: texts.update({chunk.turn_id: chunk.full}))
    await asyncio.gather(
        *(runner.run(TurnInput(system_prompt="", stash={"number": n})) for n in range(200))
    )
    assert len(texts) == 200
    for number in range(200):
        (stored,) = storage.session(str(number)).messages
        assert stored.content == f"question {number} answered after {number % 3}"
    assert sorted(text.strip() for text in texts.values()) == sorted(
        str(message.content) for n in range(200) for message in storage.session(str(n)).messages
    )


@pytest.mark.unmeasured
async def test_a_runner_reused_for_10_000_turns_keeps_flat_memory() -> None:
    model = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("It is 3.")]])
    runner = TurnRunner(executor=model, storage=NoopStorage(), tools=[add])
    finished: list[int] = [0]

    def count(event: object) -> None:
        finished[0] += 1

    runner.observe("turn_end", count)
    for _ in range(500):
        await runner.run(TURN)
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(9_500):
        await runner.run(TURN)
    gc.collect()
    assert finished[0] == 10_000
    assert sys.getallocatedblocks() - blocks < 950  # not one block for every ten turns


async def test_a_turn_leaves_no_listener_on_a_signal_that_outlives_it() -> None:
    signal = AbortSignal()
    runner = TurnRunner(executor=ScriptedModel([[Say("Hi.")]]), storage=NoopStorage())
    recorder = Recorder(runner)
    for _ in range(100):
        await runner.run(TurnInput(system_prompt="", abort_signal=signal))
    assert not signal._listeners  # pyright: ignore[reportPrivateUsage]
    recorder.detach(runner)
    await runner.run(TURN)
    assert recorder.names.count("turn_end") == 100
