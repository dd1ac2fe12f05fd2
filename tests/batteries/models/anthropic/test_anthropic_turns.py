"""Whole turns over the Messages API: real HTTP, real tools, real records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.anthropic_events import (
    OVERLOADED,
    TEXT_STREAM,
    THINKING_STREAM,
    TOOL_STREAM,
    Json,
    begin,
    complaints,
    ended,
    events_of,
    piece,
    start,
    stop,
    stream_of,
    streamed_message,
    text,
    thinking,
    tool_use,
    whole_message,
)
from support.faulty_endpoint import Close, Drip, Reset, Script, http_response, stream_head, streamed
from support.turns import add, fail
from support.wire_turns import WireTurn, run_turn, wiping
from tether import CallNext, Context, Message
from tether.batteries.models.anthropic import AnthropicMessages
from tether.batteries.models.errors import InvalidModelOptions, ModelHttpError, ModelStreamError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.runtime.tool import Tool

QUESTION = Message.user("What is 2 + 2?")
THOUGHT = thinking("Two and two.")
FIRST = [
    THOUGHT,
    text("Let me add."),
    tool_use("toolu_1", "add", a=2, b=2),
    tool_use("toolu_2", "fail", why="it broke"),
]
LAST = [text("It is 4.")]


async def asked(*scripts: Script, tools: Sequence[Tool] = (add, fail), **options: Any) -> WireTurn:
    return await run_turn(
        AnthropicMessages,
        "",
        *scripts,
        messages=[QUESTION],
        runner={"tools": tools},
        **options,
    )


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_a_turn_with_tools_is_stored_and_goes_back(is_streamed: bool) -> None:
    answer = streamed_message if is_streamed else whole_message
    turn = await asked(
        answer(*FIRST, stop_reason="tool_use"),
        answer(*LAST),
        stream=is_streamed,
        api_key="sk-secret",
    )
    assert turn.status == "ack"
    assert turn.errors == []
    assert turn.said == ["Let me add.", "It is 4."]
    assert turn.thought == ["Two and two."]
    calls = list(turn.storage.session().tool_calls)
    assert [(call.id, call.tool, call.is_error) for call in calls] == [
        ("toolu_1", "add", False),
        ("toolu_2", "fail", True),
    ]
    first, second = turn.endpoint.requests
    assert (first.method, first.target) == ("POST", "/v1/messages")
    assert first.headers["x-api-key"] == "sk-secret"
    assert first.headers["anthropic-version"] == "2023-06-01"
    body = second.json()
    assert complaints(body) == []
    assert [
        (it["role"], [block["type"] for block in it["content"]]) for it in body["messages"]
    ] == [
        ("user", ["text"]),
        ("assistant", ["thinking", "text", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
    ]
    assert body["messages"][1]["content"][0] == THOUGHT
    assert [block.get("is_error") for block in body["messages"][2]["content"]] == [None, True]


async def test_the_documentations_streams_make_a_turn() -> None:
    turn = await asked(streamed(TOOL_STREAM), streamed(THINKING_STREAM))
    assert turn.said == ["Let me add.", "Four."]
    (call,) = turn.storage.session().tool_calls
    assert (call.id, call.args) == ("toolu_1", {"a": 2, "b": 2})
    chunks = turn.of("thought")
    assert chunks[-1].full == "Two and two\nis four."


async def test_a_stream_may_come_byte_by_byte() -> None:
    turn = await asked([stream_head(), Drip(TEXT_STREAM, size=7), Close()])
    assert turn.said == ["Hello!"]


async def test_the_usage_is_logged() -> None:
    turn = await asked(streamed_message(*LAST))
    (finished,) = turn.logged("generation-finished")
    assert finished.payload["usage"]["cached_tokens"] == 100
    assert finished.payload["wire"] == "anthropic-messages"
    assert finished.payload["finish_reason"] == "end_turn"


async def test_an_input_that_was_cut_is_answered_and_nothing_is_run() -> None:
    events = [
        start(content=[]),
        begin(0, tool_use("toolu_1", "add")),
        piece(0, "input_json_delta", partial_json='{"a": 2, "b'),
        stop(0),
        *ended("max_tokens"),
    ]
    turn = await asked(streamed(stream_of(*events)), streamed_message(*LAST))
    (call,) = turn.storage.session().tool_calls
    assert (call.is_error, call.args) == (True, {})
    assert turn.logged("reply-cut")
    assert turn.said == ["It is 4."]


CUT = ["max_tokens", "model_context_window_exceeded", "refusal", "brand_new"]


@pytest.mark.parametrize("reason", CUT)
@pytest.mark.parametrize("given", [{}, {"path": "a"}])
async def test_an_input_that_the_endpoint_read_is_not_run_where_it_may_be_a_part(
    given: Json, reason: str
) -> None:
    """An input of which nothing came looks like a call without arguments."""
    call, wiped = tool_use("toolu_1", "wipe", **given), list[str]()
    events = [start(content=[]), begin(0, call), stop(0), *ended(reason)]
    script = streamed(stream_of(*events))
    turn = await asked(script, streamed_message(*LAST), tools=[wiping(wiped)])
    assert turn.said == ["It is 4."]
    script = whole_message(call, stop_reason=reason)
    turn = await asked(script, whole_message(*LAST), tools=[wiping(wiped)], stream=False)
    assert turn.said == ["It is 4."]
    assert wiped == []


async def test_an_input_that_the_model_wrote_to_its_end_is_run_in_a_reply_that_was_cut() -> None:
    wiped: list[str] = []
    script = streamed_message(tool_use("toolu_1", "wipe", path="a"), stop_reason="max_tokens")
    await asked(script, streamed_message(*LAST), tools=[wiping(wiped)])
    assert wiped == ["a"]


async def test_a_call_without_arguments_is_run_where_the_model_ended_by_itself() -> None:
    wiped: list[str] = []
    script = streamed_message(tool_use("toolu_1", "wipe"), stop_reason="tool_use")
    await asked(script, streamed_message(*LAST), tools=[wiping(wiped)])
    assert wiped == ["/"]


async def test_a_number_that_is_none_is_no_part_of_a_reply() -> None:
    block = b'{"type":"thinking","thinking":"x","signature":"s","more":NaN}'
    body = b'{"id":"m","type":"message","content":[' + block + b'],"stop_reason":"end_turn"}'
    head = {"Content-Type": "application/json"}
    turn = await asked(http_response(200, head, body), stream=False)
    assert turn.status == "nack"
    begun = b'data: {"type":"content_block_start","index":0,"content_block":' + block + b"}\n\n"
    first, *rest = events_of(*LAST)
    turn = await asked(streamed(stream_of(first) + begun + stream_of(*rest)))
    assert (turn.said, turn.thought) == (["It is 4."], [])
    assert len(turn.logged("sse-parse-failure")) == 1


def broken(*events: Json) -> bytes:
    return stream_of(start(content=[]), begin(0, text("Hel")), *events)


@pytest.mark.parametrize(
    "script",
    [
        streamed(broken() + OVERLOADED),
        streamed(broken()),
        [stream_head(), broken(), Close()],
        [stream_head(), broken(), Reset()],
        streamed(broken(begin(1, tool_use("t", "add")), *ended("tool_use"))),
    ],
)
async def test_a_stream_that_breaks_is_nacked_and_leaves_nothing(script: Script) -> None:
    turn = await asked(script)
    assert turn.status == "nack"
    assert (turn.said, list(turn.storage.session().tool_calls)) == ([], [])
    (error,) = turn.errors
    assert isinstance(error, ModelStreamError)
    assert error.partial in ("Hel", "")


async def test_an_overloaded_endpoint_is_asked_again_only_before_it_began() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    retry = {"max_attempts": 2, "base_delay_ms": 0}
    turn = await asked(http_response(529, body=body), streamed_message(*LAST), retry=retry)
    assert turn.said == ["It is 4."]
    turn = await asked(streamed(broken() + OVERLOADED), streamed_message(*LAST), retry=retry)
    assert len(turn.endpoint.requests) == 1
    assert turn.errors[0].retryable


async def test_an_error_is_nacked_with_its_status() -> None:
    body = {"type": "error", "error": {"type": "authentication_error", "message": "bad key"}}
    turn = await asked(http_response(401, body=body), api_key="sk-secret")
    (error,) = turn.errors
    assert isinstance(error, ModelHttpError)
    assert error.http_status == 401
    assert "bad key" in error.message


async def test_events_that_cannot_be_read_are_skipped() -> None:
    first, *rest = events_of(*LAST)
    junk = b"data: {nonsense\n\ndata: []\n\nevent: strange\ndata: {}\n\n"
    turn = await asked(streamed(stream_of(first) + junk + stream_of(*rest)))
    assert turn.said == ["It is 4."]
    assert len(turn.logged("sse-parse-failure")) == 2


async def test_the_stash_changes_a_request_under_the_wires_own_key() -> None:
    async def stash(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set("anthropic_messages", {"max_tokens": 7})
        await call_next()

    assert AnthropicMessages.STASH_KEY == "anthropic_messages"
    pipeline = {"dispatch_input_pipeline": [stash]}
    turn = await run_turn(AnthropicMessages, "", streamed_message(*LAST), runner=pipeline)
    assert turn.bodies[0]["max_tokens"] == 7


async def test_a_choice_that_forces_a_tool_is_seen_in_this_wires_form() -> None:
    choice = {"type": "tool", "name": "add"}
    turn = await asked(streamed_message(*LAST), tool_choice=choice)
    assert turn.bodies[0]["tool_choice"] == choice


def test_what_the_exchange_refuses_is_a_refused_option() -> None:
    with pytest.raises(InvalidModelOptions, match="max_concurrency"):
        AnthropicMessages(model="m", max_concurrency=0)
