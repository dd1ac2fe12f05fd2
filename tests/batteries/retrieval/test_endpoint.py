"""Endpoints that misbehave: retries, refusals, and secrets that are never shown."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from support.faulty_endpoint import (
    Close,
    Drip,
    FaultyEndpoint,
    Forever,
    Reset,
    Script,
    Silence,
    http_response,
    refusing_url,
)
from tether.batteries.retrieval.endpoint import Endpoint, EndpointClient, JsonRequest, clean, number
from tether.retrieval.errors import InvalidRetrievalSettings, JudgeFailed

KEY = "sk-very-secret-0123456789"
OK = http_response(body={"fine": True})
QUESTION = JsonRequest("POST", "/rerank", {"query": "pods"})


class Exchange:
    """The outcome of an exchange: its answer or failure, its waits, and the server's view."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.failure: JudgeFailed | None = None
        self.waits: list[float] = []
        self.server: FaultyEndpoint

    @property
    def told(self) -> str:
        assert self.failure is not None
        return self.failure.message


async def exchange(
    *scripts: Script, change: Callable[[str], Endpoint] | None = None, **settings: Any
) -> Exchange:
    seen = Exchange()
    async with FaultyEndpoint(*scripts) as server:
        endpoint = change(server.url) if change else Endpoint(base_url=server.url, **settings)
        asking = EndpointClient(endpoint, JudgeFailed, sleep=seen.waits.append, chance=lambda: 0.5)
        try:
            seen.answer = await asyncio.to_thread(asking.ask, QUESTION)
        except JudgeFailed as failure:
            seen.failure = failure
        seen.server = server
        await server.all_closed()
        await asyncio.sleep(0)
    return seen


async def test_a_question_is_json_with_the_key_as_a_bearer_token() -> None:
    seen = await exchange(OK, api_key=KEY, headers={"x-team": "docs"})
    assert seen.answer == {"fine": True}
    [request] = seen.server.requests
    assert (request.method, request.target) == ("POST", "/rerank")
    assert request.json() == {"query": "pods"}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-team"] == "docs"
    assert request.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_passing_failure_is_tried_again_after_waits_that_double(status: int) -> None:
    seen = await exchange(http_response(status), http_response(status), OK)
    assert seen.answer == {"fine": True}
    assert seen.waits == [0.5, 1.0]


async def test_attempts_are_bounded_and_the_last_failure_is_told() -> None:
    seen = await exchange(http_response(503, body="busy"), max_attempts=3)
    assert "answered 503: busy" in seen.told
    assert seen.failure is not None
    assert seen.failure.retryable
    assert len(seen.server.requests) == 3


async def test_retry_after_lengthens_the_wait_up_to_the_longest() -> None:
    seen = await exchange(http_response(429, {"Retry-After": "3"}), OK)
    assert seen.waits == [3.0]
    seen = await exchange(
        http_response(429, {"Retry-After": "86400"}), OK, longest_wait_seconds=7.0
    )
    assert seen.waits == [7.0]


async def test_no_wait_goes_past_the_time_for_the_question() -> None:
    seen = await exchange(http_response(429, {"Retry-After": "9"}), OK, timeout_seconds=5.0)
    assert "answered 429" in seen.told
    assert seen.waits == []


@pytest.mark.parametrize("status", [301, 400, 401, 404, 422])
async def test_a_lasting_failure_is_told_at_once(status: int) -> None:
    seen = await exchange(http_response(status, {"Location": "http://127.0.0.1:1/"}, "no"), OK)
    assert f"answered {status}: no" in seen.told
    assert seen.failure is not None
    assert not seen.failure.retryable
    assert len(seen.server.requests) == 1


async def test_a_connection_that_breaks_is_tried_again() -> None:
    seen = await exchange([Reset()], [b"HTTP/1.1 200 OK\r\nContent-Len", Close()], OK)
    assert seen.answer == {"fine": True}


async def test_an_endpoint_that_is_not_there_is_named() -> None:
    with refusing_url() as url:
        asking = EndpointClient(Endpoint(base_url=url), JudgeFailed, sleep=lambda _: None)
        with pytest.raises(JudgeFailed, match=f"{url} gave no answer"):
            await asyncio.to_thread(asking.ask, QUESTION)


async def test_silence_ends_with_the_time_for_the_question() -> None:
    seen = await exchange([Silence()], timeout_seconds=0.1)
    assert "took too long" in seen.told
    assert len(seen.server.requests) == 1


