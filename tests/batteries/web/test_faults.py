"""Servers that misbehave: every fault is bounded and has a type (case 64)."""

from __future__ import annotations

import asyncio
import datetime as dt
import gzip
import socket
import struct
import tracemalloc
from collections.abc import Iterable
from typing import Any

import pytest
import trustme

from batteries.web.loopback import (
    PUBLIC,
    Resolver,
    Script,
    Server,
    Spy,
    hang_up,
    reply,
    serving,
    trusting,
)
from tether.batteries.web import WebAccess
from tether.batteries.web.transport import Line
from tether.core.errors import InputRefused, LimitExceeded

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
AUTHORITY = trustme.CA()
LONG_AGO = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SHORT = 0.2


def endless(start: bytes, piece: bytes, *, pause: float = 0) -> Script:
    """Return a script that sends something and then the same piece again for ever."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return script


async def silence(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def reset(writer: asyncio.StreamWriter) -> None:
    """Send half an answer, then close so that the other side gets a reset, not an end."""
    writer.write(HEAD + b"Content-Length: 100\r\n\r\nhalf")
    await writer.drain()
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def fetch(answer: bytes | Script, **settings: Any) -> str:
    async with serving({"/": answer}) as server:
        return (await server.access(**settings).fetch(server.url())).text


@pytest.mark.parametrize(
    "answer",
    [
        endless(HEAD + b"\r\n", b"x" * 65536),  # until the connection ends
        endless(HEAD + b"Content-Length: 10000000000\r\n\r\n", b"x" * 65536),
        endless(
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n"
        ),
    ],
    ids=["no end", "10 GB announced", "chunks without end"],
)
async def test_a_body_without_end_is_cut_off(answer: Script) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(LimitExceeded, match="more than the 300,000 bytes allowed"):
            await fetch(answer, max_bytes=300_000)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


async def test_a_body_in_crumbs_is_cut_off() -> None:
    crumbs = endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 1000)
    with pytest.raises(LimitExceeded, match="too many small pieces"):
        await fetch(crumbs)


async def test_a_body_of_just_the_size_allowed_is_read() -> None:
    assert len(await fetch(reply("x" * 1000), max_bytes=1000)) == 1000
    with pytest.raises(LimitExceeded):
        await fetch(reply("x" * 1001), max_bytes=1000)


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "br", "deflate, gzip", "zstd"])
async def test_compressed_content_is_not_unpacked(encoding: str) -> None:
    bomb = gzip.compress(b"\0" * 1_000_000)
    assert len(bomb) * 900 < 1_000_000
    with pytest.raises(InputRefused, match="came compressed"):
        await fetch(reply(bomb, headers=[f"Content-Encoding: {encoding}"]))


async def test_compression_that_is_none_is_none() -> None:
    for encoding in ("identity", "", "Identity, identity", ",identity"):
        assert await fetch(reply("x", headers=[f"Content-Encoding: {encoding}"])) == "x"


async def test_a_compressed_transfer_is_refused() -> None:
    with pytest.raises(InputRefused, match="no proper HTTP"):
        await fetch(hang_up(HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"))


@pytest.mark.parametrize(
    "answer",
    [
        silence,
        endless(b"", b"H", pause=0.05),
        endless(HEAD + b"\r\n", b"x", pause=0.05),
        endless(HEAD + b"Content-Length: 1000000\r\n\r\n", b"x", pause=0.05),
        endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.01),
    ],
    ids=["silence", "slow head", "slow body", "slow body of known length", "not yet, for ever"],
)
async def test_a_slow_server_is_given_up(answer: Script) -> None:
    with pytest.raises(LimitExceeded, match="took longer") as caught:
        await fetch(answer, total_timeout=SHORT)
    assert caught.value.retryable
    assert isinstance(caught.value.__cause__, TimeoutError)


# RFC 9110, section 15.2, and RFC 9112, section 7.1.1: neither "not yet" nor the extensions of a
# chunk have a limit of their own.
@pytest.mark.parametrize(
    "answer",
    [
        endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000),
        endless(b"", b"HTTP/1.1 100 Continue\r\nX: " + b"x" * 60_000 + b"\r\n\r\n"),
        endless(CHUNKED, b"1;" + b"a" * 60_000 + b"\r\nx\r\n"),
        endless(CHUNKED + b"0\r\n", b"X: y\r\n"),
    ],
    ids=["not yet, for ever", "not yet, at length", "remarks in chunks", "trailers"],
)
async def test_a_server_that_talks_beside_the_content_is_cut_off(answer: Script) -> None:
    with pytest.raises(InputRefused, match=r"more around the content|too long a head"):
        await fetch(answer, max_bytes=1000)


# A server that always has something to say never lets a timer go off.
async def test_the_time_for_taking_in_what_came_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, seconds = asyncio.get_running_loop(), 0
    time, read = loop.time, Line.read
    monkeypatch.setattr(loop, "time", lambda: time() + seconds)

    async def then_work(line: Line, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        nonlocal seconds
        data = await read(line, max_bytes, timeout)
        seconds += 20
        return data

    monkeypatch.setattr(Line, "read", then_work)
    assert await fetch(reply("quick"), total_timeout=30) == "quick"
    for answer in (b"HTTP/1.1 100 Continue\r\n\r\n", CHUNKED + b"1\r\nx\r\n"):
        with pytest.raises(LimitExceeded, match="took longer"):
            await fetch(endless(answer, b"", pause=1), total_timeout=15)


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"X-Long: " + b"x" * 200_000 + b"\r\n\r\n",
        HEAD + b"X-Many: x\r\n" * 20_000 + b"\r\n",
        b"HTTP/1.1 200 " + b"O" * 200_000,
        b"<html>HTTP/0.9 knew no head</html>",
        b"HTTP/9.9.9 200 OK\r\n\r\n",
        b"HTTP/1.1 999999 OK\r\n\r\n",
        b"\x16\x03\x01\x00\x00",
        HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        HEAD + b"Content-Length: -1\r\n\r\nhello",
        HEAD + b"Content-Length: 100\r\n\r\nhello",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 200_000,
        HEAD + b"Bad Header\r\n\r\n",
        b"",
    ],
)
async def test_what_is_not_proper_http_is_refused(answer: bytes) -> None:
    with pytest.raises(InputRefused, match=r"no proper HTTP/1\.1 answer") as caught:
        await fetch(hang_up(answer))
    assert len(caught.value.message) < 500


async def test_what_follows_the_announced_length_is_not_read() -> None:
    assert await fetch(hang_up(HEAD + b"Content-Length: 5\r\n\r\nhello, world")) == "hello"


async def test_a_connection_that_breaks_off_may_be_tried_again() -> None:
    with pytest.raises(InputRefused, match="failed or broke off") as caught:
        await fetch(reset)
    assert caught.value.retryable


async def test_a_port_on_which_nobody_listens_may_be_tried_again() -> None:
    async with serving({}) as server:
        access = server.access(private_hosts=["127.0.0.1:9"])
        with pytest.raises(InputRefused, match="failed or broke off") as caught:
            await access.fetch("http://127.0.0.1:9/")
    assert caught.value.retryable


# Encryption.


async def fetch_encrypted(
    certificate: trustme.LeafCert | None, monkeypatch: pytest.MonkeyPatch, **settings: Any
) -> Server:
    """Fetch https://a.example/ from a server here, and return the server."""
    spy = Spy(monkeypatch)
    async with serving({"/": reply("safe")}, certificate=certificate) as server:
        spy.lead(PUBLIC, server)
        settings = {"ssl_context": trusting(AUTHORITY)} | settings
        access = WebAccess(hosts=["a.example"], resolver=Resolver([PUBLIC]), **settings)
        try:
            assert (await access.fetch("https://a.example/")).text == "safe"
        finally:
            await asyncio.sleep(0)
        return server


