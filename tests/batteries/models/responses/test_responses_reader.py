"""Replies of a Responses endpoint, streamed and in one piece."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.responses_events import (
    Json,
    added,
    completed,
    created,
    delta,
    done,
    event,
    events_of,
    function_call,
    message,
    reasoning,
    refusal,
    response,
    said,
    summarised,
)
from support.wire_fuzz import objects_of, survives
from tether.batteries.models.errors import ModelHttpError, ModelStreamError
from tether.batteries.models.responses import ResponsesOptions
from tether.batteries.models.responses.executor import ResponsesWire
from tether.batteries.models.responses.reader import ResponsesReader
from tether.batteries.models.wire.reply import Delta, Reasoning, ReasoningDelta, Reply, TextDelta

WIRE = ResponsesWire()
OPTIONS = ResponsesOptions(model="m")
TAG = "openai-responses"


def read(*events: object, **options: Any) -> tuple[list[Delta], Reply]:
    reader = WIRE.reader(ResponsesOptions(model="m", **options))
    shown: list[Delta] = []
    for event_data in events:
        data = event_data if isinstance(event_data, str) else json.dumps(event_data)
        shown += reader.feed(None, data)
    return shown, reader.reply()


def one_piece(*output: Json, **fields: Any) -> Reply:
    return WIRE.reply(OPTIONS, response(*output, **fields))


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


OUTPUTS: list[list[Json]] = [
    [message("Hello, world!")],
    [reasoning("First, look.", "Then, speak.", encrypted_content="gAAA"), message("Four.")],
    [function_call("call_1", "add", '{"a": 2, "b": 2}')],
    [
        reasoning(),
        message("Let me look."),
        function_call("call_1", "add", '{"a": 1}', id="fc_1"),
        function_call("call_2", "add", "{}", id="fc_2"),
        reasoning("Later.", id="rs_2"),
        message("Done.", "Really.", id="msg_2"),
    ],
    [],
]


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_stream_and_a_reply_in_one_piece_say_the_same(output: list[Json]) -> None:
    shown, streamed = read(*events_of(*output))
    assert streamed == one_piece(*output)
    assert text_of(shown) == streamed.text
    for thought in streamed.reasoning:
        pieces = [d.text for d in shown if isinstance(d, ReasoningDelta) and d.field == thought[0]]
        assert "".join(pieces) == thought.text


@pytest.mark.parametrize("output", OUTPUTS)
def test_pieces_alone_make_the_same_texts_and_calls(output: list[Json]) -> None:
    """Some endpoints never send an item whole, and end with an empty output."""
    whole = ("response.output_item.done", "response.completed")
    pieces = [event for event in events_of(*output) if event["type"] not in whole]
    _, streamed = read(*pieces, completed())
    expected = one_piece(*output)
    assert streamed.text == expected.text
    assert [it[:3] for it in streamed.tool_requests] == [it[:3] for it in expected.tool_requests]
    assert [part.text for part in streamed.reasoning] == [
        part.text for part in expected.reasoning if part.text
    ]


def test_the_facts_about_a_reply() -> None:
    reply = one_piece(*OUTPUTS[3])
    assert (reply.response_id, reply.model) == ("resp_1", "gpt-served")
    assert reply.text == "Let me look.\n\nDone.Really."
    assert [(call.id, call.name, call.arguments) for call in reply.tool_requests] == [
        ("call_1", "add", '{"a": 1}'),
        ("call_2", "add", "{}"),
    ]
    assert reply.finish_reason == "completed"
    assert reply.is_cut is False
    assert reply.usage.to_json() == {
        "input_tokens": 120,
        "output_tokens": 30,
        "cached_tokens": 100,
        "reasoning_tokens": 20,
    }


def test_reasoning_comes_with_its_item_to_be_sent_back() -> None:
    first, last = OUTPUTS[3][0], OUTPUTS[3][4]
    assert one_piece(*OUTPUTS[3]).reasoning == (
        Reasoning("reasoning", "", first, TAG),
        Reasoning("reasoning_4", "Later.", last, TAG),
    )


def test_parts_of_reasoning_are_apart() -> None:
    shown, reply = read(*events_of(reasoning("First.", "Second.")))
    assert reply.reasoning[0].text == "First.\n\nSecond."
    assert "".join(piece.text for piece in shown) == "First.\n\nSecond."


def test_the_reasoning_of_open_models_is_text_too() -> None:
    item = reasoning(content=[{"type": "reasoning_text", "text": "Hm."}])
    events = [delta("reasoning_text", 0, "Hm.", content_index=0), done(0, item)]
    shown, reply = read(*events, completed(item))
    assert shown == [ReasoningDelta("reasoning", "Hm.")]
    assert reply.reasoning == (Reasoning("reasoning", "Hm.", item, TAG),)


def test_an_endpoint_that_stores_nothing_gets_back_only_what_it_encrypted() -> None:
    bare, sealed = reasoning("Seen."), reasoning(id="rs_2", encrypted_content="gAAA")
    _, reply = read(completed(bare, reasoning(id="rs_3"), sealed), store=False)
    assert reply.reasoning == (
        Reasoning("reasoning", "Seen."),
        Reasoning("reasoning_2", "", sealed, TAG),
    )


def test_half_an_item_of_reasoning_is_shown_and_not_sent_back() -> None:
    _, reply = read(added(0, reasoning()), summarised(0, "Half"), completed())
    assert reply.reasoning == (Reasoning("reasoning", "Half"),)


def test_a_refusal_is_an_answer_and_the_reason_why_it_ended() -> None:
    part = delta("refusal", 0, "I will not.", content_index=0)
    shown, reply = read(created(), part, completed(refusal("I will not.")))
    assert shown == [TextDelta("I will not.")]
    assert (reply.text, reply.finish_reason) == ("I will not.", "refusal")
    assert read(part, completed())[1].text == "I will not."


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        ({"reason": "max_output_tokens"}, "max_output_tokens"),
        ({"reason": "content_filter"}, "content_filter"),
        (None, "incomplete"),
    ],
)
def test_an_incomplete_response_says_why(details: Any, reason: str) -> None:
    body = response(message("Hel"), status="incomplete", incomplete_details=details)
    _, reply = read(said(0, "Hel"), event("response.incomplete", response=body))
    assert (reply.text, reply.finish_reason, reply.is_cut) == ("Hel", reason, True)
    assert WIRE.reply(OPTIONS, body) == reply


@pytest.mark.parametrize("status", ["failed", "cancelled", "in_progress", "brand new", None, 7])
def test_only_a_completed_response_is_not_cut(status: object) -> None:
    assert WIRE.reply(OPTIONS, {"output": [message("Hi")], "status": status}).is_cut
    assert not one_piece(message("Hi")).is_cut


def test_the_event_that_ends_a_response_says_how_where_the_response_does_not() -> None:
    _, whole = read(created(), {"type": "response.completed", "response": {}})
    _, half = read(created(), {"type": "response.incomplete", "response": {"status": "completed"}})
    assert (whole.finish_reason, whole.is_cut) == ("completed", False)
    assert (half.finish_reason, half.is_cut) == ("incomplete", True)


@pytest.mark.parametrize("status", ["incomplete", "in_progress"])
def test_a_call_that_is_not_whole_is_marked_in_a_response_that_claims_to_be(status: str) -> None:
    half = function_call("call_1", "add", '{"a": 1}') | {"status": status}
    reply = one_piece(half, function_call("call_2", "add", "{}", id="fc_2"))
    assert reply.is_cut
    assert [call.is_verbatim for call in reply.tool_requests] == [False, True]


WIPE = function_call("call_1", "wipe", '{"path": "a"}')
NAMELESS = {name: WIPE[name] for name in ("type", "name", "arguments")}
WIPED = [("call_1", "wipe", '{"path": "a"}')]


def calls_of(reply: Reply) -> list[tuple[Any, ...]]:
    return [tuple(call[:3]) for call in reply.tool_requests]


@pytest.mark.parametrize(
    "events",
    [
        [added(1, WIPE), done(1, WIPE), completed(WIPE)],
        [done(3, WIPE), completed(message("Hi"), WIPE)],
        [added(0, WIPE), done(1, WIPE), completed()],
        [done(0, WIPE), done(1, WIPE), completed(WIPE)],
        [done(1, WIPE), completed(WIPE | {"id": "another"})],
        [done(1, WIPE), {"type": "response.completed", "response": {"output": [NAMELESS]}}],
        [
            added(1, WIPE),
            event(
                "response.function_call_arguments.done",
                output_index=1,
                item_id="?",
                arguments=WIPE["arguments"],
            ),
            completed(WIPE),
        ],
    ],
)
def test_a_call_is_one_call_however_often_it_is_told_of(events: list[Json]) -> None:
    assert calls_of(read(*events)[1]) == WIPED


def test_calls_with_ids_of_their_own_are_several_calls() -> None:
    other = function_call("call_2", "wipe", '{"path": "a"}', id="fc_2")
    _, reply = read(done(0, WIPE), completed(other))
    assert [id for id, *_ in calls_of(reply)] == ["call_1", "call_2"]
    _, reply = read(done(0, WIPE), done(1, other), completed(other, WIPE))
    assert [id for id, *_ in calls_of(reply)] == ["call_1", "call_2"]


def test_a_call_that_is_listed_twice_is_one_call() -> None:
    assert calls_of(one_piece(WIPE, message("Hi"), WIPE)) == WIPED
    assert calls_of(read(completed(WIPE, WIPE))[1]) == WIPED


def test_calls_that_an_endpoint_gives_the_same_id_are_several_calls() -> None:
    other = WIPE | {"arguments": '{"path": "b"}'}
    for reply in (
        one_piece(WIPE, other),
        read(done(0, WIPE), done(1, other), completed(WIPE, other))[1],
    ):
        assert [call.arguments for call in reply.tool_requests] == [
            '{"path": "a"}',
            '{"path": "b"}',
        ]


def test_what_came_whole_is_not_taken_again_from_the_list_at_the_end() -> None:
    thought, words = reasoning("why", encrypted_content="gAAA"), message("Hello")
    events = [done(0, thought), said(1, "Hello"), done(1, words)]
    for listed in ([words], [thought], [reasoning("why"), words], [message("Hello", id="msg_9")]):
        shown, reply = read(*events, completed(*listed))
        assert (text_of(shown), reply.text) == ("Hello", "Hello")
        assert reply.reasoning == (Reasoning("reasoning", "why", thought, TAG),)


def test_what_is_only_in_the_list_at_the_end_has_its_place() -> None:
    words = message("Hello")
    _, reply = read(done(1, words), completed(reasoning("why"), words, message("More.", id="m2")))
    assert reply.text == "Hello\n\nMore."
    assert [part.text for part in reply.reasoning] == ["why"]
    _, reply = read(done(1, words), completed(words, message("More.", id="m2")))
    assert reply.text == "Hello\n\nMore."


def test_junk_in_a_list_does_not_shift_what_stands_behind_it() -> None:
    body: Json = {"status": "completed", "output": [None, "junk", reasoning("why")]}
    expected = (Reasoning("reasoning_2", "why", reasoning("why"), TAG),)
    shown, reply = read(summarised(2, "why"), {"type": "response.completed", "response": body})
    assert shown == [ReasoningDelta("reasoning_2", "why")]
    assert reply.reasoning == expected
    assert WIRE.reply(OPTIONS, body).reasoning == expected


def test_what_was_shown_is_kept_where_the_whole_item_says_nothing() -> None:
    empty = message()
    shown, reply = read(added(0, empty), said(0, "Hello"), done(0, empty), completed(empty))
    assert (text_of(shown), reply.text) == ("Hello", "Hello")
    bare = reasoning(encrypted_content="gAAA")
    _, reply = read(summarised(0, "Hm."), done(0, bare), completed(), store=False)
    assert reply.reasoning == (Reasoning("reasoning", "Hm.", bare, TAG),)
    _, reply = read(summarised(0, "Hm."), done(0, reasoning()), completed(), store=False)
    assert reply.reasoning == (Reasoning("reasoning", "Hm."),)
    _, reply = read(summarised(0, "Hm."), done(0, message("Hi")), completed())
    assert (reply.text, reply.reasoning) == ("Hi", (Reasoning("reasoning", "Hm."),))


def test_what_was_done_without_words_gets_them_from_the_list_at_the_end() -> None:
    _, reply = read(done(0, message()), completed(message("Hello")))
    assert reply.text == "Hello"
    _, reply = read(done(0, WIPE | {"arguments": ""}), completed(WIPE))
    assert calls_of(reply) == WIPED


def test_a_call_that_was_done_without_arguments_gets_them_from_its_pieces() -> None:
    piece = delta("function_call_arguments", 0, WIPE["arguments"])
    _, reply = read(added(0, WIPE), piece, done(0, WIPE | {"arguments": ""}), completed())
    assert calls_of(reply) == WIPED


def test_reasoning_that_is_not_whole_is_not_sent_back() -> None:
    half = reasoning("Half", encrypted_content="gAAA", status="incomplete")
    silent = reasoning(id="rs_2", status="in_progress")
    assert one_piece(half, silent).reasoning == (Reasoning("reasoning", "Half"),)


def test_the_reasoning_in_which_a_response_was_cut_is_not_sent_back() -> None:
    first = reasoning(encrypted_content="gAAA")
    last = reasoning("Hm", id="rs_2", encrypted_content="gAAB")
    cases: list[tuple[list[Json], list[Any]]] = [
        ([first, message("Hi"), last], [first, None]),
        ([last], [None]),
        ([], []),
    ]
    for output, expected in cases:
        body = response(*output, status="incomplete", incomplete_details=None)
        payloads = [part.payload for part in WIRE.reply(OPTIONS, body).reasoning]
        assert payloads == expected
    body = response(last, message("Hi"), status="incomplete", incomplete_details=None)
    assert WIRE.reply(OPTIONS, body).reasoning[0].payload == last


@settings(max_examples=40)
@given(st.permutations(OUTPUTS[3]), st.integers(0, 6), st.integers(0, 3), st.booleans())
def test_no_list_at_the_end_changes_what_came_whole(
    listed: list[Json], length: int, shift: int, has_begun: bool
) -> None:
    events: list[Json] = []
    for place, item in enumerate(OUTPUTS[3], shift):
        events += [added(place, item)] if has_begun else []
        events.append(done(place, item))
    _, reply = read(*events, completed(*listed[:length]))
    expected = one_piece(*OUTPUTS[3])
    assert (reply.text, reply.tool_requests) == (expected.text, expected.tool_requests)
    assert [part[1:] for part in reply.reasoning] == [part[1:] for part in expected.reasoning]


def test_a_call_keeps_its_id_and_that_of_the_reasoning_that_led_to_it() -> None:
    call = function_call("call_1", "add", "{}", id="fc_1")
    after = {"id": "fc_1", "reasoning": "rs_1"}
    for output in ([reasoning(), call], [reasoning(), message("Let me see."), call]):
        (request,) = one_piece(*output).tool_requests
        assert (request.payload, request.replay_compatibility) == (after, TAG)
    for output in ([call], [call, reasoning()], [reasoning(status="incomplete"), call]):
        (request,) = one_piece(*output).tool_requests
        assert (request.payload, request.replay_compatibility) == (None, None)


def test_the_end_is_known_and_nothing_after_it_is_needed() -> None:
    reader = ResponsesReader(OPTIONS)
    assert list(reader.feed("response.created", json.dumps(created()))) == []
    assert not reader.is_done
    list(reader.feed(None, json.dumps(completed(message("Hi")))))
    assert reader.is_done


def test_the_kind_may_stand_in_the_event_alone() -> None:
    reader = ResponsesReader(OPTIONS)
    given = {name: value for name, value in said(0, "Hi").items() if name != "type"}
    assert list(reader.feed("response.output_text.delta", json.dumps(given))) == [TextDelta("Hi")]


def test_kinds_of_events_and_items_that_are_not_known_say_nothing() -> None:
    strange = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    events: list[object] = [
        {"type": "response.brand_new", "delta": "?"},
        {"type": 7},
        {"no": "type"},
        {"type": "response.output_item.done", "output_index": 0, "item": strange},
        said(1, "Hi"),
        {"type": "response.completed", "response": {"output": [strange, message("Hi")]}},
    ]
    shown, reply = read(*events)
    assert shown == [TextDelta("Hi")]
    assert (reply.text, reply.tool_requests, reply.reasoning) == ("Hi", (), ())


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{",
        "[]",
        "null",
        '{"type": "response.output_text.delta", "output_index": 0}',
        '{"type": "response.output_text.delta", "output_index": 0, "delta": 7}',
        '{"type": "response.output_text.delta", "delta": "?"}',
        '{"type": "response.output_text.delta", "delta": "?", "item_id": "never seen"}',
        '{"type": "response.output_item.added", "item": {}}',
        '{"type": "response.output_item.done", "output_index": "0"}',
        '{"type": "response.function_call_arguments.done", "output_index": 0}',
        '{"type": "response.output_text.delta", "output_index": 0, "delta": "?", "logprob": NaN}',
        '{"a":' * 100_000,
    ],
)
def test_an_event_that_cannot_be_read_is_refused_and_the_next_is_read(data: str) -> None:
    reader = ResponsesReader(OPTIONS)
    with pytest.raises(ValueError, match=r"\w"):
        list(reader.feed(None, data))
    list(reader.feed(None, json.dumps(completed(message("Hi")))))
    assert reader.reply().text == "Hi"


def test_an_item_may_be_named_in_place_of_numbered() -> None:
    call = function_call("call_1", "add", '{"a": 1}')
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": call},
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "fc_1",
            "delta": '{"a"',
        },
        {"type": "response.output_item.done", "item": call},
        {"type": "response.completed", "response": None},
    ]
    assert read(*events)[1].tool_requests[0].arguments == '{"a": 1}'


def test_a_call_whose_arguments_never_end_is_none() -> None:
    begun = added(0, function_call("call_1", "add", ""))
    piece = delta("function_call_arguments", 0, '{"a": 1}')
    nameless = {"type": "response.output_item.added", "output_index": 0, "item": {}}
    for events in ([begun], [begun, piece], [piece], [nameless, piece]):
        with pytest.raises(ModelStreamError, match="inside the arguments of a tool call"):
            read(*events, completed())


def test_interleaved_calls_are_put_together_by_their_places() -> None:
    first, second = function_call("c1", "add", "{}"), function_call("c2", "mul", "{}", id="fc_2")
    kind = "function_call_arguments"
    events = [added(1, second), added(0, first)]
    events += [delta(kind, 1, '{"b"'), delta(kind, 0, '{"a"')]
    events += [delta(kind, 0, ": 1}"), delta(kind, 1, ": 2}")]
    for place, arguments in enumerate(['{"a": 1}', '{"b": 2}']):
        end = {"output_index": place, "item_id": "x", "arguments": arguments}
        events.append(event(f"response.{kind}.done", **end))
    _, reply = read(*events, completed())
    assert [(call.id, call.arguments) for call in reply.tool_requests] == [
        ("c1", '{"a": 1}'),
        ("c2", '{"b": 2}'),
    ]


def test_calls_have_an_id_and_arguments_that_are_text_whatever_comes() -> None:
    output = [
        {"type": "function_call", "id": "fc_1", "name": "add", "arguments": {"a": 1}},
        {"type": "function_call", "name": 7, "arguments": None},
    ]
    calls = WIRE.reply(OPTIONS, {"output": output}).tool_requests
    assert [tuple(call[1:3]) for call in calls] == [("add", '{"a": 1}'), ("", "null")]
    assert calls[0].id == "fc_1"
    assert calls[1].id.startswith("call_1")
    assert not any(call.is_verbatim for call in calls)


def test_a_stream_that_ends_early_is_no_reply() -> None:
    with pytest.raises(ModelStreamError, match="ended before the response was complete"):
        read(created(), said(0, "Hel"))


@pytest.mark.parametrize(
    ("failure", "words", "may_pass"),
    [
        (
            event("error", code="server_error", message="Oops", param=None),
            "server_error: Oops",
            True,
        ),
        (event("error", code=None, message="Oops"), "error: Oops", False),
        (
            {"type": "error", "error": {"type": "invalid_request_error", "message": "No"}},
            "invalid_request_error: No",
            False,
        ),
        (
            event(
                "response.failed",
                response=response(
                    status="failed", error={"code": "rate_limit_exceeded", "message": "Slow down"}
                ),
            ),
            "rate_limit_exceeded: Slow down",
            True,
        ),
        ({"type": "response.failed"}, "it does not say why", False),
    ],
)
def test_a_failure_in_mid_stream_is_the_wires_stream_error(
    failure: Json, words: str, may_pass: bool
) -> None:
    with pytest.raises(ModelStreamError, match=words) as caught:
        read(said(0, "Hel"), failure)
    assert caught.value.retryable is may_pass


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"output": None},
        {"choices": []},
        {"error": {"code": "server_error", "message": "Oops"}, "output": []},
        {"error": "Oops"},
    ],
)
def test_a_body_that_is_no_response_is_the_wires_http_error(body: Json) -> None:
    with pytest.raises(ModelHttpError, match="the body contains no reply"):
        WIRE.reply(OPTIONS, body)


@pytest.mark.parametrize(
    "usage", [None, "many", {"input_tokens": -1, "output_tokens": 1e18}, {"input_tokens": "7"}]
)
def test_absurd_usage_is_no_usage(usage: object) -> None:
    body = {"output": [message("Hi")], "usage": usage}
    assert WIRE.reply(OPTIONS, body).usage.to_json() == {}


WORDS = (
    *("type", "item", "response", "output", "output_index", "item_id", "delta", "content_index"),
    *("content", "summary", "text", "refusal", "arguments", "call_id", "name", "id", "status"),
    *("message", "reasoning", "function_call", "output_text", "incomplete", "usage", "error"),
    *("input_tokens_details", "incomplete_details", "reason", "code", "model"),
    *("response.output_item.added", "response.output_item.done", "response.completed"),
    *("response.output_text.delta", "response.function_call_arguments.delta"),
    *("response.function_call_arguments.done", "response.reasoning_text.delta"),
    *("response.incomplete", "response.reasoning_summary_text.delta", "response.refusal.delta"),
)


@settings(max_examples=40)
@given(st.lists(objects_of(WORDS), max_size=8))
def test_no_event_breaks_the_reader(events: list[Json]) -> None:
    survives(ResponsesReader(OPTIONS), [*events, {"type": "response.completed", "response": {}}])


@settings(max_examples=40)
@given(objects_of(WORDS))
def test_no_body_breaks_the_wire(body: Json) -> None:
    with suppress(ModelHttpError):
        WIRE.reply(OPTIONS, {"output": [body]} | body)
