"""What a turn does beyond its events: failures, aborts, contexts, and input that is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from support.turns import (
    TURN,
    Ran,
    add,
    fail,
    idle,
    message,
    nack,
    noting,
    raising,
    ran,
)
from tether import (
    Aborted,
    AbortSignal,
    BytesReader,
    CallNext,
    Context,
    DispatchContext,
    Helpers,
    InvalidInput,
    MediaReader,
    Message,
    Retrievable,
    SpooledArtifact,
    SpoolReader,
    TextSpool,
    TurnInput,
)
from tether.batteries.testing import Call, Say, ScriptedModel
from tether.core.errors import (
    InvalidInitialMemoryValue,
    InvalidInitialMessageValue,
    InvalidInitialRetrievableValue,
    InvalidInitialThoughtValue,
    InvalidInitialToolCallValue,
)
from tether.runtime.errors import (
    InputPipelineError,
    InvalidInitialStandingInstructionValue,
    InvalidTurnContext,
    OutputPipelineError,
    UnknownEvent,
)


async def test_a_throw_in_the_input_pipeline_skips_dispatch_and_output() -> None:
    notes: list[str] = []
    cause = ValueError("bad")
    run = await ran(
        turn_input_pipeline=[noting(notes, "i"), raising(cause)],
        turn_output_pipeline=[noting(notes, "o")],
    )
    (error,) = run.errors
    assert isinstance(error, InputPipelineError)
    assert error.__cause__ is cause
    assert notes == ["i in", "i out"]
    assert run.names == ["turn_start", "error", "turn_end"]


async def test_a_throw_in_the_output_pipeline_is_an_output_error() -> None:
    run = await ran(turn_output_pipeline=[raising(ValueError("bad"))])
    (error,) = run.errors
    assert isinstance(error, OutputPipelineError)
    assert (run.of("error")[0].dispatch_id, run.of("error")[0].iteration) == (None, None)


async def test_the_output_pipeline_is_skipped_when_the_dispatch_fails_or_the_turn_aborts() -> None:
    notes: list[str] = []

    async def abort_the_turn(ctx: DispatchContext, helpers: Helpers) -> None:
        signal.abort("stop")

    signal = AbortSignal()
    await ran(nack(RuntimeError("x")), turn_output_pipeline=[noting(notes, "o")])
    turn = TurnInput(system_prompt="", abort_signal=signal)
    await ran(abort_the_turn, turn=turn, turn_output_pipeline=[noting(notes, "o")])
    assert notes == []


async def test_aborting_only_the_dispatch_still_runs_the_turns_output_pipeline() -> None:
    notes: list[str] = []

    async def abort_the_dispatch(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.abort("no more of this")

    run = await ran(abort_the_dispatch, turn_output_pipeline=[noting(notes, "o")])
    assert run.of("dispatch_end")[0].status == "aborted"
    assert not run.turn.aborted
    assert notes == ["o in", "o out"]


async def test_a_turn_that_aborts_itself_does_not_switch_on_the_callers_signal() -> None:
    signal = AbortSignal()

    async def refuse(ctx: Context, call_next: CallNext) -> None:
        ctx.abort("mine alone")

    run = await ran(
        turn=TurnInput(system_prompt="", abort_signal=signal), turn_input_pipeline=[refuse]
    )
    assert run.turn.aborted
    assert not signal.aborted


async def test_collections_start_empty_and_no_part_of_a_context_can_be_replaced() -> None:
    run = await ran()
    ctx = run.turn
    assert [
        len(collection)
        for collection in (
            ctx.turn_messages,
            ctx.turn_memories,
            ctx.turn_retrievables,
            ctx.turn_thoughts,
            ctx.turn_tool_calls,
        )
    ] == [0] * 5
    for name in ("turn_messages", "stash", "tools", "id", "abort_signal", "system_prompt"):
        with pytest.raises(AttributeError):
            setattr(ctx, name, None)


async def test_writing_through_the_turn_persists_and_leaves_its_collections_alone() -> None:
    stored: list[Message] = []

    async def store(ctx: Context, record: Message) -> None:
        stored.append(record)

    async def write(ctx: Context, call_next: CallNext) -> None:
        await ctx.store_message(message("m1"))
        await call_next()

    run = await ran(turn_input_pipeline=[write], store_message=store)
    assert [record.id for record in stored] == ["m1"]
    assert len(run.turn.turn_messages) == 0


@pytest.mark.parametrize("turn", [None, {}, "prompt"])
async def test_a_turn_that_is_not_a_turn_input_is_refused_before_it_starts(turn: object) -> None:
    run = Ran()
    with pytest.raises(InvalidTurnContext) as caught:
        await run.runner.run(turn)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert caught.value.code == "E_INVALID_TURN_CONTEXT"
    assert run.names == []


def test_a_bad_turn_input_names_every_bad_field_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        TurnInput(  # type: ignore[call-arg]
            standing_instructions=["fine", 7],  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
            stash=[],  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
            abort_signal="no",  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        )  # pyright: ignore[reportCallIssue]
    assert {problem.path for problem in caught.value.problems} == {
        "system_prompt",
        "standing_instructions[1]",
        "stash.initial",
        "abort_signal",
    }


async def test_a_failing_tool_is_a_result_for_the_model_and_no_error_of_the_turn() -> None:
    model = ScriptedModel([[Call("fail", {"why": "broken"}), Call("nope")], [Say("Sorry.")]])
    run = await ran(model, tools=[fail])
    completed = [event for event in run.of("tool_call") if event.is_complete]
    assert [event.is_error for event in completed] == [True, True]
    assert "broken" in completed[0].results
    assert "The tools are: fail." in completed[1].results
    assert run.errors == []


async def test_the_dispatch_starts_from_a_copy_of_the_turn_and_its_stash_does_not_flow_back() -> (
    None
):
    async def prepare(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set("seed.value", [1])
        await call_next()

    async def work(ctx: DispatchContext, helpers: Helpers) -> None:
        assert ctx.stash.get("seed.value") == [1]
        ctx.stash.set("seed.value", [2])
        ctx.turn_messages.add(message("only here"))
        ctx.tools.register(add)
        ctx.ack()

    run = await ran(work, turn_input_pipeline=[prepare])
    assert run.errors == []
    assert run.turn.stash.get("seed.value") == [1]
    assert len(run.turn.turn_messages) == 0
    assert not run.turn.tools.has("add")


async def test_the_runners_tools_are_fresh_in_every_turn() -> None:
    async def remove(ctx: Context, call_next: CallNext) -> None:
        assert ctx.tools.has("add")
        ctx.tools.unregister("add")
        await call_next()

    run = Ran(tools=[add], turn_input_pipeline=[remove])
    await run.runner.run(TURN)
    await run.runner.run(TURN)
    assert run.errors == []


async def test_an_artifact_result_is_kept_by_identity_in_the_turn() -> None:
    artifact = SpooledArtifact(TextSpool("a\nb"))

    async def store(ctx: DispatchContext, helpers: Helpers) -> None:
        record = Retrievable(
            id="r", content=artifact, trust_tier="first-party", created_at=0, inline=False
        )
        await ctx.store_retrievable(record)
        ctx.ack()

    run = await ran(store)
    (found,) = run.turn.turn_retrievables
    assert found.content is artifact


class Mute(Exception):
    """An error that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


