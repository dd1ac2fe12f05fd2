"""Chat completions over real HTTP, in real turns: options, streaming, failures and aborts.

The numbers are those of the contract's group N.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from support.chat_replies import (
    DONE,
    asked,
    called,
    delta,
    endpoint_of,
    piece,
    said,
    stream,
    tool_call,
    whole,
)
from support.faulty_endpoint import Drip, Reset, Silence, http_response, sse, stream_head, streamed
from support.keywords import differences
from support.turns import TURN, Ran, add, message
from tether import (
    AbortSignal,
    CallNext,
    Context,
    DispatchContext,
    Thought,
    TurnInput,
    tool,
)
from tether.batteries.models.chat_completions import ChatCompletions, ChatCompletionsOptions
from tether.batteries.models.chat_completions.options import ChatCompletionsKeywords
from tether.batteries.models.errors import (
    InvalidOpenaiChatCompletionsOptions,
    OpenaiChatCompletionsHttpError,
    OpenaiChatCompletionsRequestTimeout,
    OpenaiChatCompletionsStreamError,
    OpenaiChatCompletionsStreamStalled,
)
from tether.batteries.testing import MemoryStorage
from tether.runtime.errors import LlmExecutionExecutorError

KEY = ChatCompletions.STASH_KEY


def stashing(**overrides: Any) -> Any:
    """A middleware that puts overrides where the executor looks for them."""

    async def middleware(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set(KEY, overrides)
        await call_next()

    return middleware


# 138: refused before any request


def test_138_bad_options_fail_at_construction_with_every_problem() -> None:
    wrong: dict[str, Any] = {"temperature": "hot", "modle": "m", "steps": {"weather": print}}
    with pytest.raises(InvalidOpenaiChatCompletionsOptions) as caught:
        ChatCompletions(**wrong)
    paths = {problem.path for problem in caught.value.problems}
    assert paths == {"model", "modle", "temperature"}
    assert (caught.value.status, caught.value.fatal) == (529, True)


@pytest.mark.parametrize(
    "options",
    [
        {"steps": {"weather": print}},
        {"bucket_order": ["timeline", "timeline"]},
        {"max_concurrency": 0},
    ],
)
def test_138_what_the_parts_refuse_is_a_refused_option(options: Any) -> None:
    with pytest.raises(InvalidOpenaiChatCompletionsOptions):
        ChatCompletions(model="m", **options)


async def test_138_bad_overrides_of_the_executor_fail_at_once() -> None:
    model = ChatCompletions(model="m")
    hot: Any = "hot"
    with pytest.raises(InvalidOpenaiChatCompletionsOptions, match="temperature"):
        model.executor(temperature=hot)
    unknown: dict[str, Any] = {"tempreature": 1}
    with pytest.raises(InvalidOpenaiChatCompletionsOptions, match="is not an option"):
        model.executor(**unknown)


@pytest.mark.parametrize("stashed", [{"temperature": "hot"}, {"tempreature": 1}, "hot", ["hot"]])
async def test_138_bad_overrides_in_the_stash_fail_before_any_request(stashed: Any) -> None:
    async def middleware(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set(KEY, stashed)
        await call_next()

    run = await asked(said("x"), runner={"dispatch_input_pipeline": [middleware]})
    (error,) = run.errors
    assert isinstance(error, LlmExecutionExecutorError)
    assert isinstance(error.__cause__, InvalidOpenaiChatCompletionsOptions)
    assert run.endpoint.requests == []
    assert run.status == "nack"


async def test_an_empty_place_in_the_stash_changes_nothing() -> None:
    async def middleware(ctx: Context, call_next: CallNext) -> None:
        ctx.stash.set(KEY, None)
        await call_next()

    run = await asked(said("x"), runner={"dispatch_input_pipeline": [middleware]})
    assert run.status == "ack"


# 139: three layers


async def test_139_the_stash_goes_over_the_executor_over_the_constructor() -> None:
    async with endpoint_of(said("x")) as run:
        model = ChatCompletions(
            model="a",
            temperature=0.1,
            top_p=0.1,
            seed=1,
            api_key="k1",
            base_url="http://127.0.0.1:1",
            headers={"X-A": "1", "X-B": "1"},
            auto_ack=True,
        ).executor(
            model="b", temperature=0.2, top_p=0.2, headers={"x-b": "2"}, base_url=run.endpoint.url
        )
        override = stashing(model="c", temperature=0.3, api_key="k3", headers={"X-C": "3"})
        told = Ran(model, dispatch_input_pipeline=[override])
        await told.runner.run(TURN)
        await model.aclose()
    (body,), (request,) = run.bodies, run.endpoint.requests
    assert (body["model"], body["temperature"], body["top_p"], body["seed"]) == ("c", 0.3, 0.2, 1)
    assert request.headers["authorization"] == "Bearer k3"
    assert [request.headers[name] for name in ("x-a", "x-b", "x-c")] == ["1", "2", "3"]
    assert request.target == "/chat/completions"


async def test_139_an_override_in_the_stash_lasts_for_as_long_as_it_lies_there() -> None:
    async def only_first(ctx: DispatchContext, call_next: CallNext) -> None:
        ctx.stash.set(KEY, {"model": "small"} if ctx.iteration == 0 else {})
        await call_next()

    run = await asked(
        called(("c1", "add", '{"a":1,"b":2}')),
        said("3"),
        tools=[add],
        runner={"dispatch_input_pipeline": [only_first]},
    )
    assert [body["model"] for body in run.bodies] == ["small", "m"]


async def test_139_retry_is_merged_key_by_key() -> None:
    async with endpoint_of(
        http_response(503), said("x"), retry={"max_attempts": 2, "base_delay_ms": 0}
    ) as run:
        twin = run.model.executor(retry={"honor_retry_after": False})
        told = Ran(twin)
        await told.runner.run(TURN)
    assert len(run.endpoint.requests) == 2
    assert told.recorder.text == "x"


# 140: keys and headers


async def test_140_the_key_is_a_bearer_token_and_no_key_no_header() -> None:
    assert (await asked(said("x"), api_key="k")).endpoint.requests[0].headers[
        "authorization"
    ] == "Bearer k"
    for nothing in ("", None):
        without = await asked(said("x"), api_key=nothing)
        assert "authorization" not in without.endpoint.requests[0].headers
    without = await asked(said("x"))
    assert "authorization" not in without.endpoint.requests[0].headers
    assert without.endpoint.requests[0].target == "/v1/chat/completions"


@pytest.mark.parametrize("name", ["Authorization", "authorization", "AUTHORIZATION"])
async def test_140_an_authorization_of_ones_own_beats_the_key(name: str) -> None:
    run = await asked(said("x"), api_key="k", headers={name: "Basic abc"})
    assert run.endpoint.requests[0].headers["authorization"] == "Basic abc"


# 144: streaming


async def test_144_one_report_per_delta_plus_a_completing_one_and_one_stored_message() -> None:
    storage = MemoryStorage()
    run = await asked(said("Hel", "lo"), runner={"storage": storage})
    chunks = run.of("message")
    assert [(it.a_delta, it.full, it.is_complete) for it in chunks] == [
        ("Hel", "Hel", False),
        ("lo", "Hello", False),
        ("", "Hello", True),
    ]
    (kept,) = storage.session().messages
    assert (kept.id, str(kept.content), kept.role) == (chunks[0].id, "Hello", "assistant")
    assert len({it.id for it in chunks}) == 1
    assert run.status == "ack"


async def test_144_reasoning_is_stored_as_one_thought_under_the_id_of_the_message() -> None:
    run = await asked(
        stream(
            delta(reasoning="be", reasoning_content="be"),
            delta(reasoning="cause", reasoning_content="cause"),
            delta(content="Yes."),
            delta("stop"),
        )
    )
    (thought,) = run.turn.turn_thoughts
    (kept,) = run.turn.turn_messages
    assert (str(thought.content), str(thought.identity.identifier)) == ("because", "assistant")
    assert thought.id == kept.id
    assert thought.created_at <= kept.created_at
    assert [it.a_delta for it in run.of("thought")] == ["be", "cause", ""]
    assert [it.is_complete for it in run.of("thought")] == [False, False, True]


async def test_144_different_reasoning_fields_give_two_thoughts() -> None:
    run = await asked(stream(delta(reasoning="a", reasoning_content="b"), delta("stop")))
    first, second = run.turn.turn_thoughts
    assert [str(first.content), str(second.content)] == ["a", "b"]
    assert second.id == f"{first.id}:reasoning_content"


async def test_144_a_field_that_was_held_back_to_the_end_is_shown_whole() -> None:
    run = await asked(stream(delta(reasoning="abc", reasoning_content="ab"), delta("stop")))
    first, second = run.turn.turn_thoughts
    assert [str(first.content), str(second.content)] == ["abc", "ab"]
    assert second.id == f"{first.id}:reasoning_content"
    assert [(it.a_delta, it.is_complete) for it in run.of("thought")] == [
        ("abc", False),
        ("", True),
        ("ab", True),
    ]


async def test_the_precedence_of_reasoning_fields_can_be_chosen() -> None:
    run = await asked(
        stream(delta(thinking="x", reasoning="ignored"), delta("stop")),
        reasoning_field_precedence=["thinking"],
    )
    assert [str(it.content) for it in run.turn.turn_thoughts] == ["x"]


async def test_a_reply_in_one_piece_is_named_after_the_response() -> None:
    # CONTRACT 1.8, Ids
    run = await asked(whole({"content": "Yes.", "reasoning": "because"}), stream=False)
    assert [it.id for it in run.turn.turn_messages] == ["resp-1:message"]
    assert [it.id for it in run.turn.turn_thoughts] == ["resp-1:thought"]
    assert [(it.a_delta, it.is_complete) for it in run.of("message")] == [("Yes.", True)]
    two = await asked(whole({"reasoning": "a", "reasoning_content": "b"}), stream=False)
    assert [it.id for it in two.turn.turn_thoughts] == [
        "resp-1:thought:reasoning",
        "resp-1:thought:reasoning_content",
    ]


async def test_an_endpoint_with_one_response_id_for_all_replies_gets_new_ids() -> None:
    runner: Any = {"storage": MemoryStorage()}
    script = whole({"content": "a"}), whole({"content": "b"})
    run = await asked(*script, stream=False, auto_ack=False, runner=runner | ACK_SECOND)
    first, second = run.turn.turn_messages
    assert first.id == "resp-1:message"
    assert second.id != first.id


async def test_an_id_that_an_earlier_turn_has_is_not_given_again() -> None:
    async def hydrate(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_messages.add(message("resp-1:message", "Before."))
        await call_next()

    run = await asked(
        whole({"content": "Now."}), stream=False, runner={"turn_input_pipeline": [hydrate]}
    )
    before, now = run.turn.turn_messages
    assert (str(before.content), str(now.content)) == ("Before.", "Now.")
    assert before.id != now.id


async def test_a_message_that_a_gate_deleted_does_not_stand_in_the_way_of_the_next() -> None:
    async def delete_first(ctx: DispatchContext, call_next: CallNext) -> None:
        await call_next()
        if ctx.iteration == 0:
            await ctx.delete_message("resp-1:message")
        else:
            ctx.ack()

    run = await asked(
        whole({"content": "no"}),
        whole({"content": "yes"}),
        stream=False,
        auto_ack=False,
        runner={"dispatch_output_pipeline": [delete_first]},
    )
    assert run.errors == []
    assert [str(it.content) for it in run.turn.turn_messages] == ["yes"]


@pytest.mark.parametrize("id", ["", "a\nb", "x" * 500, None, 3])
async def test_a_response_id_that_cannot_be_a_key_is_replaced(id: Any) -> None:
    run = await asked(whole({"content": "Yes."}, id=id), stream=False)
    (kept,) = run.turn.turn_messages
    assert run.errors == []
    assert ":" not in kept.id


# 145 and 146: signals


async def ack_second(ctx: DispatchContext, call_next: CallNext) -> None:
    await call_next()
    if ctx.iteration == 1:
        ctx.ack()


ACK_SECOND: dict[str, Any] = {"dispatch_output_pipeline": [ack_second]}


async def test_145_parallel_calls_are_assembled_run_in_order_and_stored_without_an_ack() -> None:
    pieces = [
        piece(1, '{"a":3', id="c2", name="add"),
        piece(0, "", id="c1", name="add"),
        piece(0, '{"a":1,"b":2}'),
        piece(1, ',"b":4}'),
    ]
    run = await asked(
        stream(delta(content="Let me add."), *(delta(tool_calls=[it]) for it in pieces)),
        said("3 and 7"),
        tools=[add],
    )
    first, second = run.turn.turn_tool_calls
    assert (first.id, first.args) == ("c1", {"a": 1, "b": 2})
    assert (second.id, second.args) == ("c2", {"a": 3, "b": 4})
    assert [await it.artifacts()[0].as_string() for it in (first, second)] == ["3", "7"]
    assert len(run.endpoint.requests) == 2
    *_, call_1, result_1, call_2, result_2 = run.bodies[1]["messages"]
    assert call_1["tool_calls"][0]["id"] == result_1["tool_call_id"] == "c1"
    assert call_2["tool_calls"][0]["id"] == result_2["tool_call_id"] == "c2"
    assert "\n3\n" in result_1["content"]
    assert (run.status, run.recorder.text.endswith("3 and 7")) == ("ack", True)
    assert run.logged("accumulator-finalised")[0].payload == {"tool_calls": 2}


async def test_145_message_then_thoughts_then_calls_are_stored() -> None:
    order: list[str] = []

    class Noting(MemoryStorage):
        async def store_message(self, ctx: Context, message: Any) -> None:
            order.append("message")

        async def store_thought(self, ctx: Context, thought: Thought) -> None:
            order.append("thought")

        async def store_tool_call(self, ctx: Context, tool_call: Any) -> None:
            order.append("tool_call")

    first = stream(
        delta(tool_calls=[piece(0, '{"a":1,"b":1}', id="c", name="add")]),
        delta(reasoning="hm"),
        delta(content="x"),
        delta("tool_calls"),
    )
    await asked(first, said("2"), tools=[add], runner={"storage": Noting()})
    assert order == ["message", "thought", "tool_call", "message"]


async def test_146_a_plain_answer_is_not_acked_by_default() -> None:
    run = await asked(said("a"), said("b"), auto_ack=False, runner=ACK_SECOND)
    assert [str(it.content) for it in run.turn.turn_messages] == ["a", "b"]
    assert run.status == "ack"


@pytest.mark.parametrize("content", [None, "", " \n", "\x00"])
async def test_146_an_empty_answer_is_acked_and_stores_nothing(content: Any) -> None:
    nothing = None if content == " \n" else content
    run = await asked(stream(delta(content=content, reasoning=nothing), delta("stop")))
    assert (run.status, run.errors) == ("ack", [])
    assert len(run.turn.turn_messages) == len(run.turn.turn_thoughts) == 0


async def test_odd_characters_of_a_model_are_cleaned_before_they_are_stored() -> None:
    # Catalogue 176
    run = await asked(stream(delta(content="a\x00\ud83d"), delta(content="\ude00\ud800b")))
    (kept,) = run.turn.turn_messages
    assert str(kept.content) == "a\U0001f600\ufffdb" == run.recorder.text


async def test_a_tool_that_signals_is_not_signalled_over() -> None:
    @tool
    async def give_up(ctx: DispatchContext) -> str:
        """Give up."""
        ctx.nack("enough")
        return "done"

    run = await asked(called(("c1", "give_up", "")), tools=[give_up])
    assert (run.status, len(run.endpoint.requests)) == ("nack", 1)


# 147 and 148: failures nack and store nothing


def failed(run: Any, kind: type[Exception]) -> Any:
    """What holds after a failure of the endpoint; returns the error."""
    (error,) = run.errors
    assert type(error) is kind
    assert run.status == "nack"
    assert run.of("dispatch_end")[0].error is error
    assert len(run.turn.turn_messages) == len(run.turn.turn_tool_calls) == 0
    assert not any(it.is_complete for it in run.of("message"))
    return error


async def test_147_a_status_that_is_no_answer_nacks_without_a_retry() -> None:
    run = await asked(http_response(503), said("x"))
    error = failed(run, OpenaiChatCompletionsHttpError)
    assert (error.http_status, error.attempts, error.status) == (503, 1, 502)
    assert len(run.endpoint.requests) == 1


async def test_147_listed_statuses_are_retried_and_others_are_not() -> None:
    retry = {"max_attempts": 3, "base_delay_ms": 0}
    run = await asked(http_response(429), http_response(502), said("x"), retry=retry)
    assert (run.recorder.text, len(run.endpoint.requests)) == ("x", 3)
    assert len(run.logged("retry-attempt")) == 2
    refused = await asked(http_response(400), said("x"), retry=retry)
    assert failed(refused, OpenaiChatCompletionsHttpError).http_status == 400
    assert len(refused.endpoint.requests) == 1


async def test_147_an_abort_ends_the_wait_between_attempts() -> None:
    signal = AbortSignal()
    retry = {"max_attempts": 3, "base_delay_ms": 60_000, "max_delay_ms": 60_000}
    async with endpoint_of(http_response(429), retry=retry) as run:
        run.runner.observe("log", lambda entry: signal.abort("enough"))
        await run.runner.run(TurnInput(system_prompt="", abort_signal=signal))
    assert (run.status, run.errors, len(run.endpoint.requests)) == ("aborted", [], 1)


async def test_147_what_breaks_in_mid_stream_is_not_retried() -> None:
    broken = (stream_head() + sse(delta(content="half")), Reset())
    run = await asked(broken, said("x"), retry={"max_attempts": 3, "base_delay_ms": 0})
    error = failed(run, OpenaiChatCompletionsStreamError)
    assert error.partial == "half"
    assert len(run.endpoint.requests) == 1


async def test_147_a_request_that_takes_too_long_is_retried() -> None:
    run = await asked(
        (Silence(),),
        said("x"),
        request_timeout_ms=100,
        retry={"max_attempts": 2, "base_delay_ms": 0},
    )
    assert run.recorder.text == "x"
    alone = await asked((Silence(),), request_timeout_ms=50)
    failed(alone, OpenaiChatCompletionsRequestTimeout)


async def test_148_a_silent_stream_nacks_and_stores_no_half_call() -> None:
    half = sse(delta(content="Let me"), delta(tool_calls=[piece(0, '{"a":1', id="c1", name="add")]))
    run = await asked((stream_head() + half, Silence()), tools=[add], stream_idle_timeout_ms=50)
    error = failed(run, OpenaiChatCompletionsStreamStalled)
    assert (error.status, error.partial) == (504, "Let me")
    assert run.of("tool_call") == []


async def test_148_the_idle_limit_does_not_count_after_the_end() -> None:
    slow = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(0.15)
        slow.set()
        return "done"

    run = await asked(
        called(("c1", "wait", "")), said("x"), tools=[wait], stream_idle_timeout_ms=50
    )
    assert slow.is_set()
    assert (run.status, run.errors) == ("ack", [])


async def test_an_error_inside_the_stream_nacks() -> None:
    run = await asked(stream(delta(content="half"), {"error": {"message": "overloaded"}}))
    assert "overloaded" in failed(run, OpenaiChatCompletionsStreamError).message


async def test_a_stream_that_just_ends_is_read_to_its_end() -> None:
    run = await asked(streamed(sse(delta(content="Hello"), delta("stop"))))
    assert (run.recorder.text, run.status) == ("Hello", "ack")
    assert len(run.logged("sse-eof-without-done")) == 1


async def test_a_chunk_that_cannot_be_read_is_skipped() -> None:
    run = await asked(streamed(sse(delta(content="a"), "{oops", delta(content="b"), DONE)))
    assert run.recorder.text == "ab"
    assert len(run.logged("sse-parse-failure")) == 1


async def test_more_calls_than_allowed_nack_and_none_is_run() -> None:
    # Catalogue 135
    calls = [(f"c{at}", "add", '{"a":1,"b":1}') for at in range(1000)]
    run = await asked(called(*calls), tools=[add])
    error = failed(run, OpenaiChatCompletionsStreamError)
    assert "1000 tool calls" in error.message
    assert run.of("tool_execution_start") == []
    three = await asked(called(*calls[:3]), tools=[add], max_tool_calls=2)
    failed(three, OpenaiChatCompletionsStreamError)
    two = await asked(called(*calls[:2]), said("2"), tools=[add], max_tool_calls=2)
    assert (two.errors, len(two.turn.turn_tool_calls)) == ([], 2)


# 149: aborts


async def test_149_an_abort_in_mid_stream_neither_nacks_nor_stores() -> None:
    signal = AbortSignal()
    async with endpoint_of((stream_head() + sse(delta(content="half")), Silence())) as run:
        run.runner.on("message", lambda chunk: signal.abort("enough"))
        await run.runner.run(TurnInput(system_prompt="", abort_signal=signal))
        await run.endpoint.all_closed()
    assert (run.status, run.errors) == ("aborted", [])
    assert len(run.turn.turn_messages) == 0
    assert not any(chunk.is_complete for chunk in run.of("message"))


async def test_149_an_abort_at_the_last_word_stores_nothing() -> None:
    signal = AbortSignal()
    storage = MemoryStorage()
    async with endpoint_of(said("all"), runner={"storage": storage}) as run:
        run.runner.on("message", lambda chunk: signal.abort() if chunk.is_complete else None)
        await run.runner.run(TurnInput(system_prompt="", abort_signal=signal))
    assert (run.status, run.errors, len(storage.session().messages)) == ("aborted", [], 0)


async def test_149_an_abort_in_a_tool_stops_the_calls_behind_it() -> None:
    @tool
    async def stop(ctx: DispatchContext) -> str:
        """Stop."""
        ctx.abort("enough")
        return "stopped"

    run = await asked(called(("c1", "stop", ""), ("c2", "add", '{"a":1,"b":1}')), tools=[stop, add])
    assert (run.status, run.errors) == ("aborted", [])
    assert [it.tool for it in run.of("tool_execution_start")] == ["stop"]


# The log entries about a generation


async def test_a_finished_generation_is_logged_with_what_it_cost() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    run = await asked(stream(delta(content="Hi"), delta("stop"), usage))
    (entry,) = run.logged("generation-finished")
    payload = dict(entry.payload)
    assert payload.pop("duration_ms") >= payload.pop("time_to_first_delta_ms") >= 0
    payload.pop("attempts", None)
    assert (entry.level, payload) == (
        "info",
        {
            "wire": "chat-completions",
            "model": "m",
            "response_model": "served",
            "response_id": "resp-1",
            "finish_reason": "stop",
            "usage": {"input_tokens": 10, "output_tokens": 2},
            "streamed": True,
        },
    )


async def test_a_reply_in_one_piece_has_no_first_delta() -> None:
    run = await asked(whole({"content": "Hi"}, model=None), stream=False)
    (entry,) = run.logged("generation-finished")
    assert (entry.payload["streamed"], entry.payload["model"]) == (False, "m")
    assert "time_to_first_delta_ms" not in entry.payload
    assert run.logged("accumulator-finalised") == []


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -1, "completion_tokens": 1e18}])
async def test_an_absurd_usage_is_replaced_by_our_own_count(usage: Any) -> None:
    # Catalogue 137
    run = await asked(
        stream(
            delta(content="Hello", tool_calls=[piece(0, "{}", id="c", name="nope")]),
            {"choices": [], "usage": usage},
        ),
        said("x"),
        token_encoding="o200k_base",
        context_window=10_000,
    )
    first, _ = run.logged("generation-finished")
    counted, _ = run.logged("context-window-usage")
    # "Hello", "nope" and "{}" are 1, 2 and 1 tokens of o200k_base, by tiktoken.
    assert first.payload["usage"] == {
        "input_tokens": counted.payload["total"],
        "output_tokens": 4,
        "estimated": True,
    }
    half = {"choices": [], "usage": {"prompt_tokens": 7}}
    kept = await asked(
        stream(delta(content="Hello"), half), token_encoding="o200k_base", context_window=10_000
    )
    assert kept.logged("generation-finished")[0].payload["usage"] == {
        "input_tokens": 7,
        "output_tokens": 1,
        "estimated": True,
    }
    without = await asked(stream(delta(content="Hello"), {"choices": [], "usage": usage}))
    assert without.logged("generation-finished")[0].payload["usage"] == {}


async def test_a_reply_that_was_cut_short_is_warned_of() -> None:
    run = await asked(stream(delta(content="Once upon"), delta("length")))
    (entry,) = run.logged("reply-cut")
    assert (entry.level, entry.payload) == ("warn", {"finish_reason": "length"})
    assert (run.status, run.recorder.text) == ("ack", "Once upon")


async def test_the_self_identity_names_what_is_stored_and_is_bare_in_the_next_request() -> None:
    run = await asked(
        stream(delta(reasoning="hm", content="I am Tess."), delta("stop")),
        said("Yes."),
        self_identity="tess",
        auto_ack=False,
        runner=ACK_SECOND,
    )
    assert {str(it.identity.identifier) for it in run.turn.turn_messages} == {"tess"}
    assert {str(it.identity.identifier) for it in run.turn.turn_thoughts} == {"tess"}
    own = [it for it in run.bodies[1]["messages"] if it.get("name") == "tess"]
    assert [it["content"] for it in own] == ["I am Tess."]


async def test_a_client_of_ones_own_stays_open() -> None:
    import httpx2  # a heavy package, for one test

    async with httpx2.AsyncClient(headers={"X-Mine": "1"}) as client:
        run = await asked(said("x"), client=client)
        assert not client.is_closed
    assert run.endpoint.requests[0].headers["x-mine"] == "1"


async def test_history_is_sent_in_its_order_with_its_names() -> None:
    # CONTRACT 133
    async def hydrate(ctx: Context, call_next: CallNext) -> None:
        ctx.turn_messages.add(message("u1", "Hello", role="user"))
        await call_next()

    run = await asked(said("Hi"), runner={"turn_input_pipeline": [hydrate]})
    system, first = run.bodies[0]["messages"]
    assert system == {"role": "system", "content": "You are under test."}
    assert (first["role"], first["name"]) == ("user", "user")
    assert "\nHello\n" in first["content"]


async def test_a_tool_call_in_one_piece_is_run_as_well() -> None:
    script = whole({"content": None, "tool_calls": [tool_call("c1", "add", '{"a":1,"b":2}')]})
    run = await asked(script, whole({"content": "3"}), tools=[add], stream=False)
    assert [it.id for it in run.turn.turn_tool_calls] == ["c1"]
    assert run.recorder.text == "3"


def test_the_keywords_that_type_checkers_read_are_the_options() -> None:
    assert differences(ChatCompletionsOptions, ChatCompletionsKeywords) == {}


async def test_what_a_caller_does_to_a_dictionary_later_changes_nothing() -> None:
    headers, extra = {"X-A": "1"}, {"min_p": [0.1]}
    async with endpoint_of(said("x"), headers=headers, extra_body=extra) as run:
        stop = ["a"]
        twin = run.model.executor(stop=stop)
        headers["X-A"] = "2"
        extra["min_p"].append(0.2)
        stop.append("b")
        await Ran(twin).runner.run(TURN)
    (request,) = run.endpoint.requests
    assert request.headers["x-a"] == "1"
    assert (request.json()["min_p"], request.json()["stop"]) == ([0.1], ["a"])


async def test_calls_without_ids_do_not_replace_each_other_over_turns() -> None:
    storage = MemoryStorage()
    script = stream(delta(tool_calls=[piece(0, '{"a":1,"b":2}', name="add")]), delta("tool_calls"))
    scripts = [script, said("x"), script, said("y")]
    async with endpoint_of(*scripts, tools=[add], runner={"storage": storage}) as run:
        await run.runner.run(TURN)
        await run.runner.run(TURN)
    assert len(storage.session().tool_calls) == 2


async def test_a_reply_with_a_hole_beside_its_call_nacks_and_runs_nothing() -> None:
    ran: list[str] = []

    @tool
    async def wipe(path: str) -> str:
        """Delete."""
        ran.append(path)
        return "deleted"

    broken = sse(
        delta(tool_calls=[piece(0, '{"path": "/srv', id="c", name="wipe")]),
        "{broken",
        delta(tool_calls=[piece(0, '"}')]),
        delta("tool_calls"),
        "[DONE]",
    )
    run = await asked(streamed(broken), tools=[wipe])
    assert ran == []
    assert len(run.logged("sse-parse-failure")) == 1
    failed(run, OpenaiChatCompletionsStreamError)


CANARY = "sk-canary-0123456789abcdef"


@pytest.mark.parametrize("streams", [True, False])
async def test_names_that_an_endpoint_gives_are_shown_short_and_without_secrets(
    streams: bool,
) -> None:
    # Catalogue 139
    choice = {"message": {"content": "x"}, "delta": {"content": "x"}, "finish_reason": CANARY}
    reply = {"id": f"resp-{CANARY}", "model": f"m {CANARY}" + "y" * 9_000, "choices": [choice]}
    script = stream(reply) if streams else http_response(200, body=reply)
    run = await asked(script, api_key=CANARY, stream=streams)
    assert "canary" not in repr(run.of("log"))
    (entry,) = run.logged("generation-finished")
    assert "response_id" not in entry.payload
    assert len(entry.payload["response_model"]) <= 200
    assert entry.payload["finish_reason"] == "[redacted]"
    (message,) = [it for it in run.turn.turn_messages if it.role == "assistant"]
    assert "canary" not in message.id
    assert "redacted" not in message.id


async def test_a_header_of_ones_own_that_comes_back_is_not_shown() -> None:
    run = await asked(http_response(400, body=f"bad X-Session: {CANARY}"), headers={"X-S": CANARY})
    assert "canary" not in repr(run.errors) + repr(run.of("log"))


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(
    "script",
    [
        [Silence()],
        [http_response(200, {"Content-Length": "99"}, {}), Silence()],
    ],
)
async def test_148_an_endpoint_that_falls_silent_nacks_whatever_it_has_sent(
    script: Any, streams: bool
) -> None:
    retry = {"max_attempts": 2, "base_delay_ms": 0}
    run = await asked(script, stream=streams, stream_idle_timeout_ms=150, retry=retry)
    failed(run, OpenaiChatCompletionsStreamStalled)
    assert len(run.endpoint.requests) == 1


async def test_148_an_answer_in_one_piece_that_keeps_coming_is_not_silent() -> None:
    slow = [Drip(whole({"content": "hello"}), 20, 0.03)]
    run = await asked(slow, stream=False, stream_idle_timeout_ms=1_000)
    assert run.status == "ack"
