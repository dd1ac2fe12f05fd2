"""After a reply: arguments are read strictly, and every call gets its own answer."""

from __future__ import annotations

from typing import Any

import pytest

from support.chat_replies import arguments, asked, called, delta, piece, said, stream, whole
from support.faulty_endpoint import sse, streamed
from support.turns import add
from tether import (
    Context,
    DispatchContext,
    Message,
    NoopStorage,
    Thought,
    Tokenizable,
    ToolCall,
    tool,
)
from tether.batteries.models.call_tool import InvalidCall
from tether.batteries.models.chat_completions.executor import ERRORS
from tether.batteries.models.wire.delivery import LONGEST_ECHO, call_arguments
from tether.batteries.models.wire.reply import ToolRequest


def read(text: str, *, is_cut: bool = False, is_verbatim: bool = True) -> Any:
    request = ToolRequest("c1", "add", text, is_verbatim=is_verbatim)
    return call_arguments(request, ERRORS, is_cut=is_cut)


@pytest.mark.parametrize(
    ("text", "args"),
    [('{"a": 1}', {"a": 1}), (" {}\n", {}), ("", {}), (" ", {}), ('{"é": [null]}', {"é": [None]})],
)
def test_a_json_object_is_arguments_and_nothing_is_none(text: str, args: Any) -> None:
    assert read(text) == args


UNREADABLE = [
    "{",
    '{"a": 1',
    '{"a": 1}}',
    "oops",
    "[1]",
    "3",
    "null",
    '"{}"',
    '{"a": 1, "a": 2}',
    '{"a": NaN}',
    '{"a": Infinity}',
    '{"a": "\\ud800"}',
    "[" * 100_000,
    '{"a":' * 100_000,
]


@pytest.mark.parametrize("text", UNREADABLE, ids=lambda text: text[:16])
def test_150_anything_else_is_answered_with_the_raw_text(text: str) -> None:
    refused = read(text)
    assert isinstance(refused, InvalidCall)
    assert "not a JSON object" in refused.why
    assert text[:LONGEST_ECHO] in refused.why
    assert len(refused.why) < LONGEST_ECHO + 300
    assert read(text) == refused


def test_no_beginning_of_the_text_of_an_object_is_one() -> None:
    # Why the model's own text, if it is whole, may be run in a reply that was cut: Catalogue 135
    text = '{"a": {"b": [1, "}"]}, "c": "\\u00e9"}'
    assert read(text, is_cut=True) == read(text)
    for end in range(len(text)):
        assert isinstance(read(text[:end], is_cut=True), InvalidCall)


@pytest.mark.parametrize("text", ["{}", '{"a": 1}'])
def test_what_an_endpoint_made_of_arguments_may_be_a_part_in_a_cut_reply(text: str) -> None:
    assert not isinstance(read(text, is_verbatim=False), InvalidCall)
    assert not isinstance(read(text, is_cut=True), InvalidCall)
    refused = read(text, is_cut=True, is_verbatim=False)
    assert isinstance(refused, InvalidCall)
    assert "may be incomplete" in refused.why
    assert text in refused.why


def test_no_arguments_are_none_at_all_only_in_a_reply_that_was_not_cut() -> None:
    for is_verbatim in (True, False):
        assert read("", is_verbatim=is_verbatim) == {}
        refused = read("", is_cut=True, is_verbatim=is_verbatim)
        assert isinstance(refused, InvalidCall)
        assert "cut off before them" in refused.why


@pytest.mark.parametrize("finish", ["length", "content_filter", "error", "abort"])
@pytest.mark.parametrize(
    ("arguments", "runs"), [("", False), ("{}", True), ({}, False), ({"path": "/tmp"}, False)]
)
@pytest.mark.parametrize("streams", [True, False])
async def test_in_a_reply_that_did_not_end_by_itself_only_a_whole_text_is_run(
    finish: str, arguments: Any, runs: bool, streams: bool
) -> None:
    wiped: list[str] = []

    @tool
    async def wipe(path: str = "/") -> str:
        """Delete."""
        wiped.append(path)
        return "deleted"

    call = {"index": 0, "id": "c", "function": {"name": "wipe", "arguments": arguments}}
    if streams:
        scripts = stream(delta(tool_calls=[call]), delta(finish)), said("oh")
    else:
        scripts = whole({"tool_calls": [call]}, finish), whole({"content": "oh"})
    run = await asked(*scripts, tools=[wipe], stream=streams)
    assert wiped == (["/"] if runs else [])
    (record,) = run.turn.turn_tool_calls
    assert record.is_error is not runs
    assert len(run.logged("reply-cut")) == 1


