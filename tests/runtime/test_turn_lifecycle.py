"""CONTRACT group A: what one turn emits, and in which order."""

from __future__ import annotations

from datetime import datetime

import pytest

from support.turns import (
    TURN,
    Ran,
    ack_in,
    add,
    forget,
    go_on,
    idle,
    message,
    nack,
    noting,
    ran,
)
from tether import (
    AbortSignal,
    CallNext,
    Context,
    DispatchContext,
    Helpers,
    Retrievable,
    Tokenizable,
    TrustTier,
    TurnContext,
    TurnInput,
)
from tether.batteries.testing import Call, FakeClock, Say, ScriptedModel, Think
from tether.runtime.errors import InputPipelineError, PipelineShortCircuited

TOOL_TURN = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("It is 3.")]])
ENVELOPE = ["turn_start", "dispatch_start", "dispatch_end", "turn_end"]


def envelope(names: list[str]) -> list[str]:
    return [name for name in names if name in ENVELOPE]


@pytest.mark.parametrize("iterations", [1, 2, 5])
async def test_one_turn_emits_start_and_end_of_turn_and_dispatch_once_in_order(
    iterations: int,
) -> None:  # 1
    run = await ran(ack_in(iterations - 1))
    assert envelope(run.names) == ENVELOPE


async def test_turn_start_has_an_id_and_a_time_and_turn_end_the_same_id_and_a_duration() -> None:
    run = await ran()  # 2
    (start,), (end,) = run.of("turn_start"), run.of("turn_end")
    assert start.turn_id
    assert isinstance(start.started_at, datetime)
    assert end.turn_id == start.turn_id == run.turn.id
    assert end.started_at == start.started_at
    assert end.duration_ms >= 0


async def test_durations_come_from_the_clock_that_never_runs_backwards() -> None:
    clock = FakeClock()

    async def take_two_seconds(ctx: DispatchContext, helpers: Helpers) -> None:
        clock.advance(2)
        ctx.ack()

    run = await ran(take_two_seconds, clock=clock)
    assert [event.duration_ms for event in run.of("turn_end") + run.of("dispatch_end")] == [
        2000
    ] * 2


async def test_dispatch_start_and_dispatch_end_share_a_dispatch_id() -> None:  # 3
    run = await ran()
    (start,), (end,) = run.of("dispatch_start"), run.of("dispatch_end")
    assert start.dispatch_id == end.dispatch_id != run.turn.id


async def test_a_tool_iteration_then_an_acking_one_give_two_starts_and_one_end() -> None:  # 4
    run = await ran(TOOL_TURN, tools=[add])
    assert [event.iteration for event in run.of("iteration_start")] == [0, 1]
    assert [event.iteration for event in run.of("iteration_end")] == [0]


async def test_four_iterations_with_ack_in_the_last_start_0_to_3_and_end_0_to_2() -> None:  # 5
    run = await ran(ack_in(3))
    assert [event.iteration for event in run.of("iteration_start")] == [0, 1, 2, 3]
    assert [event.iteration for event in run.of("iteration_end")] == [0, 1, 2]
    assert [(end.status, end.iterations) for end in run.of("dispatch_end")] == [("ack", 3)]


async def test_a_message_event_carries_id_full_text_completion_and_times() -> None:  # 6
    run = await ran(ScriptedModel([[Say("Hello there", id="m1")]], chunk_size=6))
    first, last = run.of("message")
    assert (first.id, first.a_delta, first.full, first.is_complete) == (
        "m1",
        "Hello ",
        "Hello ",
        False,
    )
    assert (last.id, last.a_delta, last.full, last.is_complete) == (
        "m1",
        "there",
        "Hello there",
        True,
    )
    assert first.completed_at is None
    assert last.created_at == first.created_at
    assert last.completed_at == last.updated_at >= first.updated_at


async def test_each_tool_call_produces_two_events_incomplete_then_complete_with_results() -> None:
    run = await ran(TOOL_TURN, tools=[add])  # 7
    announced, completed = run.of("tool_call")
    assert (announced.is_complete, announced.results) == (False, None)
    assert completed.is_complete
    assert await completed.results.as_string() == "3"
    assert announced.checksum == completed.checksum
    assert announced.args == completed.args == {"a": 1, "b": 2}


