"""Limits for models that go in circles: each one alone."""

from __future__ import annotations

from typing import Any

import pytest

from support.turns import WHEN, Ran, ran
from tether import (
    CallNext,
    DispatchContext,
    Helpers,
    Message,
    Thought,
    Tokenizable,
    ToolCall,
    TurnInput,
    tool,
)
from tether.batteries.budget import ModelProfile, Thrift, TurnLimits
from tether.batteries.budget.errors import InvalidBudget, TurnLimitReached
from tether.batteries.models.scripted import Step
from tether.batteries.testing import Call, FakeClock, MemoryStorage, Say, ScriptedModel, Think
from tether.core.tokens import count_tokens


@tool
async def search(words: str) -> str:
    """Search for words."""
    return f"Nothing about {words}."


FOREVER = 1_000
BOTH, INPUT, OUTPUT = "both", "input", "output"


class Counting:
    """An executor that counts how often it is asked."""

    def __init__(self, script: list[list[Step]]) -> None:
        self._model = ScriptedModel(script)
        self.asked = 0

    async def __call__(self, ctx: DispatchContext, helpers: Helpers) -> None:
        self.asked += 1
        await self._model(ctx, helpers)


async def run_with(
    limits: TurnLimits, script: list[list[Step]], where: str = BOTH, **settings: Any
) -> tuple[int, Ran]:
    executor = Counting(script)
    run = await ran(
        executor,
        tools=[search],
        storage=MemoryStorage(),
        dispatch_input_pipeline=[] if where == OUTPUT else [limits],
        dispatch_output_pipeline=[] if where == INPUT else [limits],
        **settings,
    )
    return executor.asked, run


def limit_of(run: Ran) -> str:
    (error,) = run.errors
    assert isinstance(error, TurnLimitReached)
    assert error.status == 429
    return error.limit


def searches(*words: str) -> list[list[Step]]:
    return [[Call("search", {"words": word})] for word in words]


# In the output pipeline alone the first look comes after the first response: one more goes by.
PLACES = pytest.mark.parametrize(("where", "late"), [(BOTH, 0), (INPUT, 0), (OUTPUT, 1)])


@PLACES
async def test_iterations(where: str, late: int) -> None:
    endless = searches(*map(str, range(FOREVER)))
    asked, run = await run_with(TurnLimits(iterations=4), endless, where)
    assert asked == 4 + late
    assert limit_of(run) == "iterations"


@PLACES
async def test_a_thousand_searches(where: str, late: int) -> None:
    endless = searches(*map(str, range(FOREVER)))
    asked, run = await run_with(TurnLimits(tool_calls=5), endless, where)
    assert asked == 6 + late  # the one past the limit is how it is known
    assert limit_of(run) == "tool_calls"
    assert "tool calls would be 6, allowed: 5" in str(run.errors[0])


async def test_many_calls_in_one_response() -> None:
    burst: list[Step] = [Call("search", {"words": str(number)}) for number in range(50)]
    asked, run = await run_with(TurnLimits(tool_calls=5), [burst, burst])
    assert asked == 1
    assert limit_of(run) == "tool_calls"


@PLACES
async def test_the_same_call_again_and_again(where: str, late: int) -> None:
    asked, run = await run_with(TurnLimits(same_call=3), searches(*["cats"] * FOREVER), where)
    assert asked == 4 + late
    assert limit_of(run) == "same_call"


async def test_two_calls_in_turns() -> None:
    asked, run = await run_with(TurnLimits(same_call=3), searches(*["cats", "dogs"] * FOREVER))
    assert asked == 7
    assert limit_of(run) == "same_call"


async def quiet(ctx: DispatchContext, helpers: Helpers) -> None:
    """An executor that never says anything."""


@PLACES
async def test_replies_that_are_empty(where: str, late: int) -> None:
    limits = TurnLimits(empty_replies=10)
    asked: list[int] = []

    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        asked.append(ctx.iteration)

    run = await ran(
        executor,
        dispatch_input_pipeline=[] if where == OUTPUT else [limits],
        dispatch_output_pipeline=[] if where == INPUT else [limits],
    )
    assert len(asked) == 11 + late
    assert limit_of(run) == "empty_replies"


async def test_a_reply_that_says_something_starts_the_count_again() -> None:
    limits = TurnLimits(empty_replies=2, iterations=9)

    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        if ctx.iteration % 3 == 2:
            await ctx.store_message(Message.assistant(f"Still here: {ctx.iteration}."))

    run = await ran(
        executor,
        storage=MemoryStorage(),
        dispatch_input_pipeline=[limits],
        dispatch_output_pipeline=[limits],
    )
    assert limit_of(run) == "iterations"


