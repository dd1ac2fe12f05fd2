"""A response from the web within its limits (listed types, not compressed, not too long), and a
whole page of text."""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing
from dataclasses import dataclass
from io import IncrementalNewlineDecoder
from math import inf
from typing import TYPE_CHECKING

from tether.batteries.http.syntax import is_compressed, media_type
from tether.core.checks import in_short
from tether.core.clean_text import clean_text
from tether.core.errors import InputRefused, LimitExceeded
from tether.text.charsets import decoder_of, page_codec

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from tether.batteries.web.transport import Answer
    from tether.core.checks import Checks

_NAME = r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}"  # RFC 6838, section 4.2, in lower case
_TYPE = re.compile(rf"{_NAME}/{_NAME}")
_LISTED_TYPE = re.compile(rf"{_NAME}/(?:{_NAME}|\*)")

TEXT_TYPES = (
    "text/*",
    "application/atom+xml",
    "application/json",
    "application/ld+json",
    "application/problem+json",
    "application/rss+xml",
    "application/xhtml+xml",
    "application/xml",
    "application/yaml",
)
"""Types of content that is text and can be shown to a model."""

_TEXT_SUFFIXES = ("+json", "+xml", "+yaml")  # RFC 6839, RFC 9512

NOT_MODIFIED = 304
_FREE_PIECES = 10_000
_SMALL_PIECE = 64
"""The smallest average size of pieces after the free ones: each piece costs time."""

_DECODED_AT_ONCE = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class WebLimits:
    """The operator's limits for one request."""

    max_bytes: int
    max_query: int
    max_redirects: int
    connect_timeout: float
    """Seconds for the lookup of a host, and again for the connection with its encryption."""

    total_timeout: float
    """Seconds for the network in total, including redirects: waiting and reading."""

    content_types: tuple[str, ...]
    """Types in lower case; `image/*` covers every image."""

    def check(self, check: Checks) -> None:
        """Report every unusable limit to `check`."""
        for field, least in (("max_bytes", 1), ("max_query", 0), ("max_redirects", 0)):
            check.whole_number(field, getattr(self, field), least=least)
        for field in ("connect_timeout", "total_timeout"):
            seconds = getattr(self, field)
            if not isinstance(seconds, (int, float)) or not 0 < seconds < inf:
                check.refuse(field, seconds, "a number of seconds above 0")
        if not self.content_types and not check.problems:
            check.fail("content_types", "must name at least one type, or nothing can be read")
        for entry in self.content_types:
            if not isinstance(entry, str) or not _LISTED_TYPE.fullmatch(entry):
                check.refuse("content_types", entry, "a type such as 'text/html' or 'image/*'")


def is_listed(content_type: str, types: tuple[str, ...]) -> bool:
    """Say whether a type is valid and on a list, in which `image/*` matches every image."""
    family = content_type.partition("/")[0]
    is_type = _TYPE.fullmatch(content_type) is not None
    return is_type and (content_type in types or f"{family}/*" in types)


def is_text(content_type: str) -> bool:
    """Say whether content of a type is text, by the type or by its suffix."""
    return is_listed(content_type, TEXT_TYPES) or content_type.endswith(_TEXT_SUFFIXES)


class WebResponse:
    """The answer of a server, with its body still unread.

    Made by `WebAccess.open`. Raises `InputRefused` for content that is not listed or is compressed,
    and `LimitExceeded` for content whose announced length is too long.
    """

    __slots__ = ("_answer", "_max_bytes", "content_type", "headers", "status", "url")

    def __init__(self, answer: Answer, limits: WebLimits) -> None:
        self.url: str = str(answer.url)
        """The address of the answer, after redirects."""

        self.status: int = answer.status
        self.headers: Mapping[str, str] = answer.headers
        """Headers by lower-case name."""

        self.content_type: str = _content_type(answer, limits)
        """The type alone, in lower case, without its parameters."""

        self._answer = answer
        self._max_bytes = limits.max_bytes
        if self.status != NOT_MODIFIED:  # its head may describe the body that is not sent
            self._refuse_compression()
            self._count(int(self.headers.get("content-length", "0")))

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives, once.

        Raises `LimitExceeded` as soon as it is longer than allowed or took too long in total, and
        `InputRefused` if it breaks off.
        """
        taken = count = 0
        async with aclosing(self._answer.pieces()) as pieces:
            async for piece in pieces:
                taken += len(piece)
                count += 1
                self._count(taken)
                if count > _FREE_PIECES + taken // _SMALL_PIECE:
                    raise LimitExceeded(f"{in_short(self.url)} comes in too many small pieces.")
                yield piece

    async def read(self, most: int | None = None) -> bytes:
        """Return the whole body; `most` lowers its limit. Raises as `stream` does."""
        if most is not None:
            self._max_bytes = min(most, self._max_bytes)
        async with aclosing(self.stream()) as pieces:
            return b"".join([piece async for piece in pieces])

    def _count(self, size: int) -> None:
        if size > self._max_bytes:
            raise LimitExceeded(
                f"{in_short(self.url)} has more than the {self._max_bytes:,} bytes allowed."
            )

    def _refuse_compression(self) -> None:
        encoding = self.headers.get("content-encoding", "")
        if is_compressed(encoding):
            raise InputRefused(
                f"{in_short(self.url)} came compressed ({in_short(encoding)}), although that was "
                "not asked for; compressed content is not read.",
                status=502,
            )


def _content_type(answer: Answer, limits: WebLimits) -> str:
    content_type = media_type(answer.headers.get("content-type", ""))
    is_content = 200 <= answer.status < 300  # an error's page says what went wrong, in any type
    if is_content and not is_listed(content_type, limits.content_types):
        allowed = ", ".join(limits.content_types)
        raise InputRefused(
            f"{in_short(str(answer.url))} answered with status {answer.status} and content of the "
            f"type {in_short(content_type)}; only these are read: {allowed}."
        )
    return content_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Text from the web as it was sent, including markup."""

    url: str
    """The address of the page, after redirects."""

    status: int
    content_type: str
    text: str


async def decoded(body: bytes, content_type: str) -> str:
    """Return a body as text, by its byte order mark, its header, its `<meta>` tag, or as UTF-8.

    Invalid bytes become U+FFFD, an unknown charset is read as UTF-8, and line ends become "\\n".
    Other tasks run meanwhile: errors are slow in some charsets.
    """
    codec, mark = page_codec(body, content_type)
    decoder = IncrementalNewlineDecoder(decoder_of(codec), translate=True)
    parts: list[str] = []
    for start in range(mark, len(body), _DECODED_AT_ONCE):
        end = start + _DECODED_AT_ONCE
        parts.append(clean_text(decoder.decode(body[start:end], final=end >= len(body))))
        await asyncio.sleep(0)
    return "".join(parts)