async def test_a_certificate_of_a_trusted_authority_is_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = await fetch_encrypted(AUTHORITY.issue_cert("a.example"), monkeypatch)
    assert server.paths == ["/"]


# The words are those of OpenSSL.
@pytest.mark.parametrize(
    ("certificate", "complaint"),
    [
        (trustme.CA().issue_cert("a.example"), "self.signed certificate|local issuer"),
        (AUTHORITY.issue_cert("a.example", not_after=LONG_AGO), "certificate has expired"),
        (AUTHORITY.issue_cert("other.example"), "Hostname mismatch"),
        (AUTHORITY.issue_cert("*.a.example"), "Hostname mismatch"),
        (AUTHORITY.issue_cert(PUBLIC), "Hostname mismatch"),
    ],
    ids=["unknown authority", "expired", "wrong name", "wrong wildcard", "address only"],
)
async def test_a_certificate_that_proves_nothing_is_refused(
    certificate: trustme.LeafCert, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputRefused, match=f"certificate of a.example.*({complaint})") as caught:
        await fetch_encrypted(certificate, monkeypatch)
    assert not caught.value.retryable


async def test_a_server_without_encryption_cannot_be_read_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InputRefused, match=r"failed or broke off|took longer"):
        await fetch_encrypted(None, monkeypatch, connect_timeout=SHORT)


