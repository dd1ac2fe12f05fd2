"""CONTRACT group B: the loop, inside a turn and alone."""

from __future__ import annotations

from typing import Any

import pytest

from support.turns import (
    TURN,
    Ran,
    ack,
    ack_in,
    add,
    forget,
    go_on,
    idle,
    message,
    nack,
    noting,
    raising,
    ran,
    tool_call,
)
from tether import (
    Aborted,
    AbortSignal,
    CallNext,
    Context,
    DispatchContext,
    DispatchRunner,
    GateRequest,
    Helpers,
    NoopStorage,
    RawDispatch,
    Retrievable,
    SpooledArtifact,
    TextSpool,
    Thought,
    TurnContext,
)
from tether.batteries.testing import Call, FakeClock, Say, ScriptedModel
from tether.core.errors import (
    ArtifactIdCollision,
    DispatchPipelineError,
    InvalidLlmDispatchInput,
    InvalidLlmExecutionContext,
    LlmExecutionExecutorError,
    LlmExecutionGateNotSupported,
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


@pytest.mark.parametrize("given", ["neither", "both"])
async def test_dispatch_needs_exactly_one_of_source_and_raw(given: str) -> None:
    turn = (await ran()).turn
    both: dict[str, Any] = {"source": turn, "raw": RAW} if given == "both" else {}
    with pytest.raises(InvalidLlmDispatchInput, match=given):
        await DispatchRunner.dispatch(executor=ack, **both)


async def test_a_bad_dispatch_names_every_bad_part_at_once() -> None:
    bad: dict[str, Any] = {"executor": 5, "source": "x", "raw": "y", "input_pipeline": "text"}
    bad["output_pipeline"] = [lambda: None]
    with pytest.raises(InvalidLlmDispatchInput) as caught:
        await DispatchRunner.dispatch(**bad)

    paths = [problem.path for problem in caught.value.problems]
    assert paths == [
        "executor",
        "input_pipeline",
        "output_pipeline[0]",
        "source, raw",
        "source",
        "raw",
    ]


def test_a_bad_raw_dispatch_names_every_bad_field_at_once() -> None:
    bad: dict[str, Any] = {"storage": object(), "messages": ["text"], "abort_signal": 1, "nope": 2}
    bad["byte_store"] = object()
    with pytest.raises(InvalidLlmExecutionContext) as caught:
        RawDispatch(**bad)
    paths = {problem.path for problem in caught.value.problems}
    assert {"system_prompt", "messages[0]", "abort_signal", "nope"} <= paths
    assert {"storage.store_message", "byte_store.store_media_bytes"} <= paths


async def test_a_standalone_dispatch_is_seeded_from_raw_and_raises_what_it_failed_with() -> None:
    error = RuntimeError("mine")
    call = tool_call("c1")
    raw = RawDispatch(
        system_prompt="Alone.",
        storage=NoopStorage(),
        standing_instructions=["Be brief."],
        messages=[message("m1")],
        thoughts=[Thought(id="t1", content="hm", created_at=0)],
        tool_calls=[call],
        tools=[add],
        stash={"a": {"b": 1}},
    )

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        assert [m.id for m in ctx.turn_messages] == ["m1"]
        assert [str(text) for text in ctx.standing_instructions] == ["Be brief."]
        assert ctx.tool_call_count(call.checksum) == 1
        assert ctx.stash.get("a.b") == 1
        assert ctx.tools.has("add")
        await ctx.store_message(message("m2"))
        ctx.nack(error)

    ends: list[Any] = []
    with pytest.raises(RuntimeError) as caught:
        await DispatchRunner.dispatch(
            raw=raw, executor=execute, observers={"dispatch_end": ends.append}
        )
    assert caught.value is error
    assert ends[0].turn_id == ends[0].dispatch_id


async def test_a_standalone_dispatch_tells_only_its_own_hooks_and_observers() -> None:
    heard: list[str] = []
    await DispatchRunner.dispatch(
        raw=RAW,
        executor=ScriptedModel([[Say("Hello.")]]),
        hooks={"message": lambda chunk: heard.append(chunk.full)},
        observers={"dispatch_end": lambda end: heard.append(end.status)},
        clock=FakeClock(),
    )
    assert heard == ["Hello.", "ack"]


async def test_a_standalone_dispatch_without_gates_refuses_to_open_one() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await ctx.wait_for(GateRequest(id="g", reason="ask", payload=None, created_at=0))

    with pytest.raises(LlmExecutionExecutorError) as caught:
        await DispatchRunner.dispatch(raw=RAW, executor=execute)
    assert isinstance(caught.value.__cause__, LlmExecutionGateNotSupported)


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


async def test_an_abort_from_outside_reaches_a_standalone_dispatch() -> None:
    signal = AbortSignal()
    raw = RawDispatch(system_prompt="", storage=NoopStorage(), abort_signal=signal)
    rounds: list[int] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        rounds.append(ctx.iteration)
        if len(rounds) == 3:
            signal.abort("enough")

    await DispatchRunner.dispatch(raw=raw, executor=execute)
    assert rounds == [0, 1, 2]


async def test_two_artifacts_of_one_id_fail_the_dispatch() -> None:
    artifact = SpooledArtifact(TextSpool("x"))
    raw = RawDispatch(
        system_prompt="",
        storage=NoopStorage(),
        tool_calls=[tool_call("same", results=artifact)],
        retrievables=[
            Retrievable(
                id="same", content=artifact, trust_tier="first-party", created_at=0, inline=False
            )
        ],
    )
    with pytest.raises(ArtifactIdCollision):
        await DispatchRunner.dispatch(raw=raw, executor=ack)


async def test_a_standalone_nack_raises_the_generic_error_where_none_was_given() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.nack()

    with pytest.raises(LlmExecutionNacked):
        await DispatchRunner.dispatch(raw=RAW, executor=execute)
    with pytest.raises(ValueError, match="mine"):
        await DispatchRunner.dispatch(raw=RAW, executor=nack(ValueError("mine")))


async def test_a_standalone_dispatch_with_gates_opens_them_and_leaves_none_behind() -> None:
    raw = RawDispatch(system_prompt="", storage=NoopStorage(), gates=True)
    answers: list[Any] = []
    closed: list[str] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        request = GateRequest(id="g", reason="ask", payload=None, created_at=0, schema=int)
        answers.append(await ctx.wait_for(request))
        ctx.open_gate(GateRequest(id="left open", reason="ask", payload=None, created_at=0))
        ctx.ack()

    def settle(gate: Any) -> None:
        if gate.id == "g":
            gate.resolve("7")

    await DispatchRunner.dispatch(
        raw=raw,
        executor=execute,
        observers={
            "turn_gate_open": settle,
            "turn_gate_closed": lambda event: closed.append(event.result),
        },
    )
    assert answers == [7]
    assert closed == ["resolved", "aborted"]


async def test_a_context_tells_its_turn_and_its_system_prompt() -> None:
    seen: list[Any] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        seen.append((ctx.turn_id, str(ctx.system_prompt)))
        ctx.ack()

    run = await ran(execute)
    assert seen == [(run.turn.turn_id, str(run.turn.system_prompt))]
    assert run.turn.turn_id == run.turn.id
