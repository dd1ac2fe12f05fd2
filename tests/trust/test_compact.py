"""Passages in short tags, and buckets beside the question."""

from __future__ import annotations

from typing import Any

import pytest

from support.prompts import COMPACT, NONCES, asset, mark, memory, passage, rendered, said, thought
from tether.core.errors import InputRefused
from tether.trust import Nonces, Renderer, compact_steps, parse_prompt
from tether.trust.buckets import SAFETY_DIRECTIVE
from tether.trust.errors import InvalidRenderer
from tether.trust.prompt import MessageItem, Prompt, Section, TextPart
from tether.trust.records import Handle, HandleTool, LoadedRetrievable, PromptRecords

THREE = (
    passage("web", "Web.", trust_tier="third-party-public", source="https://x.test"),
    passage("b", "Beta.", source="b.md", kind="page", score=0.5),
    passage("a", "Alpha."),
    passage("mail", "Mail.", trust_tier="third-party-private"),
    passage("early", "Early.", trust_tier="third-party-public", created_at=0),
)


def asked(*items: Any, retrievables: tuple[LoadedRetrievable, ...] = THREE) -> Prompt:
    records = PromptRecords("Be kind.", ("Rule.",), (memory("m"),), retrievables, items)
    return rendered(records, **COMPACT)


def test_a_passage_is_in_one_short_tag_and_each_tier_keeps_its_rank() -> None:
    prompt = asked(said("q"))
    assert prompt.evidence == "\n\n".join(
        [
            SAFETY_DIRECTIVE,
            f'<passage_{mark("b")} source="b.md">\nBeta.\n</passage_{mark("b")}>',
            f"<passage_{mark('a')}>\nAlpha.\n</passage_{mark('a')}>",
            (
                f'<passage_{mark("web")} source="https://x.test" tier="third-party-public">\nWeb.\n'
                f"</passage_{mark('web')}>"
            ),
            (
                f'<passage_{mark("early")} tier="third-party-public">\nEarly.\n'
                f"</passage_{mark('early')}>"
            ),
            (
                f'<passage_{mark("mail")} tier="third-party-private">\nMail.\n'
                f"</passage_{mark('mail')}>"
            ),
        ]
    )


def test_passages_that_name_their_sources_need_no_second_name() -> None:
    settings: dict[str, Any] = {**COMPACT, "steps": compact_steps(sources=False)}
    prompt = rendered(PromptRecords(retrievables=THREE[1:2]), **settings)
    assert "b.md" not in prompt.evidence


def test_a_mark_is_keyed_and_changes_with_the_turn() -> None:
    one, other = NONCES.for_turn("one"), NONCES.for_turn("other")
    assert len(one.mark("retrievable", "a")) == 8
    assert one.mark("retrievable", "a") == one.mark("retrievable", "a")
    assert one.mark("retrievable", "a") != other.mark("retrievable", "a")
    assert one.mark("retrievable", "a") != one.mark("retrievable", "b")
    assert not one.of("retrievable", "a").startswith(one.mark("retrievable", "a"))
    secret = Nonces().for_turn("one")
    assert secret.mark("retrievable", "a") != one.mark("retrievable", "a")


def test_a_large_text_is_offered_in_a_passage_too() -> None:
    handle = Handle("x", "SpooledArtifact", 5, 1, None, (HandleTool("artifact_head", "Read."),))
    loaded = LoadedRetrievable(passage("x").record, handle)
    prompt = rendered(PromptRecords(retrievables=(loaded,)), **COMPACT)
    (block,) = parse_prompt(prompt).beside
    assert "artifact_head" in block.body


def test_the_question_begins_with_the_passages_and_no_system_message_has_them() -> None:
    prompt = asked(said("old", created_at=0), said("q", "Why?", created_at=9))
    first, question = prompt.dialogue
    assert first == prompt.timeline[0]
    assert isinstance(question, MessageItem)
    assert question.parts == (TextPart(prompt.evidence), *prompt.timeline[1].parts)  # type: ignore[union-attr]
    assert [section.bucket for section in prompt.before] == ["standing_instructions", "memories"]
    assert prompt.trailing == ""
    assert [section.bucket for section in prompt.sections][-1] == "retrievables"


def test_the_passages_stay_with_the_question_when_the_assistant_has_spoken_since() -> None:
    prompt = asked(said("q", created_at=0), said("r", role="assistant", created_at=9))
    question, reply = prompt.dialogue
    assert isinstance(question, MessageItem)
    assert question.parts[0] == TextPart(prompt.evidence)
    assert reply == prompt.timeline[1]


