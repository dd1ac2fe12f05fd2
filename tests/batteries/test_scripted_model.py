"""The executor that plays a script."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from support.turns import TURN, Ran, add, fail, ran
from tether import (
    BytesReader,
    CallNext,
    DispatchContext,
    Helpers,
    Media,
    SpooledArtifact,
    TextSpool,
    Tokenizable,
    tool,
)
from tether.batteries.testing import Call, MemoryStorage, Say, ScriptedModel, Think
from tether.runtime.errors import LlmExecutionNacked


async def test_texts_are_shown_in_chunks_and_stored_whole() -> None:
    run = await ran(ScriptedModel([[Think("Hmm", id="t"), Say("Hello", id="m")]], chunk_size=2))
    assert [chunk.a_delta for chunk in run.of("thought")] == ["Hm", "m"]
    assert [chunk.a_delta for chunk in run.of("message")] == ["He", "ll", "o"]
    assert [chunk.is_complete for chunk in run.of("message")] == [False, False, True]
    (thought,), (said,) = run.turn.turn_thoughts, run.turn.turn_messages
    assert (thought.id, str(thought.content)) == ("t", "Hmm")
    assert (said.id, said.role, str(said.content)) == ("m", "assistant", "Hello")


async def test_without_a_chunk_size_a_text_is_one_chunk() -> None:
    run = await ran(ScriptedModel([[Say("Hello")]]))
    assert [chunk.is_complete for chunk in run.of("message")] == [True]


async def test_an_iteration_that_calls_tools_goes_on_and_any_other_acks() -> None:
    run = await ran(ScriptedModel([[Call("add", {"a": 1, "b": 2})], []]), tools=[add])
    assert run.of("dispatch_end")[0].status == "ack"
    assert run.names.count("iteration_start") == 2


async def test_a_dispatch_that_outlives_its_script_is_nacked() -> None:
    run = await ran(ScriptedModel([[Call("add", {"a": 1, "b": 2})]]), tools=[add])
    (error,) = run.errors
    assert isinstance(error, LlmExecutionNacked)
    assert "1 iterations" in error.message


async def test_the_same_script_serves_every_turn_and_a_conversation_each_its_own() -> None:
    run = Ran(ScriptedModel([[Say("Same.")]]))
    await run.runner.run(TURN)
    await run.runner.run(TURN)
    assert run.recorder.text == "Same.Same."
    talk = Ran(ScriptedModel.conversation([[Say("One.")]], [[Say("Two.")]]))
    for _ in range(3):
        await talk.runner.run(TURN)
    assert talk.recorder.text == "One.Two."
    assert "no script" in talk.errors[0].message


async def test_what_goes_wrong_with_a_call_becomes_its_result() -> None:
    model = ScriptedModel(
        [
            [
                Call("nope", id="a"),
                Call("add", {"a": "x"}, id="b"),
                Call("fail", {"why": "w"}, id="c"),
            ],
            [],
        ]
    )
    run = await ran(model, tools=[add, fail])
    results = {call.id: (call.is_error, str(call.results)) for call in run.turn.turn_tool_calls}
    assert results["a"] == (True, "There is no tool named 'nope'. The tools are: add, fail.")
    assert results["b"][0]
    assert "b: Field required" in results["b"][1]
    assert results["c"] == (True, "the tool 'fail' failed: w")
    empty = await ran(ScriptedModel([[Call("nope", id="a")], []]))
    assert "There are no tools." in str(next(iter(empty.turn.turn_tool_calls)).results)


def picture(name: str) -> Media:
    return Media.tool_generated(
        kind="image", mime_type="image/png", filename=name, reader=BytesReader(b"x")
    )


@tool
async def draw(how: str) -> Any:
    """Draw in one of several ways."""
    one, two = picture("one.png"), picture("two.png")
    return {"one": one, "many": [one, two], "bytes": b"a\xff", "text": "a\x00b"}.get(
        how, Tokenizable("wrapped")
    )


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("one", "one.png"),
        ("many", "one.png two.png"),
        ("bytes", "a\ufffd"),
        ("text", "ab"),
        ("wrapped", "wrapped"),
    ],
)
async def test_outputs_become_media_or_artifacts(how: str, expected: str) -> None:
    run = await ran(ScriptedModel([[Call("draw", {"how": how})], []]), tools=[draw])
    (call,) = run.turn.turn_tool_calls
    if isinstance(call.results, Media):
        assert call.results.filename == expected
    elif isinstance(call.results, tuple):
        assert (
            " ".join(item.filename for item in call.results if isinstance(item, Media)) == expected
        )
    else:
        (artifact,) = call.artifacts()
        assert await artifact.as_string() == expected


async def test_the_script_stops_at_an_abort() -> None:
    run = Ran(ScriptedModel([[Say("One.", id="1"), Say("Two.", id="2")]]))
    run.runner.on("message", lambda _: run.turn.abort("enough"))
    await run.runner.run(TURN)
    assert run.recorder.text == "One."
    assert run.errors == []


async def test_an_output_middleware_may_have_signalled_before_the_script_does() -> None:
    async def finish(ctx: Any, call_next: CallNext) -> None:
        ctx.ack()
        await call_next()

    model = ScriptedModel([[Call("add", {"a": 1, "b": 2})], [Say("Late.")]])
    run = await ran(model, tools=[add], dispatch_output_pipeline=[finish])
    assert run.recorder.text == ""
    assert run.of("dispatch_end")[0].status == "ack"


async def test_somebody_else_may_have_acked_and_the_script_does_not_signal_again() -> None:
    model = ScriptedModel([[Say("Done.")]])

    async def ack_first(ctx: DispatchContext, helpers: Helpers) -> None:
        ctx.ack()
        await model(ctx, helpers)

    run = await ran(ack_first)
    assert run.errors == []


@pytest.mark.parametrize("size", [0, -1])
def test_a_chunk_has_at_least_one_character(size: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        ScriptedModel([], chunk_size=size)


@pytest.mark.parametrize("script", [[["Hello"]], [Say("Hello")], ["Hello"]])
def test_a_script_that_is_none_is_refused_when_it_is_made(script: Any) -> None:
    with pytest.raises(TypeError, match="each a list of Say, Think and Call"):
        ScriptedModel(script)


async def test_an_empty_text_is_shown_and_not_stored() -> None:
    run = await ran(ScriptedModel([[Think(""), Say("")]]))
    assert run.errors == []
    assert [chunk.is_complete for chunk in run.of("message")] == [True]
    assert (len(run.turn.turn_messages), len(run.turn.turn_thoughts)) == (0, 0)


async def test_storage_keeps_what_the_script_said() -> None:
    storage = MemoryStorage()
    await ran(ScriptedModel([[Say("Kept.")]]), storage=storage)
    assert [str(held.content) for held in storage.session().messages] == ["Kept."]


async def test_a_conversation_plays_several_iterations_of_one_turn() -> None:
    talk = ScriptedModel.conversation([[Call("add", {"a": 1, "b": 2})], [Say("Three.")]])
    run = await ran(talk, tools=[add])
    assert run.recorder.text == "Three."
    assert run.errors == []


async def test_arguments_without_a_json_form_become_an_error_result() -> None:
    run = await ran(ScriptedModel([[Call("add", {"a": float("nan")})], []]), tools=[add])
    (call,) = run.turn.turn_tool_calls
    assert (call.is_error, call.args) == (True, {})
    assert "nan" in str(call.results)
    assert run.errors == []


@pytest.mark.parametrize(
    ("value", "text"),
    [({"a": [1, "é"]}, '{"a": [1, "é"]}'), ([], "[]"), (None, "null"), (7, "7"), ([1], "[1]")],
)
async def test_any_other_output_is_written_down_as_json(value: Any, text: str) -> None:
    @tool
    async def give() -> Any:
        """Give."""
        return value

    run = await ran(ScriptedModel([[Call("give")], []]), tools=[give])
    (call,) = run.turn.turn_tool_calls
    (artifact,) = call.artifacts()
    assert await artifact.as_string() == text


class Point(BaseModel):
    x: int


def something(what: str) -> Any:
    circular: list[Any] = []
    circular.append(circular)
    outputs: dict[str, Any] = {
        "model": Point(x=1),
        "set": {1},
        "bytearray": bytearray(b"raw"),
        "artifact": SpooledArtifact(TextSpool("mine")),
        "artifacts": [SpooledArtifact(TextSpool("mine"))],
        "circular": circular,
        "nan": float("nan"),
        "odd": object(),
    }
    return outputs[what]


@tool
def give(what: str) -> Any:
    """Give one of several things."""
    return something(what)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("model", '{"x": 1}'),
        ("set", "[1]"),
        ("bytearray", "raw"),
        ("artifact", "mine"),
        ("artifacts", "mine"),
    ],
)
async def test_models_sets_bytes_and_artifacts_become_what_one_would_expect(
    what: str, text: str
) -> None:
    run = await ran(ScriptedModel([[Call("give", {"what": what})], []]), tools=[give])
    (call,) = run.turn.turn_tool_calls
    (artifact,) = call.artifacts()
    assert await artifact.as_string() == text


@pytest.mark.parametrize("what", ["circular", "nan", "odd"])
async def test_an_output_that_cannot_be_written_down_is_an_error_result(what: str) -> None:
    run = await ran(ScriptedModel([[Call("give", {"what": what})], []]), tools=[give])
    (call,) = run.turn.turn_tool_calls
    assert call.is_error
    assert "has no JSON form" in str(call.results)
    assert run.errors == []


@pytest.mark.parametrize(
    ("name", "label"),
    [("", "(unnamed tool call)"), ("a\nb", "a b"), ("\x00", "(unnamed tool call)")],
)
async def test_a_tool_name_that_no_record_can_hold_is_shown_as_one_that_can(
    name: str, label: str
) -> None:
    run = await ran(ScriptedModel([[Call(name)], []]))
    (call,) = run.turn.turn_tool_calls
    assert (call.tool, call.is_error) == (label, True)
    assert run.errors == []


@pytest.mark.parametrize("depth", [100, 250, 400, 600, 2_000, 20_000])
async def test_arguments_nested_too_deeply_become_a_result_and_never_a_crash(depth: int) -> None:
    nested: Any = 1
    for _ in range(depth):
        nested = [nested]

    @tool
    def take(value: Any) -> str:
        """Take."""
        return "taken"

    run = await ran(ScriptedModel([[Call("take", {"value": nested})], []]), tools=[take])
    assert run.errors == []
    assert len(run.turn.turn_tool_calls) == 1


async def test_a_byte_store_that_fails_is_a_failure_and_no_result() -> None:
    class Full:
        async def store_artifact_bytes(self, ctx: Any, id: str, content: bytes) -> Any:
            raise ValueError("disk full")

        async def store_media_bytes(self, ctx: Any, id: str, content: bytes) -> Any:
            raise ValueError("disk full")

    model = ScriptedModel([[Call("add", {"a": 1, "b": 2})], []])
    run = await ran(model, tools=[add], byte_store=Full())
    assert "disk full" in run.errors[0].message
    assert len(run.turn.turn_tool_calls) == 0
