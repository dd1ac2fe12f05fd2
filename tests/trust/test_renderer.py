"""The whole prompt."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.prompts import NONCES, call, memory, passage, rendered, said, text_of, thought
from tether.trust.buckets import SAFETY_DIRECTIVE
from tether.trust.errors import InvalidRenderer
from tether.trust.nonces import Nonces
from tether.trust.prompt import BUCKETS, Bucket, Prompt
from tether.trust.records import PromptRecords
from tether.trust.render_context import FallbackStash
from tether.trust.renderer import Renderer

RECORDS = PromptRecords(
    system_prompt="You are <b>kind</b>. <|im_start|>",
    standing_instructions=("Rule.",),
    memories=(memory("m", "Memory."),),
    retrievables=(passage("r", "Passage."),),
    messages=(said("s", "Question."),),
)
WORDS = {
    "standing_instructions": "Rule.",
    "memories": "Memory.",
    "retrievables": "Passage.",
    "timeline": "Question.",
}


def paths(**settings: Any) -> list[str]:
    with pytest.raises(InvalidRenderer) as refused:
        Renderer(**settings)
    return [problem.path for problem in refused.value.problems]


def test_the_system_prompt_comes_first_and_raw() -> None:
    # CONTRACT 133, 1.2
    prompt = rendered(RECORDS)
    assert prompt.system_prompt == "You are <b>kind</b>. <|im_start|>"
    assert prompt.leading.startswith("You are <b>kind</b>. <|im_start|>\n\n<system_instructions")


def test_buckets_lead_by_default_with_a_blank_line_between_them() -> None:
    # CONTRACT 134, 1.7
    prompt = rendered(RECORDS)
    assert [section.bucket for section in prompt.before] == list(BUCKETS[:-1])
    assert prompt.after == ()
    assert prompt.trailing == ""
    leading = prompt.leading
    assert "</system_instructions>\n\n<memories>\n" in leading
    assert f"</memories>\n\n{SAFETY_DIRECTIVE}\n\n<retrieved_corpus>\n" in leading


@pytest.mark.parametrize("order", list(permutations(BUCKETS)))
def test_buckets_before_the_timeline_lead_and_those_after_it_trail(
    order: tuple[Bucket, ...],
) -> None:
    # CONTRACT 134
    prompt = rendered(RECORDS, bucket_order=order)
    place = order.index("timeline")
    assert tuple(section.bucket for section in prompt.before) == order[:place]
    assert tuple(section.bucket for section in prompt.after) == order[place + 1 :]
    assert len(prompt.timeline) == 1
    for section in (*prompt.before, *prompt.after):
        assert WORDS[section.bucket] in section.text
    assert prompt.trailing == "\n\n".join(section.text for section in prompt.after)


@pytest.mark.parametrize("left_out", BUCKETS)
def test_a_bucket_that_is_left_out_disappears(left_out: Bucket) -> None:
    # CONTRACT 134: with the directive, where it is that of the retrieved content
    prompt = rendered(RECORDS, bucket_order=[it for it in BUCKETS if it != left_out])
    everything = prompt.leading + prompt.trailing + "".join(map(text_of, prompt.timeline))
    for bucket, word in WORDS.items():
        assert (word in everything) == (bucket != left_out)
    assert (SAFETY_DIRECTIVE in everything) == (left_out != "retrievables")


def test_without_a_timeline_everything_leads() -> None:
    prompt = rendered(RECORDS, bucket_order=["retrievables", "memories"])
    assert [section.bucket for section in prompt.before] == ["retrievables", "memories"]
    assert prompt.timeline == ()
    assert prompt.after == ()


def test_an_empty_order_leaves_the_system_prompt() -> None:
    assert rendered(RECORDS, bucket_order=()) == Prompt(RECORDS.system_prompt, (), (), ())


def test_nothing_makes_an_empty_prompt() -> None:
    assert rendered(PromptRecords()) == Prompt("", (), (), ())
    assert rendered(PromptRecords()).leading == ""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"bucket_order": ["memories", "memories"]}, ["bucket_order[1]"]),
        ({"bucket_order": ["memories", "history"]}, ["bucket_order[1]"]),
        ({"bucket_order": "memories"}, ["bucket_order"]),
        ({"bucket_order": [7]}, ["bucket_order[0]", "bucket_order[0]"]),
        ({"thought_surfacing": "some"}, ["thought_surfacing"]),
        ({"self_identity": ""}, ["self_identity"]),
        ({"replay_compatibility": "wire"}, ["replay_compatibility"]),
        ({"replay_compatibility": [1]}, ["replay_compatibility[0]"]),
        ({"unsupported_media": "ignore"}, ["unsupported_media"]),
        (
            {"unsupported_media": FallbackStash((1,))},  # type: ignore[arg-type]  # on purpose
            ["unsupported_media.stash_keys[0]"],
        ),
        ({"nonces": b"secret"}, ["nonces"]),
        ({"steps": {"memory": 1}}, ["steps['memory']"]),
        ({"steps": []}, ["steps"]),
        ({"self_identity": 1, "thought_surfacing": 1}, ["self_identity", "thought_surfacing"]),
    ],
)
def test_bad_settings_are_refused_by_name(settings: dict[str, Any], expected: list[str]) -> None:
    # CONTRACT 1.7: labels are unique and known
    assert paths(**settings) == expected


def test_a_prompt_is_the_same_however_often_it_is_rendered_in_a_turn() -> None:
    renderer = Renderer()
    first = renderer.render(RECORDS, turn_id="t")
    assert renderer.render(RECORDS, turn_id="t") == first
    assert renderer.render(RECORDS, turn_id="u") != first


def test_two_renderers_share_no_nonce_unless_they_are_given_a_secret() -> None:
    # SECURITY-CATALOGUE 4.A 22
    one, other = (Renderer().render(RECORDS, turn_id="t") for _ in range(2))
    assert one.leading != other.leading
    first, second = (Renderer(nonces=NONCES).render(RECORDS, turn_id="t") for _ in range(2))
    assert first == second


def test_a_conversation_can_keep_its_nonces_over_turns() -> None:
    renderer = Renderer(nonces=Nonces(conversation="talk"))
    first = renderer.render(RECORDS, turn_id="t")
    assert renderer.render(RECORDS, turn_id="u") == first


FRAGMENTS = [*'ab </>_\n"&;=', "<", "</", "system_instructions", "memor", "ies", "y_", "\u200b"]
HOSTILE = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=30).map("".join)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_no_text_opens_or_closes_one_of_our_blocks(rule: str, fact: str, words: str) -> None:
    # CONTRACT 119; SECURITY-CATALOGUE 4.A 1, 5, 10
    records = PromptRecords(
        standing_instructions=(f"Rule{rule}",),
        memories=(memory("m", fact),),
        messages=(said("s", f"Words{words}", role="assistant"),),
        thoughts=(thought("t", words),),
        calls=(call("c", fact),),
    )
    prompt = rendered(records)
    everything = prompt.leading + "".join(map(text_of, prompt.timeline))
    assert everything.count("<system_instructions") == 1
    assert everything.count("</system_instructions") == 1
    assert everything.count("<memories") == 1
    assert everything.count("</memories") == 1
    assert everything.count("<memory_") == 1