async def test_functional_events_come_as_announcement_result_and_message() -> None:  # 8
    run = await ran(TOOL_TURN, tools=[add])
    functional = [name for name in run.names if name in ("tool_call", "message", "thought")]
    assert functional == ["tool_call", "tool_call", "message"]


async def test_thought_events_appear_when_the_executor_reports_thoughts() -> None:  # 9
    run = await ran(ScriptedModel([[Think("Hmm."), Say("Yes.")]]))
    assert [chunk.full for chunk in run.of("thought")] == ["Hmm."]
    assert run.names.index("thought") < run.names.index("message")


async def test_tool_execution_start_precedes_end_in_one_pair_per_call_in_call_order() -> None:  # 10
    model = ScriptedModel(
        [[Call("add", {"a": 1, "b": 1}), Call("add", {"a": 2, "b": 2})], [Say("Done.")]]
    )
    run = await ran(model, tools=[add])
    executions = [name for name in run.names if name.startswith("tool_execution")]
    assert executions == ["tool_execution_start", "tool_execution_end"] * 2
    assert [event.args["a"] for event in run.of("tool_execution_start")] == [1, 2]
    assert [s.call_id for s in run.of("tool_execution_start")] == [
        e.call_id for e in run.of("tool_execution_end")
    ]


async def test_no_error_on_a_clean_ack_and_at_least_one_on_nack() -> None:  # 11
    assert (await ran()).errors == []
    assert len((await ran(nack(RuntimeError("no")))).errors) == 1


async def test_run_returns_on_nack_and_dispatch_end_has_the_very_same_error() -> None:  # 12
    error = RuntimeError("gave up")
    run = await ran(nack(error))
    (end,) = run.of("dispatch_end")
    assert end.status == "nack"
    assert end.error is error
    assert run.errors[0].__cause__ is error
    assert run.names.count("turn_end") == 1


async def test_a_nack_with_an_error_of_the_tree_is_reported_as_it_is() -> None:
    error = InputPipelineError("mine")
    run = await ran(nack(error))
    assert run.errors == [error]


