"""Spools in memory: for tests, examples and short-lived programs."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from tether.batteries.storage.spools.drafts import pieces
from tether.batteries.storage.spools.store import check_max_bytes, checked_id
from tether.core.checks import Checks
from tether.core.errors import InvalidSpools, LimitExceeded
from tether.core.spool import BytesSpool

if TYPE_CHECKING:
    from tether.batteries.storage.spools.drafts import Content


class MemorySpools:
    """A spool store whose content lives as long as the process, byte for byte.

    With `max_bytes`, a write after which the store would hold more raises `LimitExceeded`. Replaced
    content that a reader still holds does not count. Raises `InvalidSpools` if it is no number of
    bytes.
    """

    def __init__(self, *, max_bytes: int | None = None) -> None:
        checks = Checks()
        check_max_bytes(checks, max_bytes)
        checks.done(InvalidSpools)
        self._max_bytes = max_bytes
        self._kept: dict[str, bytes] = {}
        self._taken = 0

    async def write(self, id: str, content: Content) -> BytesSpool:
        """Keep content in place of what is there under the id."""
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
        """Return a reader of what is kept under the id, or None."""
        content = self._kept.get(checked_id(id))
        return None if content is None else BytesSpool(content)

    async def delete(self, id: str) -> bool:
        """Forget what is kept under the id; return whether there was something."""
        return self._forget(checked_id(id))

    async def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._taken = 0

    async def ids(self) -> list[str]:
        """Return the ids under which something is kept, sorted."""
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
                f"the spools may take {self._max_bytes:,} bytes, of which {others:,} are taken. "
                "Delete some, or keep less",
                status=507,
            )
