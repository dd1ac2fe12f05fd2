"""Reader tools for the artifacts of a turn."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.turns import add, ran, tool_call
from tether import (
    ArtifactTool,
    CallNext,
    DispatchContext,
    Helpers,
    Retrievable,
    SpooledArtifact,
    TextSpool,
    ToolCall,
    artifact_tool,
    forge_tools,
    offered_tools,
    tool,
    tool_definition,
)
from tether.batteries.artifacts.markdown import SpooledMarkdownArtifact
from tether.batteries.models.scripted import Script
from tether.batteries.testing import Call, Say, ScriptedModel
from tether.core.spool import BytesSpool
from tether.core.tokens import builtin_encodings
from tether.runtime.errors import ArtifactIdCollision, InvalidToolArgs, ToolDownstreamError
from tether.runtime.line_tools import LONGEST_ANSWER, MOST_SHOWN

TEXT = "one\ntwo\nthree\n"
NAMES = [
    "artifact_head",
    "artifact_tail",
    "artifact_grep",
    "artifact_cat",
    "artifact_byte_length",
    "artifact_line_count",
    "artifact_estimate_tokens",
]
Work = Callable[[DispatchContext], Awaitable[None]]


def artifact(text: str = TEXT) -> SpooledArtifact:
    return SpooledArtifact(TextSpool(text))


def passage(id: str, *, inline: bool, text: str = TEXT) -> Retrievable:
    return Retrievable(
        id=id, content=artifact(text), trust_tier="first-party", created_at=0, inline=inline
    )


async def forged(calls: list[Any], work: Work, retrievables: list[Any] | None = None) -> None:
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


def ids(ctx: DispatchContext) -> list[str]:
    first = forge_tools(ctx).all()[0]
    return list(first.describe()["input_schema"]["properties"]["call_id"]["enum"])


async def test_there_are_no_tools_without_artifacts() -> None:
    # CONTRACT 99
    async def work(ctx: DispatchContext) -> None:
        assert forge_tools(ctx).all() == []

    await forged([tool_call("c1", results="text")], work)


async def test_forged_tools_are_ephemeral_replace_each_other_and_know_only_present_ids() -> None:
    # CONTRACT 99, 103
    async def work(ctx: DispatchContext) -> None:
        registry = forge_tools(ctx)
        assert [item.name for item in registry] == NAMES
        assert all(item.ephemeral and item.on_collision == "replace" for item in registry)
        assert not any(item.trusted or item.meta.all() for item in registry)
        assert all(isinstance(item, ArtifactTool) for item in registry)
        schema = registry.all()[0].describe()["input_schema"]
        assert schema["properties"]["call_id"]["enum"] == ["c1", "pair:0", "pair:1", "r1"]
        assert schema["properties"]["n"]["default"] == 10
        assert schema["required"] == ["call_id"]

    calls = [
        tool_call("c1", results=artifact()),
        tool_call("pair", results=[artifact("a"), artifact("b")]),
    ]
    await forged(calls, work, [passage("r1", inline=False), passage("r2", inline=True)])


async def test_every_forged_tool_describes_itself_by_a_valid_schema() -> None:
    async def work(ctx: DispatchContext) -> None:
        for item in forge_tools(ctx):
            Draft202012Validator.check_schema(item.describe()["input_schema"])
            parameters = tool_definition(item)["function"]["parameters"]
            assert parameters["properties"]["call_id"]["enum"] == ["c1"]
            assert item.description

    await forged([tool_call("c1", results=artifact())], work)


async def test_only_artifacts_that_are_not_shown_in_the_prompt_can_be_read_from_retrievables() -> (
    None
):
    # CONTRACT 103
    async def work(ctx: DispatchContext) -> None:
        assert ids(ctx) == ["r1"]
        assert await read(ctx, "artifact_head", call_id="r1", n=1) == "one"
        with pytest.raises(InvalidToolArgs, match="call_id: must be one of"):
            await read(ctx, "artifact_head", call_id="r2")

    text = Retrievable(
        id="r3", content="text", trust_tier="first-party", created_at=0, inline=False
    )
    await forged([], work, [passage("r1", inline=False), passage("r2", inline=True), text])


async def test_an_id_that_is_both_a_calls_and_a_retrievables_is_an_error() -> None:
    # CONTRACT 103
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(ArtifactIdCollision, match="'same'"):
            forge_tools(ctx)

    await forged([tool_call("same", results=artifact())], work, [passage("same", inline=False)])


@pytest.mark.parametrize(
    "first",
    [tool_call("c:0", results=artifact("old")), tool_call("c", results=[artifact("old")] * 2)],
)
async def test_of_two_calls_with_one_id_the_later_is_read(first: ToolCall) -> None:
    # Some providers count their calls anew in every reply.
    async def work(ctx: DispatchContext) -> None:
        assert await read(ctx, "artifact_cat", call_id="c:0") == "new"

    await forged([first, tool_call("c:0", results=artifact("new"))], work)


async def test_each_reader_reads() -> None:
    # CONTRACT 95, 96, 97, 98, 101
    async def work(ctx: DispatchContext) -> None:
        assert await read(ctx, "artifact_head", call_id="c1", n=1) == "one"
        assert await read(ctx, "artifact_head", call_id="c1") == TEXT
        assert await read(ctx, "artifact_tail", call_id="c1", n=2) == "three\n"
        assert await read(ctx, "artifact_grep", call_id="c1", pattern="^t") == "two\nthree"
        assert await read(ctx, "artifact_grep", call_id="c1", pattern="x") == "(empty list)"
        assert await read(ctx, "artifact_cat", call_id="c1", start=1, end=3) == "two\nthree"
        assert await read(ctx, "artifact_cat", call_id="c1", start=9) == "(empty list)"
        assert await read(ctx, "artifact_cat", call_id="c1", end=1) == "one"
        assert await read(ctx, "artifact_byte_length", call_id="c1") == "14"
        assert await read(ctx, "artifact_line_count", call_id="c1") == "4"
        assert await read(ctx, "artifact_estimate_tokens", call_id="c1", encoding="claude") == "4"

    await forged([tool_call("c1", results=artifact())], work)


async def test_tokens_can_be_estimated_in_every_encoding_that_is_offered() -> None:
    async def work(ctx: DispatchContext) -> None:
        found = forge_tools(ctx).get("artifact_estimate_tokens")
        assert found is not None
        offered = found.describe()["input_schema"]["properties"]["encoding"]["enum"]
        assert offered == list(builtin_encodings())
        for encoding in offered:
            assert int(await read(ctx, found.name, call_id="c1", encoding=encoding)) > 0

    await forged([tool_call("c1", results=artifact())], work)


@pytest.mark.parametrize(
    ("pattern", "flags", "lines"),
    [
        ("ONE", "", "(empty list)"),
        ("ONE", "i", "one"),
        ("^t.*e$", "ms", "three"),
        ("é|two", "imsu", "two"),
        ("", "", TEXT),
    ],
)
async def test_grep_takes_four_flags_or_none(pattern: str, flags: str, lines: str) -> None:
    # CONTRACT 100, 96
    async def work(ctx: DispatchContext) -> None:
        for _ in range(2):
            found = await read(ctx, "artifact_grep", call_id="c1", pattern=pattern, flags=flags)
            assert found == lines

    await forged([tool_call("c1", results=artifact())], work)


@pytest.mark.parametrize(
    ("name", "args", "paths"),
    [
        ("artifact_head", {}, ["call_id"]),
        ("artifact_head", {"call_id": "c2", "n": 0}, ["call_id", "n"]),
        ("artifact_head", {"call_id": ["c1"], "n": 1.5}, ["call_id", "n"]),
        ("artifact_head", {"call_id": "c1", "n": True}, ["n"]),
        ("artifact_tail", {"call_id": "c1", "n": None}, ["n"]),
        ("artifact_cat", {"call_id": "c1", "start": -1, "end": "x"}, ["start", "end"]),
        ("artifact_grep", {"call_id": "c1"}, ["pattern"]),
        ("artifact_grep", {"call_id": "c1", "pattern": 5, "flags": 5}, ["pattern", "flags"]),
        # CONTRACT 100
        ("artifact_grep", {"call_id": "c1", "pattern": "a", "flags": "g"}, ["flags"]),
        ("artifact_grep", {"call_id": "c1", "pattern": "a", "flags": "iy"}, ["flags"]),
        ("artifact_estimate_tokens", {"call_id": "c1"}, ["encoding"]),
        ("artifact_estimate_tokens", {"call_id": "c1", "encoding": 5}, ["encoding"]),
        ("artifact_line_count", {"call_id": "c1", "more": 1}, ["more"]),
    ],
)
async def test_unfit_arguments_are_refused_by_name(name: str, args: Any, paths: list[str]) -> None:
    # CONTRACT 99
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(InvalidToolArgs) as caught:
            await read(ctx, name, **args)
        assert [problem.path for problem in caught.value.problems] == paths

    await forged([tool_call("c1", results=artifact())], work)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(?=a)", "no look-ahead"),
        (r"(a)\1", "no backreferences"),
        ("(", "missing )"),
        ("a" * 513, "at most 512"),
    ],
)
async def test_a_pattern_that_cannot_be_used_is_refused_in_words(pattern: str, said: str) -> None:
    # SECURITY 53
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(ToolDownstreamError) as caught:
            await read(ctx, "artifact_grep", call_id="c1", pattern=pattern)
        assert said in caught.value.message

    await forged([tool_call("c1", results=artifact())], work)


async def test_grep_stops_at_a_thousand_lines_and_says_so() -> None:
    async def work(ctx: DispatchContext) -> None:
        found = await read(ctx, "artifact_grep", call_id="c1", pattern="^1")
        lines = found.split("\n")
        assert lines[:1_000] == [f"1{number}" for number in range(1_000)]
        assert lines[1_000:] == ["(more than 1,000 lines match; these are the first)"]
        just = await read(ctx, "artifact_grep", call_id="c2", pattern="^1")
        assert just == "\n".join(f"1{number}" for number in range(1_000))

    thousand = "\n".join(f"1{number}" for number in range(1_000))
    calls = [
        tool_call("c1", results=artifact(f"{thousand}\n1\n1\n")),
        tool_call("c2", results=artifact(f"{thousand}\n2\n")),
    ]
    await forged(calls, work)


async def test_everything_on_a_line_of_five_megabytes_is_cut_and_says_so() -> None:
    # SECURITY 53, 69
    async def work(ctx: DispatchContext) -> None:
        for name, more in (("artifact_grep", {"pattern": ".*"}), ("artifact_cat", {})):
            found = await read(ctx, name, call_id="c1", **more)
            assert found.startswith("x" * MOST_SHOWN + "\n(cut here")
            assert len(found) <= LONGEST_ANSWER
        assert await read(ctx, "artifact_byte_length", call_id="c1") == "5000000"

    await forged([tool_call("c1", results=artifact("x" * 5_000_000))], work)


async def test_no_more_is_held_than_an_answer_shows() -> None:
    count = 3_000_000 // 10

    async def work(ctx: DispatchContext) -> None:
        every = await read(ctx, "artifact_cat", call_id="c1")
        assert every.startswith("000000000\n000000001\n")
        assert every.endswith("\n(cut here: ask for fewer lines at once)")
        last = await read(ctx, "artifact_tail", call_id="c1", n=count)
        assert last.startswith("(cut before this: ask for fewer lines at once)\n")
        assert last.endswith(f"\n{count - 1:09}")
        assert len(every) <= LONGEST_ANSWER
        assert len(last) <= LONGEST_ANSWER
        with pytest.raises(ToolDownstreamError, match="10,000,000 bytes"):
            await read(ctx, "artifact_estimate_tokens", call_id="large", encoding="claude")

    numbers = artifact("\n".join(f"{number:09}" for number in range(count)))
    large = artifact("x" * 10_000_001)
    await forged([tool_call("c1", results=numbers), tool_call("large", results=large)], work)


async def test_a_wrong_id_is_answered_with_the_newest_ones() -> None:
    async def work(ctx: DispatchContext) -> None:
        with pytest.raises(
            InvalidToolArgs, match=r"one of 30, of which the last are \['c10'.*'c29'"
        ):
            await read(ctx, "artifact_head", call_id="c30")

    await forged([tool_call(f"c{n}", results=artifact()) for n in range(30)], work)


async def test_bytes_that_are_no_text_are_shown_as_replacement_characters() -> None:
    # SECURITY 53, 69: binary
    async def work(ctx: DispatchContext) -> None:
        assert await read(ctx, "artifact_grep", call_id="c1", pattern="b") == "\ufffdb"
        assert await read(ctx, "artifact_head", call_id="c1") == "a\x00\n\ufffdb"

    await forged(
        [tool_call("c1", results=SpooledArtifact(BytesSpool(b"a\x00\n\xffb")))],
        work,
    )


async def test_reading_an_artifact_breeds_no_further_artifact() -> None:
    # CONTRACT 102
    seen: list[list[str]] = []

    async def look(ctx: DispatchContext, call_next: CallNext) -> None:
        head = ctx.tools.get("artifact_head")
        if head is not None:
            seen.append(head.describe()["input_schema"]["properties"]["call_id"]["enum"])
        await call_next()

    model = ScriptedModel(
        [
            [Call("add", {"a": 1, "b": 2}, id="first")],
            [Call("artifact_head", {"call_id": "first"}, id="second")],
            [Say("It is 3.")],
        ]
    )
    run = await ran(model, tools=[add], dispatch_input_pipeline=[look])
    assert seen == [["first"], ["first"]]
    reading = next(call for call in run.turn.turn_tool_calls if call.id == "second")
    assert (str(reading.results), reading.from_artifact_tool) == ("3", True)


async def test_a_marked_call_is_left_out_even_if_it_holds_an_artifact() -> None:
    # CONTRACT 102
    async def work(ctx: DispatchContext) -> None:
        assert ids(ctx) == ["c1"]

    marked = replace(tool_call("c2", results=artifact()), from_artifact_tool=True)
    await forged([tool_call("c1", results=artifact()), marked], work)


async def test_forging_again_does_not_pile_tools_up_and_keeps_those_that_still_fit() -> None:
    # CONTRACT 36, 37, 38
    seen: list[list[Any]] = []

    async def look(ctx: DispatchContext, call_next: CallNext) -> None:
        seen.append([item for item in ctx.tools if item.name in NAMES])
        await call_next()

    steps: Script = [
        [Call("nope", id="a")],
        [Call("add", {"a": 1, "b": 2}, id="b")],
        [Call("artifact_head", {"call_id": "b"}, id="c")],
        [Call("add", {"a": 2, "b": 2}, id="d")],
        [Say("Done.")],
    ]
    run = await ran(ScriptedModel(steps), tools=[add], dispatch_input_pipeline=[look])
    assert run.errors == []
    assert [len(tools) for tools in seen] == [0, 0, 7, 7, 7]
    assert all(one is two for one, two in zip(seen[2], seen[3], strict=True))
    assert not any(one is two for one, two in zip(seen[3], seen[4], strict=True))


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


async def test_a_reader_that_somebody_removed_is_offered_again() -> None:
    seen: list[bool] = []

    async def remove(ctx: DispatchContext, call_next: CallNext) -> None:
        seen.append(ctx.tools.has("artifact_tail"))
        ctx.tools.unregister("artifact_tail")
        await call_next()

    steps: Script = [
        [Call("add", {"a": 1, "b": 2}, id="1")],
        [Call("nope", id="2")],
        [Say("Done.")],
    ]
    await ran(ScriptedModel(steps), tools=[add], dispatch_input_pipeline=[remove])
    assert seen == [False, True, True]


async def test_the_readers_are_gone_after_the_ack() -> None:
    contexts: list[DispatchContext] = []

    async def keep(ctx: DispatchContext, call_next: CallNext) -> None:
        contexts.append(ctx)
        await call_next()

    model = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("Done.")]])
    await ran(model, tools=[add], dispatch_input_pipeline=[keep])
    assert contexts[0].tools.all() == [add]


DOCUMENT = """# Guide

