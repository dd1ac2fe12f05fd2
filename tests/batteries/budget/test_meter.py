"""The cost of a rendered prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether import tool
from tether.batteries.budget import prompt_tokens
from tether.batteries.budget.meter import FRAME_TOKENS, LONGEST_PIECE, PromptMeter
from tether.core.tokens import count_tokens, register_estimator, unregister_estimator
from tether.runtime.tool_definition import tool_definition
from tether.trust.prompt import (
    CallItem,
    MediaPart,
    MessageItem,
    Prompt,
    Section,
    TextPart,
    ThoughtItem,
)

EXACT = "cl100k_base"
ADVERSARIAL = {
    "prose": "The quick brown fox jumps over the lazy dog. " * 20,
    "base64": "qL3x9/+ZkR7wYt0aBcDeFgHiJk==" * 30,
    "rare scripts": "ᚠᛇᚻ ꧁ꦗꦮ꧂ 𒀭𒈹 ꓕꓱ ᏣᎳᎩ " * 15,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀" * 20,
    "white space": " \t\n\r\n   " * 60,
    "one letter": "a" * 3_000,
    "digits": "0123456789" * 60,
    "combining": "e\u0301\u0302\u0303" * 100,
}


@tool
async def look(at: int) -> str:
    """Look at something."""
    return str(at)


def message(text: str, **fields: Any) -> MessageItem:
    plain: dict[str, Any] = {"role": "user", "name": None, "parts": (TextPart(text),)}
    return MessageItem(**(plain | fields))


def prompt(*timeline: Any, **fields: Any) -> Prompt:
    plain: dict[str, Any] = {"system_prompt": "", "before": (), "timeline": timeline, "after": ()}
    return Prompt(**(plain | fields))


OPENING = FRAME_TOKENS  # of the answer


def test_an_empty_prompt_costs_the_opening_of_the_answer() -> None:
    tokens = prompt_tokens(prompt(), EXACT)
    assert {name: count for name, count in tokens.items() if count} == {"timeline": OPENING}


def test_the_opening_of_the_answer_is_counted() -> None:
    # As ChatML writes it: every message in its frame, and behind them the beginning of one more.
    shown = prompt(message("Why?"), system_prompt="You help.")
    written = [f"{role}\n{text}" for role, text in (("system", "You help."), ("user", "Why?"))]
    template = sum(count_tokens(text, EXACT) + 3 for text in written)
    opening = count_tokens("assistant\n", EXACT) + 1
    assert sum(prompt_tokens(shown, EXACT).values()) >= template + opening


def test_each_bucket_is_counted_as_it_is_shown_before_the_timeline_or_after_it() -> None:
    shown = prompt(
        system_prompt="You help.",
        before=(Section("standing_instructions", "Be kind."), Section("memories", "It rained.")),
        after=(Section("retrievables", "A passage."),),
    )
    tokens = prompt_tokens(shown, EXACT)
    assert tokens == {
        "system_prompt": count_tokens("You help.", EXACT),
        "standing_instructions": count_tokens("Be kind.", EXACT),
        "memories": count_tokens("It rained.", EXACT),
        "retrievables": count_tokens("A passage.", EXACT),
        "timeline": 2 * FRAME_TOKENS + OPENING,  # the texts before and after it are messages too
        "tools": 0,
    }


def test_a_message_costs_its_text_its_name_and_its_frame() -> None:
    cost = 2 + FRAME_TOKENS + OPENING
    assert prompt_tokens(prompt(message("Hello there")), EXACT)["timeline"] == cost
    named = prompt(message("Hello there", name="Ada"))
    more = count_tokens("Ada", EXACT)
    assert prompt_tokens(named, EXACT)["timeline"] == cost + more


def test_the_frame_is_not_less_than_that_of_a_common_chat_template() -> None:
    # ChatML: three special tokens, the role and a line break. Llama 3: four, the role, "\n\n".
    assert count_tokens("user\n", EXACT) + 3 <= FRAME_TOKENS
    assert count_tokens("user", EXACT) + count_tokens("\n\n", EXACT) + 4 <= FRAME_TOKENS


def test_a_thought_costs_its_text_and_the_payload_that_goes_back() -> None:
    bare = ThoughtItem("t", "Hmm.", None, None)
    tokens = prompt_tokens(prompt(bare), EXACT)["timeline"]
    assert tokens == count_tokens("Hmm.", EXACT) + FRAME_TOKENS + OPENING
    signed = bare._replace(payload={"signature": "x" * 99}, replay_compatibility="wire")
    more = count_tokens('{"signature":"' + "x" * 99 + '"}', EXACT)
    assert prompt_tokens(prompt(signed), EXACT)["timeline"] == tokens + more


def test_a_call_costs_its_name_its_arguments_its_result_and_two_frames() -> None:
    item = CallItem("c", "look", {"at": "ü"}, (TextPart("Seen."),), False, None, None)
    texts = ("look", '{"at":"ü"}', "Seen.")
    expected = sum(count_tokens(text, EXACT) for text in texts) + 2 * FRAME_TOKENS + OPENING
    assert prompt_tokens(prompt(item), EXACT)["timeline"] == expected
    with_payload = item._replace(payload=[1, object()], replay_compatibility="wire")
    assert prompt_tokens(prompt(with_payload), EXACT)["timeline"] > expected


def test_media_are_rated_by_kind_and_size_and_not_by_their_letters() -> None:
    def cost(kind: Any, size: int) -> int:
        part = MediaPart(kind, "a/b", "name", "A" * size)
        shown = prompt(message("", parts=(part,)))
        return prompt_tokens(shown, EXACT)["timeline"] - FRAME_TOKENS - OPENING

    assert cost("image", 4) == cost("image", 4_000_000) == 1_600
    assert cost("audio", 4_000) == cost("video", 4_000) == 12
    assert cost("document", 4_000) == 750


def test_a_tool_costs_its_definition_and_is_counted_once_per_meter() -> None:
    definition = json.dumps(tool_definition(look), separators=(",", ":"))
    tokens = prompt_tokens(prompt(), EXACT, [look])
    assert tokens["tools"] == count_tokens(definition, EXACT) + FRAME_TOKENS
    assert prompt_tokens(prompt(), EXACT, [look, look])["tools"] == 2 * tokens["tools"]


def test_a_meter_counts_each_text_once() -> None:
    asked: list[str] = []

    def estimate(text: str) -> int:
        asked.append(text)
        return len(text)

    register_estimator("counted-once", estimate)
    try:
        meter = PromptMeter("counted-once")
        for _ in range(3):
            assert meter.measure(prompt(message("same"), message("same")))["timeline"] > 8
    finally:
        unregister_estimator("counted-once")
    assert asked == ["same"]


LONG = {
    "prose": "The quick brown fox jumps over the lazy dog. " * 2_000,
    "one letter": "a" * 40_000,
    "rare": "字符漢語" * 10_000,
}


@pytest.mark.parametrize("encoding", ["cl100k_base", "claude", "bytes"])
@pytest.mark.parametrize("kind", LONG)
async def test_looking_at_a_prompt_first_changes_no_count(encoding: str, kind: str) -> None:
    text = LONG[kind]
    thought = ThoughtItem("t", "Hmm.", {"blob": text}, "wire")
    call = CallItem("c", "look", {"at": 1}, (TextPart(text),), False, None, None)
    shown = prompt(message(text), thought, call, system_prompt="You help.")
    meter = PromptMeter(encoding)
    await meter.look_at(shown)
    await meter.look_at(shown)
    assert meter.measure(shown) == prompt_tokens(shown, encoding)
    assert not meter.is_cut_short


async def test_an_estimator_of_ones_own_is_asked_about_a_long_text_as_a_whole() -> None:
    asked: list[int] = []

    def estimate(text: str) -> int:
        asked.append(len(text))
        return 7

    register_estimator("of-ones-own", estimate)
    try:
        await PromptMeter("of-ones-own", enough=1).look_at(prompt(system_prompt="a" * 100_000))
    finally:
        unregister_estimator("of-ones-own")
    assert asked == [100_000]


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base", "claude"])
@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("enough", [10, 4_000])
async def test_a_text_that_is_too_much_is_known_to_be_and_never_said_to_be_more_than_it_is(
    encoding: str, kind: str, enough: int
) -> None:
    text = LONG[kind]
    assert len(text) > LONGEST_PIECE
    meter = PromptMeter(encoding, enough=enough)
    await meter.look_at(prompt(system_prompt=text))
    whole = PromptMeter(encoding).text(text)
    assert enough < meter.text(text) <= whole
    assert meter.is_cut_short or meter.text(text) == whole


@pytest.mark.parametrize(
    ("encoding", "estimated"),
    [("cl100k_base", False), ("o200k_harmony", False), ("claude", True), ("bytes", True)],
)
def test_a_meter_says_whether_it_estimates(encoding: str, estimated: bool) -> None:
    assert PromptMeter(encoding).estimated is estimated


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base", "r50k_base", "p50k_base"])
@pytest.mark.parametrize("kind", ADVERSARIAL)
def test_the_parts_of_a_prompt_are_not_counted_below_the_whole(encoding: str, kind: str) -> None:
    text = ADVERSARIAL[kind]
    shown = prompt(
        message(text),
        message(text, role="assistant"),
        system_prompt=text,
        before=(Section("memories", text),),
        after=(Section("retrievables", text),),
    )
    assert sum(prompt_tokens(shown, encoding).values()) >= 0.95 * whole(shown, encoding)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
def test_whatever_the_text_the_parts_are_not_counted_below_the_whole(texts: list[str]) -> None:
    shown = prompt(*map(message, texts[1:]), system_prompt=texts[0])
    assert sum(prompt_tokens(shown, EXACT).values()) >= 0.95 * whole(shown, EXACT)


def whole(shown: Prompt, encoding: str) -> int:
    """Count a prompt in one piece, as ChatML writes it; its special tokens count one each."""
    said = [
        part.text
        for item in shown.timeline
        if isinstance(item, MessageItem)
        for part in item.parts
        if isinstance(part, TextPart)
    ]
    messages = [text for text in (shown.leading, *said, shown.trailing) if text]
    return sum(count_tokens(f"user\n{text}", encoding) + 3 for text in messages)


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base", "r50k_base"])
@pytest.mark.parametrize("kind", ADVERSARIAL)
def test_bytes_are_never_fewer_than_tokens(encoding: str, kind: str) -> None:
    text = ADVERSARIAL[kind]
    assert PromptMeter("bytes").text(text) >= count_tokens(text, encoding)


def test_bytes_can_be_counted_of_any_string() -> None:
    assert PromptMeter("bytes").text("ü\ud800") == 5


@pytest.mark.unmeasured
@pytest.mark.parametrize("heuristic", ["claude", "gemini", "gemma", "llama2"])
@pytest.mark.parametrize("true", ["cl100k_base", "o200k_base", "r50k_base", "p50k_base"])
@pytest.mark.parametrize("kind", ADVERSARIAL)
def test_an_estimate_is_not_far_below_what_a_real_vocabulary_makes(
    heuristic: str, true: str, kind: str
) -> None:
    text = ADVERSARIAL[kind]
    assert PromptMeter(heuristic).text(text) >= 0.85 * count_tokens(text, true)


def test_an_estimate_of_prose_is_the_heuristics_own() -> None:
    prose = ADVERSARIAL["prose"]
    assert PromptMeter("claude").text(prose) == count_tokens(prose, "claude")
