"""Streams without an end, in odd forms, or of another kind: cases 132, 133 and 138."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc

import pytest

from support.faulty_endpoint import (
    Close,
    Drip,
    FaultyEndpoint,
    Forever,
    Step,
    Wait,
    http_response,
    sse,
    stream_head,
    streamed,
)
from support.plain_wire import Asking
from tether.batteries.models.errors import ModelHttpError, ModelRequestTimeout, ModelStreamError

HELLO = sse({"text": "hel"}, {"text": "lo"}, "[DONE]")
ANSWER = streamed(HELLO)
THRICE = {"max_attempts": 3, "base_delay_ms": 1}
PHASES = ["connecting", "waiting for the answer", "reading the answer"]


# 132: streams that never end.

ENDLESS = {
    "tokens": sse({"text": "and "}),
    "blank lines": b"\n",
    "comments": b": still here\n\n",
    "a line": b"x" * 50,
    "carriage returns": b"\r",
}


@pytest.mark.parametrize("piece", ENDLESS.values(), ids=ENDLESS)
async def test_132_a_stream_that_never_ends_is_ended_by_the_clock(piece: bytes) -> None:
    async with FaultyEndpoint([stream_head(), Forever(piece, 0.002)]) as endpoint:
        error = await Asking(endpoint.url, request_timeout_ms=200).failure()
        await asyncio.wait_for(endpoint.all_closed(), 5)
    assert (type(error), error.phase) == (ModelRequestTimeout, "reading the answer")


@pytest.mark.parametrize("piece", ENDLESS.values(), ids=ENDLESS)
async def test_132_a_stream_that_never_ends_is_ended_by_its_size(piece: bytes) -> None:
    async with FaultyEndpoint([stream_head(), Forever(piece * 200, 0)]) as endpoint:
        asking = Asking(endpoint.url, max_response_bytes=100_000)
        error = await asking.failure()
        await asyncio.wait_for(endpoint.all_closed(), 5)
    assert type(error) is ModelStreamError
    assert "larger than 100000 bytes" in str(error)
    assert asking.lines.kinds == ["stream-error"]


async def test_132_an_endless_reply_in_one_piece_is_ended_by_its_size() -> None:
    head = http_response(200, {"Content-Length": str(10**12)})
    async with FaultyEndpoint([head, Forever(b" " * 9999, 0)]) as endpoint:
        error = await Asking(endpoint.url, stream=False, max_response_bytes=100_000).failure()
    assert "larger than 100000 bytes" in str(error)


async def test_132_comments_keep_a_stream_alive() -> None:
    alive: list[Step] = [step for _ in range(30) for step in (b": alive\n", Wait(0.02))]
    async with FaultyEndpoint([stream_head(), *alive, HELLO, Close()]) as endpoint:
        asking = Asking(endpoint.url, stream_idle_timeout_ms=400)
        assert (await asking.reply()).text == "hello"


# 133: event streams as they come.


@pytest.mark.parametrize("ending", ["\r", "\n", "\r\n"])
@pytest.mark.parametrize("size", [1, 3, 4096])
async def test_133_line_endings_may_be_anything_and_split_anywhere(ending: str, size: int) -> None:
    stream = sse({"text": "hé"}, {"text": "llo"}, "[DONE]", ending=ending)
    async with FaultyEndpoint([stream_head(), Drip(stream, size), Close()]) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "héllo"
    assert asking.lines.entries == []


@pytest.mark.parametrize(
    "stream",
    [
        b"\xef\xbb\xbf" + HELLO,
        HELLO.replace(b"data: ", b"data:"),
        HELLO.replace(b"data: ", b"event: delta\nid: 7\nretry: 10\ndata: "),
        b'data: {"text":\ndata: "hello"}\n\ndata: [DONE]\n\n',
        b": comment\n\n:\n\n" + HELLO,
        HELLO + b"data: [DONE]\n\n",
        HELLO + sse({"text": "more"}),
    ],
)
async def test_133_every_form_of_an_event_is_read(stream: bytes) -> None:
    async with FaultyEndpoint(streamed(stream)) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "hello"
    assert asking.lines.entries == []


@pytest.mark.parametrize("cut", [0, 1, 2])
async def test_133_a_stream_without_its_end_marker_is_taken_with_a_warning(cut: int) -> None:
    stream = sse({"text": "hello"})
    async with FaultyEndpoint(streamed(stream[: len(stream) - cut])) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "hello"
    assert asking.lines.kinds == ["sse-eof-without-done"]
    assert asking.lines.entries[0].level == "warn"


async def test_133_an_end_marker_without_its_blank_line_is_one() -> None:
    async with FaultyEndpoint(streamed(HELLO.removesuffix(b"\n\n"))) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "hello"
    assert asking.lines.entries == []


async def test_133_a_stream_that_says_nothing_is_no_reply() -> None:
    async with FaultyEndpoint(streamed(b": hello\n\n")) as endpoint:
        error = await Asking(endpoint.url).failure()
    assert type(error) is ModelStreamError


@pytest.mark.parametrize("data", ["{", "NaN", "[1]", "null", "[" * 100_000, '{"other": 1}'])
async def test_133_data_that_cannot_be_read_is_skipped_and_traced(data: str) -> None:
    stream = sse({"text": "hel"}, data, {"text": "lo"}, "[DONE]")
    async with FaultyEndpoint(streamed(stream)) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "hello"
    (entry,) = asking.lines.entries
    assert (entry.kind, entry.level) == ("sse-parse-failure", "trace")
    assert len(str(entry.payload)) < 1200


async def test_133_a_flood_of_data_that_cannot_be_read_does_not_flood_the_log() -> None:
    async with FaultyEndpoint(streamed(sse(*["{"] * 5000) + HELLO)) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "hello"
    assert asking.lines.kinds == ["sse-parse-failure"] * 100


async def test_133_a_line_of_ten_megabytes_is_read_and_a_longer_one_refused() -> None:
    text = "x" * 10_000_000
    async with FaultyEndpoint(streamed(sse({"text": text}, "[DONE]"))) as endpoint:
        assert (await Asking(endpoint.url).reply()).text == text
        error = await Asking(endpoint.url, max_line_bytes=9_000_000).failure()
    assert "longer than 9000000 bytes" in str(error)


# 138: answers of another kind.


@pytest.mark.parametrize("kind", ["text/html", "text/plain; charset=utf-8", "application/pdf"])
async def test_138_another_content_type_is_told_with_an_excerpt(kind: str) -> None:
    page = "<html>\n<h1>Please\tlog in</h1>" + "x" * 100_000
    async with FaultyEndpoint(http_response(200, {"Content-Type": kind}, page)) as endpoint:
        error = await Asking(endpoint.url, retry=THRICE).failure()
    assert (type(error), error.http_status) == (ModelHttpError, 200)
    assert kind.partition(";")[0] in str(error)
    assert "<html> <h1>Please log in</h1>" in str(error)
    assert len(str(error)) < 700
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("kind", ["application/json", "application/vnd.model+json; v=1"])
async def test_138_an_endpoint_that_ignores_streaming_is_understood(kind: str) -> None:
    body = http_response(200, {"Content-Type": kind}, {"text": "hello"})
    async with FaultyEndpoint(body) as endpoint:
        assert (await Asking(endpoint.url).reply()).text == "hello"


async def test_138_a_stream_may_come_without_a_content_type() -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    async with FaultyEndpoint([head, HELLO, Close()]) as endpoint:
        assert (await Asking(endpoint.url).reply()).text == "hello"


@pytest.mark.parametrize(
    "body", ["<html>", "", "[1, 2]", "null", "{", "[" * 100_000, '"text"', {"error": "no"}]
)
async def test_138_a_whole_answer_that_is_no_reply_is_told(body: object) -> None:
    async with FaultyEndpoint(http_response(200, body=body)) as endpoint:
        error = await Asking(endpoint.url, stream=False).failure()
    assert (type(error), error.http_status) == (ModelHttpError, 200)


@pytest.mark.parametrize("stream", [True, False])
async def test_138_a_compressed_bomb_is_stopped(stream: bool) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    headers = {"Content-Encoding": "gzip", "Content-Type": "text/event-stream"}
    async with FaultyEndpoint(http_response(200, headers, bomb)) as endpoint:
        asking = Asking(endpoint.url, stream=stream, max_response_bytes=5_000_000)
        tracemalloc.start()
        try:
            error = await asking.failure()
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert type(error) is ModelStreamError
    assert "larger than 5000000 bytes" in str(error)
    assert peak < 20_000_000


@pytest.mark.parametrize("stream", [True, False])
async def test_138_a_compressed_answer_is_read(stream: bool) -> None:
    data = gzip.compress(HELLO if stream else b'{"text": "hello"}')
    headers = {"Content-Encoding": "gzip", "Content-Type": "text/event-stream"}
    async with FaultyEndpoint(http_response(200, headers, data)) as endpoint:
        assert (await Asking(endpoint.url, stream=stream).reply()).text == "hello"


async def test_138_a_broken_compression_is_a_broken_answer() -> None:
    headers = {"Content-Encoding": "gzip", "Content-Type": "text/event-stream"}
    async with FaultyEndpoint(http_response(200, headers, b"no gzip at all")) as endpoint:
        error = await Asking(endpoint.url).failure()
    assert type(error) is ModelStreamError
