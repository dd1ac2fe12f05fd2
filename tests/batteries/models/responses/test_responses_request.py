"""A prompt as a request to the Responses API, judged by the types of OpenAI's own package."""

from __future__ import annotations

import json
from typing import Any, Literal, get_type_hints

import pytest
from openai.types.responses import (
    FunctionToolParam,
    ResponseInputParam,
    response_create_params,
)
from pydantic import TypeAdapter

from support.prompts import rendered, said, thought
from support.rich_prompt import (
    OPAQUE,
    PDF,
    PNG,
    TAIL,
    at,
    holds,
    image,
    rich_prompt,
    texts_in,
)
from support.turns import add
from tether import BytesReader, Media
from tether.batteries.models.errors import InvalidModelOptions
from tether.batteries.models.responses import Responses, ResponsesOptions
from tether.batteries.models.responses.executor import ResponsesWire
from tether.batteries.models.responses.options import ResponsesKeywords
from tether.batteries.models.wire.layers import merged_options
from tether.trust.prompt import (
    CallItem,
    Item,
    MediaPart,
    MessageItem,
    Prompt,
    TextPart,
    ThoughtItem,
)
from tether.trust.records import PromptRecords

WIRE = ResponsesWire()
OWN = ("openai-responses",)

INPUT: TypeAdapter[Any] = TypeAdapter(ResponseInputParam)
TOOLS: TypeAdapter[Any] = TypeAdapter(list[FunctionToolParam])
BODY: TypeAdapter[Any] = TypeAdapter(response_create_params.ResponseCreateParamsBase)


def options(**given: Any) -> ResponsesOptions:
    return merged_options(ResponsesOptions, [{"model": "gpt-test", **given}], InvalidModelOptions)


def body_of(prompt: Prompt, **given: Any) -> dict[str, Any]:
    return WIRE.request(options(**given), prompt, [])


def timeline(*items: Item) -> Prompt:
    return Prompt("", (), items, ())


def known_to_openai(adapter: TypeAdapter[Any], value: Any) -> bool:
    """Say whether OpenAI's types accept a value, and every key in it."""
    accepted = adapter.dump_json(adapter.validate_python(value), warnings=False)
    return bool(json.loads(accepted) == json.loads(json.dumps(value)))


def test_every_kind_of_record_makes_items_that_openai_knows() -> None:
    body = body_of(rich_prompt(replay_compatibility=OWN, bucket_order=TAIL))
    assert known_to_openai(INPUT, body["input"])
    assert [item.get("role", item["type"]) for item in body["input"]] == [
        "user",
        "assistant",  # plain reasoning
        "reasoning",  # before the words to which it led
        "assistant",
        "function_call",
        "function_call_output",
        "function_call",
        "function_call_output",
        "function_call",
        "function_call_output",
        "assistant",
        "user",
        "developer",
    ]


def test_every_text_of_the_prompt_is_in_the_body() -> None:
    prompt = rich_prompt(replay_compatibility=OWN)
    body = body_of(prompt)
    assert body["instructions"] == prompt.leading
    assert len(texts_in(prompt)) > 8
    for text in texts_in(prompt):
        assert holds(body, text), text


def test_media_are_images_and_files_with_data_addresses() -> None:
    body = body_of(rich_prompt())
    first = body["input"][0]["content"]
    assert [part["type"] for part in first] == [
        "input_text",
        "input_text",
        "input_image",
        "input_text",
        "input_file",
        "input_text",
        "input_file",
    ]
    assert first[2]["image_url"] == f"data:image/png;base64,{PNG}"
    assert first[4]["filename"] == "paper.pdf"
    assert first[4]["file_data"] == f"data:application/pdf;base64,{PDF}"


def test_calls_and_results_are_correlated_by_ids_that_the_wire_takes() -> None:
    items = body_of(rich_prompt())["input"]
    calls = [item for item in items if item["type"] == "function_call"]
    results = [item for item in items if item["type"] == "function_call_output"]
    assert [item["call_id"] for item in calls] == [item["call_id"] for item in results]
    assert calls[0]["call_id"] == "call_1"
    assert all(set(item["call_id"]) <= set(SAFE) for item in calls)
    assert json.loads(calls[0]["arguments"]) == {"a": 2, "b": 2}
    assert isinstance(results[0]["output"], str)
    assert [part["type"] for part in results[2]["output"]] == ["input_text", "input_image"]


SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


def test_long_and_odd_ids_stay_apart() -> None:
    ids = ["a.b", "a:b", "x" * 100, "x" * 101, "", "\ud800"]
    calls = [CallItem(id, "add", {}, (TextPart("4"),), False, None, None) for id in ids]
    items = body_of(timeline(*calls))["input"]
    made = {item["call_id"] for item in items}
    assert len(made) == len(ids)
    assert all(1 <= len(id) <= 64 and set(id) <= set(SAFE) for id in made)


def test_reasoning_goes_back_as_it_came_only_with_this_wires_tag() -> None:
    items = body_of(rich_prompt(replay_compatibility=OWN))["input"]
    assert [item for item in items if item["type"] == "reasoning"] == [OPAQUE]
    items = body_of(rich_prompt())["input"]
    assert not [item for item in items if item["type"] == "reasoning"]


def test_reasoning_of_another_wire_is_only_told_of() -> None:
    item = ThoughtItem("t", "a note", {"type": "thinking"}, "anthropic-thinking")
    assert body_of(timeline(item))["input"] == [
        {"type": "message", "role": "assistant", "content": "a note"}
    ]


def sealed(id: str) -> dict[str, Any]:
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA"}


def bare(id: str) -> dict[str, Any]:
    """Reasoning that an endpoint which stores it knows by its id alone."""
    return {"type": "reasoning", "id": id, "summary": []}


def thinks(payload: dict[str, Any]) -> ThoughtItem:
    return ThoughtItem(payload["id"], "a note", payload, OWN[0])


def calls(id: str, reasoning: str, tag: str = OWN[0]) -> CallItem:
    replay = {"id": f"fc_{id}", "reasoning": reasoning}
    return CallItem(f"call_{id}", "add", {}, (TextPart("4"),), False, replay, tag)


def speaks(role: Literal["user", "assistant"], text: str = "Hi") -> MessageItem:
    return MessageItem(role, None, (TextPart(text),))


def names_of(*items: Item) -> list[str]:
    """Return the items on the wire: by id if they have one, else by role or kind."""
    made = body_of(timeline(*items))["input"]
    assert known_to_openai(INPUT, made)
    return [item.get("id") or item.get("role") or item["type"] for item in made]


def test_reasoning_and_the_calls_to_which_it_led_go_back_together_under_their_ids() -> None:
    result = "function_call_output"
    for reasoning in (bare("rs_1"), sealed("rs_1")):
        items = (thinks(reasoning), calls("1", "rs_1"), calls("2", "rs_1"))
        assert names_of(*items) == ["rs_1", "fc_1", result, "fc_2", result]
    several = (thinks(bare("rs_1")), thinks(bare("rs_2")), calls("1", "rs_2"))
    assert names_of(*several) == ["rs_1", "rs_2", "fc_1", result]


def test_a_call_goes_back_without_its_id_where_its_reasoning_does_not() -> None:
    kept = ["function_call", "function_call_output"]
    assert names_of(calls("1", "rs_1")) == kept
    assert names_of(thinks(sealed("rs_2")), calls("1", "rs_1")) == ["rs_2", *kept]
    assert names_of(thinks(sealed("rs_1")), calls("1", "rs_1", tag="else")) == ["rs_1", *kept]


def test_reasoning_that_is_known_by_its_id_needs_its_own_call_behind_it() -> None:
    """Messages keep no ids, and the endpoint refuses such reasoning without the next item's."""
    kept = ["function_call", "function_call_output"]
    words, call = speaks("assistant"), calls("1", "rs_1")
    assert names_of(thinks(bare("rs_1")), words) == ["assistant"]
    assert names_of(thinks(bare("rs_1")), words, call) == ["assistant", *kept]
    assert names_of(thinks(bare("rs_2")), call) == kept
    assert names_of(thinks(sealed("rs_1")), words, call) == ["rs_1", "assistant", "fc_1", kept[1]]


def test_reasoning_whose_text_is_in_it_goes_back_before_words() -> None:
    open_model = bare("rs_1") | {"content": [{"type": "reasoning_text", "text": "Hm."}]}
    assert names_of(thinks(open_model), speaks("assistant")) == ["rs_1", "assistant"]