async def test_reasoning_alone_is_an_empty_reply() -> None:
    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        await ctx.store_thought(Thought(id=str(ctx.iteration), content="Hmm.", created_at=WHEN))

    run = await ran(
        executor,
        storage=MemoryStorage(),
        dispatch_input_pipeline=[TurnLimits(empty_replies=3)],
    )
    assert limit_of(run) == "empty_replies"


@PLACES
async def test_seconds_by_the_clock_of_the_turn(where: str, late: int) -> None:
    clock = FakeClock()
    limits = TurnLimits(seconds=30)
    asked: list[int] = []

    async def executor(ctx: DispatchContext, helpers: Helpers) -> None:
        asked.append(ctx.iteration)
        clock.advance(8)

    run = await ran(
        executor,
        clock=clock,
        dispatch_input_pipeline=[] if where == OUTPUT else [limits],
        dispatch_output_pipeline=[] if where == INPUT else [limits],
    )
    assert len(asked) == 4 + late  # 32 seconds
    assert limit_of(run) == "seconds"


@PLACES
async def test_tokens_that_the_model_writes(where: str, late: int) -> None:
    text = "word " * 10
    replies: list[list[Step]] = [[Think(text), Say(text), Call("search", {"words": text})]]
    once = 2 * count_tokens(text, "cl100k_base")
    once += count_tokens(f'{{"words":"{text}"}}', "cl100k_base")
    limits = TurnLimits(output_tokens=3 * once, encoding="cl100k_base")
    asked, run = await run_with(limits, replies * FOREVER, where)
    assert asked == 4 + late
    assert limit_of(run) == "output_tokens"


async def test_what_was_there_before_is_not_counted() -> None:
    old = [
        ToolCall(
            id=str(number),
            tool="search",
            args={"words": "cats"},
            results=Tokenizable("None."),
            created_at=WHEN,
        )
        for number in range(9)
    ]

    async def fill(ctx: Any, call_next: CallNext) -> None:
        ctx.turn_tool_calls.update(old)
        await call_next()

    limits = TurnLimits(same_call=2, tool_calls=2)
    asked, run = await run_with(
        limits, [*searches("cats", "cats"), [Say("Enough.")]], turn_input_pipeline=[fill]
    )
    assert run.errors == []
    assert asked == 3


async def test_what_was_shed_in_between_still_counts() -> None:
    thrift = Thrift(ModelProfile(name="tiny", window=1_200, encoding="claude"))
    limits = TurnLimits(tool_calls=12)
    executor = Counting(searches(*map(str, range(FOREVER))))
    run = await ran(
        executor,
        tools=[search],
        storage=MemoryStorage(),
        dispatch_input_pipeline=[limits, thrift],
        dispatch_output_pipeline=[limits],
    )
    assert executor.asked == 13
    assert limit_of(run) == "tool_calls"
    assert sum(ledger.shed.get("tool_results", 0) for ledger in run.of("budget")) > 3


async def test_a_new_version_of_a_call_is_not_another_call() -> None:
    async def rewrite(ctx: DispatchContext, call_next: CallNext) -> None:
        for made in ctx.turn_tool_calls:
            await ctx.mutate_tool_call(ToolCall(inline=False, **fields(made)))
        await call_next()

    limits = TurnLimits(tool_calls=2)
    executor = Counting([*searches("cats", "dogs"), [Say("Enough.")]])
    run = await ran(
        executor,
        tools=[search],
        storage=MemoryStorage(),
        dispatch_input_pipeline=[rewrite, limits],
        dispatch_output_pipeline=[limits],
    )
    assert run.errors == []


def fields(made: ToolCall) -> dict[str, Any]:
    names = ("id", "tool", "args", "results", "created_at")
    return {name: getattr(made, name) for name in names}


async def test_two_calls_under_one_id_are_two_calls() -> None:
    steps: list[list[Step]] = [[Call("search", {"words": "cats"}, id="call_0")]] * FOREVER
    asked, run = await run_with(TurnLimits(same_call=3), steps, clock=FakeClock())
    assert asked == 4
    assert limit_of(run) == "same_call"


async def test_without_limits_nothing_stops_a_turn() -> None:
    asked, run = await run_with(TurnLimits(), [*searches(*["cats"] * 30), [Say("Found.")]])
    assert (asked, run.errors) == (31, [])


