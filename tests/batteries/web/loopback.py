"""A small HTTP server on this machine that can misbehave, and a spy on every connection."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import trustme

from tether.batteries.web import WebAccess

Script = Callable[[asyncio.StreamWriter], Awaitable[None]]
Routes = Mapping[str, bytes | Script]

PUBLIC = "93.184.216.34"
"""An address of the public internet; the spy leads it to a server here."""


def reply(
    body: bytes | str = "hello",
    *,
    status: str = "200 OK",
    content_type: str | None = "text/plain",
    headers: Iterable[str] = (),
) -> bytes:
    """Return a whole and proper HTTP answer."""
    content = body.encode() if isinstance(body, str) else body
    kind = [] if content_type is None else [f"Content-Type: {content_type}"]
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *kind, *headers, "", ""]
    return "\r\n".join(lines).encode() + content


def redirect(location: str, status: str = "302 Found") -> bytes:
    return reply("", status=status, headers=[f"Location: {location}"])


class Server:
    """The requests to a server, and its address."""

    def __init__(self, routes: Routes) -> None:
        self.routes = routes
        self.heads: list[str] = []
        self.names: list[str | None] = []
        self.port = 0
        self.connections = 0
        self.closed = asyncio.Event()
        self.tasks: list[asyncio.Future[Any] | None] = []

    @property
    def paths(self) -> list[str]:
        return [head.split(" ")[1] for head in self.heads]

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def access(self, **settings: Any) -> WebAccess:
        """Return an access that may read this server by its address, without encryption."""
        private = [f"127.0.0.1:{self.port}", *settings.pop("private_hosts", [])]
        return WebAccess(private_hosts=private, schemes=["https", "http"], **settings)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.tasks.append(asyncio.current_task())
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                self.heads.append(head)
                answer = self.routes[head.split(" ")[1].partition("?")[0]]
                script = sending(answer) if isinstance(answer, bytes) else answer
                self.tasks.append(asyncio.ensure_future(script(writer)))
                await reader.read()  # until the other side hangs up
        finally:
            writer.transport.abort()
            self.closed.set()

    async def finish(self) -> None:
        """End every conversation that still goes on."""
        tasks = [task for task in self.tasks if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)

    def note_name(self, _socket: object, name: str | None, _context: object) -> None:
        self.names.append(name)


def sending(answer: bytes, *, then_close: bool = False) -> Script:
    """Return a script that sends something, and may close the connection properly after it."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        if then_close:
            writer.close()

    return script


def hang_up(answer: bytes) -> Script:
    """Return a script that sends something and closes the connection properly."""
    return sending(answer, then_close=True)


@asynccontextmanager
async def serving(
    routes: Routes, *, certificate: trustme.LeafCert | None = None
) -> AsyncGenerator[Server, None]:
    """Serve on a free port of 127.0.0.1 while the block runs."""
    server = Server(routes)
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        context.sni_callback = server.note_name
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=context)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        await server.finish()
        await listener.wait_closed()


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """Return a client's context that trusts this authority and nobody else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(context)
    return context


class Spy:
    """Every address to which a socket was asked to connect; listed ones are led elsewhere."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.attempts: list[tuple[str, int]] = []
        self.ways: dict[str, int] = {}
        connect = socket.socket.connect

        def spying(sock: socket.socket, address: Any) -> None:
            self.attempts.append((str(address[0]), address[1]))
            if address[0] not in self.ways:
                raise ConnectionRefusedError(f"{address} is not to be reached by a test")
            connect(sock, ("127.0.0.1", self.ways[address[0]]))

        monkeypatch.setattr(socket.socket, "connect", spying)
        monkeypatch.setattr(socket.socket, "connect_ex", spying)

    def lead(self, address: str, server: Server) -> None:
        """Let connections to an address arrive at a server here."""
        self.ways[address] = server.port


class Resolver:
    """Answers from a table and records the lookups; each answer but the last is used once."""

    def __init__(self, *answers: Iterable[str]) -> None:
        self.answers = [list(answer) for answer in answers]
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