@pytest.mark.parametrize("header", ["Content-Length: 900", "Connection: close"])
async def test_an_answer_that_trickles_ends_with_the_time_for_the_question(header: str) -> None:
    head = f"HTTP/1.1 200 OK\r\n{header}\r\n\r\n".encode()
    seen = await exchange([head, Drip(b"7" * 900, 1, 0.02)], timeout_seconds=0.2)
    assert "took too long" in seen.told


async def test_a_head_that_trickles_ends_with_the_time_for_the_question() -> None:
    trickle = Drip(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 100_000, 1, 0.02)
    seen = await exchange([trickle], timeout_seconds=0.2)
    assert "took too long" in seen.told
    assert len(seen.server.requests) == 1


async def test_whom_to_trust_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    await exchange(OK)

    def again(**_: object) -> None:
        raise AssertionError("the certificates were read again")

    monkeypatch.setattr(httpx2, "create_ssl_context", again)
    assert (await exchange(OK)).answer == {"fine": True}


async def test_an_endless_answer_is_cut_off() -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    seen = await exchange([head, Forever(b"x" * 1000, 0)], max_response_bytes=5000)
    assert "sent more than 5000 bytes" in seen.told


@pytest.mark.parametrize(
    "body", ["no JSON", b"\xff\xfe", "[" * 100_000, ""], ids=["text", "bytes", "deep", "empty"]
)
async def test_what_is_not_json_is_refused(body: str | bytes) -> None:
    seen = await exchange(http_response(body=body))
    assert "is not JSON" in seen.told


async def test_a_compressed_answer_is_refused() -> None:
    seen = await exchange(http_response(200, {"Content-Encoding": "gzip"}, b"bomb"))
    assert "compressed" in seen.told


async def test_no_error_and_no_repr_holds_a_secret() -> None:
    echo = f"your key {KEY} and {json.dumps(KEY)} and header hush-hush-hush"
    seen = await exchange(
        http_response(401, body=echo), api_key=KEY, headers={"x-key": "hush-hush-hush"}
    )
    everything = f"{seen.failure!r} {seen.told} {seen.failure!s}"
    assert "answered 401" in everything
    assert KEY not in everything
    assert "hush-hush-hush" not in everything
    assert seen.failure is not None
    assert seen.failure.__cause__ is None
    endpoint = Endpoint(base_url="http://user:pass-word-1@x.org/v1", headers={"x-key": "hush"})
    assert "pass-word-1" not in f"{endpoint!r} {endpoint.place} {endpoint.digest}"
    assert "hush" not in repr(endpoint)
    assert endpoint.place == "http://x.org/v1"


async def test_a_user_in_the_address_is_not_told_either() -> None:
    def with_user(url: str) -> Endpoint:
        return Endpoint(base_url=url.replace("//", "//ann:open-sesame@"))

    seen = await exchange(http_response(403, body="open-sesame is wrong"), change=with_user)
    assert "open-sesame" not in seen.told
    assert seen.server.requests[0].headers["authorization"].startswith("Basic ")


async def test_an_unanswerable_protocol_error_is_told() -> None:
    seen = await exchange(OK, headers={"bad header": "x"})
    assert "cannot be called" in seen.told or "gave no answer" in seen.told


def test_a_missing_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(JudgeFailed, match=r"pip install 'tether\[models\]'"):
        EndpointClient(Endpoint(base_url="http://x.org"), JudgeFailed).ask(QUESTION)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"base_url": "ftp://x.org"}, "base_url"),
        ({"base_url": "https://x.org/v1?key=1"}, "base_url"),
        ({"base_url": "https://x .org"}, "base_url"),
        ({"base_url": "https://[x"}, "base_url"),
        ({"base_url": "https://ann@x.org", "api_key": "k"}, "base_url"),
        ({"api_key": "key\n"}, "api_key"),
        ({"headers": {"x": "y\r\nz: 1"}}, "headers"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds"),
        ({"max_attempts": 0}, "max_attempts"),
        ({"max_attempts": 21}, "max_attempts"),
        ({"max_response_bytes": 0}, "max_response_bytes"),
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], field: str) -> None:
    changed: dict[str, Any] = {"base_url": "https://x.org", **settings}
    with pytest.raises(InvalidRetrievalSettings, match=field):
        Endpoint(**changed)


def test_numbers_are_finite_and_no_truth_values() -> None:
    assert [number(value) for value in (1, -2.5, True, "1", None, float("nan"), 10**400)] == [
        1.0,
        -2.5,
        *[None] * 5,
    ]


def test_a_place_in_numbers_is_shown_as_it_is_written() -> None:
    assert Endpoint(base_url="http://[::1]:8080/v1/").place == "http://[::1]:8080/v1"


def test_lone_surrogates_are_replaced() -> None:
    assert clean("a\ud800b") == "a?b"
