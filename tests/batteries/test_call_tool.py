"""Running one call that a model proposed: whatever it is, a record comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from support.turns import TURN, Ran, add, ran
from tether import (
    Aborted,
    ArtifactTool,
    BytesReader,
    DispatchContext,
    Helpers,
    Media,
    SpooledArtifact,
    TextSpool,
    Tokenizable,
    Tool,
    ToolCall,
    TurnRunner,
    tool,
)
from tether.batteries.artifacts.json import SpooledJsonArtifact
from tether.batteries.models.call_tool import InvalidCall, call_tool
from tether.batteries.storage.spools import MemorySpools, SpoolByteStore
from tether.batteries.testing import Call, FakeClock, MemoryStorage, Say, ScriptedModel
from tether.core.plain_data import tool_checksum

HUGE = "x" * 10_000_000


class Page(SpooledArtifact):
    """An artifact class of one's own."""

    __slots__ = ()


class Point(BaseModel):
    x: int


def giving(output: Any, **settings: Any) -> Tool:
    """A tool that takes anything and returns, or raises, the given thing."""

    @tool(name="give", description="Give.", **settings)
    def give(value: Any = None) -> Any:
        if isinstance(output, BaseException):
            raise output
        return output

    return give


async def proposed(*tools: Tool, name: str = "give", args: Any = None) -> tuple[ToolCall, Ran]:
    """Propose one call; return its record and the run."""
    made: list[ToolCall] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        given = {} if args is None else args
        made.append(await call_tool(ctx, helpers, id="c1", name=name, args=given))
        ctx.ack()

    run = await ran(execute, tools=list(tools))
    for error in run.errors:
        raise error
    return made[0], run


async def test_a_call_is_announced_completed_and_stored() -> None:
    # CONTRACT 7, 1.8
    storage, clock = MemoryStorage(), FakeClock()

    @tool
    def wait() -> str:
        """Wait."""
        clock.advance(2)
        return "done"

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        call = await call_tool(ctx, helpers, id="c1", name="wait", args={})
        assert call in ctx.turn_tool_calls
        assert ctx.tool_call_count(call.checksum) == 1
        ctx.ack()

    run = await ran(execute, tools=[wait], storage=storage, clock=clock)
    first, second = run.of("tool_call")
    assert (first.is_complete, second.is_complete, second.is_error) == (False, True, False)
    (kept,) = storage.session().tool_calls
    assert (kept.id, kept.tool, kept.args) == ("c1", "wait", {})
    assert (kept.completed_at - kept.created_at).total_seconds() == 2
    assert kept.checksum == tool_checksum("wait", {}) == second.checksum


@pytest.mark.parametrize(
    ("output", "kind", "text"),
    [
        ("text", SpooledArtifact, "text"),
        ("", SpooledArtifact, ""),
        (Tokenizable("wrapped"), SpooledArtifact, "wrapped"),
        (b"a\xff", SpooledArtifact, "a\ufffd"),
        (bytearray(b"raw"), SpooledArtifact, "raw"),
        (memoryview(b"view"), SpooledArtifact, "view"),
        ({"a": [1, "é"]}, SpooledJsonArtifact, '{"a": [1, "é"]}'),
        ([], SpooledJsonArtifact, "[]"),
        (["a", "b"], SpooledJsonArtifact, '["a", "b"]'),
        (7, SpooledJsonArtifact, "7"),
        (None, SpooledJsonArtifact, "null"),
        (Point(x=1), SpooledJsonArtifact, '{"x": 1}'),
        ({3}, SpooledJsonArtifact, "[3]"),
    ],
)
async def test_text_becomes_an_artifact_and_anything_structured_one_that_can_be_queried(
    output: Any, kind: type[SpooledArtifact], text: str
) -> None:
    call, _ = await proposed(giving(output))
    assert type(call.results) is kind
    (held,) = call.artifacts()
    assert await held.as_string() == text
    assert (call.is_error, call.from_artifact_tool) == (False, False)


@pytest.mark.parametrize("output", ["text", b"bytes", {"a": 1}, Tokenizable("text")])
async def test_the_artifact_class_of_the_tool_goes_before_any_other(output: Any) -> None:
    # CONTRACT 77, 1.8
    call, _ = await proposed(giving(output, artifact_constructor=lambda: Page))
    assert type(call.results) is Page


def picture() -> Media:
    return Media.tool_generated(
        kind="image", mime_type="image/png", filename="a.png", reader=BytesReader(b"x")
    )


