"""Abort signals: on once, with a reason, told to those who asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any

import pytest

from tether import Aborted, AbortSignal
from tether.runtime.abort import carry_out, is_abort
from tether.runtime.errors import ToolDownstreamError, TurnGateAborted


def test_only_the_first_abort_counts_and_listeners_hear_it_in_order() -> None:
    signal, heard = AbortSignal(), list[str]()
    signal.on_abort(lambda: heard.append("a"))
    signal.on_abort(lambda: heard.append("b"))
    signal.abort("first")
    signal.abort("second")
    assert (signal.aborted, signal.reason, heard) == (True, "first", ["a", "b"])


def fail() -> None:
    raise ZeroDivisionError


def test_a_listener_that_raises_keeps_no_other_from_hearing() -> None:
    signal, heard = AbortSignal(), list[str]()
    signal.on_abort(fail)
    signal.on_abort(lambda: heard.append("told all the same"))
    with pytest.raises(ExceptionGroup) as caught:
        signal.abort("stop")
    assert [type(error) for error in caught.value.exceptions] == [ZeroDivisionError]
    assert (signal.aborted, heard) == (True, ["told all the same"])


def test_an_abort_without_a_reason_has_one_anyway() -> None:
    signal = AbortSignal()
    signal.abort()
    assert isinstance(signal.reason, Aborted)


def test_a_listener_that_comes_late_is_called_at_once() -> None:
    signal, heard = AbortSignal(), list[str]()
    signal.abort()
    unsubscribe = signal.on_abort(lambda: heard.append("late"))
    unsubscribe()
    assert heard == ["late"]


def test_unsubscribing_is_harmless_twice_and_after_the_abort() -> None:
    signal, heard = AbortSignal(), list[str]()
    unsubscribe = signal.on_abort(lambda: heard.append("a"))
    unsubscribe()
    unsubscribe()
    signal.abort()
    assert heard == []


def test_raise_if_aborted_carries_the_reason() -> None:
    signal = AbortSignal()
    signal.raise_if_aborted()
    signal.abort("why")
    with pytest.raises(Aborted) as caught:
        signal.raise_if_aborted()
    assert caught.value.reason == "why"


def test_a_child_follows_its_parent_and_not_the_other_way_round() -> None:
    parent = AbortSignal()
    child, sibling = parent.child(), parent.child()
    child.abort("only me")
    assert not parent.aborted
    parent.abort("all")
    assert (child.reason, sibling.reason) == ("only me", "all")
    assert parent.child().reason == "all"


def test_a_detached_child_leaves_nothing_behind_and_no_longer_follows() -> None:
    parent = AbortSignal()
    child = parent.child()
    child.detach()
    child.detach()
    parent.abort()
    assert not child.aborted
    AbortSignal().detach()


async def test_guard_returns_what_the_work_returns() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 5

    assert await AbortSignal().guard(work()) == 5


async def test_guard_cancels_the_work_waits_for_its_cleanup_and_raises_aborted() -> None:
    signal, notes = AbortSignal(), list[str]()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.001)
            notes.append("cleaned up")

    asyncio.get_running_loop().call_later(0.001, signal.abort, "stop")
    with pytest.raises(Aborted) as caught:
        await signal.guard(work())
    assert (caught.value.reason, notes) == ("stop", ["cleaned up"])


async def test_guard_refuses_to_start_after_an_abort() -> None:
    signal = AbortSignal()
    signal.abort("over")
    started: list[str] = []

    async def work() -> None:
        started.append("yes")

    with pytest.raises(Aborted):
        await signal.guard(work())
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    with pytest.raises(Aborted):
        await signal.guard(future)
    assert future.cancelled()

    class Lazy:
        def __await__(self) -> Generator[Any, Any, None]:
            started.append("no")
            yield from asyncio.sleep(0).__await__()

    with pytest.raises(Aborted):
        await signal.guard(Lazy())
    assert started == []


async def test_cancelling_the_waiter_cancels_the_work_and_stays_a_cancellation() -> None:
    signal, notes = AbortSignal(), list[str]()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            notes.append("cancelled")
            raise

    waiter = asyncio.create_task(signal.guard(work()))
    await asyncio.sleep(0.001)
    waiter.cancel()
    signal.abort("at the same time")
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert notes == ["cancelled"]


async def test_what_the_work_raises_passes_through_guard() -> None:
    async def work() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await AbortSignal().guard(work())


async def test_work_that_cancels_itself_is_a_cancellation_and_no_abort() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await AbortSignal().guard(work())


def test_what_counts_as_an_abort() -> None:
    off, on = AbortSignal(), AbortSignal()
    on.abort()
    gate = TurnGateAborted("closed")
    wrapped = ToolDownstreamError("tool failed", cause=gate)
    assert is_abort(Aborted(), off)
    assert not is_abort(gate, off)
    assert not is_abort(wrapped, off)
    assert is_abort(gate, on)
    assert is_abort(wrapped, on)
    assert not is_abort(ValueError("a bug"), on)


def test_a_child_that_is_detached_while_the_abort_goes_round_does_not_follow() -> None:
    parent = AbortSignal()
    children: list[AbortSignal] = []
    parent.on_abort(lambda: children[0].detach())  # noqa: PLW0108  # the child comes later
    children.append(parent.child())
    parent.abort("all")
    assert not children[0].aborted


def test_a_group_is_an_abort_if_all_of_it_is() -> None:
    signal = AbortSignal()
    both = ExceptionGroup("both", [Aborted(reason="first"), Aborted(reason="second")])
    mixed = ExceptionGroup("mixed", [Aborted(), ValueError("a bug")])
    assert is_abort(both, signal)
    assert not is_abort(mixed, signal)
    assert carry_out(mixed, signal) is mixed
    assert carry_out(ExceptionGroup("outer", [both]), signal) is None
    assert signal.reason == "first"


def test_causes_that_go_in_circles_are_looked_at_once() -> None:
    signal = AbortSignal()
    signal.abort()
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert not is_abort(one, signal)


def test_a_listener_that_unsubscribes_another_during_the_abort_silences_it() -> None:
    signal, heard = AbortSignal(), list[str]()
    unsubscribe: list[Callable[[], None]] = []
    signal.on_abort(lambda: unsubscribe[0]())  # noqa: PLW0108  # it comes later
    unsubscribe.append(signal.on_abort(lambda: heard.append("never")))
    signal.abort()
    assert heard == []


async def test_guard_cancels_a_task_that_it_refuses_to_wait_for() -> None:
    signal = AbortSignal()
    signal.abort("over")
    task = asyncio.create_task(asyncio.sleep(60))
    with pytest.raises(Aborted):
        await signal.guard(task)
    await asyncio.wait([task])
    assert task.cancelled()
