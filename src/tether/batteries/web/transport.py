"""One GET over one connection to an address that was checked before, without a lookup.

asyncio opens the socket to a numeric address, so that no resolver is involved again. httpcore2
speaks HTTP/1.1 over it: no redirects, cookies, proxies or decompression, and no use of the
environment or of a password file. Foreign errors are translated only here.
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

    from tether.batteries.http.limits import Patience
    from tether.batteries.web.response import WebLimits
    from tether.batteries.web.urls import SafeUrl

MOST_ADDRESSES = 3
"""Addresses of one host that are tried, each with its share of the time for connecting."""

MOST_HEAD_BYTES = 128 * 1024
"""Bytes before the head is complete: the head itself, and interim responses before it."""

MOST_FRAMING_BYTES = 64 * 1024
"""Bytes for the framing of a body, beyond the size of the body once more."""

SINGLE_HEADERS = frozenset({"content-length", "content-type", "location"})
"""Headers that decide something, and so must not have two values."""

_READ_AT_ONCE = 16 * 1024
_PRINTABLE = re.compile(r"[!-~](?:[ -~]{0,1000}[!-~])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The server's validators for the caller's copy of a page; empty if there are none.

    They came from outside, so they are sent only if they are valid header values.
    """

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> list[tuple[str, str]]:
        """Return the headers of a conditional request."""
        found = (("If-None-Match", self.etag), ("If-Modified-Since", self.last_modified))
        return [(name, value) for name, value in found if _PRINTABLE.fullmatch(value)]


class Line:
    """An open connection with the methods that httpcore2 requires. Closing never waits.

    It counts all incoming bytes, because HTTP lets a server talk forever without sending a body: in
    interim responses, and in extensions of chunk sizes.
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
        """Allow that many more incoming bytes."""
        self._left += size

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore2's
        """Return the bytes that have arrived, empty at the end; other tasks run first."""
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
        """Close the connection at once."""
        self._writer.transport.abort()


class Answer:
    """The head of an answer, and access to its body. The caller must close it."""

    __slots__ = ("_line", "_response", "headers", "status", "url")

    def __init__(self, url: SafeUrl, response: httpcore2.Response, line: Line) -> None:
        self.url = url
        self.status = response.status
        self.headers = _headers(url.host, response.headers)
        self._response = response
        self._line = line

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives, once; raises `InputRefused` and `LimitExceeded`."""
        with _translated(self.url.host):
            async with aclosing(self._response.aiter_stream()) as body:
                while True:
                    with self._line.patience.counting():
                        piece = await anext(body, None)
                    if piece is None:
                        return
                    yield piece

    def close(self) -> None:
        """Close the connection."""
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
    """Request a URL at one of its addresses; raises `InputRefused` and `LimitExceeded`."""
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
    """Return the fixed headers of a request: no cookie, no referrer, no authorization."""
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
    """Return a connection to the first address that accepts; the certificate must fit the name."""
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
    """Translate errors of sockets, TLS and HTTP into refusals that a model can read."""
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
