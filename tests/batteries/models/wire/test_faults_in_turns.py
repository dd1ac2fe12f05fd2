"""What endpoints do wrong, in whole turns over chat completions: cases 131, 134 to 137 and 140.

A half tool call is never run, nothing is run twice, and no turn goes on for ever.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.chat_replies import (
    DONE,
    Asked,
    asked,
    called,
    delta,
    piece,
    said,
    stream,
    whole,
)
from support.faulty_endpoint import Close, Request, Reset, Script, Step, sse, stream_head, streamed
from tether import Tool, tool
from tether.batteries.budget.errors import TurnLimitReached
from tether.batteries.budget.limits import TurnLimits
from tether.batteries.models.errors import (
    OpenaiChatCompletionsHttpError,
    OpenaiChatCompletionsStreamError,
)
from tether.batteries.testing import MemoryStorage

ONE_CENT = {"to": "Ada", "cents": 1}
ARGUMENTS = '{"to": "Ada", "cents": 1}'


class Till:
    """Pays, and remembers its payments."""

    def __init__(self) -> None:
        self.paid: list[dict[str, Any]] = []

    @property
    def tool(self) -> Tool:
        @tool
        async def pay(to: str = "nobody", cents: int = 0) -> str:
            """Pay somebody."""
            self.paid.append({"to": to, "cents": cents})
            return "paid"

        return pay


def results_in(run: Asked, request: int) -> list[str]:
    """Return the results of its calls that the model got in that request."""
    messages = run.bodies[request]["messages"]
    return [str(message["content"]) for message in messages if message["role"] == "tool"]


# 131: a stream with a tool call that breaks.

CALLING = [
    delta(content="I shall pay. "),
    *(delta(content=f"Reason {number}. ") for number in range(4)),
    delta(tool_calls=[piece(0, "", id="c1", name="pay")]),
    *(delta(tool_calls=[piece(0, part)]) for part in ('{"to": "A', 'da", "cen', 'ts": 1', "}")),
    delta("tool_calls"),
]
HEAD = stream_head()
BODY = sse(*CALLING, DONE)
BYTES = HEAD + BODY
SIZES = [*range(0, len(BYTES), 41), len(HEAD), len(BYTES) - 1, len(BYTES)]


def cut_once(size: int, end: Step) -> Any:
    """Cut the first request's stream; say thanks once the model was told of its call."""

    def answer(request: Request) -> Script:
        is_told = request.json()["messages"][-1]["role"] == "tool"
        return said("Thanks.") if is_told else [BYTES[:size], end]

    return answer


@pytest.mark.unmeasured
@pytest.mark.parametrize("size", SIZES)
async def test_131_a_call_in_a_stream_that_breaks_is_neither_run_nor_stored(size: int) -> None:
    till, storage = Till(), MemoryStorage()
    run = await asked(
        cut_once(size, Reset()),
        tools=[till.tool],
        runner={"storage": storage},
        retry={"max_attempts": 3, "base_delay_ms": 0},
    )
    if BYTES[:size].endswith(b"[DONE]\n\n"):
        assert till.paid == [ONE_CENT]
        return
    assert till.paid == []
    records = storage.session()
    assert not records.messages
    assert not records.tool_calls
    (error,) = run.errors
    if size < len(HEAD):
        assert isinstance(error, OpenaiChatCompletionsHttpError)
        assert len(run.endpoint.requests) == 3
    else:
        assert isinstance(error, OpenaiChatCompletionsStreamError)
        assert len(run.endpoint.requests) == 1
        shown = run.of("message")
        assert error.partial == (shown[-1].full if shown else "")
        assert not any(chunk.is_complete for chunk in shown)


@pytest.mark.unmeasured
@pytest.mark.parametrize("size", [size for size in SIZES if size >= len(HEAD)])
async def test_131_a_call_in_a_stream_that_just_ends_is_run_whole_or_not_at_all(size: int) -> None:
    till = Till()
    limits = TurnLimits(iterations=3)
    run = await asked(
        cut_once(size, Close()),
        tools=[till.tool],
        runner={"dispatch_input_pipeline": [limits]},
    )
    received = BYTES[:size].decode()
    assert till.paid == ([ONE_CENT] if came_whole(received, CALLING[-2]) else [])
    assert len(run.endpoint.requests) <= 3
    if received.endswith("[DONE]\n\n"):
        assert run.logged("sse-eof-without-done") == []


def came_whole(received: str, chunk: object) -> bool:
    """Say whether the line of a chunk came whole, if only without what ends it."""
    return f"data: {json.dumps(chunk)}" in received


