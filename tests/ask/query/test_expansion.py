"""What a helper model adds to a search: a made-up passage, other words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.turns import idle, nack
from tether import AbortSignal, DispatchContext, Executor, Helpers, Message
from tether.ask.query.expansion import MOST_CHARACTERS, MOST_VARIANTS, hypothesis, variants
from tether.ask.query.helper import ask_helper, spoken
from tether.batteries.models.errors import ModelHttpError
from tether.batteries.models.scripted import Call, Say, ScriptedModel
from tether.core.errors import Aborted

QUESTION = "How do I restart a failed worker?"
PASSAGE = "A failed worker is restarted by the supervisor. Call restart with its name."


def saying(text: str) -> Executor:
    return ScriptedModel([[Say(text)]])


async def imagined(said: str) -> str:
    return await hypothesis(QUESTION, saying(said), abort_signal=None)


async def varied(said: str, count: int = 3) -> tuple[str, ...]:
    return await variants(QUESTION, count, saying(said), abort_signal=None)


async def test_a_passage_is_made_up() -> None:
    assert await imagined(f"  {PASSAGE}\n") == PASSAGE


async def test_of_a_long_passage_four_sentences_are_kept() -> None:
    said = "One is here now. Two is here now. Three is here now. Four is here now. Five is here."
    assert await imagined(said) == said.removesuffix(" Five is here.")


async def test_a_sentence_without_end_is_cut_at_a_word() -> None:
    found = await imagined("restart worker " * 500)
    assert MOST_CHARACTERS - 10 < len(found) <= MOST_CHARACTERS
    assert found.endswith(("restart", "worker"))


async def test_code_after_a_passage_is_left_out() -> None:
    assert await imagined(f"{PASSAGE}\n\n```python\nrestart()\n```") == PASSAGE


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Restart it.",
        "```\nrestart(worker, force=True, at=now)\n```",
        "I don't know how workers are restarted.",
        "Sorry, but this is not something to answer.",
        "The manual says a lot, but I cannot tell you more.",
    ],
)
async def test_what_is_no_passage_is_not_used(said: str) -> None:
    assert await imagined(said) == ""


async def test_paraphrases_are_one_to_a_line_and_different() -> None:
    said = (
        "1. How can a crashed worker be started again?\n"
        "- Restarting workers after a failure\n"
        "\n"
        "How do I restart a failed worker\n"
        "* After a failure, restarting workers\n"
        "Here are some more:\n"
        '4) "What brings a dead worker back?"\n'
    )
    assert await varied(said) == (
        "How can a crashed worker be started again?",
        "Restarting workers after a failure",
        "What brings a dead worker back?",
    )
    assert await varied(said, 1) == ("How can a crashed worker be started again?",)


async def test_no_more_paraphrases_are_taken_than_there_may_be() -> None:
    said = "\n".join(f"worker number{number}" for number in range(30))
    assert len(await varied(said, 100)) == MOST_VARIANTS


@pytest.mark.parametrize(
    "said", ["", "Use restart(worker).", "You call the supervisor.", "the of it", "bake a cake"]
)
async def test_what_is_no_paraphrase_is_not_used(said: str) -> None:
    assert await varied(said) == ()


async def test_without_a_helper_or_a_question_nothing_is_added() -> None:
    unused = saying("A worker restarts after three failed checks.")
    assert await hypothesis(QUESTION, None, abort_signal=None) == ""
    assert await variants(QUESTION, 3, None, abort_signal=None) == ()
    assert await variants(QUESTION, 0, unused, abort_signal=None) == ()
    for nothing in ("", "  ", "\x00"):
        assert await hypothesis(nothing, unused, abort_signal=None) == ""
        assert await variants(nothing, 3, unused, abort_signal=None) == ()


async def raise_something(ctx: DispatchContext, helpers: Helpers) -> None:
    raise KeyError("choices")


async def say_then_fail(ctx: DispatchContext, helpers: Helpers) -> None:
    await ctx.store_message(Message.assistant(PASSAGE))
    ctx.nack("it broke off")


@pytest.mark.parametrize(
    "helper", [nack(ModelHttpError("503")), raise_something, say_then_fail, idle]
)
async def test_a_helper_that_fails_adds_nothing(helper: Executor) -> None:
    assert await hypothesis(QUESTION, helper, abort_signal=None) == ""
    assert await variants(QUESTION, 3, helper, abort_signal=None) == ()


async def test_a_helper_is_asked_once() -> None:
    calls: list[int] = []

    async def talkative(ctx: DispatchContext, helpers: Helpers) -> None:
        calls.append(ctx.iteration)
        await ctx.store_message(Message.assistant(f"worker {ctx.iteration}"))

    said = await ask_helper(talkative, "Be short.", spoken(QUESTION), abort_signal=None)
    assert said == "worker 0"
    assert calls == [0]


async def test_a_helper_that_wants_a_tool_gets_none() -> None:
    helper = ScriptedModel([[Call("search", {"text": "worker"})], [Say("found")]])
    assert await ask_helper(helper, "Be short.", spoken(QUESTION), abort_signal=None) == ""


Job = Callable[[Executor, AbortSignal | None], Awaitable[object]]
JOBS: list[Job] = [
    lambda helper, signal: hypothesis(QUESTION, helper, abort_signal=signal),
    lambda helper, signal: variants(QUESTION, 3, helper, abort_signal=signal),
]


@pytest.mark.parametrize("job", JOBS)
async def test_an_abort_passes_through(job: Job) -> None:
    signal = AbortSignal()

    async def helper(ctx: DispatchContext, helpers: Helpers) -> None:
        signal.abort("enough")

    with pytest.raises(Aborted):
        await job(helper, signal)
    assert await job(saying(PASSAGE), AbortSignal()) in (PASSAGE, ())


@pytest.mark.parametrize("job", JOBS)
async def test_cancellation_passes_through(job: Job) -> None:
    started = asyncio.Event()

    async def helper(ctx: DispatchContext, helpers: Helpers) -> None:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.ensure_future(job(helper, None))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@given(st.text(max_size=400), st.integers(-2, 12))
def test_whatever_is_said_stays_within_its_bounds(said: str, count: int) -> None:
    passage = asyncio.run(imagined(said))
    assert len(passage) <= MOST_CHARACTERS
    assert len(passage.splitlines()) <= 1
    found = asyncio.run(varied(said, count))
    assert len(found) <= max(0, min(count, MOST_VARIANTS))
    assert len(set(found)) == len(found)
    assert QUESTION not in found
