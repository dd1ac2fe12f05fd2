"""Replies put together from what chat-completions endpoints really send.

Catalogue 134 and 135: exact assembly, or a typed error.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk

from support.chat_replies import delta, piece, tool_call
from tether.batteries.models.chat_completions.executor import ERRORS
from tether.batteries.models.chat_completions.options import REASONING_FIELDS
from tether.batteries.models.chat_completions.reader import StreamReader, whole_reply
from tether.batteries.models.errors import (
    OpenaiChatCompletionsHttpError,
    OpenaiChatCompletionsStreamError,
)
from tether.batteries.models.wire.reply import Delta, Reasoning, ReasoningDelta, Reply, TextDelta


def fed(*chunks: Any, done: bool = True) -> tuple[list[Delta], Reply]:
    """Read a stream; return its deltas and the whole reply."""
    reader = StreamReader(REASONING_FIELDS, ERRORS)
    shown: list[Delta] = []
    for chunk in chunks:
        shown += reader.feed(None, chunk if isinstance(chunk, str) else json.dumps(chunk))
    if done:
        assert list(reader.feed(None, " [DONE]")) == []
    assert reader.is_done is done
    return shown, reader.reply()


def calls(*pieces: Any, done: bool = True, finish: str | None = "tool_calls") -> list[Any]:
    """Read tool calls, one chunk per piece; return id, name and arguments of each."""
    _, reply = fed(*(delta(tool_calls=[it]) for it in pieces), delta(finish), done=done)
    return requested(reply)


def requested(reply: Reply) -> list[tuple[str, str, str]]:
    """Return the calls; without the random part of made-up ids."""
    return [
        (re.sub("(?<=^call_[0-9])_[0-9a-f]{8}$", "", request.id), request.name, request.arguments)
        for request in reply.tool_requests
    ]


def test_text_comes_piece_by_piece_and_whole() -> None:
    shown, reply = fed(
        delta(role="assistant", content=""),
        delta(content="Hel"),
        delta(content="lo"),
        delta("stop"),
    )
    assert shown == [TextDelta("Hel"), TextDelta("lo")]
    assert (reply.text, reply.finish_reason, reply.is_cut) == ("Hello", "stop", False)
    assert (reply.response_id, reply.model) == ("resp-1", "served")


def test_content_may_be_a_list_of_parts_and_a_refusal_is_text() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "b"}, {"type": "x"}, 3]
    assert fed(delta(content=parts))[1].text == "ab"
    shown, reply = fed(delta(refusal="I "), delta(refusal="won't"))
    assert (reply.text, len(shown)) == ("I won't", 2)


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": []},
        {"choices": None},
        {"choices": "x"},
        {"choices": [None]},
        {},
        {"choices": [{"index": 0}]},
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"index": 0, "delta": []}]},
        {"choices": [{"index": 1, "delta": {"content": "other"}}]},
        {"choices": [{"delta": {"content": 3, "tool_calls": "x", "reasoning": 1}}]},
        {"choices": [{"delta": {"role": "user"}, "finish_reason": 3}]},
        {"choices": [], "usage": None, "id": 3, "model": None, "error": None},
    ],
)
def test_chunks_without_anything_to_read_are_passed_over(odd: Any) -> None:
    shown, reply = fed(delta(content="a"), odd, delta(content="b"), delta("stop"))
    assert (shown, reply.text) == ([TextDelta("a"), TextDelta("b")], "ab")
    assert reply.tool_requests == ()


def test_of_several_choices_the_first_is_read() -> None:
    chunk = {
        "choices": [
            {"index": 1, "delta": {"content": "no"}},
            {"index": 0, "delta": {"content": "yes"}},
        ]
    }
    assert fed(chunk)[1].text == "yes"
    assert fed({"choices": [{"index": None, "delta": {"content": "yes"}}]})[1].text == "yes"


@pytest.mark.parametrize("data", ["{", "", "3", "[]", '"x"', "null", "x", "[" * 99_999])
def test_data_that_is_no_chunk_is_a_value_error(data: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|not a JSON object|nested"):
        StreamReader(REASONING_FIELDS, ERRORS).feed(None, data)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_does_not_have_is_a_value_error(number: str) -> None:
    with pytest.raises(ValueError, match=f"{number} is not a JSON number"):
        fed(f'{{"x": {number}, "choices": [{{"delta": {{"content": "a"}}}}]}}')


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ({"message": "overloaded", "code": 503}, "overloaded"),
        ("overloaded", "overloaded"),
        ({"code": 503}, "{'code': 503}"),
    ],
)
def test_an_error_inside_the_stream_is_a_stream_error(error: Any, text: str) -> None:
    reader = StreamReader(REASONING_FIELDS, ERRORS)
    reader.feed(None, json.dumps(delta(content="half")))
    with pytest.raises(OpenaiChatCompletionsStreamError, match=text) as caught:
        reader.feed(None, json.dumps({"error": error}))
    assert caught.value.partial == "half"


def test_a_stream_without_a_single_chunk_is_a_stream_error() -> None:
    with pytest.raises(OpenaiChatCompletionsStreamError, match="without a single piece"):
        StreamReader(REASONING_FIELDS, ERRORS).reply()
    empty: list[list[Any]] = [[], [{"choices": []}], [{"usage": {"prompt_tokens": 1}}]]
    for chunks in empty:
        with pytest.raises(OpenaiChatCompletionsStreamError, match="without a single piece"):
            fed(*chunks)
    assert fed(delta())[1].text == ""


@pytest.mark.parametrize(
    ("event", "data", "text"),
    [
        ("error", '{"message": "overloaded"}', "overloaded"),
        ("error", "overloaded", "overloaded"),
        ("error", '{"choices": [{"delta": {"content": "x"}}]}', "choices"),
        (None, '{"object": "error", "message": "overloaded", "code": 40303}', "overloaded"),
    ],
)
def test_a_failure_has_other_ways_to_be_told(event: str | None, data: str, text: str) -> None:
    reader = StreamReader(REASONING_FIELDS, ERRORS)
    reader.feed(None, json.dumps(delta(content="half")))
    with pytest.raises(OpenaiChatCompletionsStreamError, match=text) as caught:
        reader.feed(event, data)
    assert caught.value.partial == "half"


@pytest.mark.parametrize(
    "word", ["length", "max_tokens", "content_filter", "error", "abort", "whatever"]
)
def test_a_reply_that_did_not_end_by_itself_was_cut(word: str) -> None:
    assert fed(delta(content="a"), delta(word))[1].is_cut


@pytest.mark.parametrize("word", ["stop", "tool_calls", "function_call"])
def test_a_reply_that_ended_by_itself_was_not_cut(word: str) -> None:
    assert not fed(delta(content="a"), delta(word))[1].is_cut


def test_a_stream_that_ends_without_a_reason_and_without_an_end_was_cut() -> None:
    assert fed(delta(content="a"), done=False)[1].is_cut
    assert not fed(delta(content="a"), delta("stop"), done=False)[1].is_cut
    assert not fed(delta(content="a"))[1].is_cut


def test_the_usage_at_the_end_counts() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    chunk = {"choices": [], "usage": usage}
    reply = fed(delta(content="a"), {"choices": [], "usage": {"prompt_tokens": 1}}, chunk)[1]
    assert reply.usage.to_json() == {
        "input_tokens": 10,
        "output_tokens": 5,
        "cached_tokens": 4,
        "reasoning_tokens": 2,
    }


@pytest.mark.parametrize("count", [-1, 1e18, "7", None, True, 1.5, [], {}])
def test_an_absurd_usage_is_no_usage(count: Any) -> None:
    # Catalogue 137
    usage = {"prompt_tokens": count, "completion_tokens": 3, "prompt_tokens_details": count}
    reply = fed(delta(content="a"), {"choices": [], "usage": usage})[1]
    assert reply.usage.to_json() == {"output_tokens": 3}


# Reasoning


def reasoning(*chunks: dict[str, Any]) -> tuple[list[Delta], tuple[Reasoning, ...]]:
    shown, reply = fed(*(delta(**chunk) for chunk in chunks))
    return shown, reply.reasoning


@pytest.mark.parametrize("field", REASONING_FIELDS)
def test_reasoning_comes_in_either_field(field: str) -> None:
    shown, found = reasoning({field: "a"}, {field: "b"}, {field: None}, {"content": "c"})
    assert shown == [ReasoningDelta(field, "a"), ReasoningDelta(field, "b"), TextDelta("c")]
    assert found == (Reasoning(field, "ab"),)


def test_equal_fields_are_one_piece_of_reasoning() -> None:
    # CONTRACT 144
    both = [{"reasoning": text, "reasoning_content": text} for text in "ab"]
    shown, found = reasoning(*both)
    assert shown == [ReasoningDelta("reasoning", "a"), ReasoningDelta("reasoning", "b")]
    assert found == (Reasoning("reasoning", "ab"),)


def test_equal_fields_that_come_one_after_the_other_are_one_too() -> None:
    shown, found = reasoning(
        {"reasoning_content": "ab"}, {"reasoning": "a"}, {"reasoning": "b", "content": "c"}
    )
    assert shown == [ReasoningDelta("reasoning_content", "ab"), TextDelta("c")]
    assert found == (Reasoning("reasoning_content", "ab"),)


def test_different_fields_are_two_pieces_and_the_second_is_shown_from_its_beginning() -> None:
    # CONTRACT 144
    shown, found = reasoning(
        {"reasoning": "abc", "reasoning_content": "ab"},
        {"reasoning_content": "X"},
        {"reasoning_content": "Y"},
    )
    assert shown == [
        ReasoningDelta("reasoning", "abc"),
        ReasoningDelta("reasoning_content", "abX"),
        ReasoningDelta("reasoning_content", "Y"),
    ]
    assert found == (Reasoning("reasoning", "abc"), Reasoning("reasoning_content", "abXY"))


def test_a_field_that_stops_short_is_another_piece() -> None:
    _, found = reasoning({"reasoning": "abc", "reasoning_content": "ab"})
    assert found == (Reasoning("reasoning", "abc"), Reasoning("reasoning_content", "ab"))


@given(
    st.lists(st.tuples(st.sampled_from(REASONING_FIELDS), st.text("ab", min_size=1)), min_size=1)
)
def test_what_is_shown_of_a_field_is_the_beginning_of_what_is_kept(
    pieces: list[tuple[str, str]],
) -> None:
    shown, found = reasoning(*({field: text} for field, text in pieces))
    texts: dict[str, str] = dict.fromkeys(REASONING_FIELDS, "")
    for it in shown:
        assert isinstance(it, ReasoningDelta)
        texts[it.field] += it.text
    for part in found:
        assert texts[part.field] in {part.text, ""}
    assert {field for field, text in texts.items() if text} <= {part.field for part in found}


# Tool calls

ADD = ("c1", "add", '{"a":1}')
SUB = ("c2", "sub", '{"b":2}')


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param([piece(0, '{"a":1}', id="c1", name="add")], [ADD], id="whole"),
        pytest.param(
            [piece(0, "", id="c1", name="add"), piece(0, '{"a"'), piece(0, ":1}")], [ADD], id="cut"
        ),
        pytest.param(
            [piece(1, '{"b":2}', id="c2", name="sub"), piece(0, '{"a":1}', id="c1", name="add")],
            [ADD, SUB],
            id="out of order",
        ),
        pytest.param(
            [
                piece(0, '{"a"', id="c1", name="add"),
                piece(1, '{"b"', id="c2", name="sub"),
                piece(0, ":1}"),
                piece(1, ":2}"),
            ],
            [ADD, SUB],
            id="interleaved",
        ),
        pytest.param(
            [
                piece(None, '{"a"', id="c1", name="add"),
                piece(None, '{"b"', id="c2", name="sub"),
                piece(None, ":1}", id="c1"),
                piece(None, ":2}", id="c2"),
            ],
            [ADD, SUB],
            id="no index, by id",
        ),
        pytest.param(
            [piece(None, '{"a"', id="c1", name="add"), piece(None, ":1}")],
            [ADD],
            id="no index, no id: the last",
        ),
        pytest.param(
            [piece(0, '{"a"', id="c1", name="add"), piece(0, ":1}", id="c1")],
            [ADD],
            id="id repeated",
        ),
        pytest.param(
            [piece(0, '{"a"', id="c1", name="add"), piece(0, ":1}", id="c9")],
            [ADD],
            id="id changes without a name",
        ),
        pytest.param(
            [piece(0, '{"a":1}', id="c1", name="add"), piece(0, '{"b":2}', id="c2", name="sub")],
            [ADD, SUB],
            id="two calls at one place",
        ),
        pytest.param(
            [
                piece(0, "", id="c1", name="add"),
                piece(0, '{"a":1}'),
                piece(0, "", id="c2", name="sub"),
                piece(0, '{"b":2}'),
            ],
            [ADD, SUB],
            id="two calls in pieces at one place",
        ),
        pytest.param(
            [piece(0, id="c1", name="a"), piece(0, name="dd"), piece(0, '{"a":1}')],
            [ADD],
            id="name in pieces",
        ),
        pytest.param(
            [piece(0, id="c1", name="go"), piece(0, name="go"), piece(0, "{}")],
            [("c1", "gogo", "{}")],
            id="name in equal pieces",
        ),
        pytest.param(
            [piece(0, '{"a"', id="c1", name="add"), piece(0, ":1}", name="add")],
            [ADD],
            id="name repeated",
        ),
        pytest.param(
            [piece(None, '{"a"', id="c1", name="add"), piece(0, ":1}")],
            [ADD],
            id="index comes late",
        ),
        pytest.param(
            [piece(0, '{"a"', name="add"), piece(0, ":1}", id="c1", name="add")],
            [ADD],
            id="id comes late",
        ),
        pytest.param(
            [piece(0, '{"a":1}', id="c1"), piece(0, name="add")], [ADD], id="arguments before name"
        ),
        pytest.param([piece(2, "{}", name="add")], [("call_2", "add", "{}")], id="no id"),
        pytest.param([piece(None, "{}", name="add")], [("call_0", "add", "{}")], id="nothing"),
        pytest.param([piece(0, id="c1", name="add")], [("c1", "add", "")], id="no arguments"),
        pytest.param([{"index": 0, "id": "c1"}], [("c1", "", "")], id="no function"),
        pytest.param([{"index": "0", "id": "c1"}], [("c1", "", "")], id="index of another kind"),
        pytest.param([{"index": True, "id": "c1"}], [("c1", "", "")], id="index of another kind 2"),
        pytest.param(
            [{"index": 0, "id": "c1", "function": {"name": "add", "arguments": {"a": "é"}}}],
            [("c1", "add", '{"a": "é"}')],
            id="arguments as an object",
        ),
        pytest.param(
            [{"index": 0, "id": None, "function": {"name": None, "arguments": None}}],
            [("call_0", "", "")],
            id="nulls",
        ),
    ],
)
def test_calls_are_assembled(pieces: list[Any], expected: list[Any]) -> None:
    assert calls(*pieces) == expected


def test_pieces_of_one_chunk_are_taken_in_order() -> None:
    pieces = [piece(0, '{"a"', id="c1", name="add"), piece(0, ":1}")]
    _, reply = fed(delta(tool_calls=pieces))
    assert [request.arguments for request in reply.tool_requests] == ['{"a":1}']


def test_the_old_function_call_is_a_tool_call() -> None:
    _, reply = fed(
        delta(function_call={"name": "add", "arguments": '{"a"'}),
        delta(function_call={"arguments": ":1}"}),
        delta("function_call"),
    )
    assert requested(reply) == [("call_0", "add", '{"a":1}')]


def test_a_block_beside_a_call_is_kept_for_the_way_back() -> None:
    block = {"google": {"thought_signature": "c2ln"}}
    pieces = [{**piece(0, "", id="c1", name="add"), "extra_content": block}, piece(0, "{}")]
    _, reply = fed(*(delta(tool_calls=[it]) for it in pieces))
    (request,) = reply.tool_requests
    assert (request.payload, request.replay_compatibility) == (block, "chat-completions")


@settings(max_examples=30)
@given(st.data())
def test_however_calls_are_cut_and_mixed_the_same_calls_come_out(data: st.DataObject) -> None:
    wanted = [(f"c{at}", f"tool_{at}", json.dumps({"n": "é" * at})) for at in range(3)]
    left = [
        [piece(at, "", id=id, name=name), *(piece(at, letter) for letter in args)]
        for at, (id, name, args) in enumerate(wanted)
    ]
    mixed: list[Any] = []
    while any(left):
        queue = data.draw(st.sampled_from([it for it in left if it]))
        mixed.append(queue.pop(0))
    assert calls(*mixed) == wanted


# In one piece


def test_a_reply_in_one_piece_is_read_by_the_same_rules() -> None:
    message = {
        "role": "assistant",
        "content": "Hello",
        "reasoning": "why",
        "reasoning_content": "why",
        "tool_calls": [tool_call("c1", "add", "{}"), tool_call("", "sub", "{}")],
    }
    choice = {"message": message, "finish_reason": "tool_calls"}
    reply = whole_reply({"id": "r", "choices": [choice], "usage": {}}, REASONING_FIELDS, ERRORS)
    assert (reply.response_id, reply.text, reply.finish_reason) == ("r", "Hello", "tool_calls")
    assert reply.reasoning == (Reasoning("reasoning", "why"),)
    assert requested(reply) == [("c1", "add", "{}"), ("call_1", "sub", "{}")]
    assert not reply.is_cut


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "no such model"}}, "no such model"),
        ({"error": "busy", "choices": [{"message": {"content": "x"}}]}, "busy"),
        ({"choices": []}, "'choices'"),
        ({}, "{}"),
    ],
)
def test_a_body_without_a_reply_is_an_http_error(body: Any, text: str) -> None:
    with pytest.raises(OpenaiChatCompletionsHttpError, match=text) as caught:
        whole_reply(body, REASONING_FIELDS, ERRORS)
    assert caught.value.http_status == 200


# Against the provider's own client

CUTS = st.lists(st.text(max_size=6), max_size=4)


@settings(max_examples=60)
@given(CUTS, st.lists(st.tuples(CUTS, st.booleans()), max_size=3), st.sampled_from(["stop", None]))
def test_well_formed_streams_are_read_as_the_providers_own_client_reads_them(
    texts: list[str], proposed: list[tuple[list[str], bool]], finish: str | None
) -> None:
    chunks = [delta(role="assistant", content="")] + [delta(content=text) for text in texts]
    for at, (arguments, cut_name) in enumerate(proposed):
        first = piece(at, "", id=f"c{at}", name="get_" if cut_name else "get_it", type="function")
        pieces = [first, *([piece(at, name="it")] if cut_name else [])]
        pieces += [piece(at, text) for text in arguments]
        chunks += [delta(tool_calls=[it]) for it in pieces]
    chunks.append(delta(finish))
    state = ChatCompletionStreamState[Any]()
    for chunk in chunks:
        whole_chunk = {**chunk, "object": "chat.completion.chunk", "created": 1}
        state.handle_chunk(ChatCompletionChunk.model_validate(whole_chunk))
    message = state.current_completion_snapshot.choices[0].message
    _, reply = fed(*chunks)
    assert reply.text == message.content
    assert [(it.id, it.name, it.arguments) for it in reply.tool_requests] == [
        (it.id, it.function.name, it.function.arguments) for it in message.tool_calls or []
    ]


# Calls that came twice, or with holes

HALF = delta(tool_calls=[piece(0, '{"a"', id="c1", name="add")])
REST = delta(tool_calls=[piece(0, ":1}")])
HALF_CALL = delta(tool_calls=[piece(1, '{"b"', id="c2", name="sub")])


def test_a_call_that_comes_twice_is_one_call() -> None:
    twice = [piece(at, '{"a":1}', id="c1", name="add") for at in (0, 1)]
    between = piece(2, '{"b":2}', id="c2", name="sub")
    assert calls(*twice) == [ADD]
    assert calls(twice[0], between, piece(3, '{"a":1}', id="c1", name="add")) == [ADD, SUB]


@pytest.mark.parametrize(
    "other",
    [
        piece(1, '{"a":2}', id="c1", name="add"),
        piece(1, '{"a":1}', id="c1", name="sub"),
        piece(1, '{"a":1}', id="c2", name="add"),
    ],
)
def test_calls_that_differ_in_anything_are_two(other: Any) -> None:
    assert len(calls(piece(0, '{"a":1}', id="c1", name="add"), other)) == 2


def test_equal_calls_without_ids_are_two_whose_ids_nobody_else_has() -> None:
    _, reply = fed(delta(tool_calls=[piece(at, "{}", name="add") for at in (0, 1)]))
    first, second = [request.id for request in reply.tool_requests]
    assert re.fullmatch("call_0_[0-9a-f]{8}", first)
    assert re.fullmatch("call_1_[0-9a-f]{8}", second)
    _, again = fed(delta(tool_calls=[piece(0, "{}", name="add")]))
    assert again.tool_requests[0].id != first


def test_arguments_that_came_as_a_value_are_not_the_models_own_text() -> None:
    function = {"name": "add", "arguments": {"a": 1}}
    _, reply = fed(delta(tool_calls=[{"index": 0, "id": "c1", "function": function}]), HALF_CALL)
    assert [request.is_verbatim for request in reply.tool_requests] == [False, True]


@pytest.mark.parametrize(
    "junk",
    [
        "{broken",
        "3",
        '{"choices": NaN}',
        delta(tool_calls={"0": 1}),
        delta(tool_calls="junk"),
        delta(tool_calls=["/only-this"]),
        delta(tool_calls=[None]),
        delta(tool_calls=[{"index": 0, "function": "/x"}]),
        delta(tool_calls=[{"index": 0, "function": ["x"]}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": 5}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": {"b": 1}}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": ["x"]}}]),
    ],
    ids=str,
)
@pytest.mark.parametrize("order", ["between", "behind", "before"])
def test_a_hole_beside_a_call_damages_the_reply(junk: Any, order: str) -> None:
    whole_call = delta(tool_calls=[piece(0, '{"a":1}', id="c1", name="add")])
    chunks = {
        "between": [HALF, junk, REST],
        "behind": [whole_call, junk],
        "before": [junk, whole_call],
    }[order]
    reader = StreamReader(REASONING_FIELDS, ERRORS)
    reader.feed(None, json.dumps(delta(content="so far")))
    for chunk in [*chunks, delta("tool_calls"), "[DONE]"]:
        with suppress(ValueError):
            reader.feed(None, chunk if isinstance(chunk, str) else json.dumps(chunk))
    with pytest.raises(OpenaiChatCompletionsStreamError, match="none of its calls") as caught:
        reader.reply()
    assert caught.value.partial == "so far"


def test_a_hole_in_a_reply_without_calls_is_put_up_with() -> None:
    reader = StreamReader(REASONING_FIELDS, ERRORS)
    for data in ["{broken", json.dumps(delta(content="a", tool_calls="junk")), "[DONE]"]:
        with suppress(ValueError):
            reader.feed(None, data)
    assert reader.reply().text == "a"


def test_data_without_a_word_is_no_hole() -> None:
    reader = StreamReader(REASONING_FIELDS, ERRORS)
    for data in [json.dumps(HALF), "  ", json.dumps(REST), "[DONE]"]:
        with suppress(ValueError):
            reader.feed(None, data)
    assert requested(reader.reply()) == [ADD]


def test_where_a_stream_broke_off_is_no_hole() -> None:
    reader = StreamReader(REASONING_FIELDS, ERRORS)
    for data in [json.dumps(HALF), json.dumps(REST), '{"choices": [']:
        with suppress(ValueError):
            reader.feed(None, data)
    assert requested(reader.reply()) == [ADD]
    assert reader.reply().is_cut


@pytest.mark.parametrize("junk", [None, "x", {"function": "x"}])
def test_a_hole_in_the_calls_of_a_reply_in_one_piece_damages_it_too(junk: Any) -> None:
    message = {"tool_calls": [tool_call("c1", "add", "{}"), junk]}
    with pytest.raises(OpenaiChatCompletionsStreamError, match="none of its calls"):
        whole_reply({"choices": [{"message": message}]}, REASONING_FIELDS, ERRORS)


def test_an_error_object_in_place_of_a_reply_is_an_http_error() -> None:
    body = {"object": "error", "message": "overloaded", "choices": [{"message": {}}]}
    with pytest.raises(OpenaiChatCompletionsHttpError, match="overloaded"):
        whole_reply(body, REASONING_FIELDS, ERRORS)
