"""FakeClock, Recorder and the pytest plugin."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from support.turns import TURN, Ran, add, fail, ran
from tether import (
    Aborted,
    BytesReader,
    DispatchContext,
    GateRequest,
    Helpers,
    Media,
    Message,
    TurnGate,
    tool,
)
from tether.batteries.testing import (
    Call,
    Entry,
    FakeClock,
    MemoryStorage,
    Recorder,
    Say,
    ScriptedModel,
    run_tool,
)
from tether.batteries.tools import ask_first
from tether.runtime.errors import InvalidToolArgs, LlmExecutionGateNotSupported, ToolDownstreamError

pytest_plugins = ["pytester"]


def test_a_fake_clock_moves_only_when_told_and_fires_timers_at_their_own_time() -> None:
    clock = FakeClock(datetime(2030, 5, 1, tzinfo=UTC))
    start, fired = clock.now(), list[tuple[str, float]]()
    clock.call_later(2, lambda: fired.append(("late", clock.monotonic())))
    clock.call_later(1, lambda: fired.append(("early", clock.monotonic())))
    cancelled = clock.call_later(1, lambda: fired.append(("never", clock.monotonic())))
    cancelled.cancel()
    assert clock.pending == 2
    clock.advance(0.5)
    assert fired == []
    clock.advance(5)
    assert fired == [("early", 1), ("late", 2)]
    assert clock.now() - start == timedelta(seconds=5.5)
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)


def test_a_timer_may_start_another_within_the_same_advance() -> None:
    clock, fired = FakeClock(), list[float]()

    def again() -> None:
        fired.append(clock.monotonic())
        if len(fired) < 3:
            clock.call_later(1, again)

    clock.call_later(1, again)
    clock.advance(10)
    assert fired == [1, 2, 3]


MODEL = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("It is 3.")]])


async def test_two_runs_that_did_the_same_have_equal_traces_and_others_not() -> None:
    one, two = await ran(MODEL, tools=[add]), await ran(MODEL, tools=[add])
    assert one.recorder.events != two.recorder.events
    assert one.recorder.trace == two.recorder.trace
    other = await ran(
        ScriptedModel([[Call("add", {"a": 1, "b": 3})], [Say("It is 4.")]]), tools=[add]
    )
    assert one.recorder.trace != other.recorder.trace


async def test_a_trace_reads_as_plain_values() -> None:
    run = await ran(MODEL, tools=[add])
    trace = run.recorder.trace
    assert trace[0] == Entry("turn_start", {"turn_id": "turn-1"})
    assert str(trace[0]) == "turn_start(turn_id='turn-1')"
    started = next(entry for entry in trace if entry.name == "tool_execution_start")
    assert started.fields == {
        "turn_id": "turn-1",
        "dispatch_id": "dispatch-1",
        "iteration": 0,
        "call_id": "call-1",
        "tool": "add",
        "args": {"a": 1, "b": 2},
    }
    finished = [entry for entry in trace if entry.name == "tool_call"][1]
    assert finished.fields["checksum"] == "call-1"
    assert finished.fields["results"] == "SpooledArtifact"


async def test_a_trace_holds_gates_errors_and_media() -> None:
    @tool
    async def draw() -> list[Media]:
        """Draw."""
        reader = BytesReader(b"x")
        return [
            Media.tool_generated(kind="image", mime_type="image/png", filename="a", reader=reader)
        ]

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration == 0:
            await ScriptedModel([[Call("draw")]])(ctx, helpers)
            await ctx.wait_for(GateRequest(id="g", reason="ask", payload={"x": 1}, created_at=0))
            return
        await ScriptedModel([[], [Call("nope")]])(ctx, helpers)
        ctx.nack(ValueError("over"))

    run = Ran(execute, tools=[draw])
    run.runner.observe("turn_gate_open", lambda gate: gate.resolve(None))
    await run.runner.run(TURN)
    entries = {entry.name: entry.fields for entry in run.recorder.trace}
    assert entries["turn_gate_open"] == {
        "turn_id": "turn-1",
        "gate_id": "gate-1",
        "reason": "ask",
        "payload": {"x": 1},
    }
    assert entries["turn_gate_closed"]["gate_id"] == "gate-1"
    assert entries["error"]["error"] == "LlmExecutionNacked: over"
    assert entries["dispatch_end"]["error"] == "ValueError: over"
    calls = [entry.fields for entry in run.recorder.trace if entry.name == "tool_call"]
    assert calls[1]["results"] == ["Media"]
    assert "There is no tool named 'nope'" in calls[3]["results"]


def test_the_plugin_offers_the_doubles_as_fixtures(
    scripted_model: type[ScriptedModel],
    fake_clock: FakeClock,
    memory_storage: MemoryStorage,
    recorder: Recorder,
) -> None:
    assert scripted_model is ScriptedModel
    assert fake_clock.monotonic() == 0
    assert len(memory_storage.session().messages) == 0
    assert recorder.events == []


def test_the_plugin_is_there_in_a_project_that_only_installed_the_package(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import asyncio
        from tether import TurnInput, TurnRunner
        from tether.batteries.testing import Say

        def test_a_turn(scripted_model, memory_storage, fake_clock, recorder):
            runner = TurnRunner(
                executor=scripted_model([[Say("Hello")]]), storage=memory_storage, clock=fake_clock
            )
            recorder.attach(runner)
            asyncio.run(runner.run(TurnInput(system_prompt="")))
            assert recorder.text == "Hello"
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_the_plugin_costs_nothing_where_it_is_not_used() -> None:
    program = """
