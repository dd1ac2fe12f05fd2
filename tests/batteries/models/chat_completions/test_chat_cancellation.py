"""A streamed turn with a tool, cancelled and aborted wherever it can be."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from support.chat_replies import called, delta, endpoint_of, piece, said
from support.faulty_endpoint import sse
from support.turns import Ran, add
from tether import AbortSignal, Context, Message, NoopStorage, Thought, ToolCall, TurnInput
from tether.batteries.models.chat_completions import ChatCompletions

CALL = delta(tool_calls=[piece(0, '{"a":1,"b":2}', id="c1", name="add")])
FIRST = [delta(reasoning="hm"), delta(content="Let me"), delta(content=" add."), CALL]
SECOND = [delta(content="Three"), delta(content="."), delta("stop")]
EVERYTHING = ["message", "thought", "tool_call", "message"]


class SlowStorage(NoopStorage):
    """Suspends in the middle of every write, and notes the complete ones."""

    def __init__(self) -> None:
        self.written: list[str] = []

    async def store_message(self, ctx: Context, record: Message) -> None:
        await asyncio.sleep(0)
        self.written.append("message")

    async def store_thought(self, ctx: Context, record: Thought) -> None:
        await asyncio.sleep(0)
        self.written.append("thought")

    async def store_tool_call(self, ctx: Context, record: ToolCall) -> None:
        await asyncio.sleep(0)
        self.written.append("tool_call")


class SlowStream(httpx2.AsyncByteStream):
    """Sends one chunk at a time, and notes whether it was closed."""

    def __init__(self, chunks: list[Any]) -> None:
        self._chunks = chunks
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in [*self._chunks, "[DONE]"]:
            await asyncio.sleep(0)
            yield sse(chunk)

    async def aclose(self) -> None:
        self.closed = True


class Scene:
    """A turn over a transport in memory: how often it suspends is the same every time."""

    def __init__(self) -> None:
        self.storage = SlowStorage()
        self.signal = AbortSignal()
        self.streams: list[SlowStream] = []
        self.client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))
        model = ChatCompletions(model="m", auto_ack=True, client=self.client)
        self.run = Ran(model, storage=self.storage, tools=[add])

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        sent = json.loads(request.content)
        is_second = any(it["role"] == "tool" for it in sent["messages"])
        self.streams.append(SlowStream(SECOND if is_second else FIRST))
        head = {"Content-Type": "text/event-stream"}
        return httpx2.Response(200, headers=head, stream=self.streams[-1])

    async def turn(self) -> None:
        turn = TurnInput(system_prompt="", abort_signal=self.signal)
        await self.run.runner.run(turn)

    def check(self) -> None:
        """What holds wherever the turn was stopped."""
        names = Counter(self.run.names)
        assert names["turn_start"] == names["turn_end"] == 1
        assert self.run.names[-1] == "turn_end"
        assert names["dispatch_start"] == names["dispatch_end"]
        assert names["tool_execution_start"] == names["tool_execution_end"]
        assert names["error"] == 0
        assert self.storage.written == EVERYTHING[: len(self.storage.written)]
        assert {end.status for end in self.run.of("dispatch_end")} <= {"ack", "aborted"}
        assert all(stream.closed for stream in self.streams)
        assert not self.signal._listeners  # pyright: ignore[reportPrivateUsage]
        assert len(asyncio.all_tasks()) == 1


async def settle() -> None:
    """Let every callback that is due run."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_scene_itself_runs_to_its_end() -> None:
    scene = Scene()
    async with scene.client:
        await scene.turn()
    assert (scene.run.errors, scene.storage.written) == ([], EVERYTHING)
    assert scene.run.recorder.text.endswith("Three.")
    scene.check()


async def test_cancelled_at_every_loop_turn_it_ends_once_and_leaves_nothing_behind() -> None:
    done, k = False, 0
    while not done:
        k += 1
        scene = Scene()
        async with scene.client:
            task = asyncio.ensure_future(scene.turn())
            for _ in range(k):
                await asyncio.sleep(0)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                await settle()
                if scene.run.names:
                    scene.check()
            else:
                done = True
    assert k > 20


async def test_aborted_at_every_loop_turn_it_ends_quietly_and_leaves_nothing_behind() -> None:
    done, k = False, 0
    while not done:
        k += 1
        scene = Scene()
        async with scene.client:
            task = asyncio.ensure_future(scene.turn())
            for _ in range(k):
                await asyncio.sleep(0)
            done = task.done()
            scene.signal.abort("stop")
            await task
            await settle()
            scene.check()
    assert k > 20


async def test_over_a_real_connection_an_abort_at_any_event_closes_it() -> None:
    script = called(("c1", "add", '{"a":1,"b":2}')), said("Thr", "ee.")
    async with endpoint_of(*script, tools=[add]) as whole:
        await whole.runner.run(TurnInput(system_prompt=""))
    total = len(whole.names)
    for at in range(1, total):
        signal = AbortSignal()
        async with endpoint_of(*script, tools=[add]) as run:
            left = iter(range(at))

            def count(_: object) -> None:
                if next(left, None) is None:  # noqa: B023  # called before the next round
                    signal.abort("enough")  # noqa: B023

            for name in ("message", "tool_call"):
                run.runner.on(name, count)
            for name in ("log", "iteration_start", "tool_execution_start", "tool_execution_end"):
                run.runner.observe(name, count)
            await run.runner.run(TurnInput(system_prompt="", abort_signal=signal))
            await run.model.aclose()
            await run.endpoint.all_closed()
        assert run.errors == []
        assert run.status in {"aborted", "ack"}
        assert run.names[-1] == "turn_end"
