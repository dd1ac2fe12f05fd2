"""Endpoints that send too much, ask for too long a wait, or let the model write without end."""

from __future__ import annotations

import gzip
import tracemalloc
from typing import Any

import pytest

from support import anthropic_events, chat_replies, responses_events
from support.faulty_endpoint import (
    FaultyEndpoint,
    Silence,
    chunked_head,
    http_response,
    sse,
    streamed,
)
from support.plain_wire import Asking
from support.turns import add
from support.wire_turns import WireTurn, run_turn
from tether.batteries.models import AnthropicMessages, ChatCompletions, Responses
from tether.batteries.models.errors import (
    ModelHttpError,
    ModelRequestTimeout,
    ModelStreamError,
    ModelToolArgsTooLarge,
)
from tether.batteries.models.wire.call_sizes import CallSizes
from tether.batteries.models.wire.executor import ModelExecutor

HELLO = sse({"text": "hel"}, {"text": "lo"}, "[DONE]")
COMMENTS = b":\n" * 1_500_000
"""Much work for a reader of events, in a few thousand bytes when they are packed."""


def packed(data: bytes, coding: str = "gzip") -> bytes:
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": coding}
    return http_response(200, headers, data)


async def test_a_packed_stream_is_read() -> None:
    async with FaultyEndpoint(packed(gzip.compress(HELLO))) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "hello"
    assert asking.said == ["hel", "lo"]


async def test_the_time_limit_holds_while_a_packed_stream_is_unpacked() -> None:
    async with FaultyEndpoint(packed(gzip.compress(COMMENTS + HELLO))) as endpoint:
        error = await Asking(endpoint.url, request_timeout_ms=100).failure()
    assert isinstance(error, ModelRequestTimeout)
    assert error.phase == "reading the answer"


async def test_the_size_limit_counts_what_is_unpacked() -> None:
    data = gzip.compress(COMMENTS + HELLO)
    assert len(data) < 100_000
    async with FaultyEndpoint(packed(data)) as endpoint:
        error = await Asking(endpoint.url, max_response_bytes=1_000_000).failure()
    assert isinstance(error, ModelStreamError)
    assert "larger than 1000000 bytes" in error.message


async def test_a_stream_that_is_packed_twice_is_not_unpacked() -> None:
    data = gzip.compress(gzip.compress(HELLO))
    async with FaultyEndpoint(packed(data, "gzip, GZIP")) as endpoint:
        error = await Asking(endpoint.url).failure()
    assert isinstance(error, ModelStreamError)
    assert "compressed several times over" in error.message


async def test_silence_is_told_from_the_work_on_what_came() -> None:
    # The pieces of a large event keep the connection alive, however long each takes to read.
    async with FaultyEndpoint(packed(gzip.compress(COMMENTS + HELLO))) as endpoint:
        assert (await Asking(endpoint.url, stream_idle_timeout_ms=150).reply()).text == "hello"


async def test_a_wait_longer_than_the_time_left_is_refused_with_what_was_asked_for() -> None:
    async with FaultyEndpoint(http_response(429, {"Retry-After": "3600"}, "busy")) as endpoint:
        retry = {"max_attempts": 3, "max_delay_ms": 1}
        asking = Asking(endpoint.url, retry=retry, total_timeout_ms=60_000)
        error = await asking.failure()
    assert isinstance(error, ModelHttpError)
    assert (error.http_status, error.attempts, len(endpoint.requests)) == (429, 1, 1)
    assert "answered 429: busy; it asked for a wait of 3,600 s, but only " in error.message
    assert str(error).endswith(" s are left for another attempt")
    assert asking.lines.kinds == ["http-error"]


async def test_a_wait_of_our_own_does_not_pass_the_total_either() -> None:
    retry = {"max_attempts": 3, "base_delay_ms": 30_000}
    async with FaultyEndpoint(http_response(503, {}, "busy")) as endpoint:
        asking = Asking(endpoint.url, retry=retry, total_timeout_ms=20_000)
        error = await asking.failure()
    assert len(endpoint.requests) == 1
    assert "asked" not in error.message
    assert "are left for another attempt" in error.message


async def test_a_request_that_is_not_honoured_does_not_count() -> None:
    retry = {"max_attempts": 2, "base_delay_ms": 1, "honor_retry_after": False}
    async with FaultyEndpoint(http_response(503, {"Retry-After": "3600"})) as endpoint:
        await Asking(endpoint.url, retry=retry, total_timeout_ms=60_000).failure()
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("request_timeout_ms", [0, 60_000])
async def test_all_attempts_together_end_with_the_total(request_timeout_ms: int) -> None:
    retry = {"max_attempts": 20, "base_delay_ms": 0}
    async with FaultyEndpoint(http_response(503), [chunked_head(), Silence()]) as endpoint:
        asking = Asking(
            endpoint.url,
            retry=retry,
            total_timeout_ms=150,
            request_timeout_ms=request_timeout_ms,
        )
        error = await asking.failure()
    assert isinstance(error, ModelRequestTimeout)
    assert (error.attempts, len(endpoint.requests)) == (2, 2)
    assert error.message.endswith("ms: reading the answer")


NESTED = '{"a":[' + "[]," * 300_000
"""Arguments that take thirty times their size when they are parsed."""