import sys, pytest
from importlib.metadata import entry_points
(plugin,) = entry_points(group="pytest11", name="tether")
before = set(sys.modules)
plugin.load()
print(*sorted(set(sys.modules) - before))
"""
    untraced = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=untraced
    )
    package = "tether.batteries.testing"
    assert done.stdout.split() == [
        *("tether", "tether.batteries", package, f"{package}.plugin", "tether.late")
    ]


def test_a_timer_that_advances_the_clock_does_not_turn_it_back() -> None:
    clock = FakeClock()
    clock.call_later(1, lambda: clock.advance(10))
    clock.advance(2)
    assert clock.monotonic() == 11


@tool
async def ask(question: str, ctx: DispatchContext) -> str:
    """Ask a person."""
    request = GateRequest(id="g", reason="ask", payload=question, created_at=0)
    return f"{question} {await ctx.wait_for(request)}"


async def test_one_tool_runs_by_itself() -> None:
    storage, clock = MemoryStorage(), FakeClock(datetime(2030, 5, 1, tzinfo=UTC))

    @tool
    async def note(ctx: DispatchContext, text: str = "nothing") -> str:
        """Note something."""
        now = ctx.clock.now()
        await ctx.store_message(Message(id="m", role="user", content=text, created_at=now))
        return now.isoformat()

    assert await run_tool(note, storage=storage, clock=clock) == "2030-05-01T00:00:00+00:00"
    assert [str(held.content) for held in storage.session().messages] == ["nothing"]
    assert await run_tool(note, {"text": "a"})


async def test_a_tool_by_itself_fails_as_it_does_in_a_turn() -> None:
    with pytest.raises(InvalidToolArgs, match="b: Field required"):
        await run_tool(add, {"a": 1})
    with pytest.raises(ToolDownstreamError, match="broken") as failed:
        await run_tool(fail, {"why": "broken"})
    assert isinstance(failed.value.__cause__, RuntimeError)


async def test_a_tool_by_itself_may_open_a_gate_if_somebody_settles_it() -> None:
    def settle(gate: TurnGate[Any]) -> None:
        gate.resolve(f"yes, {gate.payload}")

    assert await run_tool(ask, {"question": "sure?"}, on_gate=settle) == "sure? yes, sure?"
    with pytest.raises(ToolDownstreamError) as refused:
        await run_tool(ask, {"question": "sure?"})
    assert isinstance(refused.value.__cause__, LlmExecutionGateNotSupported)


@tool
async def finish(how: str, ctx: DispatchContext) -> str:
    """End the dispatch oneself."""
    if how == "ack":
        ctx.ack()
    else:
        raise Aborted("enough")
    return how


async def test_a_tool_by_itself_may_end_its_dispatch() -> None:
    assert await run_tool(finish, {"how": "ack"}) == "ack"
    with pytest.raises(Aborted, match="finish"):
        await run_tool(finish, {"how": "abort"})


async def test_a_gate_whose_settler_fails_is_rejected() -> None:
    asking = ask_first(add)

    def broken(gate: TurnGate[Any]) -> None:
        raise RuntimeError("cannot decide")

    with pytest.raises(ToolDownstreamError, match="cannot decide"):
        await run_tool(asking, {"a": 1, "b": 2}, on_gate=broken)
