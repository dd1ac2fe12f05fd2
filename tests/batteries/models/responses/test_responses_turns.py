"""Whole turns over the Responses API: real HTTP, real tools, real records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.faulty_endpoint import Close, Reset, Script, http_response, sse, stream_head
from support.responses_events import (
    Json,
    added,
    completed,
    created,
    done,
    event,
    events_of,
    function_call,
    message,
    reasoning,
    response,
    said,
    streamed_events,
    streamed_response,
    summarised,
    whole_response,
)
from support.turns import add, fail
from support.wire_turns import WireTurn, run_turn, wiping
from tether import CallNext, Context, Message
from tether.batteries.models.errors import InvalidModelOptions, ModelHttpError, ModelStreamError
from tether.batteries.models.responses import Responses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tether.runtime.tool import Tool

QUESTION = Message.user("What is 2 + 2?")
THOUGHT = reasoning("Two and two.", encrypted_content="gAAA")
FIRST = [THOUGHT, message("Let me add."), function_call("call_1", "add", '{"a": 2, "b": 2}')]
LAST = [message("It is 4.", id="msg_2")]


JSON_TYPE = {"Content-Type": "application/json"}


async def asked(*scripts: Script, tools: Sequence[Tool] = (add, fail), **options: Any) -> WireTurn:
    runner = {"tools": tools}
    return await run_turn(Responses, "/v1", *scripts, messages=[QUESTION], runner=runner, **options)


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_a_turn_with_a_tool_is_stored_and_goes_back(is_streamed: bool) -> None:
    answer = streamed_response if is_streamed else whole_response
    turn = await asked(answer(*FIRST), answer(*LAST), stream=is_streamed, api_key="sk-secret")
    assert turn.status == "ack"
    assert turn.errors == []
    assert turn.said == ["Let me add.", "It is 4."]
    assert turn.thought == ["Two and two."]
    (call,) = turn.storage.session().tool_calls
    assert (call.id, call.tool, call.args) == ("call_1", "add", {"a": 2, "b": 2})
    first, second = turn.endpoint.requests
    assert (first.method, first.target) == ("POST", "/v1/responses")
    assert first.headers["authorization"] == "Bearer sk-secret"
    items = second.json()["input"]
    assert [item.get("role", item["type"]) for item in items] == [
        "user",
        "reasoning",
        "assistant",
        "function_call",
        "function_call_output",
    ]
    assert items[1] == THOUGHT
    assert "4" in items[4]["output"]


async def test_pieces_are_shown_as_they_come_and_make_the_stored_text() -> None:
    turn = await asked(streamed_response(*LAST))
    chunks = turn.of("message")
    assert len(chunks) > 2
    assert chunks[-1].is_complete
    assert chunks[-1].full == "It is 4."


async def test_the_usage_is_logged() -> None:
    turn = await asked(streamed_response(*LAST))
    (finished,) = turn.logged("generation-finished")
    assert finished.payload["usage"]["reasoning_tokens"] == 20
    assert (finished.payload["wire"], finished.payload["finish_reason"]) == (
        "responses",
        "completed",
    )


async def test_arguments_that_are_no_object_are_answered_and_the_model_goes_on() -> None:
    broken = [
        function_call("call_1", "add", '{"a": 2,', id="fc_1"),
        function_call("call_2", "nothing", "{}", id="fc_2"),
        function_call("call_3", "fail", '{"why": "so"}', id="fc_3"),
    ]
    turn = await asked(streamed_response(*broken), streamed_response(*LAST))
    calls = list(turn.storage.session().tool_calls)
    assert [call.is_error for call in calls] == [True, True, True]
    assert turn.said == ["It is 4."]


async def test_a_reply_that_was_cut_is_kept_and_warned_of() -> None:
    body = response(
        message("It i"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
    )
    end = event("response.incomplete", response=body)
    turn = await asked(streamed_events(created(), said(0, "It i"), end))
    assert turn.said == ["It i"]
    assert turn.logged("reply-cut")


HALF = function_call("call_1", "wipe", "") | {"status": "incomplete"}
WIPE = function_call("call_1", "wipe", '{"path": "a"}')


def cut(*output: Json, reason: str | None) -> Json:
    details = None if reason is None else {"reason": reason}
    return response(*output, status="incomplete", incomplete_details=details)


@pytest.mark.parametrize("reason", ["max_output_tokens", "content_filter", None])
@pytest.mark.parametrize("call", [HALF, HALF | {"arguments": "{}"}, WIPE | {"arguments": ""}])
@pytest.mark.parametrize("is_streamed", [True, False])
async def test_a_call_that_was_cut_open_is_answered_and_not_run(
    is_streamed: bool, call: Json, reason: str | None
) -> None:
    body = cut(call, reason=reason)
    end = streamed_events(created(), event("response.incomplete", response=body))
    answer = streamed_response if is_streamed else whole_response
    script = end if is_streamed else http_response(200, body=body)
    wiped: list[str] = []
    turn = await asked(script, answer(*LAST), tools=[wiping(wiped)], stream=is_streamed)
    assert wiped == []
    (stored,) = turn.storage.session().tool_calls
    assert stored.is_error
    assert turn.said == ["It is 4."]
    assert turn.logged("reply-cut")


async def test_a_call_that_is_not_whole_is_not_run_in_a_response_that_claims_to_be() -> None:
    wiped: list[str] = []
    half = WIPE | {"status": "incomplete"}
    await asked(streamed_response(half), streamed_response(*LAST), tools=[wiping(wiped)])
    assert wiped == []


async def test_a_call_whose_place_is_told_in_two_ways_is_run_once() -> None:
    wiped: list[str] = []
    events = [created(), added(1, WIPE), done(1, WIPE), completed(WIPE)]
    scripts = streamed_events(*events), streamed_response(*LAST)
    turn = await asked(*scripts, tools=[wiping(wiped)])
    assert wiped == ["a"]
    assert len(list(turn.storage.session().tool_calls)) == 1


async def test_reasoning_goes_back_with_the_call_that_it_led_to_under_both_ids() -> None:
    known_by_id = reasoning("Two and two.")
    call = function_call("call_1", "add", '{"a": 2, "b": 2}', id="fc_7")
    turn = await asked(streamed_response(known_by_id, call), streamed_response(*LAST))
    items = turn.bodies[1]["input"]
    assert items[1] == known_by_id
    assert (items[2]["type"], items[2]["id"], items[2]["call_id"]) == (
        "function_call",
        "fc_7",
        "call_1",
    )


async def test_reasoning_that_was_cut_is_stored_and_never_sent_back() -> None:
    half = reasoning("Two a", encrypted_content="gAAA", status="incomplete")
    body = cut(half, reason="max_output_tokens")
    turn = await asked(http_response(200, body=body), stream=False)
    (thought,) = turn.storage.session().thoughts
    assert (str(thought.content), thought.payload) == ("Two a", None)


async def test_a_thought_that_was_shown_is_completed_and_stored() -> None:
    events = [summarised(0, "Hm."), done(0, reasoning()), completed(reasoning())]
    turn = await asked(streamed_events(created(), *events), store=False)
    assert [(chunk.full, chunk.is_complete) for chunk in turn.of("thought")][-1] == ("Hm.", True)
    assert turn.thought == ["Hm."]


async def test_a_message_that_was_shown_is_stored_though_its_item_came_empty() -> None:
    empty = message()
    events = [added(0, empty), said(0, "Hello"), done(0, empty), completed()]
    turn = await asked(streamed_events(created(), *events))
    assert turn.of("message")[-1].full == "Hello"
    assert turn.said == ["Hello"]


async def test_a_number_that_is_none_is_no_part_of_a_reply() -> None:
    item = b'{"type":"reasoning","id":"rs_1","summary":[],"x":NaN}'
    body = b'{"id":"r","status":"completed","output":[' + item + b"]}"
    turn = await asked(http_response(200, JSON_TYPE, body), stream=False)
    assert turn.status == "nack"
    event_data = b'data: {"type":"response.output_item.done","output_index":0,"item":' + item
    junk = event_data + b"}\n\n"
    turn = await asked([stream_head(), sse(created()) + junk + sse(completed(*LAST)), Close()])
    assert (turn.said, turn.thought) == (["It is 4."], [])
    assert len(turn.logged("sse-parse-failure")) == 1


@pytest.mark.parametrize(
    "script",
    [
        streamed_events(created(), said(0, "Hel"), event("error", code="x", message="Oops")),
        streamed_events(created(), said(0, "Hel")),
        [stream_head(), sse(created(), said(0, "Hel")), Close()],
        [stream_head(), sse(created(), said(0, "Hel")), Reset()],
        streamed_events(*events_of(*FIRST)[:-4]),
    ],
)
async def test_a_stream_that_breaks_is_nacked_and_leaves_nothing(script: Script) -> None:
    turn = await asked(script)
    assert turn.status == "nack"
    assert (turn.said, list(turn.storage.session().tool_calls)) == ([], [])
    (error,) = turn.errors
    assert isinstance(error, ModelStreamError)
    assert "Hel".startswith(error.partial) or "Let me add.".startswith(error.partial)


async def test_an_error_is_nacked_with_its_status() -> None:
    body = {"error": {"message": "no such model", "type": "invalid_request_error"}}
    turn = await asked(http_response(404, body=body))
    (error,) = turn.errors
    assert isinstance(error, ModelHttpError)
    assert error.http_status == 404
    assert "no such model" in error.message


async def test_events_that_cannot_be_read_are_skipped() -> None:
    events = events_of(*LAST)
    junk = b"data: {nonsense\n\ndata: []\n\nevent: strange\ndata: {}\n\n"
    turn = await asked([stream_head(), sse(events[0]) + junk + sse(*events[1:]), Close()])
    assert turn.said == ["It is 4."]
    assert len(turn.logged("sse-parse-failure")) == 2


async def test_the_stash_changes_a_request_under_the_wires_own_key() -> None:
    async def stash(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set("openai_responses", {"temperature": 0.25})
        ctx.stash.set("anthropic_messages", {"temperature": 0.75})
        await call_next()

    assert Responses.STASH_KEY == "openai_responses"
    turn = await run_turn(
        Responses, "/v1", streamed_response(*LAST), runner={"dispatch_input_pipeline": [stash]}
    )
    assert turn.bodies[0]["temperature"] == 0.25


def test_what_the_exchange_refuses_is_a_refused_option() -> None:
    with pytest.raises(InvalidModelOptions, match="max_concurrency"):
        Responses(model="m", max_concurrency=0)
