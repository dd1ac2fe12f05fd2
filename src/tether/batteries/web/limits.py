"""How much one reading of the web may take: bytes, steps and time spent waiting."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tether.core.checks import Checks

_NAME = r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}"  # RFC 6838, section 4.2, in lower case
_TYPE = re.compile(rf"{_NAME}/{_NAME}")
_LISTED_TYPE = re.compile(rf"{_NAME}/(?:{_NAME}|\*)")

TEXT_TYPES = (
    "text/*",
    "application/json",
    "application/ld+json",
    "application/problem+json",
    "application/xhtml+xml",
    "application/xml",
    "application/yaml",
)
"""Content that is text, and can be shown to a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebLimits:
    """What an operator allows one reading to take. `check` is told of limits that make no sense."""

    max_bytes: int
    max_query: int
    max_redirects: int
    connect_timeout: float
    """Seconds for finding a host, and again for reaching it and agreeing on encryption."""

    total_timeout: float
    """Seconds of waiting for the network in all, redirects included."""

    content_types: tuple[str, ...]
    """Types in lower case; `image/*` covers every image."""

    def check(self, check: Checks) -> None:
        """Tell `check` about every limit that makes no sense."""
        for field, least in (("max_bytes", 1), ("max_query", 0), ("max_redirects", 0)):
            value = getattr(self, field)
            if not isinstance(value, int) or value < least:
                check.refuse(field, value, f"a whole number from {least} up")
        for field in ("connect_timeout", "total_timeout"):
            seconds = getattr(self, field)
            if not isinstance(seconds, (int, float)) or not 0 < seconds < inf:
                check.refuse(field, seconds, "a number of seconds above 0")
        for entry in self.content_types:
            if not isinstance(entry, str) or not _LISTED_TYPE.fullmatch(entry):
                check.refuse("content_types", entry, "a type such as 'text/html' or 'image/*'")


def is_listed(content_type: str, types: tuple[str, ...]) -> bool:
    """Say whether something is a type, and on a list on which `image/*` stands for every image."""
    family = content_type.partition("/")[0]
    is_type = _TYPE.fullmatch(content_type) is not None
    return is_type and (content_type in types or f"{family}/*" in types)


class Patience:
    """What is left of the time that one reading may spend waiting.

    Only waiting counts. What the reader does between two pieces, or a person before an approval,
    takes nothing from it.
    """

    __slots__ = ("_left",)

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    @asynccontextmanager
    async def wait(self, at_most: float = inf) -> AsyncGenerator[None, None]:
        """Wait for what happens inside; raises `TimeoutError` when the time is up."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(min(self._left, at_most)):
                yield
        finally:
            self._left -= clock() - began
