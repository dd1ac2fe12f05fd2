"""Spools in memory: their limit, and its cost."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tether.batteries.storage.spools import MemorySpools
from tether.core.errors import InvalidInput, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def test_a_write_beyond_the_limit_is_refused_and_leaves_everything() -> None:
    store = MemorySpools(max_bytes=10)
    await store.write("a", b"12345")
    await store.write("b", b"12345")
    with pytest.raises(LimitExceeded, match="10 bytes, of which 5 are used") as refused:
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


@pytest.mark.parametrize("max_bytes", ["5", -5, 5.0, True])
def test_a_limit_that_is_none_is_refused_when_the_store_is_made(max_bytes: Any) -> None:
    with pytest.raises(InvalidInput, match="max_bytes: must be a number of bytes") as refused:
        MemorySpools(max_bytes=max_bytes)
    assert [problem.path for problem in refused.value.problems] == ["max_bytes"]


async def test_what_is_deleted_or_replaced_makes_room() -> None:
    store = MemorySpools(max_bytes=10)
    await store.write("a", b"1234567890")
    assert await store.delete("a")
    assert not await store.delete("a")
    await store.write("b", b"1234567890")
    await store.clear()
    await store.write("c", b"1234567890")
    await store.write("c", b"1")
    await store.write("d", b"123456789")
    with pytest.raises(LimitExceeded, match="of which 10 are used"):
        await store.write("e", b"1")


async def test_a_write_costs_the_same_however_much_is_there() -> None:
    async def calls_of_a_write(store: MemorySpools) -> int:
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            await store.write("one more", b"x")
        finally:
            sys.setprofile(None)
        return calls

    few, many = MemorySpools(max_bytes=1_000_000), MemorySpools(max_bytes=1_000_000)
    for number in range(500):
        await many.write(str(number), b"x")
    assert await calls_of_a_write(many) == await calls_of_a_write(few)