async def test_a_dispatch_that_is_over_is_left_alone() -> None:
    async def finish(ctx: DispatchContext, call_next: CallNext) -> None:
        if ctx.iteration == 2:
            ctx.ack()
        await call_next()

    limits = TurnLimits(iterations=2)
    run = await ran(quiet, dispatch_input_pipeline=[finish, limits])
    assert run.errors == []


async def test_one_object_serves_turns_at_the_same_time() -> None:
    limits = TurnLimits(tool_calls=3)
    run = Ran(
        ScriptedModel([*searches("a", "b", "c"), [Say("Done.")]]),
        tools=[search],
        storage=MemoryStorage(),
        dispatch_input_pipeline=[limits],
        dispatch_output_pipeline=[limits],
    )
    for _ in range(3):
        await run.runner.run(TurnInput(system_prompt="You help."))
    assert run.errors == []


async def test_a_summary_that_does_not_shrink_does_not_go_on_for_ever() -> None:
    thrift = Thrift(ModelProfile(name="tiny", window=900, encoding="claude"), on_refusal="report")
    limits = TurnLimits(iterations=5)
    written: list[int] = []

    async def summarise(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.turn_messages.clear()
        ctx.turn_messages.add(Message.user("as long as before " * 100))
        written.append(ctx.iteration)

    run = await ran(summarise, dispatch_input_pipeline=[limits, thrift])
    assert len(written) == 5
    assert limit_of(run) == "iterations"


@pytest.mark.parametrize(
    "name", ["iterations", "tool_calls", "same_call", "empty_replies", "output_tokens", "seconds"]
)
@pytest.mark.parametrize("value", [0, -1, float("nan"), True, "3"])
def test_what_is_no_limit_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidBudget, match=name):
        TurnLimits(**{name: value})


def test_an_endless_time_is_no_limit_and_part_of_a_second_is() -> None:
    TurnLimits(seconds=0.5)
    with pytest.raises(InvalidBudget, match="seconds"):
        TurnLimits(seconds=float("inf"))


@pytest.mark.parametrize("limit", ["tool_calls", "iterations", "output_tokens"])
async def test_in_the_output_pipeline_alone_the_first_response_counts_if_it_is_told_so(
    limit: str,
) -> None:
    burst: list[Step] = [Call("search", {"words": str(number)}) for number in range(30)]
    settings: dict[str, Any] = {limit: 1, "output_only": True}
    asked, run = await run_with(TurnLimits(**settings), [burst, burst, burst], OUTPUT)
    assert asked == 1
    assert limit_of(run) == limit


async def test_in_the_output_pipeline_alone_what_is_older_than_the_question_does_not_count() -> (
    None
):
    async def fill(ctx: Any, call_next: CallNext) -> None:
        ctx.turn_tool_calls.update(made_before(9))
        ctx.turn_messages.add(Message.user("What is it?"))
        await call_next()

    limits = TurnLimits(tool_calls=2, output_only=True)
    script: list[list[Step]] = [*searches("a", "b"), [Say("Enough.")]]
    asked, run = await run_with(limits, script, OUTPUT, turn_input_pipeline=[fill])
    assert (asked, run.errors) == (3, [])


def made_before(count: int) -> list[ToolCall]:
    return [
        ToolCall(
            id=str(number),
            tool="search",
            args={"words": "cats"},
            results=Tokenizable("None."),
            created_at=WHEN,
        )
        for number in range(count)
    ]


async def test_what_a_later_middleware_loads_is_not_counted() -> None:
    async def load(ctx: DispatchContext, call_next: CallNext) -> None:
        if ctx.iteration == 0:
            ctx.turn_tool_calls.update(made_before(9))
            ctx.turn_messages.add(Message.assistant("word " * 1_000))
            ctx.turn_thoughts.add(Thought(id="t", content="word " * 1_000, created_at=WHEN))
        await call_next()

    limits = TurnLimits(tool_calls=2, same_call=2, output_tokens=500)
    executor = Counting([*searches("cats", "cats"), [Say("Enough.")]])
    run = await ran(
        executor,
        tools=[search],
        storage=MemoryStorage(),
        dispatch_input_pipeline=[limits, load],
        dispatch_output_pipeline=[limits],
    )
    assert (executor.asked, run.errors) == (3, [])


async def test_in_the_pipeline_of_a_turn_limits_say_where_they_belong() -> None:
    limits: Any = TurnLimits(iterations=3)
    run = await ran(turn_input_pipeline=[limits])
    (error,) = run.errors
    assert isinstance(error.__cause__, InvalidBudget)
    assert "dispatch's pipelines" in str(error)