async def test_a_handshake_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(monkeypatch)

    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    listener = await asyncio.start_server(mute, "127.0.0.1", 0)
    spy.ways[PUBLIC] = listener.sockets[0].getsockname()[1]
    access = WebAccess(hosts=["a.example"], resolver=Resolver([PUBLIC]), connect_timeout=SHORT)
    async with listener:
        with pytest.raises(LimitExceeded, match="took longer"):
            await access.fetch("https://a.example/")
        await asyncio.sleep(0.01)


async def test_a_resolver_that_never_answers_is_given_up() -> None:
    async def resolver(host: str, port: int) -> Iterable[str]:
        await asyncio.Event().wait()
        return []

    access = WebAccess(hosts=["a.example"], resolver=resolver, connect_timeout=SHORT)
    with pytest.raises(LimitExceeded, match="was not found in the time allowed"):
        await access.fetch("https://a.example/")


# Cancellation is passed on, and nothing is left open.


@pytest.mark.parametrize("answer", [silence, endless(HEAD + b"\r\n", b"x", pause=0.01)])
async def test_a_reading_can_be_cancelled(answer: Script) -> None:
    async with serving({"/": answer}) as server:
        task = asyncio.create_task(server.access().fetch(server.url()))
        while not server.heads:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.closed.wait()


async def test_a_stream_can_be_left_half_read() -> None:
    async with serving({"/": endless(HEAD + b"\r\n", b"x" * 1000)}) as server:
        async with server.access().open(server.url()) as response:
            async for piece in response.stream():
                assert piece
                break
        await server.closed.wait()


async def test_an_answer_can_be_left_unread() -> None:
    async with serving({"/": endless(HEAD + b"\r\n", b"x" * 1000)}) as server:
        async with server.access().open(server.url()) as response:
            assert response.status == 200
        await server.closed.wait()


async def test_the_error_of_the_reader_is_passed_on() -> None:
    async with serving({"/": reply()}) as server:
        with pytest.raises(RuntimeError, match="mine"):
            async with server.access().open(server.url()):
                raise RuntimeError("mine")
        await server.closed.wait()


async def test_a_body_can_be_read_once() -> None:
    answers = serving({"/": reply("once")})
    async with answers as server, server.access().open(server.url()) as response:
        assert [piece async for piece in response.stream()] == [b"once"]
        with pytest.raises(RuntimeError):
            _ = [piece async for piece in response.stream()]
