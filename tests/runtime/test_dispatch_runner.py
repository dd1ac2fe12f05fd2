"""CONTRACT group B: the loop, inside a turn and alone."""

from __future__ import annotations

from typing import Any

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
    noting,
    raising,
    ran,
    tool_call,
)
from tether import (
    Aborted,
    CallNext,
    Context,
    DispatchContext,
    DispatchRunner,
    Helpers,
    NoopStorage,
    RawDispatch,
    TurnContext,
)
from tether.batteries.testing import Call, FakeClock, Say, ScriptedModel
from tether.runtime.errors import (
    DispatchPipelineError,
    LlmExecutionExecutorError,
    LlmExecutionNacked,
    PipelineShortCircuited,
)

RAW = RawDispatch(system_prompt="Alone.", storage=NoopStorage())


def chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None:
        found.append(cause)
        cause = cause.__cause__
    return found


async def test_output_pipeline_runs_every_iteration_so_withholding_ack_once_gives_two_calls() -> (
    None
):
    calls: list[int] = []  # 27

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        calls.append(ctx.iteration)

    async def withhold_once(ctx: DispatchContext, call_next: CallNext) -> None:
        await call_next()
        if ctx.iteration == 1:
            ctx.ack()

    run = await ran(execute, dispatch_output_pipeline=[withhold_once])
    assert calls == [0, 1]
    assert run.of("dispatch_end")[0].iterations == 2


async def test_input_pipeline_runs_on_every_iteration_including_the_acking_one() -> None:  # 28
    notes: list[str] = []
    await ran(ack_in(2), dispatch_input_pipeline=[noting(notes, "i")])
    assert notes == ["i in", "i out"] * 3


async def test_all_middlewares_and_not_only_the_first_run_on_later_iterations() -> None:  # 29
    notes: list[str] = []
    pipeline = [noting(notes, "a"), noting(notes, "b")]
    await ran(ack_in(1), dispatch_input_pipeline=pipeline, dispatch_output_pipeline=pipeline)
    legs = ["a in", "b in", "b out", "a out"]
    assert notes == legs * 3  # input, output, and the input of the acking iteration


async def test_a_mutation_in_iteration_1_leaves_one_record_of_that_id_on_the_turn() -> None:  # 30
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration == 0:
            await ctx.store_message(message("m1", "first"))
            return
        await ctx.mutate_message(message("m1", "second"))
        ctx.ack()

    run = await ran(execute)
    assert [(m.id, str(m.content)) for m in run.turn.turn_messages] == [("m1", "second")]


