"""Every step can be replaced alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from support.prompts import TURN_ID, asset, call, memory, passage, rendered, said, thought
from tether.trust.errors import InvalidRenderer
from tether.trust.prompt import CallItem, MessageItem, Prompt, TextPart, ThoughtItem
from tether.trust.records import Handle, PromptRecords
from tether.trust.renderer import Renderer
from tether.trust.steps import Steps

HANDLE = Handle("h", "SpooledArtifact", 10, 2, None, ())
RECORDS = PromptRecords(
    system_prompt="You.",
    standing_instructions=("Rule.",),
    memories=(memory("m", "Memory."),),
    retrievables=(
        passage("f", "Ours."),
        passage("w", "Web.", trust_tier="third-party-public"),
        passage("p", "Private.", trust_tier="third-party-private"),
    ),
    messages=(said("s", "Question.", media=(asset("a"),)),),
    thoughts=(thought("t1", "Old idea."), thought("t2", "New idea.")),
    calls=(call("c1", "Result."), call("c2", "Truth.", trusted=True), call("c3", HANDLE)),
)
NAMES = [field.name for field in fields(Steps)]
MARK = "swapped"


Pieces = dict[str, object]
"""A prompt, taken apart far enough to see what a swap changed."""


def pieces(prompt: Prompt) -> Pieces:
    sections = {section.bucket: section.text for section in prompt.before}
    directive, ours, web, private = sections["retrievables"].split("\n\n")
    said = next(item for item in prompt.timeline if isinstance(item, MessageItem))
    message, marker, media = said.parts
    calls = [item for item in prompt.timeline if isinstance(item, CallItem)]
    result, trusted, handle = (words(item) for item in calls)
    return {
        "rules": sections["standing_instructions"],
        "memories": sections["memories"],
        "directive": directive,
        "ours": ours,
        "web": web,
        "private": private,
        "message": message,
        "marker": marker,
        "media": media,
        "name": said.name,
        "thoughts": [item.text for item in prompt.timeline if isinstance(item, ThoughtItem)],
        "result": result,
        "trusted": trusted,
        "handle": handle,
        "tools": [item.tool for item in calls],
        "args": [item.args for item in calls],
    }


def words(item: CallItem) -> str:
    (part,) = item.parts
    assert isinstance(part, TextPart)
    return part.text


def render(**steps: Callable[..., Any]) -> Prompt:
    return rendered(RECORDS, steps=steps, unsupported_media="synthetic-description")


def says_mark(*_: object) -> str:
    return MARK


# Which pieces a step has a part in; no other may change.
TEXT_STEPS: dict[str, set[str]] = {
    "payload": {
        *("rules", "memories", "ours", "web", "private", "message", "marker", "media", "thoughts"),
        *("result", "trusted", "handle", "args"),
    },
    "untrusted_content": {"web", "private", "media", "result", "handle"},
    "trusted_content": {"trusted"},
    "standing_instructions": {"rules"},
    "memories": {"memories"},
    "memory": {"memories"},
    "safety_directive": {"directive"},
    "first_party_retrievables": {"ours"},
    "third_party_public_retrievables": {"web"},
    "third_party_private_retrievables": {"private"},
    "handle": {"handle"},
    "name": {"name", "tools"},
    "media_marker": {"marker"},
    "unsupported_media": {"media"},
}


@pytest.mark.parametrize("name", sorted(TEXT_STEPS))
def test_a_step_that_makes_text_is_swapped_alone(name: str) -> None:
    # CONTRACT 125
    before, after = pieces(render()), pieces(render(**{name: says_mark}))
    changed = {piece for piece in before if before[piece] != after[piece]}
    assert changed == TEXT_STEPS[name]
    assert all(MARK in str(after[piece]) for piece in changed)


def test_the_bucket_of_retrieved_content_is_swapped_alone() -> None:
    # CONTRACT 125
    before, after = render(), render(retrievables=says_mark)
    assert [section.text for section in after.before if section.bucket == "retrievables"] == [MARK]
    others = [section for section in before.before if section.bucket != "retrievables"]
    assert [section for section in after.before if section.bucket != "retrievables"] == others
    assert after.timeline == before.timeline


def one_message(rendering: object, loaded: object) -> MessageItem:
    return MessageItem("user", None, (TextPart(MARK),))


def one_thought(rendering: object, thought: object) -> ThoughtItem:
    return ThoughtItem("t", MARK, None, None)


def one_call(rendering: object, loaded: object) -> CallItem:
    return CallItem("c", MARK, {}, (), False, None, None)


def one_part(*_: object) -> list[TextPart]:
    return [TextPart(MARK)]


def newest_only(rendering: object, thoughts: Any) -> Any:
    return thoughts[-1:]


def other_arguments(rendering: object, args: object) -> dict[str, str]:
    return {MARK: MARK}


@pytest.mark.parametrize(
    ("name", "step", "positions"),
    [
        ("message", one_message, [0]),
        ("thought", one_thought, [1, 2]),
        ("tool_call", one_call, [3, 4, 5]),
        ("tool_result", one_part, [3, 4, 5]),
        ("arguments", other_arguments, [3, 4, 5]),
        ("media", one_part, [0]),
    ],
)
def test_a_step_that_makes_items_is_swapped_alone(
    name: str, step: Callable[..., Any], positions: list[int]
) -> None:
    # CONTRACT 125
    before, after = render(), render(**{name: step})
    assert after.before == before.before
    pairs = enumerate(zip(before.timeline, after.timeline, strict=True))
    assert [position for position, (one, other) in pairs if one != other] == positions
    assert all(MARK in repr(after.timeline[position]) for position in positions)


def test_the_choice_of_thoughts_is_swapped_alone() -> None:
    # CONTRACT 125
    before, after = render(), render(surfaced_thoughts=newest_only)
    assert after.before == before.before
    assert after.timeline == before.timeline[:1] + before.timeline[2:]


def test_the_timeline_is_swapped_alone() -> None:
    # CONTRACT 125
    before, after = render(), render(timeline=lambda rendering, records: [one_thought(0, 0)])
    assert after == before._replace(timeline=(one_thought(0, 0),))


def test_every_step_is_swapped_in_one_of_these_tests() -> None:
    items = {"message", "thought", "tool_call", "tool_result", "arguments", "media"}
    assert set(NAMES) == {*TEXT_STEPS, *items, "retrievables", "surfaced_thoughts", "timeline"}


def test_the_page_on_trust_names_every_step() -> None:
    page = Path(__file__).parents[2] / "docs" / "trust.md"
    text = page.read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []


def test_steps_can_be_given_whole() -> None:
    steps = replace(Steps(), safety_directive=says_mark)
    renderer = Renderer(steps=steps)
    records = RECORDS._replace(messages=())
    assert f"{MARK}\n\n<retrieved_corpus>" in renderer.render(records, turn_id=TURN_ID).leading


def test_overrides_are_laid_over_one_another() -> None:
    steps = Steps().with_overrides({"memory": says_mark}).with_overrides({"handle": says_mark})
    assert [steps.memory, steps.handle] == [says_mark, says_mark]
    assert steps.message is Steps().message


def test_an_unknown_name_and_what_cannot_be_called_are_refused_together() -> None:
    wrong: dict[str, Any] = {"memmory": says_mark, "memory": "text"}
    with pytest.raises(InvalidRenderer) as refused:
        Steps().with_overrides(wrong)
    assert [problem.path for problem in refused.value.problems] == [
        "steps['memmory']",
        "steps['memory']",
    ]
    assert "third_party_public_retrievables" in str(refused.value)
