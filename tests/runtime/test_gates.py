"""CONTRACT group D: gates settle once, by whichever comes first."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from support.turns import TURN, Ran, ran
from tether import (
    AbortSignal,
    CallNext,
    Context,
    DispatchContext,
    DispatchRunner,
    GateRequest,
    Helpers,
    TurnContext,
    TurnGate,
    TurnInput,
    tool,
)
from tether.batteries.testing import Call, FakeClock, Say, ScriptedModel
from tether.runtime.errors import (
    InputPipelineError,
    InvalidInitialTurnGateValue,
    InvalidTurnGateResolution,
    TurnGateAborted,
    TurnGateTimeout,
)


class Approval(BaseModel):
    approved: bool
    note: str = ""


def request(**fields: Any) -> GateRequest[Any]:
    given: dict[str, Any] = {"id": "g1", "reason": "approval", "payload": {"amount": 5}}
    given["created_at"] = 0
    return GateRequest(**(given | fields))


def gate(**fields: Any) -> tuple[TurnGate[Any], list[str]]:
    """A bare gate, and the list in which its closing is noted."""
    closed: list[str] = []
    opened: TurnGate[Any] = TurnGate(
        request(**fields), "turn", lambda _, result: closed.append(result)
    )
    return opened, closed


@pytest.mark.parametrize("missing", ["id", "reason", "payload", "created_at"])
def test_a_missing_id_reason_payload_or_time_is_rejected_at_construction(
    missing: str,
) -> None:  # 44
    given: dict[str, Any] = {"id": "g", "reason": "r", "payload": None, "created_at": 0}
    GateRequest(**given)
    del given[missing]
    with pytest.raises(InvalidInitialTurnGateValue) as caught:
        GateRequest(**given)
    assert [problem.path for problem in caught.value.problems] == [missing]


def test_a_bad_request_names_every_bad_field_at_once() -> None:
    bad: dict[str, Any] = {"id": "", "reason": 1, "created_at": "soon", "schema": 5, "extra": 1}
    with pytest.raises(InvalidInitialTurnGateValue) as caught:
        GateRequest(payload=None, timeout_ms=0, **bad)
    assert {problem.path for problem in caught.value.problems} == set(bad) | {"timeout_ms"}


@pytest.mark.parametrize("timeout", [0, -1, 1.5, True, "5"])
def test_a_timeout_is_a_whole_number_of_milliseconds_from_1(timeout: Any) -> None:
    request(timeout_ms=1)
    with pytest.raises(InvalidInitialTurnGateValue):
        request(timeout_ms=timeout)


async def test_resolve_settles_with_the_value_and_marks_settled() -> None:  # 45
    opened, closed = gate()
    assert not opened.is_settled
    opened.resolve("yes")
    assert (opened.is_settled, opened.result, closed) == (True, "resolved", ["resolved"])
    assert await opened.wait() == "yes"


async def test_a_schema_mismatch_raises_to_the_resolver_and_leaves_the_gate_open() -> None:  # 46
    opened, closed = gate(schema=Approval)
    with pytest.raises(InvalidTurnGateResolution) as caught:
        opened.resolve({"approved": "perhaps", "note": 3})
    assert {problem.path for problem in caught.value.problems} == {"approved", "note"}
    assert not opened.is_settled
    assert closed == []
    opened.resolve({"approved": "true"})
    assert await opened.wait() == Approval(approved=True)  # coerced by the schema


async def test_anything_with_a_validate_method_is_a_schema() -> None:
    class Even:
        def validate(self, value: Any) -> int:
            if value % 2:
                raise ValueError("must be even")
            return int(value)

    opened, _ = gate(schema=Even())
    with pytest.raises(InvalidTurnGateResolution, match="must be even"):
        opened.resolve(3)
    opened.resolve(4)
    assert await opened.wait() == 4


@pytest.mark.parametrize("first", ["resolve", "reject", "abort"])
async def test_what_comes_after_settling_is_ignored(first: str) -> None:  # 47
    opened, closed = gate()
    settle = {
        "resolve": lambda: opened.resolve(1),
        "reject": lambda: opened.reject(ValueError("no")),
        "abort": opened.abort,
    }
    settle[first]()
    for later in settle.values():
        later()
    assert len(closed) == 1
    assert opened.result == {"resolve": "resolved", "reject": "rejected", "abort": "aborted"}[first]


async def test_reject_delivers_the_same_error_object() -> None:  # 48
    opened, closed = gate()
    error = PermissionError("denied")
    opened.reject(error)
    with pytest.raises(PermissionError) as caught:
        await opened.wait()
    assert caught.value is error
    assert closed == ["rejected"]


async def test_a_gate_is_rejected_with_an_exception_and_nothing_else() -> None:
    opened, closed = gate()
    with pytest.raises(TypeError, match="not 'no'"):
        opened.reject("no")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert closed == []


async def test_abort_rejects_with_the_aborted_code() -> None:  # 49
    opened, closed = gate()
    opened.abort()
    with pytest.raises(TurnGateAborted):
        await opened.wait()
    assert closed == ["aborted"]


@pytest.mark.parametrize("when", ["later", "already"])
async def test_the_turns_signal_aborts_the_gate_also_when_it_is_on_already(when: str) -> None:  # 49
    opened, closed = gate()
    signal = AbortSignal()
    if when == "already":
        signal.abort()
    opened.arm([signal], FakeClock())
    signal.abort()
    with pytest.raises(TurnGateAborted):
        await opened.wait()
    assert closed == ["aborted"]


async def test_the_timeout_rejects_with_the_timeout_code() -> None:  # 50
    clock = FakeClock()
    opened, closed = gate(timeout_ms=1500)
    opened.arm([AbortSignal()], clock)
    clock.advance(1.499)
    assert not opened.is_settled
    clock.advance(0.001)
    with pytest.raises(TurnGateTimeout, match="1500 ms"):
        await opened.wait()
    assert closed == ["timeout"]


async def test_no_timeout_if_resolved_first_and_nothing_is_left_scheduled() -> None:  # 50
    clock, signal = FakeClock(), AbortSignal()
    opened, closed = gate(timeout_ms=10)
    opened.arm([signal], clock)
    opened.resolve(1)
    assert clock.pending == 0
    clock.advance(1)
    signal.abort()
    assert closed == ["resolved"]


async def test_a_gate_times_out_on_the_real_clock_too() -> None:
    async def ask(ctx: Context, call_next: CallNext) -> None:
        with pytest.raises(TurnGateTimeout):
            await ctx.wait_for(request(timeout_ms=1))
        await call_next()

    run = await ran(turn_input_pipeline=[ask])
    assert [event.result for event in run.of("turn_gate_closed")] == ["timeout"]


async def test_the_open_event_carries_the_gate_before_waiting_and_the_closed_one_its_result() -> (
    None
):
    answers: list[Any] = []

    async def ask(ctx: Context, call_next: CallNext) -> None:
        answers.append(await ctx.wait_for(request(schema=Approval)))
        await call_next()

    run = Ran(turn_input_pipeline=[ask])
    run.runner.observe(
        "turn_gate_open",
        lambda opened: asyncio.get_running_loop().call_soon(opened.resolve, {"approved": True}),
    )
    await run.runner.run(TURN)
    (opened,), (closed,) = run.of("turn_gate_open"), run.of("turn_gate_closed")
    assert (opened.id, opened.turn_id, opened.reason) == ("g1", run.turn.id, "approval")
    assert (opened.payload, opened.created_at.year, opened.schema) == (
        {"amount": 5},
        1970,
        Approval,
    )
    assert (closed.gate_id, closed.turn_id, closed.result) == ("g1", run.turn.id, "resolved")
    assert answers == [Approval(approved=True)]
    assert run.names[:3] == ["turn_start", "turn_gate_open", "turn_gate_closed"]


async def test_an_observer_may_settle_a_gate_the_moment_it_opens() -> None:
    async def ask(ctx: Context, call_next: CallNext) -> None:
        assert await ctx.wait_for(request(schema=int)) == 7
        await call_next()

    run = Ran(turn_input_pipeline=[ask])
    run.runner.observe(TurnGate, lambda opened: opened.resolve("7"))
    await run.runner.run(TURN)
    assert run.errors == []


async def test_an_open_gate_that_nobody_awaits_is_closed_with_the_turn() -> None:
    async def open_only(ctx: Context, call_next: CallNext) -> None:
        ctx.open_gate(request(id="a"))
        ctx.open_gate(request(id="b"))
        await call_next()

    run = await ran(turn_input_pipeline=[open_only])
    assert [(e.gate_id, e.result) for e in run.of("turn_gate_closed")] == [
        ("a", "aborted"),
        ("b", "aborted"),
    ]
    assert run.names[-1] == "turn_end"


async def test_a_closed_gate_in_a_middleware_is_a_pipeline_error_unless_the_turn_was_aborted() -> (
    None
):
    signal = AbortSignal()

    async def ask(ctx: Context, call_next: CallNext) -> None:
        await ctx.wait_for(request())

    run = Ran(turn_input_pipeline=[ask])
    run.runner.observe("turn_gate_open", lambda opened: opened.abort())
    await run.runner.run(TURN)
    assert isinstance(run.errors[0], InputPipelineError)

    quiet = Ran(turn_input_pipeline=[ask])
    quiet.runner.observe("turn_gate_open", lambda _: signal.abort("stop"))
    await quiet.runner.run(TurnInput(system_prompt="", abort_signal=signal))
    assert quiet.errors == []
    assert quiet.names == ["turn_start", "turn_gate_open", "turn_gate_closed", "turn_end"]


async def test_a_gate_in_a_tool_holds_the_iteration_and_the_abort_of_the_turn_ends_it_quietly() -> (
    None
):
    @tool
    async def pay(amount: int, ctx: DispatchContext) -> str:
        """Pay."""
        answer = await ctx.wait_for(request(payload=amount, schema=bool))
        return "paid" if answer else "refused"

    model = ScriptedModel([[Call("pay", {"amount": 5})], [Say("Done.")]])
    run = Ran(model, tools=[pay])
    run.runner.observe(
        TurnGate, lambda opened: asyncio.get_running_loop().call_soon(opened.resolve, False)
    )
    await run.runner.run(TURN)
    completed = run.of("tool_call")[1]
    assert await completed.results.as_string() == "refused"

    signal = AbortSignal()
    stopped = Ran(model, tools=[pay])
    stopped.runner.observe(
        TurnGate, lambda _: asyncio.get_running_loop().call_soon(signal.abort, "stop")
    )
    await stopped.runner.run(TurnInput(system_prompt="", abort_signal=signal))
    assert stopped.of("dispatch_end")[0].status == "aborted"
    assert stopped.of("tool_execution_end")[0].is_error
    assert stopped.errors == []


async def test_aborting_only_the_dispatch_closes_its_gates() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        opened = ctx.open_gate(request())
        ctx.abort("never mind")
        assert opened.result == "aborted"

    run = await ran(execute)
    assert run.errors == []


async def test_a_wrong_request_surfaces_as_the_pipelines_error_and_opens_nothing() -> None:
    async def ask(ctx: Context, call_next: CallNext) -> None:
        await ctx.wait_for({"id": "g"})  # type: ignore[arg-type]  # pyright: ignore

    run = await ran(turn_input_pipeline=[ask])
    assert isinstance(run.errors[0].__cause__, InvalidInitialTurnGateValue)
    assert "turn_gate_open" not in run.names


async def test_gates_of_one_turn_are_independent_and_other_turns_keep_moving() -> None:
    first: list[TurnGate[Any]] = []

    async def ask(ctx: Context, call_next: CallNext) -> None:
        if ctx.stash.get("wait"):
            answers = await asyncio.gather(
                ctx.wait_for(request(id="a")), ctx.wait_for(request(id="b"))
            )
            ctx.stash.set("answers", answers)
        await call_next()

    run = Ran(turn_input_pipeline=[ask])
    run.runner.observe("turn_gate_open", first.append)
    waiting = asyncio.create_task(run.runner.run(TurnInput(system_prompt="", stash={"wait": True})))
    while len(first) < 2:
        await asyncio.sleep(0)
    await run.runner.run(TURN)
    assert run.names.count("turn_end") == 1
    first[1].resolve("second")
    first[0].resolve("first")
    await waiting
    assert run.turns[0].stash.get("answers") == ["first", "second"]


async def test_a_gate_of_a_dispatch_that_is_over_still_closes_with_the_turn() -> None:
    signal, gates = AbortSignal(), list[TurnGate[Any]]()

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        gates.append(ctx.open_gate(request()))
        ctx.ack()

    async def wait(ctx: Context, call_next: CallNext) -> None:
        await gates[0].wait()

    asyncio.get_running_loop().call_later(0.01, signal.abort, "user")
    run = Ran(execute, turn_output_pipeline=[wait])
    await run.runner.run(TurnInput(system_prompt="", abort_signal=signal))
    assert gates[0].result == "aborted"
    assert run.errors == []


async def test_no_gate_opens_after_the_turn() -> None:
    run = await ran()
    with pytest.raises(TurnGateAborted, match="the turn is over"):
        run.turn.open_gate(request())
    assert "turn_gate_open" not in run.names


async def test_all_observers_hear_of_the_opening_before_the_closing() -> None:
    async def ask(ctx: Context, call_next: CallNext) -> None:
        await ctx.wait_for(request())
        await call_next()

    heard: list[str] = []
    run = Ran(turn_input_pipeline=[ask])
    run.runner.observe("turn_gate_open", lambda opened: opened.resolve(1))
    run.runner.observe("turn_gate_open", lambda _: heard.append("open"))
    run.runner.observe("turn_gate_closed", lambda _: heard.append("closed"))
    await run.runner.run(TURN)
    assert heard == ["open", "closed"]


async def test_observers_of_a_dispatch_from_a_turn_hear_of_its_gates() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await ctx.wait_for(request())
        ctx.ack()

    async def nested(ctx: TurnContext, call_next: CallNext) -> None:
        await DispatchRunner.dispatch(
            source=ctx,
            executor=execute,
            observers={"turn_gate_open": lambda opened: opened.resolve(1)},
        )
        await call_next()

    run = await ran(turn_input_pipeline=[nested])
    assert [event.result for event in run.of("turn_gate_closed")] == ["resolved"]


async def test_a_validation_that_closes_the_gate_settles_it_once() -> None:
    class Closing:
        def validate(self, value: Any) -> Any:
            opened.abort()
            return value

    opened, closed = gate(schema=Closing())
    opened.resolve(1)
    assert closed == ["aborted"]


def test_a_schema_that_would_have_to_be_awaited_or_is_not_defined_is_refused() -> None:
    class Slow:
        async def validate(self, value: Any) -> Any:
            return value

    for schema in (Slow(), list["Nowhere"]):  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore
        with pytest.raises(InvalidInitialTurnGateValue) as caught:
            request(schema=schema)
        assert [problem.path for problem in caught.value.problems] == ["schema"]
