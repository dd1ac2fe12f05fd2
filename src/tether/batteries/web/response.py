"""An answer that may be read: of a type that is listed, not compressed, and not too long."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from tether.batteries.web.limits import is_listed
from tether.core.checks import in_short
from tether.core.errors import InputRefused, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from tether.batteries.web.limits import WebLimits
    from tether.batteries.web.transport import Answer


NOT_MODIFIED = 304

_FREE_PIECES = 10_000
_SMALL_PIECE = 64
"""A body may come in pieces this small on average, and in some more: each piece takes our time."""


class WebResponse:
    """What a server answered; the body has not been read yet.

    Made by `WebAccess.open`. Raises `InputRefused` for content that is not listed or is compressed,
    and `LimitExceeded` for content that is announced to be too long.
    """

    __slots__ = ("_answer", "_max_bytes", "content_type", "headers", "status", "url")

    def __init__(self, answer: Answer, limits: WebLimits) -> None:
        self.url: str = str(answer.url)
        """Where the answer came from in the end, after redirects."""

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
        """Yield the body as it comes in, once.

        Raises `LimitExceeded` as soon as it is longer than allowed, or took too long in all, and
        `InputRefused` where it breaks off.
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

    def _count(self, size: int) -> None:
        if size > self._max_bytes:
            raise LimitExceeded(
                f"{in_short(self.url)} has more than the {self._max_bytes:,} bytes allowed."
            )

    def _refuse_compression(self) -> None:
        encoding = self.headers.get("content-encoding", "")
        if any(step.strip().lower() not in ("", "identity") for step in encoding.split(",")):
            raise InputRefused(
                f"{in_short(self.url)} came compressed ({in_short(encoding)}), although that was "
                "not asked for; compressed content is not read.",
                status=502,
            )


def _content_type(answer: Answer, limits: WebLimits) -> str:
    content_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_content = 200 <= answer.status < 300  # an error's page says what went wrong, in any type
    if is_content and not is_listed(content_type, limits.content_types):
        allowed = ", ".join(limits.content_types)
        raise InputRefused(
            f"{in_short(str(answer.url))} answered with status {answer.status} and content of the "
            f"type {in_short(content_type)}; only these are read: {allowed}."
        )
    return content_type
