"""Media on the web, read through the same door as pages."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from tether.core.checks import in_short
from tether.core.errors import InputRefused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tether.batteries.web.access import WebAccess

_FULL_ANSWER = 200
_TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})


class HttpReader:
    """A media reader over a URL; nothing is requested before somebody reads.

    Each reading opens the URL anew, so it gives the same bytes as long as the server does. The
    access has to list the types of the media, for instance `content_types=["image/*"]`. Raises
    `InputRefused` at once for a URL that the access would refuse.
    """

    __slots__ = ("_access", "url")

    def __init__(self, url: str, access: WebAccess) -> None:
        self.url = str(access.check(url))
        self._access = access

    async def stream(self) -> AsyncGenerator[bytes, None]:
        """Yield the bytes; raises as `WebAccess.open` does, and for every status but 200."""
        async with self._access.open(self.url) as response:
            if response.status != _FULL_ANSWER:
                raise InputRefused(
                    f"{in_short(self.url)} answered with status {response.status}, not its bytes.",
                    status=502,
                    retryable=response.status in _TRY_AGAIN,
                )
            async with aclosing(response.stream()) as pieces:
                async for piece in pieces:
                    yield piece