@pytest.mark.parametrize("payload", [sealed("rs_1"), bare("rs_1")])
def test_reasoning_that_led_to_nothing_is_not_sent_back(payload: dict[str, Any]) -> None:
    """A reply that was cut inside its reasoning would be refused again in every later request."""
    assert names_of(speaks("user"), thinks(payload), speaks("user")) == ["user", "user"]
    assert names_of(speaks("user"), thinks(payload)) == ["user"]
    assert names_of(thinks(payload), thinks(sealed("rs_2")), speaks("user")) == ["user"]


def talk(*times: tuple[str, int]) -> Prompt:
    """Two replies to one question: their words, and their reasoning at these times."""
    records = PromptRecords(
        messages=(
            said("u1", "Hello?", created_at=at(1)),
            said("a1", "one", role="assistant", created_at=at(3)),
            said("a2", "two", role="assistant", created_at=at(5)),
        ),
        thoughts=tuple(
            thought(id, payload=sealed(id), replay_compatibility=OWN[0], created_at=at(second))
            for id, second in times
        ),
    )
    return rendered(records, replay_compatibility=OWN)


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ([("r1", 3), ("r2", 5), ("r3", 5)], ["r1", "one", "r2", "r3", "two"]),
        ([("r1", 2), ("r2", 4)], ["r1", "one", "r2", "two"]),
        ([("r1", 2), ("r2", 2), ("r3", 6)], ["r1", "r2", "one", "r3", "two"]),
    ],
)
def test_reasoning_goes_back_before_the_words_to_which_it_led(
    times: list[tuple[str, int]], shown: list[str]
) -> None:
    items = body_of(talk(*times))["input"]
    assert [item.get("id") or item["content"] for item in items[1:]] == shown


def test_what_the_assistant_attached_is_shown_by_a_user() -> None:
    records = PromptRecords(messages=(said("a1", "Here.", role="assistant", media=(image(),)),))
    items = body_of(rendered(records))["input"]
    assert items[0] == {"type": "message", "role": "assistant", "content": "Here."}
    assert items[1]["role"] == "user"
    assert [part["type"] for part in items[1]["content"]] == ["input_text", "input_image"]
    assert known_to_openai(INPUT, items)


def test_an_assistant_that_only_attached_something_says_nothing() -> None:
    records = PromptRecords(messages=(said("a1", None, role="assistant", media=(image(),)),))
    (item,) = body_of(rendered(records))["input"]
    assert item["role"] == "user"


def test_what_stands_behind_the_timeline_has_a_role_above_the_users() -> None:
    prompt = rich_prompt(bucket_order=TAIL)
    for role in ("developer", "system"):
        last = body_of(prompt, trailing_role=role)["input"][-1]
        assert last["role"] == role
        assert last["content"] == [{"type": "input_text", "text": prompt.trailing}]


def test_an_empty_prompt_says_so() -> None:
    body = body_of(Prompt("", (), (), ()))
    assert "instructions" not in body
    assert known_to_openai(INPUT, body["input"])
    assert body["input"][0]["role"] == "user"


def test_a_message_without_parts_is_left_out() -> None:
    nothing = MessageItem("user", None, ()), MessageItem("assistant", None, ())
    something = MessageItem("user", None, (TextPart("Hi"),))
    assert len(body_of(timeline(*nothing, something))["input"]) == 1


def test_tools_are_flat_and_not_strict() -> None:
    body = WIRE.request(options(tool_choice="auto"), rich_prompt(), [add])
    (told,) = body["tools"]
    assert known_to_openai(TOOLS, body["tools"])
    assert (told["type"], told["name"], told["strict"]) == ("function", "add", False)
    assert told["description"] == "Add two numbers."
    assert set(told["parameters"]["properties"]) == {"a", "b"}