class AbortingStorage(NoopStorage):
    """Aborts the turn at its first thought."""

    def __init__(self) -> None:
        self.stored: list[str] = []

    async def store_message(self, ctx: Context, message: Message) -> None:
        self.stored.append("message")

    async def store_thought(self, ctx: Context, thought: Thought) -> None:
        self.stored.append(str(thought.content))
        ctx.abort("enough")


async def test_149_an_abort_while_thoughts_are_stored_stops_before_the_next() -> None:
    storage = AbortingStorage()
    script = stream(delta(content="hi", reasoning="one", reasoning_content="two"), delta("stop"))
    run = await asked(script, runner={"storage": storage})
    assert storage.stored == ["message", "one"]
    assert run.errors == []


async def stored(*scripts: Any, tools: Any = (add,)) -> list[ToolCall]:
    run = await asked(*scripts, said("ok"), tools=tools)
    assert run.errors == []
    return list(run.turn.turn_tool_calls)


def told(call: ToolCall) -> str:
    assert isinstance(call.results, Tokenizable)
    return str(call.results)


async def test_150_malformed_arguments_are_stored_as_an_error_and_nothing_runs() -> None:
    run = await asked(called(("c1", "add", '{"a": 1,')), said("sorry"), tools=[add])
    (call,) = run.turn.turn_tool_calls
    assert (call.is_error, call.args, call.tool) == (True, {}, "add")
    assert '{"a": 1,' in told(call)
    assert run.of("tool_execution_start") == []
    assert [it.is_complete for it in run.of("tool_call")] == [False, True]
    assert '{"a": 1,' in run.bodies[1]["messages"][-1]["content"]


async def test_150_arguments_that_do_not_fit_are_stored_as_sent_with_every_field_named() -> None:
    run = await asked(called(("c1", "add", '{"a": "x", "c": 3}')), said("sorry"), tools=[add])
    (call,) = run.turn.turn_tool_calls
    assert (call.is_error, call.args) == (True, {"a": "x", "c": 3})
    for field in ("a:", "b:", "c:"):
        assert field in told(call)
    assert run.of("tool_execution_start") == []


async def test_150_an_unknown_tool_is_answered_with_the_names_of_the_others() -> None:
    @tool
    def subtract(a: int, b: int) -> str:
        """Subtract."""
        return str(a - b)

    (call,) = await stored(called(("c1", "divide", "{}")), tools=[subtract, add])
    assert (call.is_error, call.tool) == (True, "divide")
    assert "The tools are: add, subtract." in told(call)


async def test_150_a_call_where_no_tools_were_offered_is_answered_too() -> None:
    # Catalogue 136
    run = await asked(called(("c1", "add", "{}")), said("ok"))
    (call,) = run.turn.turn_tool_calls
    assert (call.is_error, "There are no tools." in told(call)) == (True, True)
    assert "tools" not in run.bodies[0]


async def test_150_in_a_mixed_reply_each_call_has_its_own_flag() -> None:
    @tool
    def fail() -> str:
        """Fail."""
        raise RuntimeError("broken")

    calls = await stored(
        called(
            ("c1", "add", '{"a":1,"b":2}'),
            ("c2", "add", "{"),
            ("c3", "nope", "{}"),
            ("c4", "fail", ""),
            ("c5", "add", '{"a":3,"b":4}'),
        ),
        tools=[add, fail],
    )
    assert [call.is_error for call in calls] == [False, True, True, True, False]
    assert [call.id for call in calls] == ["c1", "c2", "c3", "c4", "c5"]
    assert "broken" in told(calls[3])


