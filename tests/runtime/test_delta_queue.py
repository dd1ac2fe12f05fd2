"""Random histories of a dispatch against a small independent model of the delta-queue rules.

The model is written from the contract's table, with plain lists and no part of the package: what
the dispatch sees changes at once; what the turn sees changes at the end of an iteration.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.turns import Ran, message, tool_call
from tether import AbortSignal, CallNext, Context, DispatchContext, Helpers, TurnInput

pytestmark = pytest.mark.unmeasured

IDS = ["a", "b", "c"]


class Act(NamedTuple):
    """One thing that happens at one place of an iteration."""

    verb: str
    kind: str = "message"
    id: str = "a"
    version: int = 0


class Iteration(NamedTuple):
    """What happens in the three stages of one iteration."""

    before: list[Act]
    execute: list[Act]
    after: list[Act]


writes = st.builds(
    Act,
    st.sampled_from(["store", "mutate", "delete", "store", "mutate", "lost"]),
    st.sampled_from(["message", "tool_call"]),
    st.sampled_from(IDS),
    st.integers(0, 3),
)
endings = st.builds(Act, st.sampled_from(["ack", "nack", "abort", "raise"]))
quiet = st.lists(writes, max_size=4)
stages = st.one_of(
    quiet, quiet, quiet, st.tuples(quiet, endings).map(lambda pair: [*pair[0], pair[1]])
)
histories = st.lists(st.builds(Iteration, stages, stages, stages), min_size=1, max_size=4)


def record(act: Act) -> Any:
    if act.kind == "message":
        return message(act.id, f"version {act.version}")
    return tool_call(act.id, args={"version": act.version})


class Stopped(Exception):
    """A stage of the model ended the dispatch."""


class Model:
    """The rules, by hand. Records are (id, version) pairs in lists."""

    def __init__(self) -> None:
        self.local: dict[str, list[tuple[str, int]]] = {"message": [], "tool_call": []}
        self.turn: dict[str, list[tuple[str, int]]] = {"message": [], "tool_call": []}
        self.queue: list[Act] = []
        self.signal: str | None = None
        self.status = "aborted"
        self.finished = 0

    def play(self, history: list[Iteration]) -> None:
        try:
            for number, iteration in enumerate([*history, Iteration([], [Act("ack")], [])]):
                self.iterate(number, iteration)
        except Stopped:
            pass

    def iterate(self, number: int, iteration: Iteration) -> None:
        self.stage(iteration.before)
        self.stop_if_signalled()
        self.stage(iteration.execute)
        self.stop_if_signalled()
        self.stage(iteration.after)
        if self.signal == "abort":
            self.end("aborted")
        self.flush()
        self.finished = number + 1
        if self.signal is not None:
            self.end(self.signal)

    def stage(self, acts: list[Act]) -> None:
        for act in acts:
            if act.verb == "raise":
                self.end("nack")
            elif act.verb in ("ack", "nack", "abort"):
                self.signal = act.verb
            else:
                self.write(act)

    def write(self, act: Act) -> None:
        change(self.local[act.kind], act)
        if act.verb != "lost":
            self.queue.append(act)

    def stop_if_signalled(self) -> None:
        if self.signal == "ack":
            self.flush()
        if self.signal is not None:
            self.end({"ack": "ack", "nack": "nack", "abort": "aborted"}[self.signal])

    def flush(self) -> None:
        for act in self.queue:
            change(self.turn[act.kind], act)
        self.queue = []

    def end(self, status: str) -> None:
        self.status = status
        raise Stopped


def change(records: list[tuple[str, int]], act: Act) -> None:
    matching = [index for index, (id, _) in enumerate(records) if id == act.id]
    if act.verb == "delete":
        if matching:
            del records[matching[0]]
    elif act.verb == "mutate" and matching:
        records[matching[0]] = (act.id, act.version)
        for index in reversed(matching[1:]):
            del records[index]
    else:
        records.append((act.id, act.version))


class Failing:
    """Makes the next write fail after the local change, as a full disk would."""

    def __init__(self) -> None:
        self.armed = False

    async def __call__(self, ctx: Context, value: object) -> None:
        await asyncio.sleep(0)
        if self.armed:
            self.armed = False
            raise OSError("disk full")


async def act_out(ctx: DispatchContext, acts: list[Act], disk: Failing) -> None:
    for act in acts:
        match act.verb:
            case "ack":
                ctx.ack()
            case "nack":
                ctx.nack(RuntimeError("given up"))
            case "abort":
                ctx.abort("stop")
            case "raise":
                raise RuntimeError("broken")
            case "delete":
                await getattr(ctx, f"delete_{act.kind}")(act.id)
            case "lost":
                disk.armed = True
                with suppress(OSError):
                    await getattr(ctx, f"store_{act.kind}")(record(act))
            case _:
                await getattr(ctx, f"{act.verb}_{act.kind}")(record(act))


def version(held: Any) -> tuple[str, int]:
    if hasattr(held, "args"):
        return held.id, held.args["version"]
    return held.id, int(str(held.content).removeprefix("version "))


def seen(ctx: Context) -> dict[str, list[tuple[str, int]]]:
    return {
        "message": [version(held) for held in ctx.turn_messages],
        "tool_call": [version(held) for held in ctx.turn_tool_calls],
    }


async def play(history: list[Iteration]) -> tuple[Ran, dict[str, list[tuple[str, int]]]]:
    """Run the history for real; return the run and what the dispatch saw at its end."""
    script = [*history, Iteration([], [Act("ack")], [])]
    disk, contexts = Failing(), list[DispatchContext]()

    async def before(ctx: DispatchContext, call_next: CallNext) -> None:
        contexts.append(ctx)
        await act_out(ctx, script[ctx.iteration].before, disk)
        await call_next()

    async def execute(ctx: DispatchContext, helpers: Helpers) -> None:
        await act_out(ctx, script[ctx.iteration].execute, disk)

    async def after(ctx: DispatchContext, call_next: CallNext) -> None:
        await act_out(ctx, script[ctx.iteration].after, disk)
        await call_next()

    writes = [
        f"{verb}_{kind}"
        for verb in ("store", "mutate", "delete")
        for kind in ("message", "tool_call")
    ]
    run = Ran(
        execute,
        dispatch_input_pipeline=[before],
        dispatch_output_pipeline=[after],
        **dict.fromkeys(writes, disk.__call__),
    )
    await run.runner.run(TurnInput(system_prompt="", abort_signal=AbortSignal()))
    return run, seen(contexts[-1])


@given(history=histories)
@settings(max_examples=300)
async def test_the_turn_sees_exactly_what_the_delta_queue_rules_say(
    history: list[Iteration],
) -> None:
    model = Model()
    model.play(history)
    run, local = await play(history)
    (end,) = run.of("dispatch_end")
    assert seen(run.turn) == model.turn
    assert local == model.local
    assert (end.status, end.iterations) == (model.status, model.finished)
    assert run.names.count("iteration_end") == model.finished
    assert len(run.errors) == (model.status == "nack")
    assert run.names.count("turn_end") == 1
