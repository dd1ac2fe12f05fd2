"""Reader tools for the artifacts of a turn."""

from __future__ import annotations

from typing import Any

import pytest

from support.turns import add, ran, tool_call
from tether import (
    CallNext,
    DispatchContext,
    Helpers,
    Retrievable,
    SpooledArtifact,
    TextSpool,
    forge_tools,
    tool,
)
from tether.batteries.testing import Call, Say, ScriptedModel
from tether.core.errors import InvalidToolArgs

TEXT = "one\ntwo\nthree\n"
NAMES = [
    "artifact_head",
    "artifact_tail",
    "artifact_cat",
    "artifact_byte_length",
    "artifact_line_count",
    "artifact_estimate_tokens",
]


def artifact(text: str = TEXT) -> SpooledArtifact:
    return SpooledArtifact(TextSpool(text))


async def forged(calls: list[Any], work: Any, retrievables: list[Any] | None = None) -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        for call in calls:
            ctx.turn_tool_calls.add(call)
        ctx.turn_retrievables.update(retrievables or [])
        await work(ctx)
        ctx.ack()

    run = await ran(execute)
    for error in run.errors:
        raise error.__cause__ or error


async def read(ctx: DispatchContext, name: str, **args: Any) -> Any:
    found = forge_tools(ctx).get(name)
    assert found is not None
    return await found.executor(ctx)(args)


async def test_there_are_no_tools_without_artifacts() -> None:
    async def work(ctx: DispatchContext) -> None:
        assert forge_tools(ctx).all() == []

    await forged([tool_call("c1", results="text")], work)


async def test_forged_tools_are_ephemeral_replace_each_other_and_know_only_present_ids() -> None:
    async def work(ctx: DispatchContext) -> None:
        registry = forge_tools(ctx)
        assert [item.name for item in registry] == NAMES
        assert all(item.ephemeral and item.on_collision == "replace" for item in registry)
        schema = registry.all()[0].describe()["input_schema"]
        assert schema["properties"]["call_id"]["enum"] == ["c1", "pair:0", "pair:1", "r1"]
        assert schema["properties"]["n"]["default"] == 10
        assert schema["required"] == ["call_id"]

    calls = [
        tool_call("c1", results=artifact()),
        tool_call("pair", results=[artifact("a"), artifact("b")]),
    ]
    passages = [
        Retrievable(
            id=id, content=artifact(), trust_tier="first-party", created_at=0, inline=inline
        )
        for id, inline in (("r1", False), ("r2", True))
    ]
    await forged(calls, work, passages)


async def test_each_reader_reads() -> None:
    async def work(ctx: DispatchContext) -> None:
        assert await read(ctx, "artifact_head", call_id="c1", n=1) == "one"
        assert await read(ctx, "artifact_head", call_id="c1") == TEXT
        assert await read(ctx, "artifact_tail", call_id="c1", n=2) == "three\n"
        assert await read(ctx, "artifact_cat", call_id="c1", start=1, end=3) == "two\nthree"
        assert await read(ctx, "artifact_cat", call_id="c1", start=9) == "(empty list)"
        assert await read(ctx, "artifact_byte_length", call_id="c1") == "14"
        assert await read(ctx, "artifact_line_count", call_id="c1") == "4"
        assert await read(ctx, "artifact_estimate_tokens", call_id="c1", encoding="claude") == "4"

    await forged([tool_call("c1", results=artifact())], work)


@pytest.mark.parametrize(
    ("name", "args", "paths"),
    [
        ("artifact_head", {}, ["call_id"]),
        ("artifact_head", {"call_id": "c2", "n": 0}, ["call_id", "n"]),
        ("artifact_head", {"call_id": "c1", "n": True}, ["n"]),
        ("artifact_cat", {"call_id": "c1", "start": -1, "end": "x"}, ["start", "end"]),
        ("artifact_estimate_tokens", {"call_id": "c1", "encoding": 5}, ["encoding"]),
        ("artifact_line_count", {"call_id": "c1", "more": 1}, ["more"]),
    ],
)
async def test_unfit_arguments_are_refused_by_name(name: str, args: Any, paths: list[str]) -> None:
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(InvalidToolArgs) as caught:
            await read(ctx, name, **args)
        assert [problem.path for problem in caught.value.problems] == paths

    await forged([tool_call("c1", results=artifact())], work)


async def test_reading_an_artifact_breeds_no_further_artifact() -> None:
    ids: list[list[str]] = []

    async def look(ctx: DispatchContext, call_next: CallNext) -> None:
        head = ctx.tools.get("artifact_head")
        if head is not None:
            ids.append(head.describe()["input_schema"]["properties"]["call_id"]["enum"])
        await call_next()

    model = ScriptedModel(
        [
            [Call("add", {"a": 1, "b": 2}, id="first")],
            [Call("artifact_head", {"call_id": "first"}, id="second")],
            [Say("It is 3.")],
        ]
    )
    run = await ran(model, tools=[add], dispatch_input_pipeline=[look])
    assert ids == [["first"], ["first"]]
    reading = next(call for call in run.turn.turn_tool_calls if call.id == "second")
    assert (str(reading.results), reading.from_artifact_tool) == ("3", True)


async def test_a_tool_of_ones_own_that_took_a_forged_name_is_left_alone() -> None:
    @tool(name="artifact_head")
    def mine() -> str:
        """Mine."""
        return "mine"

    names: list[Any] = []

    async def swap(ctx: DispatchContext, call_next: CallNext) -> None:
        names.append(ctx.tools.get("artifact_head") is mine)
        if ctx.iteration == 1:
            ctx.tools.register(mine, overwrite=True)
        await call_next()
        if ctx.iteration == 1:
            await ctx.delete_tool_call("first")

    step = [Call("add", {"a": 1, "b": 2}, id="first")]
    model = ScriptedModel([step, [Call("nope", id="other")], [Say("Done.")]])
    run = await ran(model, tools=[add], dispatch_input_pipeline=[swap])
    assert run.errors == []
    assert names == [False, False, True]


async def test_the_readers_are_gone_after_the_ack() -> None:
    contexts: list[DispatchContext] = []

    async def keep(ctx: DispatchContext, call_next: CallNext) -> None:
        contexts.append(ctx)
        await call_next()

    model = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("Done.")]])
    await ran(model, tools=[add], dispatch_input_pipeline=[keep])
    assert contexts[0].tools.all() == [add]