LIMITS: dict[str, Any] = {"max_call_argument_bytes": 1_000, "max_reply_argument_bytes": 1_500}


def chat_calls(*texts: str) -> bytes:
    pieces = [
        chat_replies.piece(at, half, id=f"c{at}", name="add")
        for at, text in enumerate(texts)
        for half in (text[:500], text[500:])
    ]
    return chat_replies.stream(*(chat_replies.delta(tool_calls=[it]) for it in pieces))


def responses_calls(*texts: str) -> bytes:
    calls = [
        responses_events.function_call(f"c{at}", "add", text, id=f"fc_{at}")
        for at, text in enumerate(texts)
    ]
    return responses_events.streamed_response(*calls)


def anthropic_calls(*texts: str) -> bytes:
    halves = [(at, half) for at, text in enumerate(texts) for half in (text[:500], text[500:])]
    starts = [
        anthropic_events.begin(at, anthropic_events.tool_use(f"c{at}", "add"))
        for at in range(len(texts))
    ]
    pieces = [
        anthropic_events.piece(at, "input_json_delta", partial_json=half) for at, half in halves
    ]
    ended = anthropic_events.ended("tool_use")
    return streamed(anthropic_events.stream_of(anthropic_events.start(), *starts, *pieces, *ended))


WIRES: list[Any] = [
    pytest.param(ChatCompletions, "/v1", chat_calls, id="chat-completions"),
    pytest.param(Responses, "/v1", responses_calls, id="responses"),
    pytest.param(AnthropicMessages, "", anthropic_calls, id="anthropic"),
]


def refused(turn: WireTurn) -> ModelToolArgsTooLarge:
    """Return the error of a turn in which no call was run."""
    error = turn.of("error")[0].error
    assert isinstance(error, ModelToolArgsTooLarge)
    assert error.code == "E_MODEL_TOOL_ARGS_TOO_LARGE"
    assert turn.status == "nack"
    assert list(turn.storage.session().tool_calls) == []
    return error


@pytest.mark.parametrize(("kind", "path", "calls"), WIRES)
async def test_the_arguments_of_one_call_have_a_limit(
    kind: type[ModelExecutor], path: str, calls: Any
) -> None:
    texts = ['{"a": 1, "b": "' + "x" * 1_000]
    turn = await run_turn(kind, path, calls(*texts), runner={"tools": [add]}, **LIMITS)
    assert "more than 1,000 bytes of arguments for one call" in refused(turn).message


@pytest.mark.parametrize(("kind", "path", "calls"), WIRES)
async def test_the_arguments_of_one_reply_have_a_limit(
    kind: type[ModelExecutor], path: str, calls: Any
) -> None:
    texts = ['{"a": 1, "b": "' + "é" * 300 + '"}'] * 3
    turn = await run_turn(kind, path, calls(*texts), runner={"tools": [add]}, **LIMITS)
    assert "more than 1,500 bytes of arguments for the calls of one reply" in refused(turn).message


async def test_arguments_of_a_reply_in_one_piece_have_the_same_limits() -> None:
    call = chat_replies.tool_call("c1", "add", '{"a": "' + "x" * 1_000 + '"}')
    script = chat_replies.whole({"tool_calls": [call]}, "tool_calls")
    turn = await run_turn(
        ChatCompletions, "/v1", script, runner={"tools": [add]}, stream=False, **LIMITS
    )
    assert "max_call_argument_bytes" in refused(turn).message


async def test_the_limits_that_nobody_set_keep_the_memory_small() -> None:
    pieces = [chat_replies.piece(0, NESTED, id="c", name="add")] * 8
    script = chat_replies.stream(*(chat_replies.delta(tool_calls=[it]) for it in pieces))
    tracemalloc.start()
    try:
        turn = await run_turn(ChatCompletions, "/v1", script, runner={"tools": [add]})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "more than 1,048,576 bytes" in refused(turn).message
    assert peak < 12 * len(script)


def test_whole_arguments_replace_their_pieces_in_the_count() -> None:
    sizes = CallSizes(10, 15)
    sizes.add("a", "12345678")
    sizes.put("a", "1234567890")
    sizes.put("b", "12345")
    with pytest.raises(ModelToolArgsTooLarge, match="the calls of one reply"):
        sizes.add("b", "1")
    CallSizes().put("a", "x" * 100)


def test_half_a_surrogate_pair_is_counted_too() -> None:
    with pytest.raises(ModelToolArgsTooLarge):
        CallSizes(2).add("a", "\ud83d")


async def test_an_id_is_told_apart_from_that_of_a_deleted_call() -> None:
    async def forget(ctx: Any, call_next: Any) -> None:
        for call in list(ctx.turn_tool_calls):
            await ctx.delete_tool_call(call.id)
        await call_next()

    script = chat_replies.called(("call_0", "add", '{"a":1,"b":2}'))
    turn = await run_turn(
        ChatCompletions,
        "/v1",
        *(script, script, chat_replies.said("ok")),
        runner={"tools": [add], "dispatch_output_pipeline": [forget]},
    )
    assert turn.of("error") == []
    assert turn.said == ["ok"]
    ended = [call.id for call in turn.of("tool_call") if call.is_complete]
    assert ended == ["call_0", "call_0-2"]
