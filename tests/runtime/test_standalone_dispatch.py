"""The loop as an entry point of its own: what it takes, and whom it tells."""

from __future__ import annotations

from typing import Any

import pytest

from support.turns import (
    ack,
    add,
    message,
    nack,
    ran,
    tool_call,
)
from tether import (
    AbortSignal,
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
)
from tether.batteries.testing import FakeClock, Say, ScriptedModel
from tether.runtime.errors import (
    ArtifactIdCollision,
    InvalidLlmDispatchInput,
    InvalidLlmExecutionContext,
    LlmExecutionExecutorError,
    LlmExecutionGateNotSupported,
    LlmExecutionNacked,
)

RAW = RawDispatch(system_prompt="Alone.", storage=NoopStorage())


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


async def test_listeners_and_clocks_of_the_wrong_kind_are_refused() -> None:
    bad: dict[str, Any] = {"hooks": [1], "observers": "x", "clock": 1}
    with pytest.raises(InvalidLlmDispatchInput) as caught:
        await DispatchRunner.dispatch(raw=RAW, executor=ack, **bad)
    assert [problem.path for problem in caught.value.problems] == ["hooks", "observers", "clock"]
    turn = (await ran()).turn
    with pytest.raises(InvalidLlmDispatchInput, match="is the turn's"):
        await DispatchRunner.dispatch(source=turn, executor=ack, clock=FakeClock())