FIELDS: dict[str, Any] = {
    "temperature": 0.5,
    "top_p": 0.9,
    "top_logprobs": 3,
    "max_output_tokens": 100,
    "tool_choice": {"type": "function", "name": "add"},
    "parallel_tool_calls": False,
    "reasoning": {"effort": "low", "summary": "auto"},
    "text": {
        "format": {"type": "json_schema", "name": "answer", "schema": {"default": None}},
        "verbosity": "low",
    },
    "truncation": "auto",
    "include": ["reasoning.encrypted_content"],
    "store": False,
    "metadata": {"a": "b"},
    "service_tier": "flex",
    "user": "somebody",
    "safety_identifier": "hash",
    "prompt_cache_key": "key",
    "prompt_cache_retention": "24h",
    "stream_options": {"include_obfuscation": False},
}


def test_every_field_of_the_request_passes_through() -> None:
    body = WIRE.request(options(**FIELDS), rich_prompt(), [add])
    assert {name: body[name] for name in FIELDS} == FIELDS
    assert known_to_openai(BODY, {name: body[name] for name in FIELDS})


def test_what_controls_the_executor_stays_out_of_the_body() -> None:
    body = body_of(rich_prompt(), api_key="k", headers={"a": "b"}, auto_ack=True)
    assert set(body) == {"model", "instructions", "input", "stream"}
    assert body["stream"] is True


def test_fields_about_tools_and_streams_are_left_out_without_them() -> None:
    body = body_of(rich_prompt(), **FIELDS, stream=False)
    assert not {"tool_choice", "parallel_tool_calls", "stream_options"} & set(body)
    assert body["stream"] is False


def test_an_extra_body_is_laid_over_the_rest() -> None:
    extra = {"max_tool_calls": 2, "temperature": 1, "background": True}
    body = body_of(rich_prompt(), temperature=0.1, extra_body=extra)
    assert {name: body[name] for name in extra} == extra


@pytest.mark.parametrize(
    "name", ["input", "instructions", "model", "stream", "tool_choice", "tools"]
)
def test_an_extra_body_cannot_replace_what_the_turn_makes(name: str) -> None:
    with pytest.raises(InvalidModelOptions, match=f"must not contain {name}"):
        Responses(model="m", extra_body={name: "x"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": 3},
        {"temperature": -1},
        {"top_p": 1.5},
        {"top_p": -0.1},
        {"top_logprobs": 21},
        {"max_output_tokens": 0},
        {"extra_body": {"x": float("nan")}},
        {"reasoning": {"x": object()}},
        {"trailing_role": "user"},
        {"store": "yes"},
        {"unknown": 1},
    ],
)
def test_wrong_options_are_refused_where_they_are_given(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidModelOptions, match=next(iter(wrong))):
        Responses(model="m", **wrong)


@pytest.mark.parametrize(
    ("kind", "mime_type", "is_carried"),
    [
        ("image", "image/png", True),
        ("image", "image/webp", True),
        ("image", "IMAGE/Png", True),
        ("image", "image/svg+xml", False),
        ("document", "application/pdf", True),
        ("document", "text/csv", True),
        ("audio", "audio/wav", False),
        ("video", "video/mp4", False),
    ],
)
def test_which_media_there_is_a_form_for(kind: Any, mime_type: str, is_carried: bool) -> None:
    media = Media.tool_generated(
        kind=kind, mime_type=mime_type, filename="f", reader=BytesReader(b"")
    )
    assert WIRE.carries(media) is is_carried


def test_types_of_media_are_written_in_small_letters() -> None:
    part = MediaPart("image", "Image/PNG", "f", PNG)
    (item,) = body_of(timeline(MessageItem("user", None, (part,))))["input"]
    assert item["content"][0]["image_url"] == f"data:image/png;base64,{PNG}"


def test_type_checkers_know_every_option() -> None:
    assert set(get_type_hints(ResponsesKeywords)) == set(ResponsesOptions.model_fields)


def test_a_twin_has_its_own_options_over_the_others() -> None:
    twin = Responses(model="m", temperature=0.1).executor(temperature=0.2)
    assert isinstance(twin, Responses)
    with pytest.raises(InvalidModelOptions, match="temperature"):
        twin.executor(temperature=7)


def test_requests_go_to_the_base_address_with_the_key() -> None:
    assert WIRE.url(options()) == "https://api.openai.com/v1/responses"
    assert WIRE.url(options(base_url="http://host:8/v1/")) == "http://host:8/v1/responses"
    assert WIRE.headers(options()) == {}
    assert WIRE.headers(options(api_key="sk-1")) == {"Authorization": "Bearer sk-1"}
