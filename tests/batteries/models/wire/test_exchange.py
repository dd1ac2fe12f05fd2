"""An exchange with an endpoint: headers, connections, loops, queues, aborts."""

from __future__ import annotations

import asyncio
import base64
import gc
import logging
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from support.faulty_endpoint import (
    LAST_CHUNK,
    FaultyEndpoint,
    Request,
    Script,
    Silence,
    Until,
    Wait,
    chunk,
    chunked_head,
    http_response,
    sse,
    streamed,
)
from support.plain_wire import Asking, PlainWire
from tether.batteries.models.errors import InvalidModelOptions, ModelStreamStalled
from tether.batteries.models.wire import attempt
from tether.batteries.models.wire.exchange import Exchange
from tether.batteries.models.wire.reply import Delta
from tether.core.errors import Aborted, InputRefused

HELLO = sse({"text": "hel"}, {"text": "lo"}, "[DONE]")
ANSWER = streamed(HELLO)
THRICE = {"max_attempts": 3, "base_delay_ms": 1}


async def settled(endpoint: FaultyEndpoint) -> None:
    """Wait until no connection is open; only the test's own task may be left then."""
    await asyncio.wait_for(endpoint.all_closed(), 5)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0.001)


async def test_a_streamed_reply_is_shown_as_it_comes_and_returned_whole() -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        asking = Asking(endpoint.url)
        reply = await asking.reply({"question": "“why?”"})
    assert reply.text == "hello"
    assert reply.attempts == 1
    assert asking.said == ["hel", "lo"]
    assert asking.lines.entries == []
    (request,) = endpoint.requests
    assert (request.method, request.target) == ("POST", "/ask")
    assert request.json() == {"question": "“why?”"}
    assert request.headers["accept"] == "text/event-stream"
    assert request.headers["content-type"] == "application/json"


async def test_reasoning_is_shown_but_is_not_what_was_said() -> None:
    half = sse({"thought": "hm"}, {"text": "hi"})
    async with FaultyEndpoint([chunked_head(), chunk(half), Silence()]) as endpoint:
        asking = Asking(endpoint.url, stream_idle_timeout_ms=150)
        with pytest.raises(ModelStreamStalled) as caught:
            await asking.reply()
    assert asking.said == ["hm", "hi"]
    assert caught.value.partial == "hi"


async def test_a_reply_in_one_piece_is_asked_for_and_read() -> None:
    async with FaultyEndpoint(http_response(body={"text": "hello"})) as endpoint:
        asking = Asking(endpoint.url, stream=False)
        assert (await asking.reply()).text == "hello"
    assert asking.said == []
    assert endpoint.requests[0].headers["accept"] == "application/json"


async def test_half_a_surrogate_pair_does_not_stop_a_request() -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        await Asking(endpoint.url).reply({"question": "\ud83d"})
    assert endpoint.requests[0].json() == {"question": "?"}


@pytest.mark.parametrize(
    ("options", "authorization"),
    [
        ({}, None),
        ({"api_key": "the-key"}, "Bearer the-key"),
        ({"api_key": "the-key", "headers": {"AUTHORIZATION": "Basic eA=="}}, "Basic eA=="),
    ],
)
async def test_an_authorization_of_ones_own_beats_the_key(
    options: dict[str, Any], authorization: str | None
) -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        await Asking(endpoint.url, **options).reply()
    assert endpoint.requests[0].headers.get("authorization") == authorization


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
async def test_a_number_that_json_does_not_have_is_not_sent(number: float) -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        with pytest.raises(InputRefused, match="NaN"):
            await Asking(endpoint.url).reply({"payload": [number]})
    assert endpoint.requests == []


async def test_the_user_of_an_address_is_sent_as_basic_authorization() -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        url = endpoint.url.replace("//", "//us%65r:p%40ss@")
        await Asking(url).reply()
        await Asking(url, headers={"authorization": "Bearer mine"}).reply()
    basic = base64.b64encode(b"user:p@ss").decode()
    sent = [request.headers["authorization"] for request in endpoint.requests]
    assert sent == [f"Basic {basic}", "Bearer mine"]


