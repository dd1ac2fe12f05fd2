"""An HTTP server on loopback that answers with exact bytes, and breaks where it is told to.

    async with FaultyEndpoint(http_response(503), streamed(sse("hello", "[DONE]"))) as endpoint:
        ...  # ask endpoint.url; the first request gets the 503, all further ones the stream
    assert len(endpoint.requests) == 2

A script is what one request gets: bytes, which are sent as they are, or several steps one after
the other. After its last step the connection stays open for the next request, unless the script
says `Close()` or `Reset()`. A function from the request to a script decides by what was asked.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import ssl
import struct
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import trustme


class Wait(NamedTuple):
    """Do nothing for that long."""

    seconds: float


class Until(NamedTuple):
    """Do nothing until a test says so."""

    event: asyncio.Event


class Drip(NamedTuple):
    """Send bytes in small pieces, each in a packet of its own."""

    data: bytes
    size: int = 1
    seconds: float = 0.0


class Forever(NamedTuple):
    """Send the same bytes again and again, until the client hangs up."""

    data: bytes
    seconds: float = 0.01


class Silence(NamedTuple):
    """Say nothing more, until the client hangs up."""


class Reset(NamedTuple):
    """Break the connection off with a TCP reset."""


class Close(NamedTuple):
    """Close the connection in good order."""


Step = bytes | Wait | Until | Drip | Forever | Silence | Reset | Close
Script = bytes | Sequence[Step]


class Request(NamedTuple):
    """What a client asked; the names of headers are in small letters."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def sse(*events: object, ending: str = "\n") -> bytes:
    """Return an event stream with one `data:` line each; what is not text goes as JSON."""
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return "".join(f"data: {text}{ending}{ending}" for text in texts).encode()


def http_response(
    status: int = 200, headers: Mapping[str, str] | None = None, body: bytes | str | object = b""
) -> bytes:
    """Return a whole response. A body that is no bytes or text goes as JSON."""
    if isinstance(body, bytes):
        kind, data = "application/octet-stream", body
    elif isinstance(body, str):
        kind, data = "text/plain; charset=utf-8", body.encode()
    else:
        kind, data = "application/json", json.dumps(body).encode()
    fields = {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}
    return _head(status, fields) + data


def stream_head(status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the head of an event stream that ends with the connection: follow it by `Close()`."""
    return _head(
        status, {"Content-Type": "text/event-stream", "Connection": "close"} | {**(headers or {})}
    )


def chunked_head(status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the head of an event stream in chunks: follow it by `chunk(...)` and `LAST_CHUNK`."""
    fields = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}
    return _head(status, fields | {**(headers or {})})


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"


def streamed(*pieces: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole event stream in chunks, in good order: the connection can be used again."""
    return chunked_head(headers=headers) + b"".join(map(chunk, pieces)) + LAST_CHUNK


def _head(status: int, fields: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class FaultyEndpoint:
    """Plays a script per request and remembers what was asked.

    The last script is played for all further requests. `url` has no path. `requests` are those
    that came in whole; `connections` counts all, `open_connections` those that are open now,
    `most_at_once` the requests that were being answered together.
    """

    def __init__(self, *scripts: Script | Callable[[Request], Script], tls: bool = False) -> None:
        self._scripts = scripts or (http_response(500, body="no script"),)
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy = 0
        self._tls = tls
        self._certificates = ExitStack()
        self.url = ""
        self.certificate_authority = b""
        self.requests: list[Request] = []
        self.connections = 0
        self.most_at_once = 0

    @property
    def open_connections(self) -> int:
        return len(self._tasks)

    async def all_closed(self) -> None:
        """Return as soon as no connection is open."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def __aenter__(self) -> FaultyEndpoint:
        context = self._server_context() if self._tls else None
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=context)
        scheme, port = "https" if self._tls else "http", self._server.sockets[0].getsockname()[1]
        self.url = f"{scheme}://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await _a_few_rounds()  # a connection that is being accepted begins to be served
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        await _a_few_rounds()  # transports that were aborted are closed

    def _server_context(self) -> ssl.SSLContext:
        authority = trustme.CA()
        self.certificate_authority = authority.cert_pem.bytes()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        return context

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.set_write_buffer_limits(0)
        try:
            while True:
                request = await _request(reader)
                self.requests.append(request)
                self._busy += 1
                self.most_at_once = max(self.most_at_once, self._busy)
                try:
                    await _play(self._script(request), reader, writer)
                finally:
                    self._busy -= 1
        except (EOFError, ConnectionError, _HungUp):
            pass
        finally:
            writer.transport.abort()

    def _script(self, request: Request) -> Script:
        script = self._scripts[min(len(self.requests), len(self._scripts)) - 1]
        return script(request) if callable(script) else script


async def _a_few_rounds() -> None:
    """Let the loop do its pending work: unclosed transports are warnings, and those are errors."""
    for _ in range(5):
        await asyncio.sleep(0)


class _HungUp(Exception):
    """The connection is over."""


async def _request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, target, _ = head.split(" ", 2)
    fields = re.findall(r"^([^:\r\n]+): ?([^\r\n]*)\r$", head.partition("\n")[2], re.MULTILINE)
    headers = {name.lower(): value for name, value in fields}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, target, headers, body)


async def _play(script: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for step in [script] if isinstance(script, bytes) else script:
        match step:
            case bytes():
                await _send(writer, step)
            case Wait(seconds):
                await asyncio.sleep(seconds)
            case Until(event):
                await event.wait()
            case Drip(data, size, seconds):
                for start in range(0, len(data), size):
                    await _send(writer, data[start : start + size], seconds)
            case Forever(data, seconds):
                while True:
                    await _send(writer, data, seconds)
            case _:
                await _end(step, reader, writer)


async def _send(writer: asyncio.StreamWriter, data: bytes, seconds: float | None = None) -> None:
    writer.write(data)
    await writer.drain()
    if seconds is not None:
        await asyncio.sleep(seconds)


async def _end(
    step: Silence | Reset | Close, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    match step:
        case Silence():
            await reader.read()
        case Reset():
            options = socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(*options)
        case Close():
            writer.close()
            await writer.wait_closed()
    raise _HungUp


@contextmanager
def refusing_url() -> Generator[str, None, None]:
    """Give out an address at which every connection is refused."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@contextmanager
def hanging_url() -> Generator[str, None, None]:
    """Give out an address at which connections are neither taken nor refused."""
    with ExitStack() as open_sockets:
        listener = open_sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):  # its queue is full after these
            waiting = open_sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