async def test_text_given_as_the_failure_appears_in_the_cause_chain() -> None:  # 31
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        raise RuntimeError("the provider said no")

    run = await ran(execute)
    (error,) = run.errors
    assert isinstance(error, LlmExecutionExecutorError)
    assert "the provider said no" in error.message
    assert any(str(cause) == "the provider said no" for cause in chain(error))

    async def nack_with_text(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.nack("iteration cap")

    (nacked,) = (await ran(nack_with_text)).errors
    assert isinstance(nacked, LlmExecutionNacked)
    assert nacked.message == "iteration cap"


async def test_a_plain_object_given_as_the_failure_is_kept_as_json_and_an_error_as_it_is() -> None:
    async def nack_with_object(ctx: DispatchContext, helpers: Helpers) -> None:  # 32
        ctx.nack({"status": 429, "code": "busy"})

    (error,) = (await ran(nack_with_object)).errors
    assert error.message == '{"code":"busy","status":429}'
    cause = KeyError("real")

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        raise cause

    (wrapped,) = (await ran(execute)).errors
    assert wrapped.__cause__ is cause


async def test_the_log_has_five_levels_in_call_order_with_dispatch_iteration_and_time() -> None:
    clock = FakeClock()  # 33

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration == 0:
            return
        log = helpers.log
        for write in (log.trace, log.debug, log.info, log.warn, log.error):
            write("kind", "message")
        ctx.ack()

    run = await ran(execute, clock=clock)
    entries = run.of("log")
    assert [entry.level for entry in entries] == ["trace", "debug", "info", "warn", "error"]
    assert {entry.dispatch_id for entry in entries} == {run.of("dispatch_start")[0].dispatch_id}
    assert {(entry.iteration, entry.emitted_at) for entry in entries} == {(1, clock.now())}


async def test_the_payload_of_a_log_entry_is_absent_when_not_supplied() -> None:  # 34
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        helpers.log.info("plain", "Nothing more.")
        helpers.log.info("full", "More.", {"a": 1})
        ctx.ack()

    plain, full = (await ran(execute)).of("log")
    assert "payload" not in plain.to_json()
    assert full.to_json()["payload"] == {"a": 1}


async def test_logging_without_observers_is_fine_and_several_observers_all_receive_it() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:  # 35
        helpers.log.info("kind", "message")
        ctx.ack()

    await DispatchRunner.dispatch(raw=RAW, executor=execute)
    run, seen = Ran(execute), list[str]()
    run.runner.observe("log", lambda _: seen.append("a"))
    run.runner.observe("log", lambda _: seen.append("b"))
    await run.runner.run(TURN)
    assert seen == ["a", "b"]


def reading(names: list[list[str]]) -> Any:
    async def middleware(ctx: DispatchContext, call_next: CallNext) -> None:
        names.append([tool.name for tool in ctx.tools])
        await call_next()

    return middleware


async def test_reader_tools_exist_before_the_input_pipeline_after_a_call_with_an_artifact() -> None:
    names: list[list[str]] = []  # 36
    model = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("Done.")]])
    await ran(model, tools=[add], dispatch_input_pipeline=[reading(names)])
    assert names[0] == ["add"]
    assert "artifact_head" in names[1]


async def test_no_artifact_tools_without_artifact_results() -> None:  # 37
    names: list[list[str]] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration == 1:
            ctx.ack()
        else:
            await ctx.store_tool_call(tool_call("c1", results="plain text"))

    await ran(execute, tools=[add], dispatch_input_pipeline=[reading(names)])
    assert names == [["add"], ["add"]]


async def test_forging_again_in_each_iteration_does_not_accumulate_tools() -> None:  # 38
    names: list[list[str]] = []
    step = [Call("add", {"a": 1, "b": 2})]
    model = ScriptedModel([step, step, step, [Say("Done.")]])
    run = await ran(model, tools=[add], dispatch_input_pipeline=[reading(names)])
    assert run.errors == []
    assert len(names[1]) == len(set(names[1])) == len(names[3])


async def test_a_dispatch_from_a_turn_tells_the_turns_listeners_and_its_own() -> None:
    own: list[str] = []

    async def plan(ctx: TurnContext, call_next: CallNext) -> None:
        await DispatchRunner.dispatch(
            source=ctx,
            executor=ScriptedModel([[Say("A plan.", id="plan")]]),
            hooks={"message": lambda chunk: own.append(chunk.full)},
            observers={"iteration_start": lambda _: own.append("iteration")},
        )
        await call_next()

    run = await ran(turn_input_pipeline=[plan])
    assert own == ["iteration", "A plan."]
    assert [chunk.full for chunk in run.of("message")] == ["A plan."]
    assert run.names.count("dispatch_end") == 2
    assert [m.id for m in run.turn.turn_messages] == ["plan"]


@pytest.mark.parametrize(
    ("settings", "seam"),
    [
        ({"dispatch_input_pipeline": [go_on, forget]}, "dispatch-input"),
        ({"dispatch_output_pipeline": [forget]}, "dispatch-output"),
    ],
)
async def test_a_short_circuit_around_the_executor_nacks_with_the_seams_label(
    settings: Any, seam: str
) -> None:
    run = await ran(idle, **settings)
    (error,) = run.errors
    assert isinstance(error, PipelineShortCircuited)
    assert error.seam == seam
    assert run.of("dispatch_end")[0].error is error
    assert run.of("dispatch_end")[0].status == "nack"
    assert (run.of("error")[0].dispatch_id, run.of("error")[0].iteration) == (
        run.of("dispatch_end")[0].dispatch_id,
        0,
    )


