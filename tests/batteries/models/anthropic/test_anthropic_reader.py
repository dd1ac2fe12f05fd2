"""Replies of a Messages endpoint, streamed and in one piece."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.anthropic_events import (
    OVERLOADED,
    TEXT_STREAM,
    THINKING_STREAM,
    TOOL_STREAM,
    Json,
    begin,
    data_of,
    ended,
    events_of,
    message,
    piece,
    start,
    stop,
    text,
    thinking,
    tool_use,
)
from support.wire_fuzz import objects_of, survives
from tether.batteries.models.anthropic import AnthropicOptions
from tether.batteries.models.anthropic.executor import AnthropicMessagesWire
from tether.batteries.models.anthropic.reader import MessagesReader
from tether.batteries.models.errors import ModelHttpError, ModelStreamError
from tether.batteries.models.wire.reply import (
    Delta,
    Reasoning,
    ReasoningDelta,
    Reply,
    TextDelta,
    ToolRequest,
    Usage,
)

WIRE = AnthropicMessagesWire()
OPTIONS = AnthropicOptions(model="m")
TAG = "anthropic-thinking"
REDACTED: Json = {"type": "redacted_thinking", "data": "EmwKAhgB"}


def read(*events: object) -> tuple[list[Delta], Reply]:
    reader = WIRE.reader(OPTIONS)
    shown: list[Delta] = []
    for event_data in events:
        data = event_data if isinstance(event_data, str) else json.dumps(event_data)
        shown += reader.feed(None, data)
    return shown, reader.reply()


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def test_the_documentations_example_of_text() -> None:
    shown, reply = read(*data_of(TEXT_STREAM))
    assert shown == [TextDelta("Hello"), TextDelta("!")]
    assert reply == Reply(
        response_id="msg_1",
        model="claude-served",
        text="Hello!",
        finish_reason="end_turn",
        usage=Usage(25, 15),
    )


def test_the_documentations_example_of_a_tool() -> None:
    shown, reply = read(*data_of(TOOL_STREAM))
    assert shown == [TextDelta("Let me add.")]
    call = ToolRequest("toolu_1", "add", '{"a": 2, "b": 2}', "msg_2", "anthropic-messages")
    assert reply.tool_requests == (call,)
    assert reply.finish_reason == "tool_use"
    assert reply.usage == Usage(472, 89)


def test_the_documentations_example_of_thinking() -> None:
    shown, reply = read(*data_of(THINKING_STREAM))
    assert shown == [
        ReasoningDelta("thinking", "Two and two"),
        ReasoningDelta("thinking", "\nis four."),
        TextDelta("Four."),
    ]
    block = thinking("Two and two\nis four.", "EqQBCgIYAhIM")
    assert reply.reasoning == (Reasoning("thinking", "Two and two\nis four.", block, TAG),)
    assert reply.usage == Usage()


CONTENTS: list[list[Json]] = [
    [text("Hello, world!")],
    [thinking("Hm."), text("Let me look."), tool_use("toolu_1", "add", a=2, b=[1, {"c": None}])],
    [tool_use("toolu_1", "now"), tool_use("toolu_2", "add", a=1)],
    [REDACTED, thinking("", "only signed"), text("one"), text(" text"), REDACTED, text("another")],
    [],
]


@pytest.mark.parametrize("content", CONTENTS)
def test_a_stream_and_a_reply_in_one_piece_say_the_same(content: list[Json]) -> None:
    shown, streamed = read(*events_of(*content))
    whole = WIRE.reply(OPTIONS, message(*content))
    assert [it[:5] for it in streamed.tool_requests] == [it[:5] for it in whole.tool_requests]
    assert replace(streamed, tool_requests=()) == replace(whole, tool_requests=())
    assert text_of(shown) == streamed.text
    for thought in streamed.reasoning:
        pieces = [d.text for d in shown if isinstance(d, ReasoningDelta) and d.field == thought[0]]
        assert "".join(pieces) == thought.text


def test_the_facts_about_a_reply() -> None:
    reply = WIRE.reply(OPTIONS, message(*CONTENTS[1], stop_reason="tool_use"))
    assert (reply.response_id, reply.model) == ("msg_1", "claude-served")
    assert (reply.text, reply.finish_reason) == ("Let me look.", "tool_use")
    assert json.loads(reply.tool_requests[0].arguments) == {"a": 2, "b": [1, {"c": None}]}
    assert reply.usage.to_json() == {
        "input_tokens": 120,
        "output_tokens": 30,
        "cached_tokens": 100,
        "reasoning_tokens": 20,
    }


def test_neighbouring_texts_are_one_and_others_are_apart() -> None:
    assert WIRE.reply(OPTIONS, message(*CONTENTS[3])).text == "one text\n\nanother"
    assert WIRE.reply(OPTIONS, message(text("one"), REDACTED, text(""))).text == "one"


def test_thinking_comes_with_its_block_to_be_sent_back() -> None:
    assert WIRE.reply(OPTIONS, message(*CONTENTS[3])).reasoning == (
        Reasoning("thinking", "", REDACTED, TAG),
        Reasoning("thinking_1", "", thinking("", "only signed"), TAG),
        Reasoning("thinking_4", "", REDACTED, TAG),
    )


def test_thinking_without_a_signature_is_shown_and_not_sent_back() -> None:
    content = [{"type": "thinking", "thinking": "Hm."}, thinking("", ""), {**REDACTED, "data": ""}]
    assert WIRE.reply(OPTIONS, message(*content)).reasoning == (Reasoning("thinking", "Hm."),)


@pytest.mark.parametrize(
    ("reason", "is_cut"),
    [
        ("end_turn", False),
        ("max_tokens", True),
        ("model_context_window_exceeded", True),
        ("pause_turn", True),
        ("stop_sequence", False),
        ("tool_use", False),
        ("refusal", True),
        ("brand_new", True),
    ],
)
def test_the_reason_to_stop_is_told(reason: str, is_cut: bool) -> None:
    _, reply = read(*events_of(text("Hel"), stop_reason=reason))
    assert (reply.finish_reason, reply.is_cut) == (reason, is_cut)


def test_the_end_is_known_and_nothing_after_it_is_needed() -> None:
    reader = MessagesReader()
    for event in events_of(text("Hi")):
        assert not reader.is_done
        list(reader.feed(event["type"], json.dumps(event)))
    assert reader.is_done


def test_a_stream_whose_reason_to_stop_came_is_whole() -> None:
    assert read(*events_of(text("Hi"))[:-1])[1].text == "Hi"


def test_the_kind_may_stand_in_the_event_alone() -> None:
    reader = MessagesReader()
    given = {"index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    assert list(reader.feed("content_block_delta", json.dumps(given))) == [TextDelta("Hi")]


def test_what_is_not_known_says_nothing() -> None:
    server_tool = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    events: list[object] = [
        start(content=[]),
        {"type": "brand_new"},
        {"type": 7},
        {"no": "type"},
        begin(0, server_tool),
        piece(0, "input_json_delta", partial_json='{"query": "x"}'),
        stop(0),
        begin(1, {"type": "brand_new", "text": "not shown"}),
        piece(1, "text_delta", text="not shown either"),
        begin(2, text("Hi")),
        piece(2, "citations_delta", citation={}),
        piece(2, "text_delta", text=""),
        *ended(),
    ]
    shown, reply = read(*events)
    assert shown == [TextDelta("Hi")]
    assert (reply.text, reply.tool_requests, reply.reasoning) == ("Hi", (), ())


def test_pieces_of_a_block_whose_beginning_is_missing_are_read() -> None:
    rest = [piece(1, "input_json_delta", partial_json='{"a": 1}'), stop(1)]
    _, reply = read(piece(0, "text_delta", text="Hi"), *rest, *ended())
    assert reply.text == "Hi"
    (call,) = reply.tool_requests
    assert call.id.startswith("call_1")
    assert call[1:] == ("", '{"a": 1}', None, None, True)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "{",
        "[]",
        "7",
        '{"type": "content_block_start", "content_block": {}}',
        '{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "?"}}',
        '{"type": "content_block_delta", "index": "0", "delta": {"type": "text_delta"}}',
        '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}',
        '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}}',
        '{"type": "content_block_stop"}',
        '{"type": "content_block_start", "index": 0, "content_block": {"more": NaN}}',
        '{"a":' * 100_000,
    ],
)
def test_an_event_that_cannot_be_read_is_refused_and_the_next_is_read(data: str) -> None:
    reader = MessagesReader()
    with pytest.raises(ValueError, match=r"\w"):
        list(reader.feed(None, data))
    for event in events_of(text("Hi")):
        list(reader.feed(None, json.dumps(event)))
    assert reader.reply().text == "Hi"


def test_an_unread_event_inside_a_tools_input_spoils_the_reply() -> None:
    """`{"a": 1` and `}` look whole without the `2` that was between them."""
    reader = MessagesReader()
    for event in (
        begin(0, tool_use("t", "add")),
        piece(0, "input_json_delta", partial_json='{"a": 1'),
    ):
        list(reader.feed(None, json.dumps(event)))
    with pytest.raises(ValueError, match="JSON"):
        reader.feed(None, '"2"')
    rest = piece(0, "input_json_delta", partial_json="}")
    for event in (rest, stop(0), *ended("tool_use")):
        list(reader.feed(None, json.dumps(event)))
    with pytest.raises(ModelStreamError, match="a part of a tool's input is missing"):
        reader.reply()


def test_a_call_whose_input_never_ends_is_none() -> None:
    begun = [begin(0, tool_use("t", "add")), piece(0, "input_json_delta", partial_json="{}")]
    with pytest.raises(ModelStreamError, match="a part of a tool's input is missing"):
        read(*begun, *ended("tool_use"))


def test_an_input_that_came_whole_needs_no_pieces() -> None:
    _, reply = read(begin(0, tool_use("t", "add", a=1)), stop(0), *ended("tool_use"))
    assert reply.tool_requests == (ToolRequest("t", "add", '{"a": 1}', is_verbatim=False),)


def test_only_what_was_streamed_is_the_models_own_text() -> None:
    call = tool_use("t", "add", a=1)
    _, streamed = read(*events_of(call, stop_reason="tool_use"))
    _, bare = read(*events_of(tool_use("t", "now"), stop_reason="tool_use"))
    whole = WIRE.reply(OPTIONS, message(call, stop_reason="tool_use"))
    assert [it.tool_requests[0].is_verbatim for it in (streamed, bare, whole)] == [
        True,
        False,
        False,
    ]
    assert bare.tool_requests[0].arguments == "{}"


def test_calls_have_an_id_and_arguments_that_are_text_whatever_comes() -> None:
    body = {"content": [{"type": "tool_use", "name": 7, "input": None}, "junk", {"type": 7}]}
    (call,) = WIRE.reply(OPTIONS, body).tool_requests
    assert call.id.startswith("call_0")
    assert call[1:] == ("", "null", None, None, False)


def test_junk_in_a_list_does_not_shift_what_stands_behind_it() -> None:
    reply = WIRE.reply(OPTIONS, {"content": [None, "junk", thinking("Hm.")]})
    assert [part.field for part in reply.reasoning] == ["thinking_2"]


def test_a_message_without_a_reason_to_stop_counts_as_cut() -> None:
    assert WIRE.reply(OPTIONS, {"content": [text("Hi")]}).is_cut
    assert read(start(content=[]), {"type": "message_stop"})[1].is_cut


@pytest.mark.parametrize("events", [[], [start(content=[])], [begin(0, text("Hel"))]])
def test_a_stream_that_ends_early_is_no_reply(events: list[Json]) -> None:
    with pytest.raises(ModelStreamError, match="ended before the message was complete"):
        read(*events)


@pytest.mark.parametrize(
    ("error", "words", "may_pass"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded_error: Overl", True),
        ({"type": "invalid_request_error", "message": "No"}, "invalid_request_error: No", False),
        (None, "error: it does not say why", False),
    ],
)
def test_a_failure_in_mid_stream_is_the_wires_stream_error(
    error: Any, words: str, may_pass: bool
) -> None:
    with pytest.raises(ModelStreamError, match=words) as caught:
        read(begin(0, text("Hel")), {"type": "error", "error": error})
    assert caught.value.retryable is may_pass


def test_the_documentations_example_of_a_failure() -> None:
    with pytest.raises(ModelStreamError, match="overloaded_error: Overloaded"):
        read(*data_of(OVERLOADED))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": "Hello"},
        {"choices": []},
        {"type": "error", "error": {"type": "api_error", "message": "Oops"}},
        {"type": "error"},
    ],
)
def test_a_body_that_is_no_message_is_the_wires_http_error(body: Json) -> None:
    with pytest.raises(ModelHttpError, match="the body contains no reply"):
        WIRE.reply(OPTIONS, body)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        "many",
        {"input_tokens": -1, "output_tokens": 1e18},
        {"input_tokens": 10**9, "cache_read_input_tokens": -5, "cache_creation_input_tokens": 1},
    ],
)
def test_absurd_usage_is_no_usage(usage: object) -> None:
    assert WIRE.reply(OPTIONS, message(text("Hi"), usage=usage)).usage.to_json() == {}


WORDS = (
    *("type", "index", "delta", "content_block", "message", "content", "usage", "error", "id"),
    *("text", "thinking", "signature", "partial_json", "input", "name", "data", "stop_reason"),
    *("tool_use", "redacted_thinking", "text_delta", "thinking_delta", "input_json_delta"),
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
    *("signature_delta", "message_delta", "input_tokens", "output_tokens_details", "model"),
)


@settings(max_examples=40)
@given(st.lists(objects_of(WORDS), max_size=8))
def test_no_event_breaks_the_reader(events: list[Json]) -> None:
    survives(MessagesReader(), [*events, {"type": "message_stop"}])


@settings(max_examples=40)
@given(objects_of(WORDS))
def test_no_body_breaks_the_wire(body: Json) -> None:
    with suppress(ModelHttpError):
        WIRE.reply(OPTIONS, {"content": [body]} | body)
