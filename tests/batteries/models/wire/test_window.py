"""A prompt that does not fit is never sent, and says where its tokens are."""

from __future__ import annotations

from typing import Any

import pytest

from support.chat_replies import Asked, asked, called, said
from support.turns import message
from tether import CallNext, Context, DispatchContext, ToolCall, TurnInput, tool
from tether.batteries.models.chat_completions import ChatCompletions
from tether.batteries.models.errors import (
    InvalidOpenaiChatCompletionsOptions,
    OpenaiChatCompletionsContextOverflow,
)
from tether.runtime.errors import LlmExecutionExecutorError

WINDOW: dict[str, Any] = {"token_encoding": "o200k_base", "context_window": 4_096}
LONG = TurnInput(system_prompt="word " * 5_000)
BUCKETS = (
    "system_prompt",
    "standing_instructions",
    "memories",
    "retrievables",
    "timeline",
    "tools",
)


def cause(run: Asked) -> Any:
    (error,) = run.errors
    assert isinstance(error, LlmExecutionExecutorError)
    return error.__cause__


def stashing(**overrides: Any) -> Any:
    async def middleware(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set(ChatCompletions.STASH_KEY, overrides)
        await call_next()

    return {"dispatch_input_pipeline": [middleware]}


async def test_142_overflow_raises_before_any_request_and_names_the_largest_bucket() -> None:
    run = await asked(said("x"), turn=LONG, **WINDOW)
    error = cause(run)
    assert isinstance(error, OpenaiChatCompletionsContextOverflow)
    assert run.endpoint.requests == []
    assert "o200k_base" in error.message
    assert "the largest bucket is system_prompt" in error.message
    assert (error.limit, error.encoding) == (4_096, "o200k_base")
    assert error.total == sum(error.per_bucket.values()) > 4_096
    assert tuple(error.per_bucket) == BUCKETS
    assert (error.status, error.fatal, run.status) == (529, True, "nack")


async def test_142_the_usage_is_logged_whether_it_fits_or_not() -> None:
    for turn in (LONG, TurnInput(system_prompt="Be kind.")):
        run = await asked(said("x"), turn=turn, **WINDOW)
        (entry,) = run.logged("context-window-usage")
        assert entry.level == "debug"
        assert entry.payload["limit"] == 4_096
        assert entry.payload["total"] == sum(entry.payload["per_bucket"].values())


async def test_142_nothing_is_counted_by_default_nor_with_a_window_alone() -> None:
    for options in ({}, {"context_window": 10}):
        run = await asked(said("x"), turn=LONG, **options)
        assert (run.status, run.logged("context-window-usage")) == ("ack", [])


async def test_142_an_encoding_without_a_window_fails_in_the_first_dispatch() -> None:
    ChatCompletions(model="m", token_encoding="o200k_base").executor(temperature=1)
    run = await asked(said("x"), token_encoding="o200k_base")
    error = cause(run)
    assert isinstance(error, InvalidOpenaiChatCompletionsOptions)
    assert [problem.path for problem in error.problems] == ["context_window"]
    assert run.endpoint.requests == []


async def test_142_only_strictly_more_than_the_window_is_too_much() -> None:
    total = (await asked(said("x"), **WINDOW)).logged("context-window-usage")[0].payload["total"]
    exact = await asked(said("x"), token_encoding="o200k_base", context_window=total)
    assert exact.status == "ack"
    less = await asked(said("x"), token_encoding="o200k_base", context_window=total - 1)
    assert less.status == "nack"


@pytest.mark.parametrize(
    ("overrides", "status"),
    [
        ({"context_window": 10}, "nack"),
        ({"context_window": 100_000}, "ack"),
        ({"token_encoding": None}, "ack"),
    ],
)
async def test_142_an_override_for_one_iteration_works_both_ways(
    overrides: Any, status: str
) -> None:
    turn = TurnInput(system_prompt="word " * (1_000 if status == "nack" else 5_000))
    run = await asked(said("x"), turn=turn, runner=stashing(**overrides), **WINDOW)
    assert run.status == status


# 143: handles

LINE = "the quick brown fox jumps over the lazy dog again and again\n"


def report(size: int) -> Any:
    text = LINE * (size // len(LINE))

    @tool(name="report")
    def write() -> str:
        """Write a report."""
        return text

    return write


async def as_handles(ctx: DispatchContext, call_next: CallNext) -> None:
    """Offer every result as a handle; the model reads the parts that it needs."""
    for call in [call for call in ctx.turn_tool_calls if call.inline and call.artifacts()]:
        changed: dict[str, Any] = {**call.to_json(), "results": call.results, "inline": False}
        await ctx.mutate_tool_call(ToolCall(**changed))
    await call_next()


@pytest.mark.unmeasured
async def test_143_a_handle_keeps_five_megabytes_out_of_a_small_window() -> None:
    run = await asked(
        called(("c1", "report", "")),
        called(("c2", "artifact_grep", '{"call_id":"c1","pattern":"nothing"}')),
        called(("c3", "artifact_head", '{"call_id":"c1","n":1}')),
        said("A fox."),
        tools=[report(5_000_000)],
        runner={"dispatch_input_pipeline": [as_handles]},
        **WINDOW,
    )
    assert run.errors == []
    assert (run.status, run.recorder.text) == ("ack", "A fox.")
    calls = list(run.turn.turn_tool_calls)
    assert [call.from_artifact_tool for call in calls] == [False, True, True]
    assert [call.is_error for call in calls] == [False, False, False]
    assert str(calls[2].results).strip() == LINE.strip()
    assert len(run.bodies) == 4
    for body, request in zip(run.bodies, run.endpoint.requests, strict=True):
        assert len(request.body) < 20_000
        offered = {it["function"]["name"] for it in body["tools"]}
        assert ("artifact_grep" in offered) is (len(body["messages"]) > 1)
    handle = run.bodies[1]["messages"][-1]["content"]
    assert 'kind="artifact-handle"' in handle
    assert LINE.strip() not in handle


async def test_143_the_same_result_inline_overflows_and_the_timeline_is_to_blame() -> None:
    run = await asked(called(("c1", "report", "")), tools=[report(5_000_000)], **WINDOW)
    error = cause(run)
    assert isinstance(error, OpenaiChatCompletionsContextOverflow)
    assert max(error.per_bucket, key=error.per_bucket.__getitem__) == "timeline"
    assert error.per_bucket["timeline"] > 4_096
    assert error.is_minimum, "five megabytes are not counted to their end"
    assert f"at least {error.total} tokens" in error.message
    assert len(run.endpoint.requests) == 1


async def test_143_many_handles_can_overflow_too() -> None:
    calls = [(f"c{at}", "report", "") for at in range(60)]
    run = await asked(
        called(*calls),
        tools=[report(1_000)],
        runner={"dispatch_input_pipeline": [as_handles]},
        **WINDOW,
    )
    error = cause(run)
    assert isinstance(error, OpenaiChatCompletionsContextOverflow)
    assert error.per_bucket["timeline"] > 4_096


async def test_a_handle_says_how_many_tokens_the_result_is() -> None:
    run = await asked(
        called(("c1", "report", "")),
        said("ok"),
        tools=[report(1_000)],
        runner={"dispatch_input_pipeline": [as_handles]},
        **WINDOW,
    )
    assert "o200k_base" in run.bodies[1]["messages"][-1]["content"]


async def test_tools_are_counted() -> None:
    for tools, is_counted in (([report(1)], True), ([], False)):
        run = await asked(said("x"), tools=tools, **WINDOW)
        (entry,) = run.logged("context-window-usage")
        assert (entry.payload["per_bucket"]["tools"] > 0) is is_counted


async def test_what_is_counted_is_what_is_rendered() -> None:
    async def hydrate(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_messages.add(message("u1", "Hello there", role="user"))
        await call_next()

    run = await asked(said("x"), runner={"turn_input_pipeline": [hydrate]}, **WINDOW)
    (entry,) = run.logged("context-window-usage")
    # The envelope around two words costs more than the words.
    assert entry.payload["per_bucket"]["timeline"] > 20