@pytest.mark.parametrize("is_own", [True, False])
async def test_a_query_is_sent_and_our_own_client_does_not_log_it(
    is_own: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with FaultyEndpoint(ANSWER) as endpoint, httpx2.AsyncClient() as client:
        url = endpoint.url.replace("//", "//user:canary-word@") + "/v1?key=canary%2Fkey&b=%C3%A4"
        exchange = Exchange(PlainWire(), client=None if is_own else client)
        assert (await Asking(url, exchange).reply()).text == "hello"
        await exchange.aclose()
    assert endpoint.requests[0].target == "/v1/ask?key=canary%2Fkey&b=%C3%A4"
    assert any(record.name == "httpx2" for record in caplog.records)
    assert "canary-word" not in caplog.text
    assert ("canary" in caplog.text) is not is_own


async def test_headers_of_ones_own_win_whatever_their_case() -> None:
    headers = {"accept": "text/x", "X-Team": "blue", "user-agent": "mine"}
    async with FaultyEndpoint(ANSWER) as endpoint:
        await Asking(endpoint.url, headers=headers).reply()
    sent = endpoint.requests[0].headers
    assert (sent["accept"], sent["x-team"], sent["user-agent"]) == ("text/x", "blue", "mine")


async def test_cookies_are_not_kept_since_the_next_request_may_have_another_key() -> None:
    cookie = {"Set-Cookie": "session=abc; Path=/"}
    async with FaultyEndpoint(streamed(HELLO, headers=cookie)) as endpoint:
        exchange = Exchange(PlainWire())
        for key in ("first-key", "second-key"):
            await Asking(endpoint.url, exchange, api_key=key).reply()
    assert "cookie" not in endpoint.requests[1].headers


async def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with FaultyEndpoint(ANSWER) as endpoint:
        assert (await Asking(endpoint.url).reply()).text == "hello"


# Connections.


async def test_a_connection_is_used_again_after_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "GRACE", 5)
    in_packets: Script = [chunked_head(), chunk(HELLO), Wait(0.001), LAST_CHUNK]
    async with FaultyEndpoint(ANSWER, in_packets) as endpoint:
        asking = Asking(endpoint.url)
        for _ in range(4):
            await asking.reply()
    assert endpoint.connections == 1


@pytest.mark.parametrize(
    "rest",
    [
        [Silence()],
        [Wait(0.002), chunk(sse({"text": "more"}, "[DONE]")), LAST_CHUNK],
        [Wait(0.002), b"no chunk at all\r\n"],
        [Wait(0.002), chunk(b"x" * 2000), LAST_CHUNK],
    ],
)
async def test_what_follows_the_end_marker_is_not_read_and_its_connection_not_used(
    rest: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt, "GRACE", 0.25)
    script: Script = [chunked_head() + chunk(HELLO), *rest]
    async with FaultyEndpoint(script) as endpoint:
        asking = Asking(endpoint.url, max_response_bytes=1000, stream_idle_timeout_ms=200)
        for _ in range(2):
            assert (await asking.reply()).text == "hello"
        await settled(endpoint)
    assert endpoint.connections == 2
    assert asking.said == ["hel", "lo"] * 2


async def test_data_after_the_end_marker_in_the_same_packet_is_dropped() -> None:
    answer = streamed(HELLO + sse({"text": "more"}, "[DONE]", {"error": "boo"}))
    async with FaultyEndpoint(answer) as endpoint:
        asking = Asking(endpoint.url)
        assert (await asking.reply()).text == "hello"
    assert asking.said == ["hel", "lo"]


def test_one_exchange_serves_one_event_loop_after_the_other() -> None:
    exchange = Exchange(PlainWire(), max_concurrency=1)

    async def once() -> str:
        async with FaultyEndpoint(ANSWER) as endpoint:
            both = await asyncio.gather(*(Asking(endpoint.url, exchange).reply() for _ in "ab"))
            assert endpoint.connections == 1
            return both[0].text

    assert [asyncio.run(once()) for _ in range(3)] == ["hello"] * 3
    gc.collect()


def test_one_exchange_serves_several_threads_at_once() -> None:
    exchange = Exchange(PlainWire(), max_concurrency=2)

    async def several() -> set[str]:
        async with FaultyEndpoint(ANSWER) as endpoint:
            asked = [Asking(endpoint.url, exchange).reply() for _ in range(5)]
            return {reply.text for reply in await asyncio.gather(*asked)}

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(asyncio.run, several()) for _ in range(12)]
        assert [it.result() for it in running] == [{"hello"}] * 12


async def test_closing_an_exchange_closes_its_connections_and_it_can_be_used_again() -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        asking = Asking(endpoint.url)
        await asking.reply()
        assert endpoint.open_connections == 1
        await asking.exchange.aclose()
        await settled(endpoint)
        await asking.exchange.aclose()
        assert (await asking.reply()).text == "hello"
        assert endpoint.connections == 2


