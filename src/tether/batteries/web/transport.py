"""One GET over one connection to an address that was checked before; nothing is looked up here.

The socket is opened by asyncio to an address in numbers, so that no resolver has a second say. What
goes over it is HTTP/1.1 as httpcore2 speaks it: no redirects, cookies, proxies or decompression, no
look at the environment or at a file of passwords. Foreign errors are translated here only.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Iterable, Sequence

    import httpcore2

    from tether.batteries.web.limits import Patience, WebLimits
    from tether.batteries.web.urls import SafeUrl

MOST_ADDRESSES = 3
"""How many addresses of one host are tried, each with its share of the time for connecting."""

MOST_HEAD_BYTES = 128 * 1024
"""How much may come before the head is complete: it, and what says that there is none yet."""

MOST_FRAMING_BYTES = 64 * 1024
"""How much the frame of a body may take, beyond as much again as the body itself."""

SINGLE_HEADERS = frozenset({"content-length", "content-type", "location"})
"""Headers that decide something, and so may not say two things."""

_READ_AT_ONCE = 16 * 1024
_PRINTABLE = re.compile(r"[!-~](?:[ -~]{0,1000}[!-~])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a server said about the copy of a page that is already here; "" for nothing.

    It came from outside once, so it is said again only where it can stand in a header.
    """

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> list[tuple[str, str]]:
        """Return the conditions under which the page is not to be sent again."""
        found = (("If-None-Match", self.etag), ("If-Modified-Since", self.last_modified))
        return [(name, value) for name, value in found if _PRINTABLE.fullmatch(value)]


class Line:
    """An open connection, with the methods that httpcore2 asks of one. Closing never waits.

    It counts all that comes in, because HTTP has places in which a server can talk for ever without
    sending a body: heads that say "not yet", and remarks beside the sizes of chunks.
    """

    __slots__ = ("_left", "_reader", "_writer", "patience")

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, patience: Patience
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._left = MOST_HEAD_BYTES
        self.patience = patience

    def allow(self, size: int) -> None:
        """Let that many bytes more come in."""
        self._left += size

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore2's
        """Return what has come in, or nothing at the end, giving way to others before."""
        if self._left <= 0:
            raise LimitExceeded("the server sent far more around the content than content itself.")
        async with self.patience.wait():
            await asyncio.sleep(0)
            data = await self._reader.read(min(max_bytes, _READ_AT_ONCE))
        self._left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Send."""
        self._writer.write(buffer)
        async with self.patience.wait():
            await self._writer.drain()

    async def aclose(self) -> None:
        """Close, for httpcore2."""
        self.close()

    def close(self) -> None:
        """Drop the connection at once."""
        self._writer.transport.abort()


class Answer:
    """The head of an answer, and the way to its body. Somebody has to close it."""

    __slots__ = ("_line", "_response", "headers", "status", "url")

    def __init__(self, url: SafeUrl, response: httpcore2.Response, line: Line) -> None:
        self.url = url
        self.status = response.status
        self.headers = _headers(url.host, response.headers)
        self._response = response
        self._line = line

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes in, once; raises `InputRefused` and `LimitExceeded`."""
        with _translated(self.url.host):
            async with aclosing(self._response.aiter_stream()) as body:
                while True:
                    with self._line.patience.counting():
                        piece = await anext(body, None)
                    if piece is None:
                        return
                    yield piece

    def close(self) -> None:
        """Drop the connection."""
        self._line.close()


async def get(
    url: SafeUrl,
    addresses: Sequence[str],
    *,
    limits: WebLimits,
    ssl_context: ssl.SSLContext,
    patience: Patience,
    known: Known,
) -> Answer:
    """Ask for a URL at one of its addresses; raises `InputRefused` and `LimitExceeded`."""
    import httpcore2  # noqa: PLC0415

    request = httpcore2.Request(
        "GET",
        httpcore2.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target),
        headers=[*_request_headers(url, limits.content_types), *known.headers()],
    )
    tried = addresses[:MOST_ADDRESSES]
    with _translated(url.host):
        seconds = limits.connect_timeout / len(tried)
        line = await _connect(url, tried, ssl_context, seconds, patience)
        try:
            connection = httpcore2.AsyncHTTP11Connection(
                request.url.origin, cast("httpcore2.AsyncNetworkStream", line)
            )
            response = await connection.handle_async_request(request)
            line.allow(limits.max_bytes * 2 + MOST_FRAMING_BYTES)
            return Answer(url, response, line)
        except BaseException:
            line.close()
            raise


def _request_headers(url: SafeUrl, accept: Iterable[str]) -> list[tuple[str, str]]:
    """Return what is always said about ourselves: no cookie, no referrer, no authorization."""
    return [
        ("Host", url.authority),
        ("User-Agent", "tether"),
        ("Accept", ", ".join(accept)),
        ("Accept-Encoding", "identity"),
        ("Connection", "close"),
    ]


async def _connect(
    url: SafeUrl,
    addresses: Sequence[str],
    ssl_context: ssl.SSLContext,
    seconds: float,
    patience: Patience,
) -> Line:
    """Return a connection to the first address that takes one; the name is for the certificate."""
    address, *others = addresses
    encrypted = url.scheme == "https"
    try:
        async with patience.wait(seconds):
            reader, writer = await asyncio.open_connection(
                address,
                url.port,
                ssl=ssl_context if encrypted else None,
                server_hostname=url.host if encrypted else None,
            )
    except OSError:
        if not others:
            raise
        return await _connect(url, others, ssl_context, seconds, patience)
    return Line(reader, writer, patience)


@contextmanager
def _translated(host: str) -> Generator[None, None, None]:
    """Turn what sockets, TLS and HTTP raise into refusals that a model can read."""
    import httpcore2  # noqa: PLC0415

    try:
        yield
    except TimeoutError as error:
        message = f"{host} took longer to answer than is allowed."
        raise LimitExceeded(message, status=504, retryable=True) from error
    except ssl.SSLCertVerificationError as error:
        message = f"the certificate of {host} is not to be trusted: {error.verify_message}."
        raise InputRefused(message, status=502) from error
    except (OSError, httpcore2.NetworkError) as error:
        message = f"the connection to {host} failed or broke off; try again later."
        raise InputRefused(message, status=502, retryable=True) from error
    except httpcore2.ProtocolError as error:
        message = f"{host} sent no proper HTTP/1.1 answer, or one with too long a head."
        raise InputRefused(message, status=502) from error


def _headers(host: str, raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by lower-case name, repeated ones joined by commas."""
    found: dict[str, list[str]] = {}
    for raw_name, value in raw:
        name = raw_name.decode("ascii").lower()
        found.setdefault(name, []).append(value.decode("utf-8", "replace"))
    headers = {name: ", ".join(dict.fromkeys(values)) for name, values in found.items()}
    for name in SINGLE_HEADERS & headers.keys():
        if headers[name] != found[name][0]:
            raise InputRefused(f"{host} sent two different {name} headers.", status=502)
    return headers