See [the start](https://example.com/start).

## Install

Read [the list](https://example.com/list "All of it") first.
"""


async def test_a_document_is_fetched_queried_over_iterations_and_let_go() -> None:
    # CONTRACT 110
    @tool(artifact_constructor=SpooledMarkdownArtifact)
    def fetch() -> str:
        """Fetch the guide."""
        return DOCUMENT

    contexts: list[DispatchContext] = []
    offered: list[bool] = []

    async def look(ctx: DispatchContext, call_next: CallNext) -> None:
        contexts.append(ctx)
        offered.append(ctx.tools.has("artifact_md_headings") and ctx.tools.has("artifact_md_links"))
        await call_next()

    steps: Script = [
        [Call("fetch", id="doc")],
        [Call("artifact_md_headings", {"call_id": "doc"}, id="headings")],
        [Call("artifact_md_links", {"call_id": "doc", "start_line": 4}, id="links")],
        [Say("The guide has two headings.")],
    ]
    run = await ran(ScriptedModel(steps), tools=[fetch], dispatch_input_pipeline=[look])
    assert (run.errors, run.recorder.text) == ([], "The guide has two headings.")
    assert offered == [False, True, True, True]
    calls = {call.id: call for call in run.turn.turn_tool_calls}
    assert isinstance(calls["doc"].results, SpooledMarkdownArtifact)
    headings = json.loads(str(calls["headings"].results))
    assert [(heading["text"], heading["start_line"]) for heading in headings] == [
        ("Guide", 0),
        ("Install", 4),
    ]
    (link,) = json.loads(str(calls["links"].results))
    assert (link["text"], link["url"], link["line"]) == ("the list", "https://example.com/list", 6)
    assert [call.from_artifact_tool for call in calls.values()] == [False, True, True]
    assert contexts[-1].tools.all() == [fetch]


def offered(ctx: DispatchContext, **given: Any) -> list[str]:
    return [item.name for item in offered_tools(ctx, **given)]


async def test_readers_are_described_only_where_there_is_a_handle_to_read() -> None:
    """They exist and can be called in any case."""

    async def work(ctx: DispatchContext) -> None:
        ctx.tools.absorb(forge_tools(ctx))
        assert [item.name for item in ctx.tools.visible()] == NAMES
        assert offered(ctx) == []
        assert offered(ctx, forced="artifact_cat") == ["artifact_cat"]
        reader = ctx.tools.get("artifact_head")
        assert reader is not None
        assert await reader.executor(ctx)({"call_id": "c1", "n": 1}) == "one"
        (call,) = ctx.turn_tool_calls
        await ctx.mutate_tool_call(replace(call, inline=False))
        assert offered(ctx) == NAMES, "in the very iteration in which it became a handle"
        ctx.tools.hide("artifact_tail")
        assert "artifact_tail" not in offered(ctx)

    await forged([tool_call("c1", results=artifact())], work)


async def test_a_reader_of_another_kind_of_artifact_is_not_described() -> None:
    class Counted(SpooledArtifact):
        @artifact_tool("artifact_count_words")
        async def count_words(self) -> int:
            """Count the words."""
            return len((await self.as_string()).split())

    async def work(ctx: DispatchContext) -> None:
        ctx.tools.absorb(forge_tools(ctx))
        assert ctx.tools.has("artifact_count_words")
        assert offered(ctx) == NAMES
        assert offered(ctx, forced="artifact_count_words") == [*NAMES, "artifact_count_words"]

    inline = tool_call("c1", results=Counted(TextSpool("one two")))
    await forged([inline], work, [passage("r1", inline=False), passage("r2", inline=True)])