async def test_an_exchange_that_is_forgotten_leaves_no_connection_open() -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        await Asking(endpoint.url).reply()
        assert endpoint.open_connections == 1
        gc.collect()
        await settled(endpoint)


async def test_a_client_of_ones_own_is_used_and_left_open() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, content=HELLO, headers={"content-type": "text/event-stream"})

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
        asking = Asking("http://127.0.0.1", Exchange(PlainWire(), client=client))
        assert (await asking.reply()).text == "hello"
        await asking.exchange.aclose()
        assert not client.is_closed
        assert (await asking.reply()).text == "hello"


async def test_without_httpx2_an_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(InputRefused, match=r"tether\[models\]"):
        await Asking("http://127.0.0.1").reply()


# The queue.


@pytest.mark.parametrize("number", [0, -1, 1.5, "3", True, False])
def test_a_limit_of_requests_is_a_number_from_one(number: Any) -> None:
    with pytest.raises(InvalidModelOptions, match="max_concurrency"):
        Exchange(PlainWire(), max_concurrency=number)


@pytest.mark.parametrize("client", ["nonsense", 3, object()])
def test_a_client_is_one_that_can_stream(client: Any) -> None:
    with pytest.raises(InvalidModelOptions, match=f"client.*not a {type(client).__name__}"):
        Exchange(PlainWire(), client=client)


async def test_requests_wait_for_each_other_in_their_order() -> None:
    def answer(request: Request) -> Script:
        return [Wait(0.002), streamed(sse({"text": request.json()["number"]}, "[DONE]"))]

    async with FaultyEndpoint(answer) as endpoint:
        exchange = Exchange(PlainWire(), max_concurrency=2)

        async def ask(number: int) -> str:
            return (await Asking(endpoint.url, exchange).reply({"number": str(number)})).text

        replies = await asyncio.gather(*map(ask, range(20)))
    assert replies == [str(number) for number in range(20)]
    assert endpoint.most_at_once == 2
    order = [int(request.json()["number"]) for request in endpoint.requests]
    assert all(abs(place - number) <= 1 for place, number in enumerate(order))


async def test_without_a_limit_nobody_waits() -> None:
    all_came = asyncio.Event()
    async with FaultyEndpoint([Until(all_came), ANSWER]) as endpoint:
        exchange = Exchange(PlainWire())
        asked = [Asking(endpoint.url, exchange).reply() for _ in range(120)]
        together = asyncio.gather(*asked)
        await until(lambda: len(endpoint.requests) == 120)
        all_came.set()
        await together


async def test_who_stops_waiting_frees_the_place() -> None:
    async with FaultyEndpoint([Wait(0.2), ANSWER]) as endpoint:
        exchange = Exchange(PlainWire(), max_concurrency=1)
        asked = [Asking(endpoint.url, exchange) for _ in range(5)]
        tasks = [asyncio.ensure_future(asking.reply()) for asking in asked]
        await until(lambda: endpoint.requests)
        tasks[0].cancel()
        tasks[1].cancel()
        asked[2].signal.abort("enough")
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    kinds = [type(outcome).__name__ for outcome in outcomes]
    assert kinds == ["CancelledError", "CancelledError", "Aborted", "Reply", "Reply"]
    assert len(endpoint.requests) == 3


async def test_141_a_hundred_requests_share_one_slot_fairly() -> None:
    async with FaultyEndpoint([Wait(0.001), ANSWER]) as endpoint:
        exchange = Exchange(PlainWire(), max_concurrency=1)
        order: list[int] = []

        async def ask(number: int) -> None:
            await Asking(endpoint.url, exchange).reply({"number": number})
            order.append(number)

        tasks = [asyncio.ensure_future(ask(number)) for number in range(100)]
        await asyncio.sleep(0.01)
        for task in tasks[50::10]:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    cancelled = [number for number, it in enumerate(outcomes) if it is not None]
    assert cancelled == list(range(50, 100, 10))
    assert endpoint.most_at_once == 1
    assert order == [number for number in range(100) if number not in cancelled]
    assert [request.json()["number"] for request in endpoint.requests] == order
    assert endpoint.connections == 1


