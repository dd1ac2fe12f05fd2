"""How much one reading of the web may take: bytes, steps and time."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

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
"""Content that is text, and can be shown to a model."""

_TEXT_SUFFIXES = ("+json", "+xml", "+yaml")  # RFC 6839, RFC 9512


@dataclass(frozen=True, slots=True, kw_only=True)
class WebLimits:
    """What an operator allows one reading to take. `check` is told of limits that make no sense."""

    max_bytes: int
    max_query: int
    max_redirects: int
    connect_timeout: float
    """Seconds for finding a host, and again for reaching it and agreeing on encryption."""

    total_timeout: float
    """Seconds for the network in all, redirects included: waiting, and taking in what comes."""

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
        if not self.content_types and not check.problems:
            check.fail("content_types", "must name at least one type, or nothing can be read")
        for entry in self.content_types:
            if not isinstance(entry, str) or not _LISTED_TYPE.fullmatch(entry):
                check.refuse("content_types", entry, "a type such as 'text/html' or 'image/*'")


def is_listed(content_type: str, types: tuple[str, ...]) -> bool:
    """Say whether something is a type, and on a list on which `image/*` stands for every image."""
    family = content_type.partition("/")[0]
    is_type = _TYPE.fullmatch(content_type) is not None
    return is_type and (content_type in types or f"{family}/*" in types)


def is_text(content_type: str) -> bool:
    """Say whether content of a type is text: by the type, or by the syntax named at its end."""
    return is_listed(content_type, TEXT_TYPES) or content_type.endswith(_TEXT_SUFFIXES)


class Patience:
    """What is left of the time that one reading may take from the network.

    Time counts inside `counting`, whether it is spent waiting or on what came in: a server that
    never lets the reader wait is no cheaper than a slow one. What the reader does between two
    pieces, or a person before an approval, takes nothing from it.
    """

    __slots__ = ("_deadline", "_left")

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._deadline = inf

    @contextmanager
    def counting(self) -> Generator[None, None, None]:
        """Count the time that passes inside."""
        clock = asyncio.get_running_loop().time
        self._deadline = clock() + self._left
        try:
            yield
        finally:
            self._left = self._deadline - clock()

    @asynccontextmanager
    async def wait(self, at_most: float = inf) -> AsyncGenerator[None, None]:
        """Wait inside `counting`; raises `TimeoutError` when the time is up, even if nothing waits.

        What is read from a full buffer never waits, so that a timer alone would never go off.
        """
        now = asyncio.get_running_loop().time()
        if now >= self._deadline:
            raise TimeoutError
        async with asyncio.timeout_at(min(self._deadline, now + at_most)):
            yield