async def test_nack_in_a_later_iteration_keeps_the_earlier_tool_execution_events() -> None:  # 13
    async def call_then_give_up(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration == 0:
            await TOOL_TURN(ctx, helpers)
        else:
            ctx.nack(RuntimeError("no more"))

    run = await ran(call_then_give_up, tools=[add])
    assert run.names.count("tool_execution_end") == 1
    assert run.of("dispatch_end")[0].status == "nack"


async def test_log_entries_surface_between_dispatch_start_and_dispatch_end() -> None:  # 14
    async def log(ctx: DispatchContext, helpers: Helpers) -> None:
        helpers.log.info("tokens", "Counted.", {"count": 3})
        ctx.ack()

    run = await ran(log)
    assert (
        run.names.index("dispatch_start") < run.names.index("log") < run.names.index("dispatch_end")
    )
    (entry,) = run.of("log")
    assert (entry.turn_id, entry.payload) == (run.turn.id, {"count": 3})


async def test_no_gate_events_when_nobody_opens_a_gate() -> None:  # 15
    run = await ran(TOOL_TURN, tools=[add])
    assert not [name for name in run.names if "gate" in name]


async def test_a_turn_aborted_beforehand_starts_and_ends_once_without_looping() -> None:  # 16
    signal = AbortSignal()
    signal.abort("too late")
    run = await ran(idle, turn=TurnInput(system_prompt="", abort_signal=signal))
    assert run.names == ["turn_start", "turn_end"]


async def test_abort_between_iterations_ends_a_loop_that_never_acks() -> None:  # 17
    signal = AbortSignal()

    async def abort_in_the_third(ctx: DispatchContext, call_next: CallNext) -> None:
        await call_next()
        if ctx.iteration == 2:
            signal.abort("enough")

    turn = TurnInput(system_prompt="", abort_signal=signal)
    run = await ran(idle, turn=turn, dispatch_output_pipeline=[abort_in_the_third])
    assert run.of("dispatch_end")[0].status == "aborted"
    assert run.names.count("iteration_start") == 3
    assert run.errors == []


async def test_an_input_middleware_that_forgets_to_call_on_is_one_short_circuit() -> None:  # 18
    run = await ran(idle, turn_input_pipeline=[forget])
    (error,) = run.errors
    assert isinstance(error, PipelineShortCircuited)
    assert error.seam == "turn-input"
    assert run.names == ["turn_start", "error", "turn_end"]


async def test_an_output_middleware_that_forgets_to_call_on_is_one_short_circuit() -> None:  # 19
    run = await ran(turn_output_pipeline=[go_on, forget])
    (error,) = run.errors
    assert isinstance(error, PipelineShortCircuited)
    assert error.seam == "turn-output"
    assert run.names[-2:] == ["error", "turn_end"]


async def test_an_input_middleware_that_aborts_gives_no_error_and_no_dispatch() -> None:  # 20
    async def refuse(ctx: Context, call_next: CallNext) -> None:
        ctx.abort("not allowed")

    run = await ran(turn_input_pipeline=[refuse])
    assert run.names == ["turn_start", "turn_end"]
    assert run.turn.abort_signal.reason == "not allowed"


async def test_after_abort_downstream_bodies_do_not_run_but_the_aborters_post_step_does() -> None:
    notes: list[str] = []  # 21

    async def abort_and_call_on(ctx: Context, call_next: CallNext) -> None:
        ctx.abort()
        await call_next()
        notes.append("aborter out")

    pipeline = [noting(notes, "before"), abort_and_call_on, noting(notes, "after")]
    await ran(turn_input_pipeline=pipeline)
    assert notes == ["before in", "aborter out", "before out"]


async def test_passing_middlewares_emit_no_short_circuit_error() -> None:  # 22
    run = await ran(turn_input_pipeline=[go_on] * 3, turn_output_pipeline=[go_on] * 3)
    assert run.errors == []


async def test_the_same_runner_runs_its_pipelines_on_every_run() -> None:  # 23
    notes: list[str] = []
    run = Ran(turn_input_pipeline=[noting(notes, "i")], turn_output_pipeline=[noting(notes, "o")])
    for _ in range(3):
        await run.runner.run(TURN)
    assert notes == ["i in", "i out", "o in", "o out"] * 3
    assert len({turn.id for turn in run.turns}) == 3


def passage(id: str, tier: TrustTier = "first-party") -> Retrievable:
    return Retrievable(id=id, content="text", trust_tier=tier, created_at=0)


async def test_fetched_retrievables_can_be_seeded_and_duplicates_of_an_object_count_once() -> None:
    one, twin = passage("r1"), passage("r1")  # 24
    seen: list[Retrievable] = []

    async def fetch(ctx: Context) -> list[Retrievable]:
        return [one, one, twin]

    async def seed(ctx: TurnContext, call_next: CallNext) -> None:
        ctx.turn_retrievables.update(await ctx.fetch_retrievables())
        await call_next()

    async def look(ctx: TurnContext, call_next: CallNext) -> None:
        seen.extend(ctx.turn_retrievables)
        await call_next()

    await ran(fetch_retrievables=fetch, turn_input_pipeline=[seed], turn_output_pipeline=[look])
    assert [id(item) for item in seen] == [id(one), id(twin)]


async def test_writes_receive_the_live_context_first_then_the_value_or_the_id() -> None:  # 25
    calls: list[tuple[object, object]] = []

    async def note(ctx: Context, value: object) -> None:
        calls.append((ctx, value))

    reply = message("m1")

    async def write(ctx: DispatchContext, helpers: Helpers) -> None:
        await ctx.store_message(reply)
        await ctx.mutate_message(reply)
        await ctx.delete_message("m1")
        calls.append((ctx, "end"))
        ctx.ack()

    await ran(write, store_message=note, mutate_message=note, delete_message=note)
    assert [value for _, value in calls] == [reply, reply, "m1", "end"]
    assert len({id(ctx) for ctx, _ in calls}) == 1


@pytest.mark.parametrize("tier", ["first-party", "third-party-public", "third-party-private"])
async def test_trust_tiers_and_wrapped_content_survive_the_trip_unchanged(tier: TrustTier) -> None:
    text = Tokenizable("wrapped")  # 26
    record = Retrievable(id="r", content=text, trust_tier=tier, created_at=0)

    async def seed(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_retrievables.add(record)
        await call_next()

    async def look(ctx: DispatchContext, helpers: Helpers) -> None:
        (found,) = ctx.turn_retrievables
        assert found is record
        assert found.content is text
        assert found.trust_tier == tier
        ctx.ack()

    assert (await ran(look, turn_input_pipeline=[seed])).errors == []
