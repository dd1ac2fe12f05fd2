"""Spools in memory: for tests, examples and short-lived programs."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from tether.batteries.storage.errors import InvalidSpools
from tether.batteries.storage.spools.store import check_max_bytes, checked_id, pieces
from tether.core.checks import Checks
from tether.core.errors import LimitExceeded
from tether.core.spool import BytesSpool

if TYPE_CHECKING:
    from tether.batteries.storage.spools.store import Content


class MemorySpools:
    """A spool store whose content lives as long as the process.

    A write that would take the store beyond `max_bytes` raises `LimitExceeded`. Replaced content
    that a reader still uses does not count. Raises `InvalidSpools` for an invalid `max_bytes`.
    """

    def __init__(self, *, max_bytes: int | None = None) -> None:
        checks = Checks()
        check_max_bytes(checks, max_bytes)
        checks.done(InvalidSpools)
        self._max_bytes = max_bytes
        self._kept: dict[str, bytes] = {}
        self._taken = 0

    async def write(self, id: str, content: Content) -> BytesSpool:
        """Keep content under the id, replacing the previous content."""
        checked_id(id)
        collected: list[bytes] = []
        size = 0
        async with aclosing(pieces(content)) as stream:
            async for piece in stream:
                size += len(piece)
                self._refuse_beyond_limit(id, size)
                collected.append(piece)
        self._refuse_beyond_limit(id, size)  # others may have written while the stream was read
        self._forget(id)
        self._kept[id] = b"".join(collected)
        self._taken += size
        return BytesSpool(self._kept[id])

    async def read(self, id: str) -> BytesSpool | None:
        """Return a reader of the content under the id, or None."""
        content = self._kept.get(checked_id(id))
        return None if content is None else BytesSpool(content)

    async def delete(self, id: str) -> bool:
        """Delete the content under the id; return whether there was any."""
        return self._forget(checked_id(id))

    async def clear(self) -> None:
        """Delete everything."""
        self._kept.clear()
        self._taken = 0

    async def ids(self) -> list[str]:
        """Return the ids in use, sorted."""
        return sorted(self._kept)

    async def size(self) -> int:
        """Return how many ids there are."""
        return len(self._kept)

    def _forget(self, id: str) -> bool:
        content = self._kept.pop(id, None)
        self._taken -= len(content or b"")
        return content is not None

    def _refuse_beyond_limit(self, id: str, size: int) -> None:
        if self._max_bytes is None:
            return
        others = self._taken - len(self._kept.get(id, b""))
        if others + size > self._max_bytes:
            raise LimitExceeded(
                f"the spools may take {self._max_bytes:,} bytes, of which {others:,} are used. "
                "Delete some, or store less",
                status=507,
            )