async def raise_mute(ctx: DispatchContext, helpers: Helpers) -> None:
    raise Mute


async def test_an_error_that_cannot_be_shown_is_reported_like_any_other() -> None:
    async def raise_in_middleware(ctx: Context, call_next: CallNext) -> None:
        await call_next()
        raise Mute

    for run in (
        await ran(raise_mute),
        await ran(nack(Mute())),
        await ran(turn_input_pipeline=[raise_in_middleware, raise_in_middleware]),
    ):
        (error,) = run.errors
        assert "Mute" in error.message
        assert isinstance(error.__cause__, Mute)
        assert run.names[-1] == "turn_end"


async def test_an_abort_that_passes_a_task_group_is_no_failure() -> None:
    signal = AbortSignal()

    async def parallel(ctx: DispatchContext, helpers: Helpers) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(ctx.abort_signal.guard(asyncio.sleep(60)))

    asyncio.get_running_loop().call_later(0.01, signal.abort, "user")
    run = await ran(parallel, turn=TurnInput(system_prompt="", abort_signal=signal))
    assert run.errors == []
    assert run.of("dispatch_end")[0].status == "aborted"


@pytest.mark.parametrize("where", ["executor", "middleware"])
async def test_a_failing_abort_listener_is_a_failure_of_its_stage(where: str) -> None:
    def fail_loudly() -> None:
        raise ValueError("listener")

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.abort_signal.on_abort(fail_loudly)
        raise Aborted(reason="stop")

    async def middleware(ctx: Context, call_next: CallNext) -> None:
        ctx.abort_signal.on_abort(fail_loudly)
        raise Aborted(reason="stop")

    run = await ran(execute) if where == "executor" else await ran(turn_input_pipeline=[middleware])
    (error,) = run.errors
    assert isinstance(error.__cause__, ExceptionGroup)
    assert run.names[-1] == "turn_end"