async def test_150_a_corrected_second_attempt_succeeds() -> None:
    bad, good = await stored(
        called(("c1", "add", '{"a":1}')), called(("c2", "add", '{"a":1,"b":2}'))
    )
    assert (bad.is_error, good.is_error) == (True, False)
    assert await good.artifacts()[0].as_string() == "3"


async def test_151_equal_arguments_have_one_checksum_whatever_their_order() -> None:
    one, other, third = await stored(
        called(
            ("c1", "add", '{"a":1,"b":2}'),
            ("c2", "add", ' {"b": 2, "a": 1}'),
            ("c3", "add", '{"a":2,"b":1}'),
        )
    )
    assert one.checksum == other.checksum != third.checksum


async def test_a_call_without_a_name_is_stored_under_a_placeholder() -> None:
    # CONTRACT 1.4
    run = await asked(stream(delta(tool_calls=[piece(0, "{}", id="c1")])), said("ok"), tools=[add])
    (call,) = run.turn.turn_tool_calls
    assert (call.tool, call.is_error) == ("(unnamed tool call)", True)
    sent = run.bodies[1]["messages"][-2]["tool_calls"][0]["function"]["name"]
    assert sent.replace("_", "").replace("-", "").isalnum()  # as endpoints want it


async def test_a_cut_reply_runs_what_is_whole_and_nothing_that_may_be_half() -> None:
    # Catalogue 135: never run half arguments
    pieces = [
        piece(0, '{"a":1,"b":2}', id="c1", name="add"),
        piece(1, '{"a":1,"b"', id="c2", name="add"),
        piece(2, "", id="c3", name="now"),
    ]

    @tool
    def now() -> str:
        """Tell the time."""
        return "noon"

    chunks = [delta(tool_calls=[it]) for it in pieces]
    for script in (stream(*chunks, delta("length")), streamed(sse(*chunks))):
        whole, half, nothing = await stored(script, tools=[add, now])
        assert [call.is_error for call in (whole, half, nothing)] == [False, True, True]
        assert "cut off" in told(nothing)
    (*_, asked_for) = await stored(stream(*chunks, delta("tool_calls")), tools=[add, now])
    assert not asked_for.is_error


async def test_ids_that_a_provider_counts_anew_are_told_apart_in_both_places() -> None:
    script = called(("call_0", "add", '{"a":1,"b":2}'))
    run = await asked(script, script, said("ok"), tools=[add])
    assert [call.id for call in run.turn.turn_tool_calls] == ["call_0", "call_0-2"]
    messages = run.bodies[2]["messages"]
    sent = [it["tool_calls"][0]["id"] for it in messages if "tool_calls" in it]
    answered = [it["tool_call_id"] for it in messages if it["role"] == "tool"]
    assert sent == answered == ["call_0", "call_0-2"]
    assert arguments(run.bodies[2]) == [{"a": 1, "b": 2}] * 2


async def test_a_block_that_came_with_a_call_goes_back_where_it_is_asked_for() -> None:
    block = {"google": {"thought_signature": "c2ln"}}
    call = {**piece(0, '{"a":1,"b":2}', id="c1", name="add"), "extra_content": block}
    for tags, sent in ((["chat-completions"], block), ([], None)):
        run = await asked(
            stream(delta(tool_calls=[call])), said("3"), tools=[add], replay_compatibility=tags
        )
        (kept,) = run.turn.turn_tool_calls
        assert (kept.payload, kept.replay_compatibility) == (block, "chat-completions")
        request = next(it for it in run.bodies[1]["messages"] if "tool_calls" in it)
        assert request["tool_calls"][0].get("extra_content") == sent


async def test_calls_run_one_after_the_other() -> None:
    running: list[str] = []

    @tool
    async def step(name: str, ctx: DispatchContext) -> str:
        """Take a step."""
        running.append(f"{name} in")
        await ctx.fetch_messages()
        running.append(f"{name} out")
        return name

    await stored(called(("1", "step", '{"name":"a"}'), ("2", "step", '{"name":"b"}')), tools=[step])
    assert running == ["a in", "a out", "b in", "b out"]