async def test_stopping_the_input_pipeline_after_a_signal_is_no_short_circuit() -> None:
    async def cap(ctx: DispatchContext, call_next: CallNext) -> None:
        ctx.ack()

    run = await ran(idle, dispatch_input_pipeline=[cap])
    assert run.errors == []
    assert run.of("dispatch_end")[0].status == "ack"


@pytest.mark.parametrize("seam", ["dispatch_input_pipeline", "dispatch_output_pipeline"])
async def test_a_throw_around_the_executor_is_a_dispatch_pipeline_error(seam: str) -> None:
    cause = ValueError("bad")
    settings: dict[str, Any] = {seam: [raising(cause)]}
    run = await ran(idle, **settings)
    (error,) = run.errors
    assert isinstance(error, DispatchPipelineError)
    assert error.__cause__ is cause
    assert run.of("dispatch_end")[0].error is error


async def test_a_failure_beats_an_ack_given_before_it() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await ctx.store_message(message("m1"))
        ctx.ack()
        raise RuntimeError("after the ack")

    run = await ran(execute)
    assert run.of("dispatch_end")[0].status == "nack"
    assert len(run.turn.turn_messages) == 0


async def test_an_executor_that_raises_aborted_aborts_its_dispatch_without_an_error() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        raise Aborted(reason="client went away")

    contexts: list[DispatchContext] = []

    async def capture(ctx: DispatchContext, call_next: CallNext) -> None:
        contexts.append(ctx)
        await call_next()

    run = await ran(execute, dispatch_input_pipeline=[capture])
    assert run.errors == []
    assert run.of("dispatch_end")[0].status == "aborted"
    assert contexts[0].abort_signal.reason == "client went away"


async def test_a_middleware_that_raises_aborted_aborts_its_stage_without_an_error() -> None:
    async def stop(ctx: Context, call_next: CallNext) -> None:
        raise Aborted("stop here")

    run = await ran(turn_input_pipeline=[stop])
    assert run.names == ["turn_start", "turn_end"]
    run = await ran(dispatch_input_pipeline=[stop])
    assert run.of("dispatch_end")[0].status == "aborted"
    assert run.errors == []


async def test_an_output_middleware_may_ack_and_the_iteration_still_ends_whole() -> None:
    async def finish(ctx: DispatchContext, call_next: CallNext) -> None:
        await call_next()
        ctx.ack()

    run = await ran(idle, dispatch_output_pipeline=[finish])
    assert run.names.count("iteration_end") == 1
    assert run.of("dispatch_end")[0].iterations == 1


async def test_a_dispatch_that_nobody_ends_is_told_on_the_log_and_to_the_developer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    run = await ran(ack_in(12))
    told = [entry for entry in run.of("log") if entry.kind == "dispatch-not-signalled"]
    assert [(entry.level, entry.payload) for entry in told] == [
        ("warn", {"iterations": 5}),
        ("warn", {"iterations": 10}),
    ]
    assert "auto_ack=True" in told[0].message
    assert [record.message for record in caplog.records] == [entry.message for entry in told]
    assert run.of("dispatch_end")[0].iterations == 12


async def test_tool_calls_are_progress_and_so_is_a_late_ack(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def call(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration % 5 == 4:
            await ctx.store_tool_call(tool_call(f"c{ctx.iteration}"))

    async def done(ctx: DispatchContext, call_next: CallNext) -> None:
        await call_next()
        if ctx.iteration == 14:
            ctx.ack()

    run = await ran(call, dispatch_output_pipeline=[done])
    assert run.of("dispatch_end")[0].iterations == 15
    assert run.of("log") == []
    assert caplog.records == []
