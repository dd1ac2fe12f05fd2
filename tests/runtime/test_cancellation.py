"""A turn with everything in it, cancelled at its k-th suspension, for every k.

The turn is driven by hand: its coroutine is stepped with `send`, every future it waits for is
awaited beside it, and at the k-th suspension CancelledError is thrown in, as a task would do it.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from typing import Any

import pytest

from support.turns import Ran, message
from tether import (
    AbortSignal,
    CallNext,
    Context,
    DispatchContext,
    GateRequest,
    Message,
    NoopStorage,
    ToolCall,
    TurnGate,
    TurnInput,
    tool,
)
from tether.batteries.testing import Call, FakeClock, Say, ScriptedModel, Think


class CancelAt:
    """Drives an awaitable and cancels it at its k-th suspension."""

    def __init__(self, work: Awaitable[None], k: int) -> None:
        self._work = work
        self._k = k
        self.suspensions = 0

    def __await__(self) -> Generator[Any, Any, None]:
        steps = self._work.__await__()
        failure: BaseException | None = None
        while True:
            try:
                waited = steps.send(None) if failure is None else steps.throw(failure)
            except StopIteration:
                return
            self.suspensions += 1
            failure = None
            if self.suspensions == self._k:
                if isinstance(waited, asyncio.Future):
                    waited._asyncio_future_blocking = (
                        False  # as a task does when it takes the future
                    )
                failure = asyncio.CancelledError("test")
                continue
            try:
                yield waited
            except BaseException as error:  # noqa: BLE001  # passed on into the coroutine
                failure = error


class SlowStorage(NoopStorage):
    """Suspends in the middle of every write, and notes what was written whole."""

    def __init__(self) -> None:
        self.written: list[str] = []

    async def fetch_messages(self, ctx: Context) -> list[Message]:
        await asyncio.sleep(0)
        return [message("history", role="user")]

    async def store_message(self, ctx: Context, record: Message) -> None:
        await asyncio.sleep(0)
        self.written.append(record.id)

    async def store_tool_call(self, ctx: Context, record: ToolCall) -> None:
        await asyncio.sleep(0)
        self.written.append(record.id)


@tool
async def pay(amount: int, ctx: DispatchContext) -> str:
    """Pay, if somebody agrees."""
    await asyncio.sleep(0)
    request = GateRequest(
        id=f"pay-{amount}",
        reason="approval",
        payload=amount,
        created_at=0,
        schema=bool,
        timeout_ms=60_000,
    )
    approved = await ctx.wait_for(request)
    await ctx.abort_signal.guard(asyncio.sleep(0))
    return "paid" if approved else "refused"


async def suspending(ctx: Context, call_next: CallNext) -> None:
    await asyncio.sleep(0)
    await call_next()
    await asyncio.sleep(0)


async def hydrate(ctx: Context, call_next: CallNext) -> None:
    ctx.turn_messages.update(await ctx.fetch_messages())
    await call_next()


MODEL = ScriptedModel(
    [
        [Think("Shall I?"), Call("pay", {"amount": 1}, id="call-1")],
        [Call("pay", {"amount": 2}, id="call-2")],
        [Say("Done.", id="reply")],
    ],
    chunk_size=4,
)


class Scene:
    """A runner with tools, gates and four pipelines, and what is outside of it."""

    def __init__(self) -> None:
        self.storage = SlowStorage()
        self.clock = FakeClock()
        self.signal = AbortSignal()
        self.gates: list[TurnGate[Any]] = []
        self.run = Ran(
            MODEL,
            storage=self.storage,
            clock=self.clock,
            tools=[pay],
            turn_input_pipeline=[suspending, hydrate],
            turn_output_pipeline=[suspending],
            dispatch_input_pipeline=[suspending],
            dispatch_output_pipeline=[suspending],
        )
        self.run.runner.observe(TurnGate, self._approve_soon)

    def _approve_soon(self, gate: TurnGate[Any]) -> None:
        self.gates.append(gate)
        asyncio.get_running_loop().call_soon(gate.resolve, True)

    def start(self) -> Awaitable[None]:
        turn = TurnInput(system_prompt="", abort_signal=self.signal)
        return self.run.runner.run(turn)


async def suspensions(start: Callable[[], Awaitable[None]]) -> int:
    drive = CancelAt(start(), 0)
    await drive
    return drive.suspensions


async def settle() -> None:
    """Let every callback that is due run."""
    for _ in range(5):
        await asyncio.sleep(0)


def check(scene: Scene, k: int) -> None:
    """What holds after a cancellation at any point."""
    names, turn = scene.run.names, scene.run.turns[-1] if scene.run.turns else None
    counts = Counter(names)
    assert counts["turn_start"] == counts["turn_end"] == 1, k
    assert names[-1] == "turn_end", k
    assert counts["dispatch_start"] == counts["dispatch_end"], k
    assert counts["turn_gate_open"] == counts["turn_gate_closed"], k
    assert counts["tool_execution_start"] == counts["tool_execution_end"], k
    assert counts["error"] == 0, k
    assert all(gate.is_settled for gate in scene.gates), k
    assert scene.clock.pending == 0, k
    assert not scene.signal._listeners, k  # pyright: ignore[reportPrivateUsage]
    assert {end.status for end in scene.run.of("dispatch_end")} <= {"ack", "aborted"}, k
    if turn is not None:
        assert turn.aborted, k
        check_mirror(scene, k)


def check_mirror(scene: Scene, k: int) -> None:
    """Nothing half-written reached the turn: only iterations that ended whole are seen there."""
    seen = [record.id for record in scene.run.turn.turn_tool_calls]
    seen += [record.id for record in scene.run.turn.turn_messages if record.id != "history"]
    assert set(seen) <= set(scene.storage.written), k
    whole = len(scene.run.of("iteration_end"))
    acked = any(end.status == "ack" for end in scene.run.of("dispatch_end"))
    everything = ["call-1", "call-2", "reply"]
    # An ack given after the abort ends the dispatch as an ack, but its writes stay out of the turn.
    assert seen in ([everything[:whole], everything] if acked else [everything[:whole]]), k


async def test_the_scene_itself_runs_to_its_end() -> None:
    scene = Scene()
    await scene.start()
    assert scene.run.errors == []
    assert scene.run.recorder.text == "Done."
    assert [gate.result for gate in scene.gates] == ["resolved"] * 2
    assert scene.storage.written == ["call-1", "call-2", "reply"]


async def test_cancelled_at_every_suspension_it_ends_once_and_leaves_nothing_behind() -> None:
    total = await suspensions(lambda: Scene().start())
    assert total > 20
    for k in range(1, total + 1):
        scene = Scene()
        with pytest.raises(asyncio.CancelledError):
            await CancelAt(scene.start(), k)
        await settle()
        check(scene, k)
        assert len(asyncio.all_tasks()) == 1, k


async def test_cancelling_the_task_at_every_loop_turn_does_the_same() -> None:
    done = False
    k = 0
    while not done:
        k += 1
        scene = Scene()
        task = asyncio.ensure_future(scene.start())
        for _ in range(k):
            await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            await settle()
            if scene.run.names:
                check(scene, k)
        else:
            done = True
        assert len(asyncio.all_tasks()) == 1, k
    assert k > 30


async def test_aborted_at_every_loop_turn_it_ends_quietly_and_leaves_nothing_behind() -> None:
    done = False
    k = 0
    while not done:
        k += 1
        scene = Scene()
        task = asyncio.ensure_future(scene.start())
        for _ in range(k):
            await asyncio.sleep(0)
        done = task.done()
        scene.signal.abort("stop")
        await task
        await settle()
        if not done and scene.run.turn.aborted:
            check(scene, k)
        assert len(asyncio.all_tasks()) == 1, k
    assert k > 30


async def test_no_exception_of_a_cancelled_turn_is_left_unseen(
    caplog: pytest.LogCaptureFixture,
) -> None:
    total = await suspensions(lambda: Scene().start())
    for k in range(1, total + 1):
        with pytest.raises(asyncio.CancelledError):
            await CancelAt(Scene().start(), k)
        await settle()
    gc.collect()
    assert "never retrieved" not in caplog.text
    assert "was destroyed" not in caplog.text


async def test_a_failing_abort_listener_does_not_hide_the_cancellation() -> None:
    async def listen(ctx: Context, call_next: CallNext) -> None:
        ctx.abort_signal.on_abort(fail)
        await call_next()

    def fail() -> None:
        raise ValueError("listener")

    for pipeline in ("turn_input_pipeline", "dispatch_input_pipeline"):
        settings: dict[str, Any] = {pipeline: [listen, suspending]}
        run = Ran(MODEL, tools=[pay], **settings)
        task = asyncio.ensure_future(run.runner.run(TurnInput(system_prompt="")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        assert "ValueError('listener')" in caught.value.__notes__[0]
        assert run.names[-1] == "turn_end"
