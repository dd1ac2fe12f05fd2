"""Thrift and limits before a real executor, judged by the requests that an endpoint got."""

from __future__ import annotations

from typing import Any

from support.budgets import answer, evidence, question
from support.chat_replies import Asked, asked, called, said
from tether import CallNext, Context, tool
from tether.batteries.budget import ModelProfile, Thrift, TurnLimits
from tether.batteries.budget.thrift import REPORT_PATH
from tether.batteries.testing import MemoryStorage
from tether.trust.nonces import Nonces
from tether.trust.renderer import Renderer

MODEL = ModelProfile(name="served", window=4_000, encoding="o200k_base")
NONCES = Nonces()


@tool
async def search(words: str) -> str:
    """Search for words."""
    return f"Something about {words}. " * 40


async def remember(ctx: Context, call_next: CallNext) -> None:
    for turn in range(60):
        ctx.turn_messages.add(question(2 * turn, "This and that? " * 9))
        ctx.turn_messages.add(answer(2 * turn + 1, "That and this. " * 9))
    ctx.turn_messages.add(question(500))
    for number in range(40):
        ctx.turn_retrievables.add(evidence(f"e{number}", 1 - number / 40, "A passage. " * 20))
    await call_next()


async def ask(*replies: bytes, window: int = MODEL.window, **pipelines: Any) -> Asked:
    return await asked(
        *replies,
        tools=[search],
        runner={"storage": MemoryStorage(), **pipelines},
        nonces=NONCES,
        token_encoding=MODEL.encoding,
        context_window=window,
    )


async def test_the_executor_counts_what_thrift_counted() -> None:
    thrift = Thrift(MODEL, renderer=Renderer(nonces=NONCES))
    run = await ask(said("Yes."), turn_input_pipeline=[remember, thrift])
    (usage,) = run.logged("context-window-usage")
    report = run.turn.stash.get(REPORT_PATH)
    assert report.anything_shed
    assert usage.payload["per_bucket"] == report.per_bucket
    assert usage.payload["total"] == report.after <= 3_000
    assert len(run.bodies) == 1


async def test_a_prompt_that_cannot_fit_is_never_sent() -> None:
    tiny = Thrift(MODEL, window=800, renderer=Renderer(nonces=NONCES))
    run = await ask(said("Yes."), dispatch_input_pipeline=[remember, tiny])
    assert [error.code for error in run.errors] == ["E_MODEL_CONTEXT_OVERFLOW"]
    assert run.bodies == []


async def test_a_model_that_asks_for_search_after_search_is_asked_once_more_at_most() -> None:
    limits = TurnLimits(tool_calls=4)
    calls = [called((f"id-{n}", "search", f'{{"words": "w{n}"}}')) for n in range(100)]
    run = await ask(
        *calls,
        window=100_000,
        dispatch_input_pipeline=[limits],
        dispatch_output_pipeline=[limits],
    )
    assert [error.limit for error in run.errors] == ["tool_calls"]
    assert len(run.bodies) == 5


async def test_a_model_that_repeats_itself_with_ids_of_its_own_making_is_stopped() -> None:
    limits = TurnLimits(same_call=2)
    again = called(("call_0", "search", '{"words": "cats"}'))
    run = await ask(again, window=100_000, dispatch_input_pipeline=[limits])
    assert [error.limit for error in run.errors] == ["same_call"]
    assert len(run.bodies) == 3
