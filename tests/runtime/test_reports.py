"""The streaming helpers: additive pieces, sealed streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.turns import TURN, Ran, ran
from tether import DispatchContext, DispatchRunner, Helpers, NoopStorage, RawDispatch, Tokenizable
from tether.core.plain_data import tool_checksum
from tether.runtime.errors import StreamSealed

RAW = RawDispatch(system_prompt="", storage=NoopStorage())


async def reported(work: Callable[[Helpers], None]) -> Ran:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        work(helpers)
        ctx.ack()

    return await ran(execute)


@given(pieces=st.lists(st.text(), min_size=1))
async def test_full_is_always_the_sum_of_the_pieces(pieces: list[str]) -> None:
    heard: list[Any] = []

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        for piece in pieces[:-1]:
            helpers.report_message("m", piece)
        helpers.report_message("m", pieces[-1], is_complete=True)
        ctx.ack()

    await DispatchRunner.dispatch(raw=RAW, executor=execute, hooks={"message": heard.append})
    text = ""
    for chunk in heard:
        text += chunk.a_delta
        assert chunk.full == text
    assert text == "".join(pieces).replace("\x00", "")
    assert [chunk.is_complete for chunk in heard] == [False] * (len(pieces) - 1) + [True]


async def test_half_a_surrogate_pair_waits_for_its_other_half() -> None:
    def work(helpers: Helpers) -> None:
        helpers.report_message("m", "a\ud83d")
        helpers.report_message("m", "\ude00b")
        helpers.report_message("m", "\ud83d", is_complete=True)

    run = await reported(work)
    assert [chunk.a_delta for chunk in run.of("message")] == ["a", "\U0001f600b", "\ufffd"]
    assert run.recorder.text == "a\U0001f600b\ufffd"


@pytest.mark.parametrize("kind", ["message", "thought", "tool_call"])
async def test_a_report_after_the_seal_raises_and_other_ids_go_on(kind: str) -> None:
    def work(helpers: Helpers) -> None:
        if kind == "tool_call":
            helpers.report_tool_call("x", tool="add", is_complete=True)
            with pytest.raises(StreamSealed, match="'x'") as caught:
                helpers.report_tool_call("x", results=Tokenizable("late"))
            helpers.report_tool_call("y", tool="add")
        else:
            report = getattr(helpers, f"report_{kind}")
            report("x", "all", is_complete=True)
            with pytest.raises(StreamSealed, match="'x'") as caught:
                report("x", "late")
            report("y", "fine")
        assert caught.value.code == "E_STREAM_SEALED"

    run = await reported(work)
    assert run.errors == []
    assert [event.id for event in run.of(kind)] == ["x", "y"]


async def test_a_message_and_a_thought_may_share_an_id() -> None:
    def work(helpers: Helpers) -> None:
        helpers.report_thought("x", "hm", is_complete=True)
        helpers.report_message("x", "hi", is_complete=True)

    run = await reported(work)
    assert (run.of("thought")[0].full, run.of("message")[0].full) == ("hm", "hi")


async def test_a_tool_call_is_merged_and_its_checksum_appears_when_tool_and_args_are_known() -> (
    None
):
    def work(helpers: Helpers) -> None:
        helpers.report_tool_call("c", tool="add")
        helpers.report_tool_call("c", args={"a": 1})
        helpers.report_tool_call("c", args={"a": 1, "b": 2}, is_error=True)
        helpers.report_tool_call("c", results=Tokenizable("3"), is_complete=True)

    run = await reported(work)
    named, half, whole, done = run.of("tool_call")
    assert (named.tool, named.args, named.checksum) == ("add", None, None)
    assert half.checksum == tool_checksum("add", {"a": 1})
    assert whole.checksum == done.checksum == tool_checksum("add", {"a": 1, "b": 2})
    assert (done.results, done.is_error, done.is_complete) == (Tokenizable("3"), True, True)
    assert [event.completed_at is not None for event in run.of("tool_call")] == [False] * 3 + [True]


async def test_streams_live_on_across_iterations_of_one_dispatch_and_not_into_the_next() -> None:
    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        helpers.report_message("m", f"{ctx.iteration}", is_complete=ctx.iteration == 2)
        if ctx.iteration == 2:
            ctx.ack()

    run = await ran(execute)
    assert [chunk.full for chunk in run.of("message")] == ["0", "01", "012"]
    again = await ran(execute)
    assert again.recorder.text == "012"


async def test_reporting_stores_nothing() -> None:
    run = await reported(lambda helpers: helpers.report_message("m", "ghost", is_complete=True))
    assert len(run.turn.turn_messages) == 0


async def test_a_listener_cannot_change_what_was_reported() -> None:
    args = {"numbers": [1]}

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        helpers.report_tool_call("c", tool="add", args=args)
        ctx.ack()

    run = Ran(execute)
    run.runner.on("tool_call", lambda event: event.args["numbers"].append(2))
    await run.runner.run(TURN)
    assert args == {"numbers": [1]}


async def test_a_report_that_is_refused_does_not_seal_the_stream() -> None:
    def work(helpers: Helpers) -> None:
        with pytest.raises(ValueError, match="JSON"):
            helpers.report_tool_call("c", tool="add", args={"a": float("nan")}, is_complete=True)
        helpers.report_tool_call("c", tool="add", args={"a": 1}, is_complete=True)

    run = await reported(work)
    assert run.errors == []
    assert run.of("tool_call")[0].args == {"a": 1}