async def test_a_byte_store_that_is_empty_is_still_the_byte_store() -> None:
    class Shelf(dict[str, bytes]):
        async def store_artifact_bytes(self, ctx: Context, id: str, content: bytes) -> SpoolReader:
            self[id] = content
            return TextSpool(content.decode())

        async def store_media_bytes(self, ctx: Context, id: str, content: bytes) -> MediaReader:
            self[id] = content
            return BytesReader(content)

    shelf = Shelf()
    model = ScriptedModel([[Call("add", {"a": 1, "b": 2}, id="c1")], [Say("Three.")]])
    await ran(model, tools=[add], byte_store=shelf)
    assert shelf == {"c1": b"3"}


async def test_an_error_is_told_with_the_iteration_in_which_it_was_signalled() -> None:
    async def give_up(ctx: DispatchContext, call_next: CallNext) -> None:
        await call_next()
        ctx.nack("no")

    run = await ran(idle, dispatch_output_pipeline=[give_up])
    assert run.of("error")[0].iteration == 0


@pytest.mark.parametrize("name", ["emit_message", "emit_thought", "emit_tool_call"])
async def test_something_else_than_its_event_cannot_be_emitted(name: str) -> None:
    run = await ran()
    with pytest.raises(UnknownEvent):
        getattr(run.turn, name)("text")


@pytest.mark.parametrize(
    ("collection", "refusal"),
    [
        ("turn_messages", InvalidInitialMessageValue),
        ("turn_memories", InvalidInitialMemoryValue),
        ("turn_retrievables", InvalidInitialRetrievableValue),
        ("turn_thoughts", InvalidInitialThoughtValue),
        ("turn_tool_calls", InvalidInitialToolCallValue),
        ("standing_instructions", InvalidInitialStandingInstructionValue),
    ],
)
@pytest.mark.parametrize("pipeline", ["turn_input_pipeline", "dispatch_input_pipeline"])
async def test_what_does_not_belong_in_a_collection_is_refused_where_it_is_added(
    collection: str, refusal: type[Exception], pipeline: str
) -> None:
    async def confuse(ctx: Any, call_next: CallNext) -> None:
        getattr(ctx, collection).add({"role": "user", "content": "Hello"})
        await call_next()

    settings: dict[str, Any] = {pipeline: [confuse]}
    (error,) = (await ran(**settings)).errors
    assert isinstance(error.__cause__, refusal)
    assert "records[0]: must be a" in str(error.__cause__)
