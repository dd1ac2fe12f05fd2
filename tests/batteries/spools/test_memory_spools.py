"""Spools in memory: their limit."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tether.batteries.storage.spools import MemorySpools
from tether.core.errors import LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def test_a_write_beyond_the_limit_is_refused_and_leaves_everything() -> None:
    store = MemorySpools(max_bytes=10)
    await store.write("a", b"12345")
    await store.write("b", b"12345")
    with pytest.raises(LimitExceeded, match="10 bytes, of which 5 are taken") as refused:
        await store.write("a", b"123456")
    assert refused.value.status == 507
    kept = await store.read("a")
    assert kept is not None
    assert await kept.text() == "12345"
    await store.write("a", b"54321")


async def test_a_stream_is_stopped_as_soon_as_it_is_too_long() -> None:
    given = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal given
        while True:
            given += 1
            yield b"x" * 1_000_000

    with pytest.raises(LimitExceeded):
        await MemorySpools(max_bytes=3_000_000).write("a", endless())
    assert given < 10


async def test_what_others_wrote_meanwhile_counts() -> None:
    store, halfway, go_on = MemorySpools(max_bytes=1_500_000), asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"x" * (1 << 20)
        halfway.set()
        await go_on.wait()

    writing = asyncio.create_task(store.write("slow", slow()))
    await halfway.wait()
    await store.write("quick", b"y" * (1 << 20))
    go_on.set()
    with pytest.raises(LimitExceeded):
        await writing
    assert await store.ids() == ["quick"]
