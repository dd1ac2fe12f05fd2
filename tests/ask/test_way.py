"""The way of values: from stage to stage, and from one pipeline to the next."""

from __future__ import annotations

from typing import cast

import pytest

from ask.bookshelf import Running
from tether import AbortSignal, TurnContext
from tether.ask.values import Refusal
from tether.ask.way import Slot, Stage, Way
from tether.core.errors import Aborted


def ways(calls: list[str]) -> tuple[Way[str, int], Stage[int, float]]:
    async def length(text: str, ctx: TurnContext) -> int | Refusal:
        calls.append("length")
        return len(text) or Refusal(reason="nothing-found")

    async def half(number: int, ctx: TurnContext) -> float:
        calls.append("half")
        return number / 2

    return Way(length), half


def context(signal: AbortSignal | None = None) -> TurnContext:
    """Return as much of a context as a way looks at."""
    return cast("TurnContext", Running() if signal is None else Running(signal))


async def test_each_stage_takes_the_value_of_the_one_before() -> None:
    calls: list[str] = []
    first, half = ways(calls)
    assert await first.then(half).walk("abc", context()) == 1.5
    assert calls == ["length", "half"]


async def test_a_refusal_ends_the_way_and_no_later_stage_is_called() -> None:
    calls: list[str] = []
    first, half = ways(calls)

    async def never(number: float, ctx: TurnContext) -> float:
        raise AssertionError("this stage comes after a refusal")

    way = first.then(half).then(never)
    assert await way.walk("", context()) == Refusal(reason="nothing-found")
    assert calls == ["length"]


async def test_after_an_abort_no_further_stage_is_called() -> None:
    calls: list[str] = []
    first, half = ways(calls)
    signal = AbortSignal()
    signal.abort()
    with pytest.raises(Aborted):
        await first.then(half).walk("abc", context(signal))
    assert calls == ["length"]


def test_a_slot_is_empty_until_something_is_put_in_and_keeps_the_last_value() -> None:
    slot = Slot[int]()
    assert slot.is_empty
    with pytest.raises(LookupError, match="has not run"):
        slot.value()
    slot.put(1)
    slot.put(2)
    assert (slot.is_empty, slot.value()) == (False, 2)
