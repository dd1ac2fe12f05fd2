"""Two buses on separate emitters, and how listeners come and go."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from support.turns import TURN, Ran, ran
from tether import (
    DispatchContext,
    Event,
    Helpers,
    LogEntry,
    MessageChunk,
    ThoughtChunk,
    ToolCallProgress,
    TurnEnd,
    event_name,
)
from tether.batteries.testing import Say, ScriptedModel, Think
from tether.runtime.bus import FUNCTIONAL_EVENTS, OBSERVABILITY_EVENTS
from tether.runtime.errors import InvalidListener, LlmExecutionExecutorError, UnknownEvent

HELLO = ScriptedModel([[Think("Hm."), Say("Hello.")]])
OBSERVABILITY = [
    "turn_start",
    "turn_end",
    "dispatch_start",
    "dispatch_end",
    "iteration_start",
    "iteration_end",
    "turn_gate_open",
    "turn_gate_closed",
    "tool_execution_start",
    "tool_execution_end",
    "log",
    "error",
    "budget",
]


def test_the_two_buses_carry_these_events_and_no_other() -> None:
    assert list(FUNCTIONAL_EVENTS) == ["message", "thought", "tool_call"]
    assert list(OBSERVABILITY_EVENTS) == OBSERVABILITY


async def test_a_raising_observer_disturbs_nothing_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    quiet = await ran(HELLO)
    run = Ran(HELLO)
    failures: list[type[BaseException]] = [ValueError, asyncio.CancelledError]
    for failure in failures:
        for name in OBSERVABILITY:
            run.runner.observe(name, _raise(failure))
    with caplog.at_level(logging.ERROR, logger="tether"):
        await run.runner.run(TURN)
    assert run.recorder.trace == quiet.recorder.trace
    assert run.recorder.text == "Hello."
    assert "An observer of 'turn_start' failed." in caplog.text


def _raise(failure: type[BaseException]) -> Any:
    def observer(event: Any) -> None:
        raise failure("observer")

    return observer


async def test_an_observer_that_raises_is_followed_by_the_others() -> None:
    run, seen = Ran(HELLO), list[str]()
    run.runner.observe("turn_end", _raise(ValueError))
    run.runner.observe("turn_end", lambda event: seen.append(event.turn_id))
    await run.runner.run(TURN)
    assert seen == [run.turn.id]


async def test_an_interrupt_in_an_observer_is_not_contained() -> None:
    run = Ran(HELLO)
    run.runner.observe("iteration_start", _raise(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        await run.runner.run(TURN)
    assert run.names[-1] == "turn_end"


async def test_a_raising_functional_listener_fails_the_one_who_reported() -> None:
    run = Ran(HELLO)
    run.runner.on("message", _raise(ValueError))
    await run.runner.run(TURN)
    (error,) = run.errors
    assert isinstance(error, LlmExecutionExecutorError)
    assert isinstance(error.__cause__, ValueError)


async def test_on_once_and_off_for_functional_events() -> None:
    run, heard = Ran(HELLO), list[str]()

    def listener(chunk: MessageChunk) -> None:
        heard.append(f"on {chunk.full}")

    run.runner.on("message", listener)
    run.runner.once("message", lambda chunk: heard.append(f"once {chunk.full}"))
    run.runner.on(ThoughtChunk, lambda chunk: heard.append(f"thought {chunk.full}"))
    run.runner.once(ToolCallProgress, lambda _: heard.append("never"))
    await run.runner.run(TURN)
    run.runner.off("message", listener)
    run.runner.off("message", listener)
    await run.runner.run(TURN)
    assert heard == ["thought Hm.", "on Hello.", "once Hello.", "thought Hm."]


async def test_observe_observe_once_and_unobserve_for_observability_events() -> None:
    run, seen = Ran(HELLO), list[str]()

    def observer(event: TurnEnd) -> None:
        seen.append("observe")

    def single(event: Any) -> None:
        seen.append("once")

    run.runner.observe(TurnEnd, observer)
    run.runner.observe_once("turn_end", single)
    run.runner.observe_once(LogEntry, single)
    run.runner.unobserve("log", single)
    await run.runner.run(TURN)
    run.runner.unobserve(TurnEnd, observer)
    await run.runner.run(TURN)
    assert seen == ["observe", "once"]


async def test_a_listener_that_removes_itself_during_an_emission_does_not_hide_the_next() -> None:
    run, heard = Ran(HELLO), list[str]()

    def first(chunk: MessageChunk) -> None:
        heard.append("first")
        run.runner.off("message", first)
        run.runner.on("message", lambda _: heard.append("added"))

    run.runner.on("message", first)
    run.runner.on("message", lambda _: heard.append("second"))
    await run.runner.run(TURN)
    assert heard == ["first", "second"]


@pytest.mark.parametrize("method", ["on", "once", "off"])
@pytest.mark.parametrize("event", ["turn_end", "nope", "turnEnd", TurnEnd, int, 7, []])
def test_the_functional_bus_refuses_events_it_does_not_carry(method: str, event: Any) -> None:
    with pytest.raises(UnknownEvent) as caught:
        getattr(Ran().runner, method)(event, print)
    assert caught.value.code == "E_UNKNOWN_EVENT"


@pytest.mark.parametrize("method", ["observe", "observe_once", "unobserve"])
def test_the_observability_bus_refuses_events_it_does_not_carry(method: str) -> None:
    runner = Ran().runner
    with pytest.raises(UnknownEvent, match="other bus: subscribe with on/once"):
        getattr(runner, method)("message", print)
    with pytest.raises(UnknownEvent, match="The events are: turn_start, turn_end"):
        getattr(runner, method)("turn_over", print)


async def _async_listener(event: Any) -> None:
    """A listener nobody would await."""


class _AsyncCallable:
    async def __call__(self, event: Any) -> None:
        """A listener nobody would await."""


@pytest.mark.parametrize("listener", [_async_listener, _AsyncCallable(), None, "text"])
@pytest.mark.parametrize("method", ["on", "once", "observe", "observe_once"])
def test_a_listener_that_cannot_be_called_at_once_is_refused(method: str, listener: Any) -> None:
    event = "message" if method in ("on", "once") else "log"
    with pytest.raises(InvalidListener, match="plain function"):
        getattr(Ran().runner, method)(event, listener)


async def test_once_removed_before_it_fired_never_fires() -> None:
    run, heard = Ran(HELLO), list[Any]()
    run.runner.once("message", heard.append)
    run.runner.off("message", heard.append)
    await run.runner.run(TURN)
    assert heard == []


async def test_events_emitted_by_hand_reach_the_functional_bus() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        now = ctx.clock.now()
        ctx.emit_message(MessageChunk(ctx.turn_id, "m", "hi", "hi", True, now, now, now))
        ctx.emit_thought(ThoughtChunk(ctx.turn_id, "t", "hm", "hm", True, now, now, now))
        ctx.emit_tool_call(
            ToolCallProgress(ctx.turn_id, "c", "add", {}, None, None, False, False, now, now, None)
        )
        ctx.ack()

    run = await ran(execute)
    functional: list[Event] = [e for e in run.recorder.events if event_name(e) in FUNCTIONAL_EVENTS]
    assert [event_name(event) for event in functional] == ["message", "thought", "tool_call"]


async def test_once_takes_itself_off_and_leaves_a_lasting_listener_of_the_same_function() -> None:
    run, heard = Ran(HELLO), list[Any]()
    run.runner.on("message", heard.append)
    run.runner.once("message", heard.append)
    run.runner.once("message", heard.append)
    await run.runner.run(TURN)
    await run.runner.run(TURN)
    assert len(heard) == 4
    run.runner.off("message", heard.append)
    await run.runner.run(TURN)
    assert len(heard) == 4


async def test_once_fires_once_even_if_an_earlier_listener_reports_again() -> None:
    heard: list[str] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        def again(chunk: MessageChunk) -> None:
            if chunk.id == "a":
                helpers.report_message("b", "second", is_complete=True)

        run.runner.on("message", again)
        run.runner.once("message", lambda chunk: heard.append(chunk.id))
        helpers.report_message("a", "first", is_complete=True)
        ctx.ack()

    run = Ran(execute)
    await run.runner.run(TURN)
    assert heard == ["b"]