async def test_141_waiting_between_attempts_does_not_hold_the_slot() -> None:
    def answer(request: Request) -> Script:
        return ANSWER if request.json()["number"] else http_response(503)

    async with FaultyEndpoint(answer) as endpoint:
        exchange = Exchange(PlainWire(), max_concurrency=1)
        patient = Asking(endpoint.url, exchange, retry={"max_attempts": 2, "base_delay_ms": 60_000})
        waiting = asyncio.ensure_future(patient.reply({"number": 0}))
        await asyncio.sleep(0)
        assert (await Asking(endpoint.url, exchange).reply({"number": 1})).text == "hello"
        waiting.cancel()
        await asyncio.wait([waiting])


async def test_141_an_endpoint_that_always_fails_is_not_stormed() -> None:
    async with FaultyEndpoint(http_response(503)) as endpoint:
        exchange = Exchange(PlainWire(), max_concurrency=4)
        asked = [Asking(endpoint.url, exchange, retry=THRICE) for _ in range(20)]
        errors = await asyncio.gather(*(asking.failure() for asking in asked))
    assert all(error.attempts == 3 for error in errors)
    assert len(endpoint.requests) == 60
    assert endpoint.most_at_once <= 4


# Aborts.

HALF = sse({"text": "hel"})


@pytest.mark.parametrize(
    "script",
    [
        [Silence()],
        [b"HTTP/1.1 20", Silence()],
        [chunked_head(), Silence()],
        [chunked_head(), chunk(HALF)[:9], Silence()],
        [chunked_head(), chunk(HALF), Silence()],
        [http_response(503, {"Retry-After": "20"})],
        [http_response(400, {"Content-Length": "100"}, "half an err"), Silence()],
    ],
)
@pytest.mark.parametrize("how", ["signal", "cancel"])
async def test_an_abort_ends_a_request_at_any_point_and_closes_its_connection(
    script: list[Any], how: str
) -> None:
    async with FaultyEndpoint(script) as endpoint:
        asking = Asking(endpoint.url, retry={"max_attempts": 3}, stream_idle_timeout_ms=60_000)
        task = asyncio.ensure_future(asking.reply())
        await until(lambda: endpoint.requests)
        await asyncio.sleep(0.01)
        if how == "signal":
            asking.signal.abort("enough")
            with pytest.raises(Aborted) as caught:
                await task
            assert caught.value.reason == "enough"
        else:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert set(asking.lines.kinds) <= {"retry-attempt"}
        await asking.exchange.aclose()
        await settled(endpoint)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("how", ["signal", "cancel"])
async def test_an_abort_at_any_step_of_a_request_leaves_nothing_behind(how: str) -> None:
    async with FaultyEndpoint([http_response(503), Wait(0)], ANSWER) as endpoint:
        exchange = Exchange(PlainWire(), max_concurrency=1)
        steps, ended = 0, False
        while not ended:
            asking = Asking(endpoint.url, exchange, retry={"max_attempts": 2, "base_delay_ms": 0})
            task = asyncio.ensure_future(asking.reply())
            for _ in range(steps):
                await asyncio.sleep(0)
            ended = task.done()
            asking.signal.abort() if how == "signal" else task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                assert isinstance(task.exception(), (Aborted, type(None)))
            steps += 1
        assert steps > 10
        assert (await Asking(endpoint.url, exchange).reply()).text == "hello"
        await exchange.aclose()
        await settled(endpoint)


async def test_nothing_is_asked_after_an_abort() -> None:
    async with FaultyEndpoint(ANSWER) as endpoint:
        asking = Asking(endpoint.url)
        asking.signal.abort()
        with pytest.raises(Aborted):
            await asking.reply()
    assert endpoint.connections == 0


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        streamed(sse({"text": "hel"})),
        streamed(sse({"text": "hel"}, {"error": "boo"})),
    ],
)
async def test_an_abort_from_within_a_delta_wins_over_what_follows(answer: bytes) -> None:
    async with FaultyEndpoint(answer) as endpoint:
        asking = Asking(endpoint.url)
        asking.on_delta = lambda _: asking.signal.abort("seen enough")
        with pytest.raises(Aborted):
            await asking.reply()


@pytest.mark.parametrize("kind", [ValueError, TimeoutError, KeyError])
async def test_what_a_listener_raises_comes_out_as_it_is(kind: type[Exception]) -> None:
    def fail(_: Delta) -> None:
        raise kind("mine")

    async with FaultyEndpoint(ANSWER) as endpoint:
        asking = Asking(endpoint.url, request_timeout_ms=60_000)
        asking.on_delta = fail
        with pytest.raises(kind, match="mine"):
            await asking.reply()
        await settled(endpoint)
    assert asking.lines.entries == []
