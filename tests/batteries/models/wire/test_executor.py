"""The executor that every wire shares, with an engine in place of a network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest

from support.chat_replies import asked, called, said
from support.turns import add, message, ran
from tether import (
    BytesReader,
    CallNext,
    Context,
    DispatchContext,
    Media,
    Message,
    Thought,
    TurnInput,
    tool,
)
from tether.batteries.models.chat_completions.executor import ChatCompletionsWire
from tether.batteries.models.chat_completions.options import ChatCompletionsOptions
from tether.batteries.models.errors import InvalidOpenaiChatCompletionsOptions, LocalModelFailed
from tether.batteries.models.wire.executor import ModelExecutor
from tether.batteries.models.wire.options import ModelOptions
from tether.batteries.models.wire.reply import (
    Delta,
    Reasoning,
    ReasoningDelta,
    Reply,
    TextDelta,
    ToolRequest,
)
from tether.batteries.testing import FakeClock
from tether.runtime.abort import AbortSignal
from tether.runtime.errors import LlmExecutionExecutorError
from tether.runtime.reports import Log
from tether.trust.errors import UnsupportedMediaModality
from tether.trust.nonces import Nonces


class Engine:
    """Answers with replies that were thought up before."""

    def __init__(self, *replies: Reply | Exception, deltas: tuple[Delta, ...] = ()) -> None:
        self._replies = list(replies)
        self._deltas = deltas
        self.bodies: list[Mapping[str, Any]] = []
        self.closed = 0

    async def ask(
        self,
        options: ModelOptions,
        body: Mapping[str, Any],
        *,
        signal: AbortSignal,
        log: Log,
        on_delta: Callable[[Delta], None],
    ) -> Reply:
        self.bodies.append(body)
        for delta in self._deltas:
            on_delta(delta)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def aclose(self) -> None:
        self.closed += 1


class Local(ModelExecutor):
    """A model in this process that speaks chat completions."""

    STASH_KEY = "local"


def local(engine: Engine, **options: Any) -> Local:
    given = {"model": "m", "auto_ack": True, **options}
    return Local(ChatCompletionsWire(), ChatCompletionsOptions, engine, given)


async def test_an_engine_can_stand_in_for_the_exchange() -> None:
    engine = Engine(
        Reply(text="", tool_requests=(ToolRequest("c1", "add", '{"a":1,"b":2}'),)),
        Reply(text="Three."),
        deltas=(TextDelta("Three"),),
    )
    async with local(engine) as model:
        run = await ran(model, tools=[add])
    assert (run.errors, engine.closed, len(engine.bodies)) == ([], 1, 2)
    assert [call.id for call in run.turn.turn_tool_calls] == ["c1"]


async def test_what_an_engine_raises_at_run_time_nacks() -> None:
    error = LocalModelFailed("out of memory")
    run = await ran(local(Engine(error)))
    assert run.errors == [error]
    assert run.of("dispatch_end")[0].error is error


async def test_a_programming_mistake_of_an_engine_is_an_executor_error() -> None:
    run = await ran(local(Engine(ValueError("oops"))))
    (error,) = run.errors
    assert isinstance(error, LlmExecutionExecutorError)


async def test_a_signal_that_somebody_gave_meanwhile_stands() -> None:
    class Acking(Engine):
        async def ask(self, *args: Any, **settings: Any) -> Reply:
            contexts[0].ack()
            return await super().ask(*args, **settings)

    contexts: list[DispatchContext] = []

    async def capture(ctx: DispatchContext, call_next: CallNext) -> None:
        contexts[:] = [ctx]
        await call_next()

    for reply in (LocalModelFailed("late"), Reply(text="late")):
        run = await ran(local(Acking(reply)), dispatch_input_pipeline=[capture])
        assert (run.errors, run.of("dispatch_end")[0].status) == ([], "ack")


async def test_opaque_reasoning_is_stored_without_being_shown() -> None:
    # What wires with signatures bring: a block with no text, and several blocks of one field.
    blocks = (
        Reasoning("thinking", "", {"data": "x"}, "wire-b"),
        Reasoning("thinking", "why", {"signature": "y"}, "wire-b"),
        Reasoning("thinking", "why", {"signature": "z"}, "wire-b"),
    )
    run = await ran(local(Engine(Reply(response_id="r", reasoning=blocks))))
    assert run.errors == []
    thoughts = list(run.turn.turn_thoughts)
    assert [thought.payload for thought in thoughts] == [block.payload for block in blocks]
    assert len({thought.id for thought in thoughts}) == 3
    assert [chunk.full for chunk in run.of("thought")] == ["why", "why"]


async def test_blocks_of_one_field_are_told_apart_even_if_they_were_shown_together() -> None:
    blocks = (Reasoning("thinking", "one"), Reasoning("thinking", "two"))
    deltas = (ReasoningDelta("thinking", "one"),)
    run = await ran(local(Engine(Reply(reasoning=blocks), deltas=deltas)))
    assert run.errors == []
    first, second = run.turn.turn_thoughts
    assert second.id == f"{first.id}:thinking"


async def test_the_times_of_a_generation_are_milliseconds() -> None:
    clock = FakeClock()

    class Slow(Engine):
        async def ask(self, *args: Any, on_delta: Callable[[Delta], None], **rest: Any) -> Reply:
            clock.advance(2)
            on_delta(TextDelta("Hi"))
            clock.advance(1)
            return Reply(text="Hi")

    run = await ran(local(Slow()), clock=clock)
    (entry,) = [it for it in run.of("log") if it.kind == "generation-finished"]
    assert entry.payload["time_to_first_delta_ms"] == pytest.approx(2_000)
    assert entry.payload["duration_ms"] == pytest.approx(3_000)


async def test_how_the_prompt_is_rendered_is_the_options_business() -> None:
    async def hydrate(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_thoughts.update(
            Thought(id=text, content=text, created_at=at) for at, text in enumerate(("old", "new"))
        )
        ctx.turn_messages.add(message("p1", "from a peer"))
        await call_next()

    engine = Engine(Reply(text="ok"), Reply(text="ok"))
    for surfacing, shown in (("all-self", ["old", "new"]), ("latest-self", ["new"])):
        model = local(engine, thought_surfacing=surfacing, self_identity="assistant")
        await ran(model, turn_input_pipeline=[hydrate])
        contents = [str(it["content"]) for it in engine.bodies[-1]["messages"]]
        thoughts = [it for it in contents if it.startswith("<thought_")]
        assert [it.splitlines()[1] for it in thoughts] == shown


async def test_a_prompt_that_cannot_be_carried_raises_before_any_request() -> None:
    video = Media.user_attachment(
        kind="video", mime_type="video/mp4", filename="a.mp4", reader=BytesReader(b"x")
    )
    shown = Message(id="u", role="user", attachments=[video], created_at=0)

    async def hydrate(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_messages.add(shown)
        await call_next()

    engine = Engine(Reply(text="ok"))
    run = await ran(local(engine), turn_input_pipeline=[hydrate])
    assert isinstance(run.errors[0].__cause__, UnsupportedMediaModality)
    assert engine.bodies == []
    described = local(engine, unsupported_media="synthetic-description")
    run = await ran(described, turn_input_pipeline=[hydrate])
    assert "[media: a.mp4, video/mp4, " in str(engine.bodies[0]["messages"][-1]["content"])


async def test_an_override_of_a_step_changes_that_step() -> None:
    engine = Engine(Reply(text="ok"), Reply(text="ok"))
    steps = {"standing_instructions": lambda _, items: f"[{'; '.join(items)}]"}

    async def rules(ctx: Context, call_next: CallNext) -> None:
        await ctx.store_standing_instruction("Be brief.")
        await call_next()

    model = local(engine).executor(steps=steps)
    run = await ran(model, dispatch_input_pipeline=[rules])
    assert run.errors == []
    assert engine.bodies[0]["messages"][0]["content"].endswith("\n\n[Be brief.]")


async def test_nonces_are_the_executors_own_unless_given() -> None:
    async def hydrate(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_messages.add(message("u1", "Hello", role="user"))
        await call_next()

    async def content(model: ModelExecutor, engine: Engine) -> str:
        await ran(model, turn_input_pipeline=[hydrate])
        return str(engine.bodies[-1]["messages"][-1]["content"])

    engine = Engine(*[Reply(text="ok")] * 4)
    fixed = Nonces(b"0123456789abcdef", conversation="talk")
    first = await content(local(engine, nonces=fixed), engine)
    assert await content(local(engine, nonces=fixed), engine) == first
    model = local(engine)
    assert await content(model, engine) != await content(model, engine)  # another turn


# A choice that forces a reader of artifacts

FORCED: list[Any] = [
    {"type": "function", "function": {"name": "artifact_head"}},
    {"type": "function", "name": "artifact_head"},
    {"type": "tool", "name": "artifact_head"},
]


def from_second(**overrides: Any) -> Any:
    async def middleware(ctx: DispatchContext, call_next: CallNext) -> None:
        if ctx.iteration == 1:
            ctx.stash.set("openai_chat_completions", overrides)
        await call_next()

    return {"dispatch_input_pipeline": [middleware]}


@pytest.mark.parametrize("choice", FORCED)
async def test_a_choice_that_forces_a_forged_tool_is_warned_of(choice: Any) -> None:
    run = await asked(
        called(("c1", "add", '{"a":1,"b":2}')),
        said("3"),
        tools=[add],
        runner=from_second(tool_choice=choice),
    )
    (entry,) = run.logged("tool-choice-forged-artifact")
    assert (entry.level, entry.payload) == ("warn", {"tool": "artifact_head"})
    assert run.status == "ack"


async def test_a_choice_that_forces_a_forged_tool_is_refused_where_that_is_asked_for() -> None:
    run = await asked(
        called(("c1", "add", '{"a":1,"b":2}')),
        tools=[add],
        runner=from_second(tool_choice=FORCED[0]),
        strict_tool_choice=True,
    )
    (error,) = run.errors
    assert isinstance(error.__cause__, InvalidOpenaiChatCompletionsOptions)
    assert len(run.endpoint.requests) == 1


@pytest.mark.parametrize(
    "choice", ["auto", {"type": "function", "function": {"name": "add"}}, {"type": "x"}]
)
async def test_any_other_choice_is_nobodys_business(choice: Any) -> None:
    run = await asked(
        called(("c1", "add", '{"a":1,"b":2}')),
        said("3"),
        tools=[add],
        tool_choice=choice,
        strict_tool_choice=True,
    )
    assert (run.status, run.logged("tool-choice-forged-artifact")) == ("ack", [])


async def test_a_choice_of_a_tool_that_only_lasts_for_a_dispatch_is_not_warned_of() -> None:
    @tool(ephemeral=True)
    def peek() -> str:
        """Peek."""
        return "a boo"

    choice = {"type": "function", "function": {"name": "peek"}}
    run = await asked(said("x"), tools=[peek], tool_choice=choice, strict_tool_choice=True)
    assert run.status == "ack"


async def test_hidden_tools_are_not_offered() -> None:
    async def hide(ctx: DispatchContext, call_next: CallNext) -> None:
        ctx.tools.hide("add")
        await call_next()

    run = await asked(said("x"), tools=[add], runner={"dispatch_input_pipeline": [hide]})
    assert "tools" not in run.bodies[0]


async def test_loading_the_records_stops_at_an_abort() -> None:
    class Endless(BytesReader):
        async def stream(self) -> AsyncIterator[bytes]:
            yield b"x"
            signal.abort("enough")
            await asyncio.sleep(60)

    signal, engine = AbortSignal(), Engine(Reply(text="ok"))
    asset = Media.user_attachment(
        kind="image", mime_type="image/png", filename="a.png", reader=Endless(b"x")
    )

    async def hydrate(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_messages.add(Message(id="u", role="user", attachments=[asset], created_at=0))
        await call_next()

    turn = TurnInput(system_prompt="", abort_signal=signal)
    run = await ran(local(engine), turn=turn, turn_input_pipeline=[hydrate])
    assert (run.of("dispatch_end")[0].status, run.errors, engine.bodies) == ("aborted", [], [])
