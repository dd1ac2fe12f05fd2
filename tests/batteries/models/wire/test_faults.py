"""What endpoints do wrong, over real sockets: cases 129 to 131.

Each fault ends in its documented error, within its limits, and no more is asked than was allowed:
that is counted by the endpoint itself.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from support.faulty_endpoint import (
    Close,
    Drip,
    FaultyEndpoint,
    Forever,
    Request,
    Reset,
    Script,
    Silence,
    Step,
    chunk,
    chunked_head,
    hanging_url,
    http_response,
    refusing_url,
    sse,
    stream_head,
    streamed,
)
from support.plain_wire import Asking, PlainWire
from tether.batteries.models.errors import (
    ModelHttpError,
    ModelRequestTimeout,
    ModelStreamError,
    ModelStreamStalled,
)
from tether.batteries.models.wire.exchange import Exchange
from tether.core.errors import RunError

HELLO = sse({"text": "hel"}, {"text": "lo"}, "[DONE]")
ANSWER = streamed(HELLO)
THRICE = {"max_attempts": 3, "base_delay_ms": 1}
PHASES = ["connecting", "waiting for the answer", "reading the answer"]


# 129: errors that the endpoint answers with.


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("stream", [True, False])
async def test_129_a_passing_error_is_tried_again_as_often_as_allowed(
    status: int, stream: bool
) -> None:
    async with FaultyEndpoint(http_response(status, body="<h1>busy</h1>")) as endpoint:
        asking = Asking(endpoint.url, retry=THRICE, stream=stream)
        error = await asking.failure()
    assert isinstance(error, ModelHttpError)
    assert (error.http_status, error.attempts, error.retryable) == (status, 3, True)
    assert f"answered {status}: <h1>busy</h1>" in str(error)
    assert len(endpoint.requests) == 3
    assert asking.lines.kinds == ["retry-attempt", "retry-attempt", "http-error"]


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 413, 422, 500, 599])
async def test_129_any_other_error_is_final(status: int) -> None:
    async with FaultyEndpoint(http_response(status, body={"error": "no such thing"})) as endpoint:
        error = await Asking(endpoint.url, retry=THRICE).failure()
    assert isinstance(error, ModelHttpError)
    assert (error.http_status, error.attempts, error.retryable) == (status, 1, False)
    assert len(endpoint.requests) == 1


async def test_129_an_error_is_tried_once_where_nothing_else_was_asked_for() -> None:
    async with FaultyEndpoint(http_response(503)) as endpoint:
        error = await Asking(endpoint.url).failure()
    assert "(no text)" in str(error)
    assert len(endpoint.requests) == 1


async def test_129_a_redirect_is_not_followed_but_told() -> None:
    async with FaultyEndpoint(ANSWER) as other:
        moved = http_response(301, {"Location": f"{other.url}/v2"})
        async with FaultyEndpoint(moved) as endpoint:
            error = await Asking(endpoint.url, api_key="the-secret-key").failure()
    assert f"{other.url}/v2" in str(error)
    assert "base_url" in str(error)
    assert other.connections == 0


async def test_129_the_statuses_to_try_again_can_be_chosen() -> None:
    retry = {**THRICE, "retriable_statuses": (500,)}
    async with FaultyEndpoint(http_response(500), http_response(503), ANSWER) as endpoint:
        error = await Asking(endpoint.url, retry=retry).failure()
    assert (error.http_status, error.attempts) == (503, 2)
    assert len(endpoint.requests) == 2


async def test_129_a_second_attempt_can_succeed() -> None:
    async with FaultyEndpoint(http_response(503), ANSWER) as endpoint:
        asking = Asking(endpoint.url, retry=THRICE)
        reply = await asking.reply()
    assert (reply.text, reply.attempts) == ("hello", 2)
    assert asking.lines.kinds == ["retry-attempt"]
    assert endpoint.requests[0].body == endpoint.requests[1].body


@pytest.mark.parametrize(
    ("headers", "retry", "expected"),
    [
        ({}, {}, [4, 8]),
        ({"Retry-After": "0.02"}, {}, [20, 20]),
        ({"Retry-After": "0.02"}, {"honor_retry_after": False}, [4, 8]),
        ({"Retry-After": "3600"}, {"max_delay_ms": 30}, [30, 30]),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, {"max_delay_ms": 25}, [25, 25]),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}, {}, [4, 8]),
    ],
)
async def test_129_waits_double_and_honour_what_the_endpoint_asks(
    headers: dict[str, str], retry: dict[str, Any], expected: list[float]
) -> None:
    given = {"max_attempts": 3, "base_delay_ms": 4, **retry}
    async with FaultyEndpoint(http_response(429, headers)) as endpoint:
        asking = Asking(endpoint.url, retry=given)
        await asking.failure()
    assert waits(asking) == pytest.approx(expected)


async def test_129_waits_are_jittered() -> None:
    chances = iter([0.0, 1.0])
    async with FaultyEndpoint(http_response(503)) as endpoint:
        exchange = Exchange(PlainWire(), chance=lambda: next(chances))
        asking = Asking(endpoint.url, exchange, retry={**THRICE, "base_delay_ms": 4})
        await asking.failure()
    assert waits(asking) == pytest.approx([3.6, 8.8])


def waits(asking: Asking) -> list[float]:
    """Return the waits between attempts, as they were logged."""
    told = [entry.payload for entry in asking.lines.entries if entry.kind == "retry-attempt"]
    return [payload["delay_ms"] for payload in told if payload is not None]


@pytest.mark.parametrize("rest", [[Silence()], [Reset()], [Close()], [Forever(b"x" * 9999, 0)]])
async def test_129_an_error_counts_even_if_its_text_never_ends(rest: list[Step]) -> None:
    head = http_response(400, {"Content-Length": "99999999"}, "half of an err")
    async with FaultyEndpoint([head, *rest]) as endpoint:
        error = await Asking(endpoint.url, request_timeout_ms=300, retry=THRICE).failure()
    assert isinstance(error, ModelHttpError)
    assert error.http_status == 400
    assert "half of an err" in str(error)
    assert len(str(error)) < 700
    assert len(endpoint.requests) == 1


async def test_129_a_stalled_error_is_that_error() -> None:
    head = http_response(503, {"Content-Length": "99"}, "half")
    async with FaultyEndpoint([head, Silence()]) as endpoint:
        error = await Asking(endpoint.url, stream_idle_timeout_ms=150).failure()
    assert (type(error), error.http_status) == (ModelHttpError, 503)


# 130: no answer at all. The user sees how far it came.


@pytest.mark.parametrize(
    ("script", "phase"),
    [
        ([Silence()], 1),
        ([b"HTTP/1.1 200 OK\r\nContent-Ty", Silence()], 1),
        ([Drip(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000, 1, 0.005)], 1),
        ([stream_head(), Silence()], 2),
        ([chunked_head(), chunk(b": hello\n\n"), Silence()], 2),
    ],
)
async def test_130_a_request_that_takes_too_long_says_in_what(script: Script, phase: int) -> None:
    async with FaultyEndpoint(script) as endpoint:
        error = await Asking(endpoint.url, request_timeout_ms=200).failure()
    assert isinstance(error, ModelRequestTimeout)
    assert error.phase == PHASES[phase]
    assert PHASES[phase] in str(error)
    assert "200 ms" in str(error)


async def test_130_a_connection_that_is_never_taken_times_out() -> None:
    with hanging_url() as url:
        error = await Asking(url, connect_timeout_ms=60, retry=THRICE).failure()
    assert isinstance(error, ModelRequestTimeout)
    assert (error.phase, error.attempts) == ("connecting", 3)


async def test_130_the_limit_of_a_request_holds_while_connecting_too() -> None:
    with hanging_url() as url:
        error = await Asking(url, connect_timeout_ms=0, request_timeout_ms=60).failure()
    assert (type(error), error.phase) == (ModelRequestTimeout, "connecting")


async def test_130_a_handshake_that_is_never_answered_times_out() -> None:
    async with FaultyEndpoint() as endpoint:
        url = endpoint.url.replace("http:", "https:")
        error = await Asking(url, connect_timeout_ms=60).failure()
    assert (type(error), error.phase) == (ModelRequestTimeout, "connecting")


async def test_130_a_time_out_before_the_first_byte_is_tried_again() -> None:
    scripts: list[Script] = [[Silence()], [stream_head(), Silence()], ANSWER]
    async with FaultyEndpoint(*scripts) as endpoint:
        asking = Asking(endpoint.url, request_timeout_ms=300, retry=THRICE)
        assert (await asking.reply()).attempts == 3
    assert asking.lines.kinds == ["retry-attempt", "retry-attempt"]
    assert len(endpoint.requests) == 3


async def test_130_a_refused_connection_is_tried_again_and_told() -> None:
    with refusing_url() as url:
        asking = Asking(url, retry=THRICE)
        error = await asking.failure()
    assert isinstance(error, ModelHttpError)
    assert (error.http_status, error.attempts, error.retryable) == (0, 3, True)
    assert f"{url}/ask gave no answer" in str(error)
    assert asking.lines.kinds[-1] == "transport-error"


async def test_130_a_name_that_is_not_known_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    error = await Asking("http://no-such-host.invalid/v1").failure()
    assert error.http_status == 0
    assert "Name or service not known" in str(error)


async def test_130_a_certificate_that_is_not_trusted_is_final() -> None:
    async with FaultyEndpoint(ANSWER, tls=True) as endpoint:
        error = await Asking(endpoint.url, retry=THRICE).failure()
    assert (type(error), error.http_status, error.attempts) == (ModelHttpError, 0, 1)
    assert "certificate verify failed" in str(error)
    assert endpoint.requests == []


async def test_130_a_client_that_trusts_the_certificate_gets_through() -> None:
    async with FaultyEndpoint(ANSWER, tls=True) as endpoint:
        authority = endpoint.certificate_authority.decode()
        trusting = ssl.create_default_context(cadata=authority)
        async with httpx2.AsyncClient(verify=trusting) as client:
            asking = Asking(endpoint.url, Exchange(PlainWire(), client=client))
            assert (await asking.reply()).text == "hello"


@pytest.mark.parametrize("end", [Reset(), Close()])
@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 20", b"HTTP/1.1 200 OK\r\nX: y\r\n"])
async def test_130_a_connection_that_breaks_before_an_answer_is_tried_again(
    begun: bytes, end: Step
) -> None:
    async with FaultyEndpoint([begun, end], ANSWER) as endpoint:
        asking = Asking(endpoint.url, retry=THRICE)
        assert (await asking.reply()).attempts == 2
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    "nonsense",
    [b"SSH-2.0-OpenSSH_9.6\r\n", b"\0" * 100, b"x" * 200_000, http_response(101)],
    ids=["another protocol", "zeros", "no end", "a switch"],
)
async def test_130_what_is_no_http_is_told(nonsense: bytes) -> None:
    async with FaultyEndpoint([nonsense, Close()]) as endpoint:
        error = await Asking(endpoint.url).failure()
    assert (type(error), error.http_status) == (ModelHttpError, 0)


async def test_130_a_header_that_http_cannot_carry_is_told_and_not_tried_again() -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        error = await Asking(endpoint.url, headers={"a:b": "c"}, retry=THRICE).failure()
    assert (error.http_status, error.attempts) == (0, 1)


# 131: a stream that breaks.

STORY = [{"text": f"{number} sheep and " * 6} for number in range(41)]
STREAM = stream_head() + sse(*STORY, "[DONE]")
assert 4000 < len(STREAM) < 4200


def told_by(received: bytes) -> str:
    """Return the text of a stream, counting only complete events."""
    *events, _ = received.partition(b"\r\n\r\n")[2].decode().split("\n\n")
    data = [event.removeprefix("data: ") for event in events]
    return "".join(json.loads(it)["text"] for it in data if it != "[DONE]")


async def check_cut(asking: Asking, size: int) -> None:
    """Request a stream that breaks after this many bytes, and check the outcome."""
    received = STREAM[:size]
    if received.endswith(b"[DONE]\n\n"):
        assert (await asking.reply({"size": size})).text == told_by(STREAM)
        return
    with pytest.raises(RunError) as caught:
        await asking.reply({"size": size})
    error = caught.value
    if b"\r\n\r\n" in received:
        assert type(error) is ModelStreamError
        assert error.partial == told_by(received) == "".join(asking.said)
    else:
        assert type(error) is ModelHttpError
        assert asking.said == []


async def test_131_a_stream_reset_by_the_endpoint_keeps_what_was_said_and_is_not_asked_again() -> (
    None
):
    def cut(request: Request) -> Script:
        return [STREAM[: request.json()["size"]], Reset()]

    async with FaultyEndpoint(cut) as endpoint:
        exchange, head = Exchange(PlainWire()), STREAM.index(b"\r\n\r\n") + 4
        for size in [*range(0, len(STREAM), 17), head - 1, head, head + 1, len(STREAM)]:
            asking = Asking(endpoint.url, exchange, retry={"max_attempts": 2, "base_delay_ms": 0})
            before = len(endpoint.requests)
            await check_cut(asking, size)
            assert len(endpoint.requests) - before == (1 if size >= head else 2)


@pytest.mark.unmeasured
async def test_131_a_stream_that_breaks_after_any_byte_keeps_what_was_said() -> None:
    head, _, body = STREAM.partition(b"\r\n\r\n")
    asked = 0

    def answer(request: httpx2.Request) -> httpx2.Response:
        nonlocal asked
        asked += 1
        size = json.loads(request.content)["size"] - len(head) - 4
        return httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, content=broken_after(size)
        )

    async def broken_after(size: int) -> AsyncIterator[bytes]:
        yield body[:size]
        raise httpx2.ReadError("the line is dead")

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
        exchange = Exchange(PlainWire(), client=client)
        for size in range(len(head) + 4, len(STREAM) + 1):
            await check_cut(Asking("http://127.0.0.1", exchange, retry=THRICE), size)
    assert asked == len(body) + 1


@pytest.mark.parametrize("end", [Reset(), Close()])
async def test_131_a_chunk_that_stays_incomplete_is_a_broken_stream(end: Step) -> None:
    whole = chunked_head() + chunk(sse({"text": "hel"})) + chunk(sse({"text": "lo"}))
    for size in range(len(chunked_head()), len(whole) + 1):
        async with FaultyEndpoint([whole[:size], end]) as endpoint:
            asking = Asking(endpoint.url, retry=THRICE)
            error = await asking.failure()
        assert type(error) is ModelStreamError
        assert error.partial == "".join(asking.said)
        assert len(endpoint.requests) == 1
        assert asking.lines.kinds == ["stream-error"]


async def test_131_a_stall_keeps_what_was_said_and_is_not_asked_again() -> None:
    async with FaultyEndpoint([stream_head(), sse(STORY[0]), Silence()]) as endpoint:
        asking = Asking(endpoint.url, stream_idle_timeout_ms=150, retry=THRICE)
        error = await asking.failure()
        await asyncio.wait_for(endpoint.all_closed(), 5)
    assert isinstance(error, ModelStreamStalled)
    assert error.partial == STORY[0]["text"]
    assert asking.lines.kinds == ["stream-idle-timeout"]
    assert len(endpoint.requests) == 1


async def test_131_a_time_out_in_the_middle_of_a_stream_is_not_asked_again() -> None:
    async with FaultyEndpoint([stream_head(), sse(STORY[0]), Silence()]) as endpoint:
        error = await Asking(endpoint.url, request_timeout_ms=200, retry=THRICE).failure()
    assert (type(error), error.phase) == (ModelRequestTimeout, "reading the answer")
    assert len(endpoint.requests) == 1


async def test_131_a_reply_in_one_piece_that_breaks_is_not_asked_again() -> None:
    head = http_response(200, {"Content-Length": "100"}, {"text": "hel"})
    async with FaultyEndpoint([head, Reset()]) as endpoint:
        error = await Asking(endpoint.url, stream=False, retry=THRICE).failure()
    assert type(error) is ModelStreamError
    assert len(endpoint.requests) == 1


async def test_131_a_failure_that_the_stream_reports_is_final() -> None:
    async with FaultyEndpoint(streamed(sse(STORY[0], {"error": "out of memory"}))) as endpoint:
        asking = Asking(endpoint.url, retry=THRICE)
        error = await asking.failure()
    assert type(error) is ModelStreamError
    assert "out of memory" in str(error)
    assert error.partial == STORY[0]["text"]
    assert asking.lines.kinds == ["stream-error"]
    assert len(endpoint.requests) == 1