# 134: chunks that make no sense.


@pytest.mark.parametrize(
    "chunk",
    [
        "{",
        "NaN",
        '{"choices": [{"delta": {"content": NaN}}]}',
        '"text"',
        "[]",
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": "no"},
        {"choices": [{}]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": 7}}]},
        {"choices": [{"delta": {"tool_calls": "no"}}]},
        {"choices": [{"delta": {"role": "user"}}]},
        {"choices": [{"index": 1, "delta": {"content": "other"}}]},
        {"choices": [{"delta": {}, "finish_reason": 7}]},
    ],
    ids=repr,
)
async def test_134_a_chunk_that_makes_no_sense_spoils_nothing(chunk: object) -> None:
    stream_of = stream(delta(content="hel"), chunk, delta(content="lo"), delta("stop"))
    run = await asked(stream_of)
    assert run.errors == []
    assert run.recorder.text == "hello"


@pytest.mark.parametrize("reason", ["length", "content_filter", "whatever"])
async def test_134_whatever_ended_a_reply_it_is_a_reply(reason: str) -> None:
    run = await asked(stream(delta(content="hello"), delta(reason)))
    assert run.recorder.text == "hello"
    (finished,) = run.logged("generation-finished")
    assert finished.payload["finish_reason"] == reason


# 135: tool calls in pieces.


@pytest.mark.parametrize(
    ("pieces", "paid"),
    [
        ([piece(None, ARGUMENTS, id="a", name="pay")], [ONE_CENT]),
        ([piece(0, '{"to": "A', id="a", name="pay"), piece(0, 'da", "cents": 1}')], [ONE_CENT]),
        ([piece(0, ARGUMENTS, id="a"), piece(0, name="pay")], [ONE_CENT]),
        ([piece(0, "", id="a", name="p"), piece(0, name="ay"), piece(0, ARGUMENTS)], [ONE_CENT]),
        ([piece(0, "", id="a", name="pay")], [{"to": "nobody", "cents": 0}]),
        ([piece(0, ARGUMENTS[:-1], id="a", name="pay")], []),
        ([piece(0, ARGUMENTS + "}", id="a", name="pay")], []),
        ([piece(0, "[]", id="a", name="pay")], []),
        (
            [
                piece(1, '{"to": "B"', id="b", name="pay"),
                piece(0, '{"to": "A"', id="a", name="pay"),
                piece(1, "}"),
                piece(0, "}"),
            ],
            [{"to": "A", "cents": 0}, {"to": "B", "cents": 0}],
        ),
        (
            [piece(0, ARGUMENTS, id="a", name="pay"), piece(1, ARGUMENTS, id="a", name="pay")],
            [ONE_CENT],
        ),
        (
            [piece(0, ARGUMENTS, id="a", name="pay"), piece(1, "{}", id="a", name="pay")],
            [ONE_CENT, {"to": "nobody", "cents": 0}],
        ),
        (
            [piece(0, ARGUMENTS, name="pay"), piece(1, ARGUMENTS, name="pay")],
            [ONE_CENT, ONE_CENT],
        ),
    ],
)
async def test_135_pieces_become_the_calls_that_were_meant(
    pieces: list[Any], paid: list[dict[str, Any]]
) -> None:
    till = Till()
    chunks = [delta(tool_calls=[it]) for it in pieces]
    run = await asked(stream(*chunks, delta("tool_calls")), said("ok"), tools=[till.tool])
    assert till.paid == paid
    assert len(run.endpoint.requests) == 2
    assert len(results_in(run, 1)) == max(len(paid), 1)


async def test_135_a_call_beside_a_text_is_run_and_the_text_kept() -> None:
    till = Till()
    chunks = [delta(content="Paying."), delta(tool_calls=[piece(0, ARGUMENTS, id="a", name="pay")])]
    run = await asked(stream(*chunks, delta("tool_calls")), said("ok"), tools=[till.tool])
    assert till.paid == [ONE_CENT]
    assert [chunk.full for chunk in run.of("message") if chunk.is_complete] == ["Paying.", "ok"]


async def test_135_the_old_form_of_a_call_is_a_call() -> None:
    till = Till()
    old = delta(function_call={"name": "pay", "arguments": ARGUMENTS})
    await asked(stream(old, delta("function_call")), said("ok"), tools=[till.tool])
    assert till.paid == [ONE_CENT]


async def test_135_a_thousand_calls_at_once_are_refused_whole() -> None:
    till = Till()
    calls = [(f"c{number}", "pay", ARGUMENTS) for number in range(1000)]
    run = await asked(called(*calls), tools=[till.tool])
    assert till.paid == []
    (error,) = run.errors
    assert isinstance(error, OpenaiChatCompletionsStreamError)


# 136: calls that nobody can answer.


@pytest.mark.parametrize("offered", [True, False])
async def test_136_a_call_of_an_unknown_tool_is_told_to_the_model(offered: bool) -> None:
    till = Till()
    tools = [till.tool] if offered else []
    run = await asked(called(("c1", "rob", ARGUMENTS)), said("Sorry."), tools=tools)
    assert till.paid == []
    assert run.recorder.text == "Sorry."
    (told,) = results_in(run, 1)
    assert "rob" in told
    assert ("pay" in told) is offered


async def test_136_a_model_that_insists_on_an_unknown_tool_is_stopped() -> None:
    limits = TurnLimits(same_call=3)
    run = await asked(
        called(("c1", "rob", ARGUMENTS)), runner={"dispatch_input_pipeline": [limits]}
    )
    (error,) = run.errors
    assert isinstance(error, TurnLimitReached)
    assert len(run.endpoint.requests) == 4


async def test_136_a_call_after_the_finish_is_not_lost_and_one_after_the_end_is_not_read() -> None:
    till = Till()
    late = delta(tool_calls=[piece(0, ARGUMENTS, id="a", name="pay")])
    await asked(stream(delta("stop"), late), said("ok"), tools=[till.tool])
    assert till.paid == [ONE_CENT]
    after = streamed(sse(delta(content="hello"), delta("stop"), DONE, late, DONE))
    run = await asked(after, tools=[till.tool])
    assert till.paid == [ONE_CENT]
    assert run.recorder.text == "hello"


# 137: usage that cannot be.


@pytest.mark.parametrize("count", [None, -5, 1e18, "many", 3.5, True, []])
@pytest.mark.parametrize("streams", [True, False])
async def test_137_a_count_that_cannot_be_is_replaced_by_our_own(
    count: object, streams: bool
) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": count}
    if streams:
        script = stream(delta(content="hello there"), {"choices": [], "usage": usage})
    else:
        script = whole({"role": "assistant", "content": "hello there"}, usage=usage)
    run = await asked(script, stream=streams, token_encoding="o200k_base", context_window=10_000)
    (finished,) = run.logged("generation-finished")
    used = finished.payload["usage"]
    assert used["estimated"] is True
    assert used["input_tokens"] > 0
    assert used["output_tokens"] == 2


async def test_137_no_usage_at_all_is_no_failure() -> None:
    run = await asked(said("hello"))
    (finished,) = run.logged("generation-finished")
    assert finished.payload["usage"] == {}
    assert run.errors == []


# 140: models that go in circles.


def circling(*replies: bytes) -> Any:
    """Answer with the replies in turn, for ever."""
    asked_before: list[Request] = []

    def answer(request: Request) -> Script:
        asked_before.append(request)
        return replies[(len(asked_before) - 1) % len(replies)]

    return answer


PAY_ADA = called(("c1", "pay", ARGUMENTS))
PAY_BOB = called(("c2", "pay", '{"to": "Bob"}'))
EMPTY = stream(delta("stop"))


@pytest.mark.parametrize(
    ("replies", "limits", "limit", "most_requests"),
    [
        ([PAY_ADA], {"same_call": 3}, "same_call", 4),
        ([PAY_ADA, PAY_BOB], {"same_call": 3}, "same_call", 7),
        ([PAY_ADA, PAY_BOB], {"tool_calls": 5}, "tool_calls", 6),
        ([EMPTY], {"empty_replies": 3}, "empty_replies", 4),
        ([EMPTY], {"iterations": 10}, "iterations", 10),
    ],
)
@pytest.mark.parametrize("places", ["input", "output", "both"])
async def test_140_a_model_that_goes_in_circles_is_stopped(
    replies: list[bytes], limits: dict[str, Any], limit: str, most_requests: int, places: str
) -> None:
    breaker, till = TurnLimits(**limits), Till()
    runner = {
        f"dispatch_{place}_pipeline": [breaker]
        for place in ("input", "output")
        if places in (place, "both")
    }
    run = await asked(circling(*replies), tools=[till.tool], runner=runner, auto_ack=False)
    (error,) = run.errors
    assert isinstance(error, TurnLimitReached)
    assert error.limit == limit
    late = 1 if places == "output" else 0
    assert len(run.endpoint.requests) <= most_requests + late
    assert len(till.paid) <= most_requests + late