def test_without_a_question_the_passages_are_a_message_of_the_user() -> None:
    prompt = rendered(PromptRecords(retrievables=THREE, thoughts=(thought("t"),)), **COMPACT)
    assert prompt.dialogue == (
        *prompt.timeline,
        MessageItem("user", None, (TextPart(prompt.evidence),)),
    )


def test_without_passages_the_dialogue_is_the_timeline() -> None:
    prompt = asked(said("q"), retrievables=())
    assert (prompt.evidence, prompt.dialogue) == ("", prompt.timeline)


def test_a_question_with_an_asset_keeps_it_after_the_passages() -> None:
    prompt = asked(said("q", None, media=(asset("p", "Ynl0ZXM="),)))
    (question,) = prompt.dialogue
    assert isinstance(question, MessageItem)
    assert [type(part).__name__ for part in question.parts] == ["TextPart", "TextPart", "MediaPart"]


def test_memories_may_be_beside_the_question_as_well() -> None:
    records = PromptRecords("", (), (memory("m"),), THREE, (said("q"),))
    prompt = rendered(records, question_buckets=("retrievables", "memories"))
    assert [section.bucket for section in prompt.beside] == ["memories", "retrievables"]
    assert prompt.leading == ""
    assert [block.kind for block in parse_prompt(prompt).beside] == [
        "memory",
        "retrieved-first-party",
        "retrieved-first-party",
        "retrieved-third-party-public",
        "retrieved-third-party-public",
        "retrieved-third-party-private",
    ]


def test_a_bucket_that_the_order_leaves_out_is_not_beside_the_question_either() -> None:
    prompt = rendered(
        PromptRecords(retrievables=THREE), **COMPACT, bucket_order=("memories", "timeline")
    )
    assert prompt == Prompt("", (), (), ())


def test_a_renderer_can_be_replaced_in_part_and_keeps_its_nonces() -> None:
    records = PromptRecords(retrievables=THREE, memories=(memory("m"),))
    plain = Renderer(nonces=NONCES)
    made = plain.replaced(**COMPACT).render(records, turn_id="turn-1")
    assert made == rendered(records, **COMPACT)
    assert plain.render(records, turn_id="turn-1").beside == ()


@pytest.mark.parametrize("bucket", ["timeline", "standing_instructions", "weather"])
def test_only_memories_and_passages_may_be_beside_the_question(bucket: Any) -> None:
    for make in (Renderer, lambda **given: Renderer().replaced(steps={}, **given)):
        with pytest.raises(InvalidRenderer, match=r"question_buckets\[0\]"):
            make(question_buckets=[bucket])


ONE, OTHER = "0a" * 4, "0b" * 4


def tag(id: str, **attributes: str) -> str:
    shown = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<passage_{id}{shown}>\ntea\n</passage_{id}>"


@pytest.mark.parametrize(
    "text",
    [
        tag("0a" * 16),
        tag("0a0a"),
        tag(ONE, tier="first-party"),
        tag(ONE, tier="owner"),
        tag(ONE, nonce=ONE),
        tag(ONE, tier="third-party-public", source="x"),
        f"{tag(ONE, tier='third-party-public')}\n\n{tag(OTHER)}",
        f"{tag(ONE)}\n{tag(OTHER)}",
        f"{tag(ONE)}\n\ntea",
        f"{tag(ONE)}\n\n{SAFETY_DIRECTIVE}\n\n{tag(OTHER)}",
        f"{tag(ONE)}\n\n<retrieved_corpus>\n</retrieved_corpus>",
        f"<passage_{ONE}>\n<passage_{OTHER}>\n</passage_{ONE}>",
        f"<passage_{ONE}>\ntea\n</passage_{OTHER}>",
    ],
)
def test_what_the_renderer_cannot_have_made_is_refused(text: str) -> None:
    prompt = Prompt("", (), (), (), (Section("retrievables", text),))
    with pytest.raises(InputRefused, match="not a prompt of ours"):
        parse_prompt(prompt)


def test_a_bucket_that_comes_twice_is_refused() -> None:
    section = Section("retrievables", tag(ONE))
    with pytest.raises(InputRefused, match="twice"):
        parse_prompt(Prompt("", (section,), (), (), (section,)))
    with pytest.raises(InputRefused, match="twice"):
        parse_prompt(Prompt("", (), (), (section,), (section,)))
