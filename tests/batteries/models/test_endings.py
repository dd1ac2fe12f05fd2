"""How a reply ended, on every wire, as whoever judges its message is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support import anthropic_events, chat_replies, responses_events
from support.faulty_endpoint import Close, Reset, Silence, http_response, sse, stream_head, streamed
from support.local_engine import SAME_PROMPT, engine, smollm2, talk
from support.turns import TURN, Ran, ran
from support.wire_turns import run_turn
from tether.batteries.models import (
    AnthropicMessages,
    ChatCompletions,
    LocalModel,
    Responses,
    ScriptedModel,
)
from tether.batteries.models.ending import Ending, EndKind, ending_of, leave_ending
from tether.batteries.models.errors import (
    ModelRequestTimeout,
    ModelStreamError,
    ModelStreamStalled,
)
from tether.batteries.testing import Call, Say, Think

if TYPE_CHECKING:
    from support.faulty_endpoint import Script
    from tether import CallNext, DispatchContext, Helpers
    from tether.batteries.models import LocalEngine

__all__ = ["engine", "smollm2"]  # fixtures

PATHS = {ChatCompletions: "/v1", Responses: "/v1", AnthropicMessages: ""}
ERRORS = (ModelStreamError, ModelStreamStalled, ModelRequestTimeout)


class Judge:
    """A middleware that notes the ending of each iteration, and then acks."""

    def __init__(self, last: int = 0) -> None:
        self.endings: list[Ending] = []
        self._last = last

    async def __call__(self, ctx: DispatchContext, call_next: CallNext) -> None:
        self.endings.append(ending_of(ctx))
        if ctx.iteration == self._last:
            ctx.ack()
        await call_next()


async def judged(kind: Any, *scripts: Script, **options: Any) -> tuple[Judge, Any]:
    judge = Judge()
    given = {"dispatch_output_pipeline": [judge]}
    turn = await run_turn(kind, PATHS[kind], *scripts, auto_ack=False, runner=given, **options)
    return judge, turn


def chat(reason: str) -> bytes:
    return chat_replies.stream(chat_replies.delta(content="Once"), chat_replies.delta(reason))


def messages(reason: str) -> bytes:
    return anthropic_events.streamed_message(anthropic_events.text("Once"), stop_reason=reason)


def incomplete(reason: str | None) -> dict[str, Any]:
    details = None if reason is None else {"reason": reason}
    return responses_events.response(
        responses_events.message("Once"), status="incomplete", incomplete_details=details
    )


def responses(reason: str | None) -> bytes:
    if reason == "completed":
        return responses_events.streamed_response(responses_events.message("Once"))
    end = responses_events.event("response.incomplete", response=incomplete(reason))
    said = responses_events.said(0, "Once")
    return responses_events.streamed_events(responses_events.created(), said, end)


@pytest.mark.parametrize(
    ("kind", "script", "ending", "expected"),
    [
        (ChatCompletions, chat("stop"), Ending(reason="stop"), "whole"),
        (ChatCompletions, chat("length"), Ending(reason="length", is_cut=True), "limit"),
        (
            ChatCompletions,
            chat("content_filter"),
            Ending(reason="content_filter", is_cut=True),
            "filter",
        ),
        (ChatCompletions, chat("brand_new"), Ending(reason="brand_new", is_cut=True), "other"),
        (
            ChatCompletions,
            chat_replies.whole({"content": "Once"}, "length"),
            Ending(reason="length", is_cut=True),
            "limit",
        ),
        (
            ChatCompletions,
            chat_replies.stream(chat_replies.delta(content="Once")),
            Ending(),
            "whole",
        ),
        (Responses, responses("completed"), Ending(reason="completed"), "whole"),
        (
            Responses,
            responses("max_output_tokens"),
            Ending(reason="max_output_tokens", is_cut=True),
            "limit",
        ),
        (
            Responses,
            responses("content_filter"),
            Ending(reason="content_filter", is_cut=True),
            "filter",
        ),
        (Responses, responses(None), Ending(reason="incomplete", is_cut=True), "other"),
        (
            Responses,
            http_response(200, body=incomplete("max_output_tokens")),
            Ending(reason="max_output_tokens", is_cut=True),
            "limit",
        ),
        (AnthropicMessages, messages("end_turn"), Ending(reason="end_turn"), "whole"),
        (
            AnthropicMessages,
            messages("max_tokens"),
            Ending(reason="max_tokens", is_cut=True),
            "limit",
        ),
        (AnthropicMessages, messages("refusal"), Ending(reason="refusal", is_cut=True), "filter"),
        (
            AnthropicMessages,
            messages("pause_turn"),
            Ending(reason="pause_turn", is_cut=True),
            "other",
        ),
        (
            AnthropicMessages,
            anthropic_events.whole_message(anthropic_events.text("Once"), stop_reason="max_tokens"),
            Ending(reason="max_tokens", is_cut=True),
            "limit",
        ),
    ],
)
async def test_the_reason_of_an_end_reaches_the_judge_on_every_wire(
    kind: Any, script: bytes, ending: Ending, expected: EndKind
) -> None:
    judge, turn = await judged(kind, script, stream=not script.startswith(WHOLE))
    assert judge.endings == [ending]
    assert ending.kind == expected
    assert turn.said == ["Once"]


WHOLE = http_response(200, body={})[:40]
"""The beginning of an answer in one piece, which is asked for as one."""


def begun(kind: Any) -> bytes:
    """Return a stream on this wire that has said something, and not its end."""
    if kind is ChatCompletions:
        return sse(chat_replies.delta(content="Once"))
    if kind is Responses:
        events = [responses_events.created(), responses_events.said(0, "Once")]
        return responses_events.streamed_events(*events).partition(b"\r\n\r\n")[2]
    events = [
        anthropic_events.start(content=[]),
        anthropic_events.begin(0, anthropic_events.text("")),
        anthropic_events.piece(0, "text_delta", text="Once"),
    ]
    return anthropic_events.stream_of(*events)


async def test_a_chat_stream_that_is_closed_without_an_end_is_cut() -> None:
    judge, turn = await judged(ChatCompletions, (stream_head(), begun(ChatCompletions), Close()))
    assert judge.endings == [Ending(reason="closed", is_cut=True)]
    assert judge.endings[0].kind == "closed"
    assert turn.said == ["Once"]


@pytest.mark.parametrize("kind", [Responses, AnthropicMessages])
async def test_other_streams_that_are_closed_without_an_end_fail_and_store_nothing(
    kind: Any,
) -> None:
    judge, turn = await judged(kind, (stream_head(), begun(kind), Close()))
    assert (judge.endings, turn.said, turn.status) == ([], [], "nack")
    assert isinstance(turn.errors[0], ERRORS)


@pytest.mark.parametrize("kind", list(PATHS))
@pytest.mark.parametrize(
    ("end", "limits"),
    [
        (Reset(), {}),
        (Silence(), {"stream_idle_timeout_ms": 50}),
        (Silence(), {"request_timeout_ms": 300}),
    ],
)
async def test_a_stream_that_breaks_or_takes_too_long_fails_with_its_partial_text_unstored(
    kind: Any, end: Any, limits: dict[str, int]
) -> None:
    judge, turn = await judged(kind, (stream_head(), begun(kind), end), **limits)
    assert (judge.endings, turn.said, turn.status) == ([], [], "nack")
    assert isinstance(turn.errors[0], ERRORS)


async def test_a_whole_stream_is_not_cut_by_a_later_reset() -> None:
    script = (streamed(sse(chat_replies.delta("stop", content="Once"), chat_replies.DONE)), Reset())
    judge, _ = await judged(ChatCompletions, script)
    assert judge.endings == [Ending(reason="stop")]


async def test_a_local_model_that_reaches_its_limit_is_cut(engine: LocalEngine) -> None:
    judge = Judge()
    options = SAME_PROMPT | {"auto_ack": False}
    await talk(LocalModel(engine, **options), dispatch_output_pipeline=[judge])
    assert judge.endings == [Ending(reason="length", is_cut=True)]


async def test_a_local_model_that_ends_by_itself_is_not(engine: LocalEngine) -> None:
    judge = Judge()
    options = SAME_PROMPT | {"auto_ack": False, "extra_body": {"grammar": 'root ::= "Hi"'}}
    await talk(LocalModel(engine, **options), dispatch_output_pipeline=[judge])
    assert judge.endings == [Ending(reason="stop")]


async def test_the_double_plays_an_ending_in_each_iteration_anew() -> None:
    model = ScriptedModel(
        [
            [Say("Once", finish_reason="length"), Say("upon"), Call("nothing")],
            [Think("Hm."), Call("nothing")],
            [Say("a time.", finish_reason="closed"), Call("nothing")],
            [Say("There."), Call("nothing")],
        ]
    )
    judge = Judge(last=3)
    await ran(model, dispatch_output_pipeline=[judge])
    assert judge.endings == [
        Ending(reason="length", is_cut=True),
        Ending(),
        Ending(reason="closed", is_cut=True),
        Ending(reason="stop"),
    ]


async def test_an_executor_of_ones_own_may_leave_an_ending_and_the_first_cut_counts() -> None:
    async def execute(ctx: DispatchContext, _helpers: Helpers) -> None:
        leave_ending(ctx, Ending(reason="stop"))
        leave_ending(ctx, Ending(reason="mine", is_cut=True))
        leave_ending(ctx, Ending(reason="stop"))

    judge = Judge()
    run = Ran(execute, dispatch_output_pipeline=[judge])
    await run.runner.run(TURN)
    assert judge.endings == [Ending(reason="mine", is_cut=True)]
