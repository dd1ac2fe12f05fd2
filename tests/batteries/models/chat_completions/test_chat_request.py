"""The body of a chat-completions request, judged by the types of the `openai` package."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import TypeAdapter

from support.turns import add
from tether import BytesReader, Media
from tether.batteries.models.chat_completions import ChatCompletions, ChatCompletionsOptions
from tether.batteries.models.chat_completions.executor import ChatCompletionsWire
from tether.batteries.models.errors import InvalidOpenaiChatCompletionsOptions
from tether.batteries.models.wire.layers import merged_options
from tether.batteries.models.wire.options import ModelOptions
from tether.trust.prompt import (
    CallItem,
    Item,
    MediaPart,
    MessageItem,
    Part,
    Prompt,
    Section,
    TextPart,
    ThoughtItem,
)

WIRE = ChatCompletionsWire()
IMAGE = MediaPart("image", "image/png", "a.png", "aW1n")
SOUND = MediaPart("audio", "audio/x-wav", "a.wav", "c25k")
PAPER = MediaPart("document", "application/pdf", "a.pdf", "cGRm")
MARKER = TextPart("[media id: 1 | a.png]")


@cache
def schema(*, streaming: bool) -> Draft202012Validator:
    """The request that the `openai` package describes, with no other field anywhere."""
    kind = CompletionCreateParamsStreaming if streaming else CompletionCreateParamsNonStreaming
    return Draft202012Validator(closed(TypeAdapter[Any](kind).json_schema()))


def closed(part: Any) -> Any:
    """Refuse the fields that a schema of objects does not name."""
    if isinstance(part, list):
        return [closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    inner = {key: closed(value) for key, value in part.items()}
    named = isinstance(part.get("properties"), dict) and part.get("type") == "object"
    return {**inner, "additionalProperties": False} if named else inner


def body(
    *timeline: Item,
    before: str = "",
    after: str = "",
    system: str = "",
    tools: Any = (),
    **options: Any,
) -> dict[str, Any]:
    """Make the body for a prompt, through JSON, as it is sent."""
    told = merged_options(ChatCompletionsOptions, [{"model": "m", **options}], WIRE.errors.options)
    prompt = Prompt(
        system,
        (Section("memories", before),) if before else (),
        timeline,
        (Section("retrievables", after),) if after else (),
    )
    made = WIRE.request(told, prompt, list(tools))
    sent: dict[str, Any] = json.loads(json.dumps(made))
    return sent


def checked(*timeline: Item, **settings: Any) -> list[dict[str, Any]]:
    """Return the messages of a body that the `openai` package would send as well."""
    made = body(*timeline, **settings)
    problems = [error.message for error in schema(streaming=made["stream"]).iter_errors(made)]
    assert problems == []
    messages: list[dict[str, Any]] = made["messages"]
    return messages


def user(*parts: Part) -> MessageItem:
    return MessageItem("user", "ada", parts or (TextPart("Hello"),))


def own(*parts: Part) -> MessageItem:
    return MessageItem("assistant", "assistant", parts or (TextPart("Hi"),))


def call(*parts: Part, **fields: Any) -> CallItem:
    given = parts or (TextPart("3"),)
    settings: dict[str, Any] = {"payload": None, "replay_compatibility": None, **fields}
    return CallItem("c1", "add", {"b": "é", "a": 1}, given, is_error=False, **settings)


def test_the_history_is_a_system_message_the_items_and_a_system_message() -> None:
    # CONTRACT 133, 134
    thought = ThoughtItem("t1", "<thought>hm</thought>", None, None)
    messages = checked(
        user(), own(), thought, call(), system="Be kind.", before="<memories/>", after="<after/>"
    )
    assert messages == [
        {"role": "system", "content": "Be kind.\n\n<memories/>"},
        {"role": "user", "name": "ada", "content": "Hello"},
        {"role": "assistant", "name": "assistant", "content": "Hi"},
        {"role": "assistant", "content": "<thought>hm</thought>"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "add", "arguments": '{"b": "é", "a": 1}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "3"},
        {"role": "system", "content": "<after/>"},
    ]


def test_a_prompt_without_system_text_has_no_system_message() -> None:
    assert checked(user()) == [{"role": "user", "name": "ada", "content": "Hello"}]


def test_a_message_without_a_name_has_none() -> None:
    assert checked(MessageItem("user", None, (TextPart("x"),))) == [
        {"role": "user", "content": "x"}
    ]


def test_media_are_blocks_in_their_order_behind_the_text() -> None:
    # CONTRACT 135, 1.6
    (message,) = checked(user(TextPart("Look:"), MARKER, IMAGE, SOUND, PAPER))
    assert message["content"] == [
        {"type": "text", "text": "Look:"},
        {"type": "text", "text": MARKER.text},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aW1n"}},
        {"type": "input_audio", "input_audio": {"data": "c25k", "format": "wav"}},
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,cGRm"},
        },
    ]


def test_several_texts_without_media_are_one_text() -> None:
    (message,) = checked(user(TextPart("a"), MARKER, TextPart("b")))
    assert message["content"] == f"a\n{MARKER.text}\nb"


def test_media_of_a_tool_stay_in_its_message_unless_told_otherwise() -> None:
    *_, result = body(call(MARKER, IMAGE))["messages"]
    assert result["role"] == "tool"
    assert [block["type"] for block in result["content"]] == ["text", "image_url"]


def test_media_of_a_tool_can_go_into_a_user_message_behind_it() -> None:
    messages = checked(
        call(TextPart("two:"), MARKER, IMAGE, IMAGE), call(MARKER, IMAGE), tool_media="user"
    )
    assert [message["role"] for message in messages] == [
        *("assistant", "tool", "user"),
        *("assistant", "tool", "user"),
    ]
    assert messages[1]["content"] == "two:"
    assert [block["type"] for block in messages[2]["content"]] == ["text", "image_url", "image_url"]
    assert messages[4]["content"] == "(the result is in the next message)"
    assert checked(call(MARKER), tool_media="user")[-1]["content"] == MARKER.text


def test_media_that_the_assistant_sent_follow_in_a_user_message() -> None:
    messages = checked(own(TextPart("Here:"), MARKER, IMAGE))
    assert [message["role"] for message in messages] == ["assistant", "user"]
    assert messages[0]["content"] == "Here:"
    (alone,) = checked(own(MARKER, IMAGE))
    assert alone["role"] == "user"


@pytest.mark.parametrize(
    ("kind", "mime_type", "carried"),
    [
        ("image", "image/png", True),
        ("document", "application/pdf", True),
        ("audio", "audio/wav", True),
        ("audio", "audio/vnd.wave", True),
        ("audio", "audio/mpeg", True),
        ("audio", "audio/mp3", True),
        ("audio", "audio/WAV", True),
        ("audio", "audio/wave", True),
        ("audio", "Audio/MPEG", True),
        ("audio", "audio/x-wavpack", False),
        ("audio", "audio/x-mpegurl", False),
        ("audio", "audio/mpeg4-generic", False),
        ("audio", "audio/ogg", False),
        ("video", "video/mp4", False),
    ],
)
def test_the_wire_says_what_it_can_carry(kind: Any, mime_type: str, carried: bool) -> None:
    # CONTRACT 1.6
    media = Media.user_attachment(
        kind=kind, mime_type=mime_type, filename="a", reader=BytesReader(b"")
    )
    assert WIRE.carries(media) is carried


def test_mp3_has_its_own_word() -> None:
    (message,) = checked(user(MediaPart("audio", "audio/mpeg", "a.mp3", "eA==")))
    assert message["content"][0]["input_audio"]["format"] == "mp3"


def test_opaque_reasoning_travels_in_a_field_of_its_own() -> None:
    # CONTRACT 1.2
    plain, opaque = (
        ThoughtItem("t1", "plain", None, None),
        ThoughtItem("t2", "kept", {"sig": 1}, "other"),
    )
    made = body(plain, opaque)
    assert made["_tether_reasoning_payloads"] == [
        {"id": "t2", "replay_compatibility": "other", "payload": {"sig": 1}}
    ]
    assert [message["content"] for message in made["messages"]] == ["plain", "kept"]
    assert "_tether_reasoning_payloads" not in body(plain)


def test_a_block_that_came_beside_a_call_goes_back_beside_it() -> None:
    made = body(call(payload={"g": 1}, replay_compatibility="chat-completions"))
    assert made["messages"][0]["tool_calls"][0]["extra_content"] == {"g": 1}
    assert "extra_content" not in body(call())["messages"][0]["tool_calls"][0]


def test_tools_are_described_as_functions() -> None:
    made = body(user(), tools=[add])
    assert checked(user(), tools=[add])
    (function,) = made["tools"]
    assert (function["type"], function["function"]["name"]) == ("function", "add")
    assert set(function["function"]["parameters"]["properties"]) == {"a", "b"}
    assert "tools" not in body(user())


FIELDS: dict[str, Any] = {
    "temperature": 0.5,
    "top_p": 0.9,
    "max_tokens": 10,
    "max_completion_tokens": 11,
    "stop": ["x", "y"],
    "seed": -7,
    "presence_penalty": -2.0,
    "frequency_penalty": 2.0,
    "logit_bias": {"50256": -100.0},
    "logprobs": True,
    "top_logprobs": 3,
    "n": 1,
    "parallel_tool_calls": False,
    "tool_choice": {"type": "function", "function": {"name": "add"}},
    "response_format": {"type": "json_object"},
    "reasoning_effort": "high",
    "service_tier": "auto",
    "store": False,
    "metadata": {"a": "b"},
    "user": "ada",
}


@pytest.mark.parametrize("stream", [True, False])
def test_all_request_fields_pass_through_and_no_control_key_does(stream: bool) -> None:
    # CONTRACT 141
    control: dict[str, Any] = {
        "api_key": "k",
        "base_url": "http://x.example/v1",
        "headers": {"X-A": "1"},
        "retry": {"max_attempts": 2},
        "token_encoding": "o200k_base",
        "context_window": 9,
        "replay_compatibility": ["x"],
        "tool_media": "user",
        "reasoning_field_precedence": ["thinking"],
        "auto_ack": True,
        "stream_idle_timeout_ms": 5,
    }
    made = body(user(), tools=[add], stream=stream, **FIELDS, **control)
    problems = [error.message for error in schema(streaming=stream).iter_errors(made)]
    assert problems == []
    made_here = {"model", "messages", "stream", "tools"} | ({"stream_options"} if stream else set())
    assert made.keys() == FIELDS.keys() | made_here
    assert {name: made[name] for name in FIELDS} == FIELDS
    own_fields = ChatCompletionsOptions.model_fields.keys() - ModelOptions.model_fields.keys()
    assert own_fields - ChatCompletionsOptions.CONTROL == FIELDS.keys()


def test_usage_is_asked_for_in_a_stream_unless_told_otherwise() -> None:
    assert body(user())["stream_options"] == {"include_usage": True}
    assert "stream_options" not in body(user(), include_usage=False)
    assert "stream_options" not in body(user(), stream=False)


def test_what_needs_tools_is_left_out_where_there_are_none() -> None:
    made = body(user(), tool_choice="required", parallel_tool_calls=True)
    assert not made.keys() & {"tool_choice", "parallel_tool_calls", "tools"}


def test_the_extra_body_goes_over_the_rest() -> None:
    made = body(user(), temperature=0.1, extra_body={"min_p": 0.05, "temperature": 2.5})
    assert (made["min_p"], made["temperature"]) == (0.05, 2.5)


def test_the_roles_around_the_history_can_be_chosen() -> None:
    around = {"system": "Be kind.", "after": "<after/>"}
    both = checked(user(), **around, system_role="developer", trailing_role="developer")
    assert [message["role"] for message in both] == ["developer", "user", "developer"]
    late = checked(user(), **around, trailing_role="user")
    assert [message["role"] for message in late] == ["system", "user", "user"]
    assert late[-1] == {"role": "user", "content": "<after/>"}


@pytest.mark.parametrize("name", ["system_role", "trailing_role"])
def test_another_role_is_refused(name: str) -> None:
    with pytest.raises(InvalidOpenaiChatCompletionsOptions, match=name):
        body(user(), **{name: "assistant"})


def ids(*given: str) -> list[str]:
    """Return the ids of calls as they are sent, the same in both places."""
    messages = checked(*(call()._replace(id=id) for id in given))
    sent = [it["id"] for message in messages for it in message.get("tool_calls", ())]
    assert sent == [it["tool_call_id"] for it in messages if it["role"] == "tool"]
    return sent


def test_ids_that_are_too_long_are_replaced_by_others_in_both_places() -> None:
    short = ["c1", "x" * 40, "call 1/é"]
    assert ids(*short) == short
    long = ["x" * 41, "x" * 100, "x" * 99 + "y", "é" * 60]
    sent = ids(*long)
    assert len(set(sent)) == len(long)
    assert all(len(id) <= 40 for id in sent)
    assert ids(*long) == sent


def test_an_id_that_looks_like_a_replacement_is_not_taken_for_it() -> None:
    (replaced,) = ids("x" * 100)
    assert len(set(ids("x" * 100, replaced))) == 2


@pytest.mark.parametrize("name", ["messages", "model", "n", "stream", "tool_choice", "tools"])
def test_the_extra_body_cannot_replace_what_the_executor_makes(name: str) -> None:
    with pytest.raises(InvalidOpenaiChatCompletionsOptions, match=name):
        ChatCompletions(model="m", extra_body={name: "x"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", "hot"),
        ("top_p", 1.1),
        ("max_tokens", 0),
        ("n", 2),
        ("stop", ""),
        ("logit_bias", {"1": 101}),
        ("tool_choice", "any"),
        ("tool_choice", {"function": {1, 2}}),
        ("response_format", {"x": float("nan")}),
        ("extra_body", {"x": object()}),
        ("extra_body", {1: 2}),
        ("extra_body", []),
        ("top_logprobs", 21),
        ("presence_penalty", 3),
        ("reasoning_effort", 3),
        ("tool_media", "assistant"),
        ("reasoning_field_precedence", "reasoning"),
        ("frequency", 1),
    ],
)
def test_a_field_that_does_not_fit_is_refused_at_construction(name: str, value: Any) -> None:
    # CONTRACT 138
    with pytest.raises(InvalidOpenaiChatCompletionsOptions) as caught:
        ChatCompletions(model="m", **{name: value})
    assert {problem.path.split(".")[0] for problem in caught.value.problems} == {name}


def test_a_call_written_down_can_be_read_back() -> None:
    made = body(call())
    sent = made["messages"][0]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"b": "é", "a": 1}