@pytest.mark.parametrize("make", [picture, lambda: SpooledArtifact(TextSpool("mine"))])
async def test_media_and_artifacts_are_results_already(make: Callable[[], Any]) -> None:
    # CONTRACT 86
    one, two = make(), make()
    assert (await proposed(giving(one)))[0].results is one
    assert (await proposed(giving([one, two])))[0].results == (one, two)
    call, _ = await proposed(giving(one, artifact_constructor=Page))
    assert call.results is one


async def test_a_list_of_several_kinds_has_no_form() -> None:
    call, _ = await proposed(giving([picture(), "text"]))
    assert call.is_error
    assert str(call.results).startswith("the tool 'give' returned something that has no JSON form")


@pytest.mark.parametrize("output", ["read", Tokenizable("read")])
async def test_what_an_artifact_tool_returns_is_text_and_marked(output: Any) -> None:
    # CONTRACT 84, 102, 1.8
    reader = ArtifactTool(
        name="give", description="Read.", schema=Point, handler=lambda args, ctx, meta: output
    )
    call, run = await proposed(reader, args={"x": 1})
    assert isinstance(call.results, Tokenizable)
    assert (str(call.results), call.from_artifact_tool, call.artifacts()) == ("read", True, ())
    assert str(run.of("tool_call")[1].results) == "read"


@pytest.mark.parametrize("name", ["Give", "give ", "", "nobody", "give\n"])
async def test_a_tool_that_is_not_there_is_answered_with_those_that_are(name: str) -> None:
    # SECURITY 68: unknown and wrong case, 70: a name with a newline
    call, run = await proposed(giving("x"), add, name=name)
    assert call.is_error
    assert str(call.results) == f"There is no tool named {name!r}. The tools are: add, give."
    assert call.tool.isprintable()
    assert "tool_execution_start" not in run.names


async def test_a_huge_name_is_not_repeated_to_the_model() -> None:
    # SECURITY 68
    call, _ = await proposed(giving("x"), name="x" * 1_000_000)
    assert call.is_error
    assert len(str(call.results)) < 300


@pytest.mark.parametrize("args", [[1], "text", 5, [["value"]]])
async def test_arguments_that_are_no_object_become_an_error_result(args: Any) -> None:
    # SECURITY 68
    call, run = await proposed(giving("x"), args=args)
    assert (call.is_error, call.args) == (True, {})
    assert str(call.results).startswith("the arguments cannot be read (")
    assert "tool_execution_start" not in run.names


@pytest.mark.parametrize(
    "args", [{"value": float("nan")}, {"value": {1}}, {"value": "\ud800"}, {"value": object()}]
)
async def test_arguments_without_a_json_form_become_an_error_result(args: Any) -> None:
    call, _ = await proposed(giving("x"), args=args)
    assert (call.is_error, call.args) == (True, {})


async def test_a_record_keeps_the_arguments_as_they_were_proposed() -> None:
    args: dict[str, Any] = {"value": [1]}

    @tool(name="give")
    def change(value: list[int]) -> str:
        """Change what it is given."""
        value.append(2)
        return ""

    call, _ = await proposed(change, args=args)
    args["value"].append(3)
    assert call.args == {"value": [1]}


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "args", [{"value": HUGE, "more": 1}, {HUGE: 1}, {f"k{i}": 1 for i in range(50_000)}]
)
async def test_unfit_arguments_of_ten_megabytes_are_answered_in_short(args: Any) -> None:
    # SECURITY 68
    call, _ = await proposed(giving("x"), args=args)
    assert call.is_error
    assert len(str(call.results)) < 101_000


async def test_fit_arguments_of_ten_megabytes_are_passed_on() -> None:
    # SECURITY 68: a tool that wants less says so in its schema
    call, _ = await proposed(giving("fine"), args={"value": HUGE})
    assert not call.is_error


async def test_a_failure_of_ten_megabytes_is_answered_in_short() -> None:
    call, _ = await proposed(giving(RuntimeError(HUGE)))
    assert call.is_error
    assert str(call.results).startswith("the tool 'give' failed: xxx")
    assert len(str(call.results)) < 101_000


async def test_a_large_output_is_put_away_whole_and_what_no_text_holds_is_left_out() -> None:
    # SECURITY 69: 100 MB, binary, terminal escapes. A renderer shows pieces of it, cut and cleaned
    large = b"x" * 100_000_000
    call, _ = await proposed(giving(large))
    (held,) = call.artifacts()
    assert await held.byte_length() == len(large)
    odd = "\x1b[2J\x1b]8;;http://a\x07link\x1b]0;title\x07\x00\ud800"
    call, _ = await proposed(giving(odd))
    (held,) = call.artifacts()
    shown = await held.as_string()
    assert "\x00" not in shown
    assert "\ud800" not in shown
    assert "link" in shown


