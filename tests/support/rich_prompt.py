"""Records of every kind in one prompt, for wires to carry."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from support.prompts import asset, call, memory, passage, rendered, said, thought
from tether.trust.prompt import CallItem, MessageItem, Prompt, TextPart
from tether.trust.records import LoadedMedia, PromptRecords

PNG = b64encode(b"\x89PNG picture").decode()
PDF = b64encode(b"%PDF-1.7 paper").decode()
NOTES = "plain notes \u2013 read me"

OPAQUE = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
THINKING = {"type": "thinking", "thinking": "Hm, two plus two.", "signature": "EqQBCgIYAhIM"}


def image(id: str = "picture") -> LoadedMedia:
    return asset(id, PNG, kind="image", mime_type="image/png", filename="cat.png")


def pdf(id: str = "paper") -> LoadedMedia:
    return asset(id, PDF, kind="document", mime_type="application/pdf", filename="paper.pdf")


def notes(id: str = "notes", text: str = NOTES) -> LoadedMedia:
    data = b64encode(text.encode()).decode()
    return asset(id, data, kind="document", mime_type="text/plain", filename="notes.txt")


def at(second: int) -> str:
    return f"2026-01-01T12:00:{second:02}+00:00"


RECORDS = PromptRecords(
    system_prompt="You are under test.",
    standing_instructions=("Answer in one sentence.",),
    memories=(memory("m1", "likes tea"),),
    retrievables=(
        passage("r1", "our handbook"),
        passage("r2", "their page", trust_tier="third-party-public", source="web"),
    ),
    messages=(
        said("u1", "What is this?", media=(image(), pdf(), notes()), created_at=at(1)),
        said("a1", "Let me look.", role="assistant", created_at=at(3)),
        said("p1", "I am a peer.", role="assistant", identity="helper", created_at=at(8)),
        said("u2", "And now?", created_at=at(9)),
    ),
    thoughts=(
        thought("t1", "plain reasoning", created_at=at(2)),
        thought(
            "t2", "", payload=OPAQUE, replay_compatibility="openai-responses", created_at=at(3)
        ),
        thought(
            "t3",
            "Hm, two plus two.",
            payload=THINKING,
            replay_compatibility="anthropic-thinking",
            created_at=at(3),
        ),
        thought("t4", "secret", payload={"x": 1}, replay_compatibility="else", created_at=at(3)),
    ),
    calls=(
        call("call_1", "4", tool="add", args={"a": 2, "b": 2}, created_at=at(4)),
        call("functions.fail:0", "it broke", tool="fail", is_error=True, created_at=at(5)),
        call("call_3", (image("drawn"),), tool="draw", args={}, created_at=at(6)),
    ),
)

TAIL = ("timeline", "standing_instructions", "memories", "retrievables")
"""An order of buckets that puts everything behind the timeline."""


def rich_prompt(**settings: Any) -> Prompt:
    return rendered(RECORDS, **settings)


def texts_in(prompt: Prompt) -> list[str]:
    """Return every text that a prompt shows, as long as its thoughts are not sent as payloads."""
    texts = [prompt.leading, prompt.evidence, prompt.trailing]
    for item in prompt.timeline:
        if isinstance(item, (MessageItem, CallItem)):
            texts += [part.text for part in item.parts if isinstance(part, TextPart)]
        elif item.payload is None:
            texts.append(item.text)
    return [text for text in texts if text]


def strings_in(value: Any) -> list[str]:
    """Return every text in a JSON value; text that is JSON itself is looked into as well."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in strings_in(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in strings_in(inner)]
    return [value] if isinstance(value, str) else []


def holds(body: dict[str, Any], text: str) -> bool:
    """Say whether a body shows a text somewhere, whole."""
    return any(text in found for found in strings_in(json.loads(json.dumps(body))))
