"""The exact semantics of call_next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from support.turns import TURN, Ran, noting, raising, ran
from tether import Aborted, CallNext, Context
from tether.runtime.errors import (
    InputPipelineError,
    InvalidTurnRunnerConfig,
    PipelineShortCircuited,
)


async def test_middlewares_run_in_the_order_written_and_unwind_in_reverse() -> None:
    notes: list[str] = []
    await ran(turn_input_pipeline=[noting(notes, name) for name in "abc"])
    assert notes == ["a in", "b in", "c in", "c out", "b out", "a out"]


async def test_post_steps_run_on_the_error_path_and_call_next_returns_as_if_all_was_well() -> None:
    notes: list[str] = []

    async def cleaning(ctx: Context, call_next: CallNext) -> None:
        notes.append("acquire")
        assert await call_next() is None  # type: ignore[func-returns-value]
        notes.append("release")

    run = await ran(
        turn_input_pipeline=[
            cleaning,
            noting(notes, "b"),
            raising(ValueError("x")),
            noting(notes, "d"),
        ]
    )
    assert notes == ["acquire", "b in", "b out", "release"]
    assert len(run.errors) == 1


async def test_a_flag_set_near_the_end_tells_commit_from_rollback() -> None:
    outcomes: list[str] = []

    async def transaction(ctx: Context, call_next: CallNext) -> None:
        await call_next()
        outcomes.append("commit" if ctx.stash.get("work.done") else "rollback")

    async def work(ctx: Context, call_next: CallNext) -> None:
        await call_next()
        if ctx.stash.get("work.fails"):
            raise RuntimeError("failed")
        ctx.stash.set("work.done", True)

    async def break_it(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set("work.fails", True)
        await call_next()

    await ran(turn_input_pipeline=[transaction, work])
    await ran(turn_input_pipeline=[transaction, break_it, work])
    assert outcomes == ["commit", "rollback"]


async def test_the_first_failure_is_reported_and_a_later_one_is_written_on_it() -> None:
    async def fail_on_the_way_out(ctx: Context, call_next: CallNext) -> None:
        await call_next()
        raise KeyError("second")

    run = await ran(turn_input_pipeline=[fail_on_the_way_out, raising(ValueError("first"))])
    (error,) = run.errors
    assert isinstance(error.__cause__, ValueError)
    assert "KeyError('second')" in error.__cause__.__notes__[0]


async def test_a_second_call_next_does_nothing() -> None:
    notes: list[str] = []

    async def twice(ctx: Context, call_next: CallNext) -> None:
        await call_next()
        await call_next()

    run = await ran(turn_input_pipeline=[twice, noting(notes, "b")])
    assert notes == ["b in", "b out"]
    assert run.errors == []


async def test_a_call_next_that_is_never_awaited_is_a_short_circuit() -> None:
    async def forgets_await(ctx: Context, call_next: CallNext) -> None:
        call_next()  # type: ignore[unused-coroutine]  # pyright: ignore[reportUnusedCoroutine]

    with pytest.warns(RuntimeWarning, match="never awaited"):
        run = await ran(turn_input_pipeline=[forgets_await])
    assert isinstance(run.errors[0], PipelineShortCircuited)


async def test_upstream_unwinds_normally_when_downstream_forgets_to_call_on() -> None:
    notes: list[str] = []

    async def forget(ctx: Context, call_next: CallNext) -> None:
        notes.append("forgot")

    run = await ran(turn_input_pipeline=[noting(notes, "a"), forget, noting(notes, "c")])
    assert notes == ["a in", "forgot", "a out"]
    assert isinstance(run.errors[0], PipelineShortCircuited)


async def test_a_throw_before_the_end_is_one_error_and_no_short_circuit() -> None:
    run = await ran(turn_input_pipeline=[raising(ValueError("x"))])
    assert [type(error) for error in run.errors] == [InputPipelineError]


async def test_an_error_raised_after_an_abort_is_still_reported() -> None:
    async def abort_then_break(ctx: Context, call_next: CallNext) -> None:
        ctx.abort("stop")
        raise RuntimeError("a bug, all the same")

    run = await ran(turn_input_pipeline=[abort_then_break])
    assert [type(error) for error in run.errors] == [InputPipelineError]


async def test_a_timeout_around_call_next_works() -> None:
    async def limited(ctx: Context, call_next: CallNext) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await call_next()
        ctx.abort("took too long")

    async def slow(ctx: Context, call_next: CallNext) -> None:
        await asyncio.sleep(60)

    run = await ran(turn_input_pipeline=[limited, slow])
    assert run.errors == []
    assert run.names == ["turn_start", "turn_end"]


async def test_a_task_group_around_call_next_works() -> None:
    async def grouped(ctx: Context, call_next: CallNext) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            await call_next()

    async def fail() -> None:
        raise ValueError("sibling")

    async def slow(ctx: Context, call_next: CallNext) -> None:
        await asyncio.sleep(60)

    run = await ran(turn_input_pipeline=[grouped, slow])
    (error,) = run.errors
    assert isinstance(error.__cause__, ExceptionGroup)


async def test_try_finally_in_a_middleware_survives_cancellation() -> None:
    notes: list[str] = []

    async def leased(ctx: Context, call_next: CallNext) -> None:
        try:
            await call_next()
            notes.append("post-step")
        finally:
            notes.append("released")

    async def slow(ctx: Context, call_next: CallNext) -> None:
        await asyncio.sleep(60)

    run = Ran(turn_input_pipeline=[leased, slow])
    task = asyncio.create_task(run.runner.run(TURN))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert notes == ["released"]
    assert run.names == ["turn_start", "turn_end"]
    assert run.turn.aborted


def test_a_callable_object_can_be_a_middleware() -> None:
    class Middleware:
        async def __call__(self, ctx: Context, call_next: CallNext) -> None:
            await call_next()

    Ran(turn_input_pipeline=[Middleware()])


WRONG: dict[str, Callable[..., Any]] = {
    "not async": lambda ctx, call_next: None,
    "too few": lambda ctx: None,
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize(
    "pipeline",
    [
        "turn_output_pipeline",
        "dispatch_input_pipeline",
        "dispatch_output_pipeline",
        "turn_input_pipeline",
    ],
)
def test_a_middleware_that_cannot_be_called_is_refused_by_the_runner(
    pipeline: str, kind: str
) -> None:
    settings: dict[str, Any] = {pipeline: [WRONG[kind]]}
    with pytest.raises(InvalidTurnRunnerConfig, match=pipeline):
        Ran(**settings)


async def test_a_call_next_that_is_kept_for_later_does_nothing_after_the_pipeline() -> None:
    notes: list[str] = []
    tasks: list[asyncio.Task[None]] = []

    async def later(ctx: Context, call_next: CallNext) -> None:
        tasks.append(asyncio.create_task(call_next()))

    run = await ran(turn_input_pipeline=[later, noting(notes, "b")])
    await asyncio.wait(tasks)
    assert isinstance(run.errors[0], PipelineShortCircuited)
    assert notes == []


async def test_a_real_failure_is_not_lost_behind_an_abort() -> None:
    async def fail_on_the_way_out(ctx: Context, call_next: CallNext) -> None:
        await call_next()
        raise ValueError("a bug")

    run = await ran(turn_input_pipeline=[fail_on_the_way_out, raising(Aborted("stop"))])
    (error,) = run.errors
    assert isinstance(error.__cause__, ValueError)