async def test_a_thousand_parallel_calls_have_a_record_and_a_pair_of_events_each() -> None:
    # SECURITY 68
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await asyncio.gather(
            *(
                call_tool(ctx, helpers, id=f"c{i}", name="add", args={"a": i, "b": 1})
                for i in range(1_000)
            )
        )
        ctx.ack()

    run = await ran(execute, tools=[add])
    assert run.errors == []
    calls = {call.id: call for call in run.turn.turn_tool_calls}
    assert len(calls) == 1_000
    for i in (0, 499, 999):
        (held,) = calls[f"c{i}"].artifacts()
        assert await held.as_string() == str(i + 1)
    assert run.names.count("tool_execution_start") == run.names.count("tool_execution_end") == 1_000
    assert run.names.count("tool_call") == 2_000


async def test_the_same_call_a_hundred_times_is_counted() -> None:
    # SECURITY 68: what a breaker of loops needs
    counts: list[int] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        for i in range(100):
            args = {"a": 1, "b": 2} if i % 2 else {"b": 2, "a": 1}
            call = await call_tool(ctx, helpers, id=f"c{i}", name="add", args=args)
            counts.append(ctx.tool_call_count(call.checksum))
        ctx.ack()

    await ran(execute, tools=[add])
    assert counts == list(range(1, 101))


async def test_aborts_and_cancellation_are_passed_on_and_leave_no_record() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await call_tool(ctx, helpers, id="c1", name="give", args={})

    run = await ran(execute, tools=[giving(Aborted("enough"))])
    assert run.errors == []
    assert len(run.turn.turn_tool_calls) == 0
    assert run.of("dispatch_end")[0].status == "aborted"

    @tool
    async def give() -> str:
        """Hang."""
        await asyncio.sleep(60)
        return ""

    hanging = Ran(execute, tools=[give])
    task = asyncio.create_task(hanging.runner.run(TURN))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(hanging.turn.turn_tool_calls) == 0


async def test_an_id_that_a_provider_uses_again_is_made_another() -> None:
    storage = MemoryStorage()
    model = ScriptedModel(
        [
            [Call("add", {"a": 1, "b": 1}, id="call_0")],
            [
                Call("add", {"a": 2, "b": 2}, id="call_0"),
                Call("add", {"a": 3, "b": 3}, id="call_0"),
            ],
            [Say("done")],
        ]
    )
    runner = TurnRunner(storage=storage, executor=model, tools=[add])
    await runner.run(TURN)
    calls = list(storage.session().tool_calls)
    assert [call.id for call in calls] == ["call_0", "call_0-2", "call_0-3"]
    assert [await call.artifacts()[0].as_string() for call in calls] == ["2", "4", "6"]


async def test_a_result_for_which_there_is_no_room_is_an_error_of_the_call() -> None:
    storage = MemoryStorage()

    @tool
    def large() -> str:
        """Return much."""
        return "x" * 5_000

    runner = TurnRunner(
        storage=storage,
        executor=ScriptedModel([[Call("large")], [Say("too large")]]),
        tools=[large],
        byte_store=SpoolByteStore(MemorySpools(max_bytes=1_000)),
    )
    await runner.run(TURN)
    (call,) = storage.session().tool_calls
    assert call.is_error
    assert "ran, but its result cannot be kept" in str(call.results)


async def test_a_call_that_nobody_can_read_is_answered_and_nothing_runs() -> None:
    # CONTRACT 150
    call, run = await proposed(giving("text"), args=InvalidCall("not a JSON object: {"))
    assert (call.is_error, call.args, str(call.results)) == (True, {}, "not a JSON object: {")
    assert run.of("tool_execution_start") == []
    assert [event.is_error for event in run.of("tool_call")] == [False, True]


async def test_a_providers_block_is_kept_with_the_call() -> None:
    kept: list[ToolCall] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        call = await call_tool(
            ctx,
            helpers,
            id="c1",
            name="add",
            args={"a": 1, "b": 2},
            payload={"signature": "x"},
            replay_compatibility="some-wire",
        )
        kept.append(call)
        ctx.ack()

    await ran(execute, tools=[add])
    assert (kept[0].payload, kept[0].replay_compatibility) == ({"signature": "x"}, "some-wire")
