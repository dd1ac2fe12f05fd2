"""A prompt as text: whose words each part is, and nothing left out silently."""

from __future__ import annotations

from tether.ask.capturing import prompt_text
from tether.trust.prompt import (
    CallItem,
    MediaPart,
    MessageItem,
    Prompt,
    Section,
    TextPart,
    ThoughtItem,
)


def test_every_part_stands_below_whose_it_is() -> None:
    picture = MediaPart("image", "image/png", "chart.png", "AAAA")
    prompt = Prompt(
        "You answer questions.",
        (Section("retrievables", "a passage"),),
        (
            MessageItem("user", None, (TextPart("How many?"), picture)),
            ThoughtItem("t1", "I could look.", None, None),
            CallItem("c1", "retrieve", {"query": "many"}, (TextPart("seven"),), False, None, None),
            MessageItem("assistant", None, (TextPart("Seven."),)),
        ),
        (Section("memories", "a memory"),),
    )
    assert prompt_text(prompt).split("\n\n--- ") == [
        "--- system ---\nYou answer questions.\n\na passage",
        "user ---\nHow many?\n[image/png chart.png]",
        "thought ---\nI could look.",
        'tool retrieve ---\n{"query":"many"}\nseven',
        "assistant ---\nSeven.",
        "system ---\na memory",
    ]


def test_an_empty_part_has_no_line() -> None:
    prompt = Prompt("Who you are.", (), (MessageItem("user", None, (TextPart("Why?"),)),), ())
    assert prompt_text(prompt) == "--- system ---\nWho you are.\n\n--- user ---\nWhy?"
